//! What is written.

use crate::cell::Millis;
use crate::event::Event;
use protocol::workflow::EventType;

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

impl NewEvent {
    /// Returns the event with its number.
    pub(crate) fn numbered(self, seq: i64) -> Event {
        let Self { id, at, kind, session, workflow, task, agent, payload } = self;
        Event { seq, id, at, kind, session, workflow, task, agent, payload }
    }
}
