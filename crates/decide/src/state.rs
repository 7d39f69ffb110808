//! Where a set of questions stands.

use model::{Ending, SessionId};
use store::{Decisions, Scope, ServerInfo};

/// Where a set of questions stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Open, and the page is served.
    Open,
    /// Open as well, but the page is not served.
    Unserved,
    /// A person answered.
    Answered,
    /// A person sent them back.
    Returned,
    /// The asker took them back.
    Cancelled,
    /// There was no answer in time.
    Expired,
    /// Others were asked in their place.
    Replaced,
    /// The file cannot be read.
    Unreadable,
}

impl State {
    /// Returns the state of the open questions `session`. If it cannot be determined whether they are served, they
    /// count as unserved.
    pub fn of_open(decisions: &Decisions, session: &SessionId) -> Self {
        match decisions.live_server() {
            Ok(Some(server)) if serves(decisions, &server, session) => Self::Open,
            _ => Self::Unserved,
        }
    }

    /// Returns the state that an ending leads to.
    pub fn from_ending(ending: &Ending) -> Self {
        match ending {
            Ending::Decided(_) => Self::Answered,
            Ending::Returned(_) => Self::Returned,
            Ending::Cancelled => Self::Cancelled,
            Ending::Expired(_) => Self::Expired,
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
            Self::Expired => "expired",
            Self::Replaced => "replaced",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Whether `server`, which is running, serves the open questions `session`. One that serves all questions of the project
/// ends with its own, so that it is about to end where these are no longer open; one without stays.
pub fn serves(decisions: &Decisions, server: &ServerInfo, session: &SessionId) -> bool {
    let is_open = |own: &SessionId| {
        // What cannot be read may be in the middle of a change; the server knows.
        let has_ended = decisions.record(own).is_ok_and(|record| record.is_some());
        !has_ended && decisions.is_there(own).unwrap_or(true)
    };
    is_own(server, session)
        || server.scope != Scope::Session && server.session_id.as_ref().is_none_or(is_open)
}

/// Whether `server` was started for the questions `session`.
pub(crate) fn is_own(server: &ServerInfo, session: &SessionId) -> bool {
    server.session_id.as_ref() == Some(session)
}
