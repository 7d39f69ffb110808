//! What has happened.

use super::call::{Call, Reply, json};
use super::lists::{cursor_of, limited};
use super::{Shared, known};
use crate::answer::refusal_response;
use crate::feed::{FeedMessage, Filter, Follower};
use crate::gate::Endpoint;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use journal::EventFilter;
use protocol::workflow::{ErrorCode, EventGroup, EventType, Refusal, Selection};
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use workflow::Failure;

/// Default number of events.
const USUAL: u32 = 100;
/// How many can be asked for.
const MAX_EVENTS: u32 = 1000;
/// How long a stream is silent at most.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        known("/api/v1/events/types", |_| json(&json!({ "success": true, "types": EventType::NAMES }))),
        known("/api/v1/events/groups", groups),
        limited("/api/v1/events/history", history),
        Endpoint::ask("/api/v1/events/stream", stream).held(),
    ]
}

/// The types of a group.
fn types_of(group: EventGroup) -> Vec<EventType> {
    let types = EventType::ALL.iter().copied();
    types.filter(|kind| group == EventGroup::All || kind.group() == group).collect()
}

/// `GET /api/v1/events/groups`
fn groups(_: &Call) -> Reply {
    let types: Map<String, Value> =
        EventGroup::ALL.iter().map(|group| (group.name().to_owned(), json!(types_of(*group)))).collect();
    json(&json!({ "success": true, "groups": EventGroup::NAMES, "groupTypes": types }))
}

/// `GET /api/v1/events/stream`: what happens, as `text/event-stream`; with `since`, or `Last-Event-ID`, from there on.
async fn stream(call: Call) -> Response {
    let owned = |name| call.query(name).map(str::to_owned);
    let selection = groups_of(&call).and_then(|groups| selection(&entries(&call, "type"), &groups));
    let filter = match selection {
        Ok(selection) => Filter { selection, workflow: owned("workflowId"), session: owned("sessionId") },
        Err(refusal) => return refusal_response(&refusal),
    };
    let since = match since(call.query("since").or(call.last_event.as_deref())) {
        Ok(since) => since,
        Err(refusal) => return refusal_response(&refusal),
    };
    let log = call.api.log(&call.reads);
    let follower = match since {
        Some(since) => Follower::since(log, filter, since),
        None => Follower::from_now(log, filter),
    };
    let counted = call.api.clients.stream();
    let frames = futures_util::stream::unfold((follower, counted), |(mut follower, counted)| async move {
        let frame = match timeout(KEEP_ALIVE, follower.next()).await {
            // A comment: so that neither end takes the other for gone.
            Err(_) => ":\n\n".to_owned(),
            Ok(Ok(FeedMessage::Event(feed_event))) => {
                let (event, seq) = (&feed_event.event, feed_event.event.seq);
                format!("id: {seq}\nevent: {}\ndata: {}\n\n", event.kind, event.payload)
            }
            Ok(Ok(FeedMessage::Gap(oldest))) => {
                format!("event: replay_gap\ndata: {{\"oldestSeq\":{oldest}}}\n\n")
            }
            // The client reconnects, with the id of the last event it received.
            Ok(Ok(FeedMessage::Lagged(_)) | Err(_)) => return None,
        };
        Some((Ok::<_, Infallible>(frame), (follower, counted)))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(frames)).into_response()
}

/// What is named behind the `?`, with commas between.
fn entries(call: &Call, name: &str) -> Vec<String> {
    call.query(name)
        .map(|text| text.split(',').map(|entry| entry.trim().to_owned()).collect())
        .unwrap_or_default()
}

/// Returns the requested groups. A mistyped group is refused, because its silence would look as if nothing had happened; a type
/// may be one of a later version.
fn groups_of(call: &Call) -> Result<Vec<String>, Refusal> {
    let groups = entries(call, "group");
    let unknown = groups.iter().find(|group| EventGroup::named(group).is_none());
    match unknown {
        Some(unknown) => {
            let words = format!("Unknown group {unknown}, known are {}", EventGroup::NAMES.join(", "));
            Err(Refusal::new(ErrorCode::InvalidGroup, words).with("field", "group"))
        }
        None => Ok(groups),
    }
}

/// Types, with `*` for any characters, and groups; all where nothing is named.
fn selection(types: &[String], groups: &[String]) -> Result<Selection, Refusal> {
    let mut selection = Selection::default();
    if !(types.is_empty() && groups.is_empty()) {
        selection.add(types, groups).map_err(|full| Refusal::invalid(full.to_string(), "type"))?;
    }
    Ok(selection)
}

/// Returns the number of the event after which to begin.
fn since(text: Option<&str>) -> Result<Option<i64>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
    let refusal = || Refusal::new(ErrorCode::InvalidRequest, "since must be a number").with("field", "since");
    number.map(Some).ok_or_else(refusal)
}

/// `GET /api/v1/events/history`
fn history(call: &Call) -> Result<(String, Option<String>), Failure> {
    let (types, groups) = (entries(call, "type"), groups_of(call)?);
    let (of_types, of_groups) = (selection(&types, &[])?, selection(&[], &groups)?);
    let is_all = types.is_empty() && groups.is_empty();
    let kinds = EventType::ALL.iter().copied().filter(|kind| of_types.has(*kind) && of_groups.has(*kind));
    let kinds = (!is_all).then(|| kinds.collect());
    let since = since(call.query("since"))?;
    let owned = |name: &str| call.query(name).map(str::to_owned);
    let filter = EventFilter {
        after: since.unwrap_or_default(),
        kinds,
        workflow: owned("workflowId"),
        session: owned("sessionId"),
        limit: call.number("limit", USUAL, MAX_EVENTS)?,
        // With `since`, the events that follow; without it, the latest.
        newest: since.is_none(),
    };
    let (events, next) = call.runtime().part_of_events(&filter, cursor_of(call))?;
    Ok((format!("{{\"success\":true,\"events\":[{}]}}", events.join(",")), next))
}
