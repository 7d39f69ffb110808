//! Why a daemon could not be asked, or did not do what it was asked.

use protocol::workflow::Refusal;
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// The daemon cannot be reached.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why, in the words of the system.
        reason: String,
    },
    /// The daemon takes connections and does not answer, neither the request nor `GET /api/v1/modules`: it is stuck or
    /// stopped. What was asked may still be done once it goes on.
    #[error("{url} does not answer")]
    Unresponsive {
        /// The address of its HTTP.
        url: String,
    },
    /// It was not done.
    #[error("{status}: {}", refusal.error)]
    Refused {
        /// The status of HTTP.
        status: u16,
        /// Why.
        refusal: Box<Refusal>,
    },
    /// Who answers there is no daemon, or another version of it.
    #[error("{url} sent an unexpected response: {reason}")]
    Unintelligible {
        /// Where.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It took too long.
    #[error("no answer within {} s", after.as_secs_f32())]
    TimedOut {
        /// How long it was waited for.
        after: Duration,
    },
}

impl ClientError {
    /// Whether there may be an answer another time: the daemon may come back.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Unresponsive { .. } | Self::TimedOut { .. } => true,
            Self::Refused { status, .. } => *status >= 500,
            Self::Unintelligible { .. } => false,
        }
    }
}
