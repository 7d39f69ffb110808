//! Where a set of questions stands.

use model::{Ending, SessionId};
use store::Decisions;

/// Where a set of questions stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Open, and somebody serves the page.
    Open,
    /// Open as well, and nobody does.
    Unserved,
    /// A person answered.
    Answered,
    /// A person sent them back.
    Returned,
    /// Whoever asked took them back.
    Cancelled,
    /// Others were asked in their place.
    Replaced,
    /// The file cannot be read.
    Unreadable,
}

impl State {
    /// Returns the state of the open questions `session`. Where it cannot be told whether somebody serves them, nobody
    /// does, as far as anybody knows.
    pub fn of_open(decisions: &Decisions, session: &SessionId) -> Self {
        match decisions.live_server() {
            Ok(Some(server)) if server.session_id == *session => Self::Open,
            _ => Self::Unserved,
        }
    }

    /// Returns the state that an ending leads to.
    pub fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Decided(_) => Self::Answered,
            Ending::Returned(_) => Self::Returned,
            Ending::Cancelled => Self::Cancelled,
            Ending::Replaced(_) => Self::Replaced,
        }
    }

    /// Returns the word for it in JSON, which is the same in every language.
    pub fn code(self) -> &'static str {
        match self {
            Self::Open => "pending",
            Self::Unserved => "unserved",
            Self::Answered => "answered",
            Self::Returned => "returned",
            Self::Cancelled => "cancelled",
            Self::Replaced => "replaced",
            Self::Unreadable => "unreadable",
        }
    }
}
