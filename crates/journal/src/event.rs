//! Events as they are kept.

pub use crate::rows::Event;
use protocol::workflow::EventType;

/// The events that a reader asks for.
#[derive(Debug, Clone)]
pub struct EventFilter {
    /// Only those with a higher number.
    pub after: i64,
    /// Only of these types.
    pub kinds: Option<Vec<EventType>>,
    /// Only of this workflow.
    pub workflow: Option<String>,
    /// Only of this session.
    pub session: Option<String>,
    /// Not more than so many.
    pub limit: u32,
    /// The last ones instead of the first, the last first.
    pub newest: bool,
}

impl EventFilter {
    /// All events after this number, as they happened, at most so many.
    pub fn after(after: i64, limit: u32) -> Self {
        Self { after, kinds: None, workflow: None, session: None, limit, newest: false }
    }
}

/// How far the log reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log {
    /// The number of the last event; 0 before the first.
    pub last: i64,
    /// The number of the last event that was forgotten; 0 if none was. Some with lower numbers may still be there.
    pub pruned: i64,
}
