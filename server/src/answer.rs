//! What answers are made of.

use crate::headers;
use app::RenderedPage;
use axum::Json;
use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_SECURITY_POLICY;
use protocol::workflow::Refusal;
use serde_json::{Map, Value};

/// A page, with the policy of what it may load.
pub(crate) fn html(status: StatusCode, page: RenderedPage) -> Response {
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

/// The same as JSON, to add to.
pub(crate) fn error_body(error: &str, detail: &str) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("error".to_owned(), error.into());
    body.insert("detail".to_owned(), detail.into());
    body
}

/// Why a program is not served, in the form of the daemon's contract.
pub(crate) fn refusal_response(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(refusal)).into_response()
}
