//! The headers of every response, the gate's refusals included. What is no HTTP at all hyper refuses, without them.

use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue};

const FIXED: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    // `no-referrer` would turn the Origin of a form post into `null`, which the gate refuses.
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), clipboard-read=()",
    ),
];

/// Adds what is missing: a response that says more about itself (a page's policy, an asset's caching) keeps it.
pub(crate) async fn complete(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    // The documented type of every JSON answer names the encoding.
    if headers.get(CONTENT_TYPE).is_some_and(|value| value == "application/json") {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; base-uri 'none'"));
    response
}

/// What a page may load and do. Only the elements with this response's nonce run or style.
pub(crate) fn page_policy(nonce: &str) -> Option<HeaderValue> {
    HeaderValue::try_from(format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'wasm-unsafe-eval'; \
         style-src 'nonce-{nonce}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    ))
    .ok()
}
