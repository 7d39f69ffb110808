//! All sets of questions that are open.

use super::Shared;
use super::history::reading;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// `GET /inbox/version`: what changes whenever the inbox does.
pub(super) async fn version(State(shared): State<Arc<Shared>>) -> Response {
    let hall = Arc::clone(&shared.hall);
    reading(move || app::inbox_version(&hall.open_forms()).into_response()).await
}
