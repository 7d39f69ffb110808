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

pub(crate) fn unwritable(error: &serde_json::Error) -> Failure {
    Refusal::new(ErrorCode::InternalError, error.to_string()).into()
}
