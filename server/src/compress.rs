//! Small pages travel compressed. A large one would take longer to compress than to send to the same machine.

use crate::assets::accepts;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderValue, StatusCode};
use http_body::Body as _;
use std::io::Write;

/// Up to how many bytes a page is compressed, in well under a millisecond.
const MOST: u64 = 64 * 1024;

/// Compresses the pages that are worth it, for clients that accept it. Assets come compressed already.
pub(crate) async fn small_pages(request: Request, next: Next) -> Response {
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let accepted = accepted.is_some_and(|accepted| accepts(accepted, "gzip"));
    let mut response = next.run(request).await;
    let is_page =
        response.headers().get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
    if !is_page || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    if !accepted || response.body().size_hint().exact().is_none_or(|size| size > MOST) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // A page is in memory already; reading it does not fail.
    let Ok(page) = to_bytes(body, usize::MAX).await else {
        parts.status = StatusCode::INTERNAL_SERVER_ERROR;
        return Response::from_parts(parts, Body::empty());
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let body = match encoder.write_all(&page).and_then(|()| encoder.finish()) {
        Ok(compressed) => {
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.remove(CONTENT_LENGTH);
            Body::from(compressed)
        }
        Err(_) => Body::from(page),
    };
    Response::from_parts(parts, body)
}
