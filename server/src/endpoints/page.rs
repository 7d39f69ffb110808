//! The page with the questions, and the way in to it.

use super::pages::lost;
use super::{Shared, history};
use crate::answer::html;
use crate::assets::{HYDRATED, LAST, PLAIN};
use crate::gate::{self, Caller, Rejection, RequestLang};
use crate::login::{BadTicket, Login};
use app::site;
use app::{
    Arrival, Form, FormContext, Hall, InboxQuery, NextSet, NotFound, Notice, OtherPages, ResultPage, SetId,
};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::header::{ACCEPT, LOCATION, REFERER, REFRESH, SET_COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use std::net::IpAddr;
use std::sync::Arc;
use texts::Lang;

/// `GET /`: the form, or all sets where several are open.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let hall = &shared.hall;
    let only = match hall.open_count() {
        // The server is about to end.
        0 => hall.own().map(Arc::clone),
        // Where there are several projects the inbox stays what it is: it is left open.
        1 if hall.project().is_some() => hall.open().first().and_then(|set| hall.form(set)),
        _ => None,
    };
    if let Some(form) = only {
        return form_page(hall, &form, hall.elsewhere(), lang, &headers);
    }
    let (home, rooms) = (hall.project(), hall.project_rooms());
    let query = InboxQuery::read(uri.query().unwrap_or_default());
    let shown = hall.inbox_page(lang, &query);
    if is_seen(&headers) {
        hall.note_looks(shown.forms.iter().map(|form| form.id()));
    }
    let inbox = app::render_inbox(lang, home.as_ref(), &rooms, hall.elsewhere(), &shown, &query, PLAIN);
    html(StatusCode::OK, inbox)
}

/// `GET /d/{session}`: the form of one set.
pub(super) async fn one(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(set): Path<String>,
    headers: HeaderMap,
) -> Response {
    let hall = &shared.hall;
    // Another program may have ended them just now.
    if let Some(form) = hall.form_named(&set).filter(|form| form.look().is_none()) {
        return form_page(hall, &form, hall.elsewhere_than(form.id()), lang, &headers);
    }
    // How they have ended can be seen there; of what never was, that is said there as well.
    match set.parse::<SetId>() {
        // Of what never was in another project, nothing can be said there either.
        Ok(named) if named.room().is_empty() || hall.ending_of(&set).is_some() => {
            // The same page is in the answer, for programs that do not follow.
            let mut response = history::show(hall, lang, &named, false);
            let record = format!("{}?lang={}", named.record_path(), lang.code());
            if let Ok(record) = HeaderValue::try_from(record) {
                *response.status_mut() = StatusCode::SEE_OTHER;
                response.headers_mut().insert(LOCATION, record);
            }
            response
        }
        _ => lost(lang, hall.elsewhere(), NotFound::Decision),
    }
}

fn form_page(hall: &Hall, form: &Form, elsewhere: OtherPages, lang: Lang, headers: &HeaderMap) -> Response {
    if let Some(ending) = form.held() {
        let (how, chosen) = (ResultPage::from_ending(&ending), form.chosen_of(&ending, lang));
        let next = NextSet::after(hall, form);
        return html(StatusCode::OK, app::render_result(lang, form, how, chosen, next, LAST));
    }
    let saved_at = form.draft_saved_at();
    if is_seen(headers) {
        hall.note_looks([form.id()]);
    }
    let arrival = if comes_back(headers) {
        Arrival::Back
    } else {
        if is_shown(headers) {
            hall.page_was_opened(form);
        }
        Arrival::Anew(saved_at.as_deref())
    };
    let undo = hall.undo_of(form);
    let shown = FormContext { sheet: &form.draft(), complaint: None, arrival, elsewhere, undo };
    html(StatusCode::OK, app::render_form(form, lang, shown, HYDRATED))
}

/// Whether a browser shows what is asked for. Programs do not say so, nor do browsers that fetch ahead.
fn is_shown(headers: &HeaderMap) -> bool {
    let has = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    has("sec-fetch-dest", "document") && !headers.contains_key("sec-purpose")
}

/// Whether a person sees what is asked for. Browsers say nothing of the kind where the page comes neither from this machine nor
/// encrypted, but they say what they can show.
fn is_seen(headers: &HeaderMap) -> bool {
    let accepts_html = headers
        .get(ACCEPT)
        .is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")));
    is_shown(headers)
        || (!headers.contains_key("sec-fetch-dest") && !headers.contains_key("sec-purpose") && accepts_html)
}

/// Whether the user was just on another page of these questions and needs no reminder.
fn comes_back(headers: &HeaderMap) -> bool {
    let from = headers.get(REFERER).and_then(|from| from.to_str().ok()?.parse::<Uri>().ok());
    from.is_some_and(|from| {
        let path = from.path();
        let path = path.strip_prefix(site::root()).unwrap_or(path);
        ["/submit", "/history", "/flow", "/workflows", "/p/"].iter().any(|page| path.starts_with(page))
            || path.ends_with("/submit")
    })
}

/// `GET /t/{ticket}`: the door, with a button that sends the ticket.
pub(super) async fn door(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(ticket): Path<String>,
    request: Request,
) -> Response {
    with_ticket(&shared, lang, request, |login, peer| {
        login.examine(&ticket, peer)?;
        Ok(html(StatusCode::OK, app::render_notice(lang, &Notice::Door, LAST)))
    })
}

/// `POST /t/{ticket}`: a ticket becomes a cookie. The answer is a page that refreshes to the next one, and no redirect: a
/// navigation that another site has begun would continue as that site's, without the cookie.
pub(super) async fn enter(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(ticket): Path<String>,
    request: Request,
) -> Response {
    with_ticket(&shared, lang, request, |login, peer| {
        login.enter(&ticket, peer)?;
        shared.hall.has_visitor();
        Ok(welcome(login, lang))
    })
}

/// Does something with a ticket. A browser that has the cookie already is welcome without: its button was pressed twice, or its link
/// opened again.
fn with_ticket(
    shared: &Shared,
    lang: Lang,
    request: Request,
    act: impl FnOnce(&Login, Option<IpAddr>) -> Result<Response, BadTicket>,
) -> Response {
    let (parts, _) = request.into_parts();
    let Some(login) = shared.access.login() else { return Rejection::NotFound(Caller::Page).respond(lang) };
    if login.knows_cookie(&parts.headers) {
        return welcome(login, lang);
    }
    act(login, peer(&parts)).unwrap_or_else(|bad| Rejection::BadTicket(bad).respond(lang))
}

fn peer(parts: &Parts) -> Option<IpAddr> {
    gate::connection(parts).map(|connection| connection.peer.to_canonical())
}

fn welcome(login: &Login, lang: Lang) -> Response {
    let mut response = html(StatusCode::OK, app::render_notice(lang, &Notice::Welcome, LAST));
    let headers = response.headers_mut();
    if let Ok(refresh) = HeaderValue::try_from(format!("0; url={}", site::address("/"))) {
        headers.insert(REFRESH, refresh);
    }
    if let Ok(cookie) = HeaderValue::try_from(login.set_cookie()) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}
