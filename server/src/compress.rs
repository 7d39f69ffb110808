//! Pages travel compressed, but for large ones on the same machine: to compress them would take longer than to send them.

use crate::ConnectionInfo;
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

/// Up to how many bytes a page is compressed for the same machine: the page of a workflow with all tasks that it shows at once
/// is. It takes one to three milliseconds.
const MAX_BYTES: u64 = 128 * 1024;

/// Compresses the pages that are worth it, for clients that accept it. Assets come compressed already.
pub(crate) async fn pages(request: Request, next: Next) -> Response {
    let connection = request.extensions().get::<ConnectionInfo>();
    let is_near = connection.is_none_or(|connection| connection.peer.to_canonical().is_loopback());
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let accepted = accepted.is_some_and(|accepted| accepts(accepted, "gzip"));
    let mut response = next.run(request).await;
    let is_page =
        response.headers().get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
    if !is_page || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    let is_large = response.body().size_hint().exact().is_none_or(|size| size > MAX_BYTES);
    if !accepted || is_near && is_large {
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

#[cfg(test)]
mod tests {
    use super::{ConnectionInfo, MAX_BYTES, pages};
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::middleware::from_fn;
    use axum::response::Html;
    use axum::routing::get;
    use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
    use tower::ServiceExt as _;

    /// Whether a page of `size` bytes is compressed for `peer`.
    async fn is_compressed(size: u64, peer: IpAddr) -> bool {
        let page = "a".repeat(usize::try_from(size).unwrap());
        let router = Router::new().route("/", get(async || Html(page))).layer(from_fn(pages));
        let mut request = Request::get("/").header(ACCEPT_ENCODING, "gzip").body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectionInfo { peer, local: peer });
        router.oneshot(request).await.unwrap().headers().contains_key(CONTENT_ENCODING)
    }

    #[tokio::test]
    async fn large_pages_are_compressed_for_other_machines_only() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for near in [here, Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.to_ipv6_mapped().into()] {
            assert!(is_compressed(MAX_BYTES, near).await);
            assert!(!is_compressed(MAX_BYTES + 1, near).await);
        }
        assert!(is_compressed(MAX_BYTES + 1, Ipv4Addr::new(192, 0, 2, 1).into()).await);
    }
}
