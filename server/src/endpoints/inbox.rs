//! All sets of questions that are open.

use super::Shared;
use crate::gate::{Rejection, RequestLang};
use app::{InboxQuery, ReadError};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use std::sync::Arc;

/// `GET /inbox/version?…&seen=…`: what changes whenever the page of the inbox does that has the same query, once it is something else
/// than `seen`.
pub(super) async fn version(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    uri: Uri,
) -> Response {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let known = pairs.into_iter().find(|(name, _)| name == "seen").map(|(_, known)| known.into_owned());
    let query = InboxQuery::read(uri.query().unwrap_or_default());
    match Arc::clone(&shared.hall).inbox_news(known.as_deref().unwrap_or_default(), lang, query).await {
        Ok(version) => version.into_response(),
        Err(ReadError::Late) => Rejection::Stuck.respond(lang),
        Err(ReadError::Lost) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
