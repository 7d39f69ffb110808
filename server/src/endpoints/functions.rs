//! The server functions of `app`.

use super::Shared;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::ACCEPT;
use std::sync::Arc;

/// Runs the function that the hydrated page calls.
pub(super) async fn call(State(shared): State<Arc<Shared>>, mut request: Request) -> Response {
    // leptos_axum answers a request that accepts HTML by a redirect; these are only ever called by the page.
    request.headers_mut().remove(ACCEPT);
    let hall = Arc::clone(&shared.hall);
    let context = move || app::provide_hall(Arc::clone(&hall));
    leptos_axum::handle_server_fns_with_context(context, request).await.into_response()
}
