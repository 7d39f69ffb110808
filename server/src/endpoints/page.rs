//! The page with the questions, and the way in to it.

use super::Shared;
use crate::answer::html;
use crate::assets::{HYDRATED, LAST};
use crate::gate::{self, Rejection, RequestLang};
use app::{Arrival, Notice, Shown};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::header::{REFERER, REFRESH, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use std::sync::Arc;

/// `GET /`: the form.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    headers: HeaderMap,
) -> Response {
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
pub(super) async fn enter(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(ticket): Path<String>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let Some(login) = shared.access.login() else { return Rejection::NotFound.respond(lang) };
    // Who is in already may use the link again.
    if !login.knows_cookie(&parts.headers) {
        let peer = gate::connection(&parts).map(|connection| connection.peer.to_canonical());
        if let Err(bad) = login.enter(&ticket, peer) {
            return Rejection::BadTicket(bad).respond(lang);
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
