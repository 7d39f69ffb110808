//! Why something did not happen.

use journal::JournalError;
use protocol::workflow::{ErrorCode, Refusal};

/// Why something did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// It must not, as things are.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It could not be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The thread that was to do it has ended.
    #[error("the request ended unexpectedly")]
    Lost,
}

impl Failure {
    /// Whether the journal as a whole cannot be read or written now, so that nothing else can be done either. Everything else
    /// concerns what was to be done alone, such as a workflow with a row that is not readable, or a damaged page.
    pub(crate) fn concerns_all(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Journal(error) => match error {
                JournalError::Unreadable(_)
                | JournalError::Invalid(_)
                | JournalError::Damaged { .. }
                | JournalError::Io { .. } => false,
                JournalError::Newer { .. }
                | JournalError::Full { .. }
                | JournalError::Unsynced { .. }
                | JournalError::Folder(_)
                | JournalError::Nested
                | JournalError::Busy
                | JournalError::Closed => true,
            },
            Self::Lost => true,
        }
    }

    /// Whether it may be over the next moment, without a change of what it concerns.
    pub(crate) fn may_pass(&self) -> bool {
        self.concerns_all() || matches!(self, Self::Journal(JournalError::Io { .. }))
    }
}

/// Returns `None` for a row that is not readable: for work that can do without it.
pub(crate) fn if_readable<T>(read: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match read {
        Err(Failure::Journal(JournalError::Unreadable(_))) => Ok(None),
        read => read.map(Some),
    }
}

pub(crate) fn unwritable(error: &serde_json::Error) -> Failure {
    Refusal::new(ErrorCode::InternalError, error.to_string()).into()
}
