//! What has happened.

use super::call::{Call, Reply, json};
use super::{Shared, ask};
use crate::gate::Endpoint;
use journal::EventFilter;
use model::workflow::{ErrorCode, EventGroup, EventType, Refusal};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How many events are told where nobody says how many.
const USUAL: u32 = 100;
/// How many can be asked for.
const MOST: u32 = 1000;

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        ask("/api/v1/events/types", |_| json(&json!({ "success": true, "types": EventType::NAMES }))),
        ask("/api/v1/events/groups", groups),
        ask("/api/v1/events/history", history),
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

/// `GET /api/v1/events/history`
fn history(call: &Call) -> Reply {
    let mut kinds: Option<Vec<EventType>> = None;
    if let Some(name) = call.query("type") {
        // One that nobody knows has never happened.
        kinds = Some(EventType::named(name).into_iter().collect());
    }
    if let Some(name) = call.query("group") {
        let of_group = EventGroup::named(name).map(types_of).unwrap_or_default();
        kinds = Some(match kinds {
            Some(kinds) => kinds.into_iter().filter(|kind| of_group.contains(kind)).collect(),
            None => of_group,
        });
    }
    let since = call.query("since").map(|text| {
        let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
        number.ok_or_else(|| {
            Refusal::new(ErrorCode::InvalidRequest, "since must be a number").with("field", "since")
        })
    });
    let since = since.transpose()?;
    let owned = |name: &str| call.query(name).map(str::to_owned);
    let filter = EventFilter {
        after: since.unwrap_or_default(),
        kinds,
        workflow: owned("workflowId"),
        session: owned("sessionId"),
        limit: call.number("limit", USUAL, MOST)?,
        // Whoever says from where wants what comes then; everybody else, what came last.
        newest: since.is_none(),
    };
    let events = call.runtime().events(&filter)?;
    Ok(format!("{{\"success\":true,\"events\":[{}]}}", events.join(",")))
}
