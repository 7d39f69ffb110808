//! `/mcp`: where coding agents ask by the Model Context Protocol.

use crate::InFlight;
use crate::gate::{Endpoint, Rejection};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http::StatusCode;
use http_body::Body as _;
use http_body_util::{BodyDataStream, BodyExt};
use mcp::{Connection, Http};
use std::future::Future;
use std::sync::Arc;

const PATH: &str = "/mcp";

/// What is answered by `mcp`.
pub(super) fn table<S: Clone + Send + Sync + 'static>(mcp: &Arc<Http>) -> Vec<Endpoint<S>> {
    let mcp = Arc::clone(mcp);
    rows(move |request| answer(Arc::clone(&mcp), request))
}

/// The rows, whatever answers.
pub(super) fn rows<S, A>(answer: impl Fn(Request) -> A + Clone + Send + Sync + 'static) -> Vec<Endpoint<S>>
where
    S: Clone + Send + Sync + 'static,
    A: Future<Output: IntoResponse> + Send + 'static,
{
    let (posted, listening, ended) = (answer.clone(), answer.clone(), answer);
    vec![
        Endpoint::post_message(PATH, mcp::MAX_BODY, move |request: Request| posted(request)),
        // What a session gets without a request.
        Endpoint::listen(PATH, move |request: Request| listening(request)),
        Endpoint::end_session(PATH, move |request: Request| ended(request)),
    ]
}

async fn answer(mcp: Arc<Http>, request: Request) -> Response {
    let in_flight: InFlight = request.extensions().get().cloned().unwrap_or_default();
    // It may take as long as the person does: the server ends without it.
    let Some(hold) = in_flight.hold() else { return Rejection::TooManyHeld.respond_to_program() };
    let (parts, body) = request.into_parts();
    // The gate has read it as a whole.
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => Bytes::new(),
    };
    let connection = Connection {
        number: in_flight.connection(),
        is_new: in_flight.is_first_request(),
        presence: in_flight.presence(),
    };
    let answering = mcp.answer(connection, Request::from_parts(parts, body));
    let response = tokio::select! {
        response = answering => response,
        () = in_flight.ending() => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
    };
    let (parts, body) = response.into_parts();
    if body.size_hint().exact().is_some() {
        return Response::from_parts(parts, Body::new(body));
    }
    // A stream continues until the server ends.
    let ending = async move { in_flight.ending().await };
    let body = BodyDataStream::new(body).take_until(Box::pin(ending)).map(move |data| {
        let _ = &hold;
        data
    });
    Response::from_parts(parts, Body::from_stream(body))
}
