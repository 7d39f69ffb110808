//! What is served: the page, the plain form, the documented JSON, the server functions, the assets.

use crate::assets::{ASSETS, HYDRATED, LAST, PLAIN};
use crate::gate::{self, Caller, Refused};
use crate::login::{BadTicket, TICKET_PATH};
use crate::{Access, compress, flow, headers, history};
use app::{Arrival, Complaint, Farewell, Notice, Rendered, Session, Shown, SubmitFailure};
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use decide::Refusal;
use http::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY, REFERER, REFRESH, SET_COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use model::form::{self, Action, Post};
use model::{AnswerSheet, Ending, Via};
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use texts::Lang;

/// Where a page waits for news. It writes nothing.
pub(crate) const LISTEN: &str = "/fn/listen";

/// What every route may use.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) session: Arc<Session>,
    pub(crate) access: Access,
}

/// All routes behind the gate.
pub fn router(session: Arc<Session>, access: Access) -> Router {
    let shared = Arc::new(Shared { session, access });
    let mut router = Router::new()
        .route("/", get(page))
        .route("/index.html", get(page))
        .route("/history", get(history::list))
        .route("/history/{session}", get(history::one))
        .route("/flow", get(flow::page))
        .route("/flow/version", get(flow::version))
        .route("/submit", get(back_to_page).post(submit_form))
        .route("/api/items", get(items))
        .route("/api/submit", post(submit_json))
        .route("/fn/submit", post(server_function))
        .route("/fn/draft", post(server_function))
        .route(LISTEN, post(server_function))
        .route(&format!("{TICKET_PATH}{{ticket}}"), get(enter));
    for asset in ASSETS {
        router =
            router.route(asset.path, get(move |headers: HeaderMap| async move { asset.respond(&headers) }));
    }
    let router = router.layer(from_fn(compress::pages));
    router.layer(from_fn_with_state(Arc::clone(&shared), gate::guard)).with_state(shared)
}

async fn page(State(shared): State<Arc<Shared>>, Speaking(lang): Speaking, headers: HeaderMap) -> Response {
    let session = &shared.session;
    let saved_at = session.draft_saved_at();
    let arrival = if comes_back(&headers) { Arrival::Back } else { Arrival::Anew(saved_at.as_deref()) };
    let shown = Shown { sheet: &session.draft(), complaint: None, arrival };
    html(StatusCode::OK, app::render_form(session, lang, shown, HYDRATED))
}

/// Whether somebody was on another page of these questions just now, and has nothing to be reminded of.
fn comes_back(headers: &HeaderMap) -> bool {
    let from = headers.get(REFERER).and_then(|from| from.to_str().ok()?.parse::<Uri>().ok());
    from.is_some_and(|from| ["/submit", "/history", "/flow"].iter().any(|page| from.path().starts_with(page)))
}

/// A ticket becomes a cookie. The answer is a page that leads on, and no redirect: what another site has begun would go
/// on as that site's, and without the cookie.
async fn enter(
    State(shared): State<Arc<Shared>>,
    Speaking(lang): Speaking,
    Path(ticket): Path<String>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let Some(login) = shared.access.login() else { return Refused::NotFound.respond(lang) };
    // Who is in already may use the link again.
    if !login.knows_cookie(&parts.headers) {
        let peer = gate::connection(&parts).map(|connection| connection.peer.to_canonical());
        if let Err(bad) = login.enter(&ticket, peer) {
            return Refused::BadTicket(bad).respond(lang);
        }
        shared.session.has_visitor();
    }
    let mut response = html(StatusCode::OK, app::render_notice(lang, &Notice::Welcome, LAST));
    let headers = response.headers_mut();
    headers.insert(REFRESH, HeaderValue::from_static("0; url=/"));
    if let Ok(cookie) = HeaderValue::try_from(login.set_cookie()) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

/// Says that a login is needed, and how to get in.
pub(crate) fn not_logged_in(lang: Lang, caller: Caller) -> Response {
    let words = lang.page();
    match caller {
        Caller::Page => html(StatusCode::UNAUTHORIZED, app::render_notice(lang, &Notice::LoggedOut, LAST)),
        Caller::Form => html(StatusCode::UNAUTHORIZED, app::render_notice(lang, &Notice::NotSent, LAST)),
        // In the form of the page's own failures: it shows them, and keeps what was typed.
        Caller::Function => {
            let failure = SubmitFailure::Stale(words.logged_out_page.to_owned());
            (StatusCode::UNAUTHORIZED, Json(failure)).into_response()
        }
        Caller::Script => error_response(StatusCode::UNAUTHORIZED, words.http_refused, words.http_login),
    }
}

/// Says why a link does not let in.
pub(crate) fn bad_ticket(lang: Lang, bad: BadTicket) -> Response {
    let (status, notice) = match bad {
        BadTicket::Wrong | BadTicket::Over => (StatusCode::UNAUTHORIZED, Notice::TicketOver),
        BadTicket::TooMany => (StatusCode::TOO_MANY_REQUESTS, Notice::TooManyTickets),
    };
    html(status, app::render_notice(lang, &notice, LAST))
}

/// Somebody asks again for the address of a form that came back.
async fn back_to_page(uri: Uri) -> Redirect {
    match uri.query() {
        Some(query) => Redirect::to(&format!("/?{query}")),
        None => Redirect::to("/"),
    }
}

/// The form as plain HTML. The answer is a complete page: nothing has to be fetched from a server that may be
/// gone by then.
async fn submit_form(State(shared): State<Arc<Shared>>, Speaking(lang): Speaking, body: Bytes) -> Response {
    let session = &shared.session;
    let mut post = form::read(form_urlencoded::parse(&body));
    // What a page says is about the questions it shows, whatever is to be done with it.
    if let Err(refusal) = session.check_current(&post.session) {
        return refused_form(session, lang, &post, refusal);
    }
    let page = match post.action {
        Action::Recommend | Action::Show | Action::Extend => {
            match (post.action, session.time_limit()) {
                (Action::Recommend, _) => post.sheet.take_recommendations(session.questions().input()),
                (Action::Extend, Some(limit)) => limit.extend(),
                _ => {}
            }
            keep_draft(session, &post.session, &post.sheet);
            let shown = Shown { sheet: &post.sheet, complaint: None, arrival: Arrival::Back };
            Ok(app::render_form(session, lang, shown, HYDRATED))
        }
        Action::Review => {
            keep_draft(session, &post.session, &post.sheet);
            Ok(app::render_review(session, lang, &post.sheet, PLAIN))
        }
        // Whoever leaves takes nothing along: what cannot be kept is shown again.
        Action::History => match session.save_draft(&post.session, &post.sheet, Via::Form) {
            Ok(()) => return Redirect::to(&format!("/history?lang={}", lang.code())).into_response(),
            Err(refusal) => return refused_form(session, lang, &post, refusal),
        },
        Action::Submit => session
            .submit_sheet(&post.session, &post.sheet, Via::Form)
            .map(|chosen| app::render_farewell(lang, session.id(), Farewell::Decided, chosen, LAST)),
        Action::Return => session
            .send_back(&post.session, &post.sheet.returned.clone().unwrap_or_default(), Via::Form)
            .map(|returned| app::render_notice(lang, &Notice::Returned(returned.message), LAST)),
    };
    match page {
        Ok(page) => html(StatusCode::OK, page),
        Err(refusal) => {
            keep_draft(session, &post.session, &post.sheet);
            refused_form(session, lang, &post, refusal)
        }
    }
}

fn refused_form(session: &Session, lang: Lang, post: &Post, refusal: Refusal) -> Response {
    let status = app::status_of(&refusal);
    let detail = app::detail_of(&refusal, lang);
    let page = match refusal {
        Refusal::Ended(ending @ Ending::Decided(_)) => {
            let chosen = session.chosen_of(&ending);
            app::render_farewell(lang, session.id(), Farewell::DecidedElsewhere, chosen, LAST)
        }
        Refusal::Stale | Refusal::Ended(Ending::Replaced(_)) => {
            app::render_notice(lang, &Notice::Stale(post.sheet.texts()), LAST)
        }
        Refusal::Ended(Ending::Returned(returned)) => {
            app::render_notice(lang, &Notice::ReturnedBefore(returned.message), LAST)
        }
        Refusal::Ended(Ending::Cancelled) => app::render_notice(lang, &Notice::Cancelled, LAST),
        Refusal::NoReason | Refusal::Invalid(_) | Refusal::NotJson(_) | Refusal::Storage(_) => {
            let complaint = match post.action {
                Action::Return => Complaint::Return(&detail),
                _ => Complaint::Submit(&detail),
            };
            let shown = Shown { sheet: &post.sheet, complaint: Some(complaint), arrival: Arrival::Back };
            app::render_form(session, lang, shown, HYDRATED)
        }
    };
    html(status, page)
}

/// What was posted is shown again in any case; that it also survives this process is worth a try, not a failure.
fn keep_draft(session: &Session, page_session: &str, sheet: &AnswerSheet) {
    let _ = session.save_draft(page_session, sheet, Via::Form);
}

/// `GET /api/items`: the questions as they were sent, with the source lines they name.
async fn items(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let session = &shared.session;
    let mut document = session.questions().document().clone();
    let items = document.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten();
    // Items about one file mostly follow each other: it is read once for them.
    let mut last = None;
    for (value, item) in items.zip(&session.questions().input().items) {
        let Some(location) = &item.location else { continue };
        let source = match last.take() {
            Some((file, source)) if file == &location.file => source,
            _ => session.project().source(&location.file),
        };
        let (_, source) = last.insert((&location.file, source));
        let excerpt = source.as_ref().and_then(|source| source.excerpt(location.start, location.end));
        if let (Some(excerpt), Some(object)) = (excerpt, value.as_object_mut()) {
            object.insert("source_content".to_owned(), excerpt.lines.join("\n").into());
        }
    }
    Json(Value::Object(document))
}

/// `POST /api/submit`: the documented JSON, for scripts.
async fn submit_json(State(shared): State<Arc<Shared>>, Speaking(lang): Speaking, body: Bytes) -> Response {
    let session = &shared.session;
    let words = lang.page();
    let text = match std::str::from_utf8(&body) {
        Ok(text) => text,
        Err(error) => {
            return error_response(StatusCode::BAD_REQUEST, words.http_invalid, &error.to_string());
        }
    };
    match session.submit_json(text) {
        Ok(()) => Json(json!({ "success": true, "message": words.http_saved })).into_response(),
        Err(refusal) => {
            let (status, detail) = (app::status_of(&refusal), app::detail_of(&refusal, lang));
            match refusal {
                Refusal::Ended(Ending::Decided(output)) => {
                    let mut body = error_body(words.http_conflict, &detail);
                    body.insert("result".to_owned(), json!(output));
                    (status, Json(Value::Object(body))).into_response()
                }
                Refusal::Ended(Ending::Returned(_) | Ending::Cancelled) => {
                    error_response(status, words.http_closed, &detail)
                }
                Refusal::Storage(_) => error_response(status, words.http_save_failed, &detail),
                _ => error_response(status, words.http_invalid, &detail),
            }
        }
    }
}

/// The server functions of `app`, called by the hydrated page.
async fn server_function(State(shared): State<Arc<Shared>>, mut request: Request) -> Response {
    // leptos_axum answers a request that accepts HTML by a redirect; these are only ever called by the page.
    request.headers_mut().remove(ACCEPT);
    let session = Arc::clone(&shared.session);
    let context = move || app::provide_session(Arc::clone(&session));
    leptos_axum::handle_server_fns_with_context(context, request).await.into_response()
}

/// The language to answer in: the one asked for by `?lang=`, else the configured one, else the browser's.
pub(crate) struct Speaking(pub(crate) Lang);

impl FromRequestParts<Arc<Shared>> for Speaking {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Infallible> {
        Ok(Self(language(parts, &shared.session)))
    }
}

/// The language to answer `parts` in; what the page asks for on its own is answered in the language it is shown in.
pub(crate) fn language(parts: &Parts, session: &Session) -> Lang {
    let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let asked = |query: &str| {
        let query = form_urlencoded::parse(query.as_bytes());
        query.into_iter().find(|(name, _)| name == "lang").map(|(_, code)| code.into_owned())
    };
    let page = || if parts.uri.path().starts_with("/fn/") { text(REFERER)?.split_once('?') } else { None };
    let asked = parts.uri.query().and_then(asked).or_else(|| page().and_then(|(_, query)| asked(query)));
    session.language(asked.as_deref(), text(ACCEPT_LANGUAGE))
}

pub(crate) fn html(status: StatusCode, page: Rendered) -> Response {
    let mut response = (status, Html(page.html)).into_response();
    if let Some(policy) = headers::page_policy(&page.nonce) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The documented shape of every error: what happened, and what exactly.
pub(crate) fn error_response(status: StatusCode, error: &str, detail: &str) -> Response {
    (status, Json(Value::Object(error_body(error, detail)))).into_response()
}

fn error_body(error: &str, detail: &str) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("error".to_owned(), error.into());
    body.insert("detail".to_owned(), detail.into());
    body
}
