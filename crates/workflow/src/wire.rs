//! Wire format of events (contract/workflows §4.3).

use crate::draft::iso;
use crate::failure::Failure;
use crate::lists::{self, ListKey, ListRange};
use crate::runtime::Runtime;
use journal::{Event, EventFilter, Log, Query, ViewExt as _};
use protocol::workflow::EventType;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// The names of the lists in their cursors: with the oldest first, and with the newest.
const EVENTS: &str = "events";
const NEWEST_EVENTS: &str = "newest-events";

/// An event as it is sent: the members of the contract, its scope and its number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'e> {
    #[serde(rename = "type")]
    kind: EventType,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'e str>,
    timestamp: String,
    payload: &'e RawValue,
    seq: i64,
    event_id: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow_id: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'e str>,
}

/// Returns an event in its wire format: one line of JSON.
///
/// # Errors
///
/// When its payload is no JSON; the journal takes nothing else.
pub fn envelope(event: &Event) -> serde_json::Result<String> {
    let payload: &RawValue = serde_json::from_str(&event.payload)?;
    serde_json::to_string(&Envelope {
        kind: event.kind,
        session_id: event.session.as_deref(),
        timestamp: iso(event.at),
        payload,
        seq: event.seq,
        event_id: &event.id,
        workflow_id: event.workflow.as_deref(),
        task_id: event.task.as_deref(),
        agent_id: event.agent.as_deref(),
    })
}

/// The list of the events that a filter asks for.
fn list_of(filter: &EventFilter) -> ListKey {
    let name = if filter.newest { NEWEST_EVENTS } else { EVENTS };
    let kinds = filter.kinds.as_ref().map(|kinds| {
        let names: BTreeSet<_> = kinds.iter().map(|kind| kind.name()).collect();
        Vec::from_iter(names).join(",")
    });
    let after = filter.after.to_string();
    let filters = [
        ("kinds", kinds.as_deref()),
        ("workflow", filter.workflow.as_deref()),
        ("session", filter.session.as_deref()),
        ("after", Some(&*after)),
    ];
    ListKey::new(name, &filters)
}

impl Runtime {
    /// Returns events in their wire format, in the order in which they happened.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn events(&self, filter: &EventFilter) -> Result<Vec<String>, Failure> {
        Ok(self.part_of_events(filter, None)?.0)
    }

    /// Returns the events behind a cursor that the filter asks for, in their wire format and in the order in which they happened,
    /// and the cursor of what comes behind them: before them, where the filter asks for the newest.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn part_of_events(
        &self,
        filter: &EventFilter,
        cursor: Option<String>,
    ) -> Result<(Vec<String>, Option<String>), Failure> {
        let range = ListRange { limit: Some(filter.limit), cursor };
        let list = list_of(filter);
        let (mut events, next) = lists::rows(&*self.journal.view()?, &list, &Query::events(filter), &range)?;
        if filter.newest {
            events.reverse();
        }
        // What the journal holds is JSON.
        Ok((events.iter().filter_map(|event| envelope(event).ok()).collect(), next))
    }

    /// Returns events as they are kept, and how far the log reaches, as of one moment.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn page(&self, filter: &EventFilter) -> Result<(Vec<Event>, Log), Failure> {
        let view = self.journal.view()?;
        Ok((view.events(filter)?, view.log()?))
    }

    /// Returns how far the log of events reaches.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn log(&self) -> Result<Log, Failure> {
        Ok(self.journal.view()?.log()?)
    }
}
