//! What is written.

use crate::cell::Millis;
use crate::event::Event;
use crate::rows::{Key, Record};
use model::workflow::EventType;
use std::sync::Arc;

/// What is changed together, or not at all.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Rows that are not changed, but must have this version for the change to be right; `None` where there must be no such row.
    pub expect: Vec<(Key, Option<i64>)>,
    /// The claim under which this is done: it must be the newest one of its workflow.
    pub lease: Option<Lease>,
    /// Rows, each with the version that it was read with. What a row refers to comes before it.
    pub put: Vec<Record>,
    /// Rows to be removed, if they are there; what refers to a row comes before it.
    pub remove: Vec<Key>,
    /// The events of this change.
    pub events: Vec<NewEvent>,
}

/// An event that has no number yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Its name; no other event ever has the same.
    pub id: String,
    /// When it happened.
    pub at: Millis,
    /// What kind of thing.
    pub kind: EventType,
    /// The session that it concerns.
    pub session: Option<String>,
    /// The workflow that it concerns.
    pub workflow: Option<String>,
    /// The task that it concerns.
    pub task: Option<String>,
    /// The agent that it concerns.
    pub agent: Option<String>,
    /// What happened, as JSON.
    pub payload: String,
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed {
    /// Its events, with their numbers.
    pub events: Vec<Arc<Event>>,
}

/// A claim to a workflow. One that was claimed again since is worth nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The workflow.
    pub workflow: String,
    /// The number of the claim.
    pub fence: i64,
}

/// What may be forgotten.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// How many events are kept at least; those of workflows that have not ended are kept in any case.
    pub keep_events: u64,
    /// Answers to requests that came before this are forgotten.
    pub answered_before: Millis,
    /// The maximum number of rows to remove: all other writers wait meanwhile.
    pub at_most: u32,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// How many events.
    pub events: u64,
    /// How many answers to requests.
    pub answers: u64,
}

impl Change {
    /// Adds a row, with the version that it was read with.
    pub fn put(&mut self, row: impl Into<Record>) -> &mut Self {
        self.put.push(row.into());
        self
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.remove.is_empty() && self.events.is_empty()
    }
}

impl NewEvent {
    /// Returns the event with its number.
    pub(crate) fn numbered(self, seq: i64) -> Event {
        let Self { id, at, kind, session, workflow, task, agent, payload } = self;
        Event { seq, id, at, kind, session, workflow, task, agent, payload }
    }
}
