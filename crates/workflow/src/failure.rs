//! Why something did not happen.

use journal::{CommitError, JournalError};
use model::workflow::{ErrorCode, Refusal};

/// Why something did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// It must not, as things are.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It could not be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Others kept changing it until the attempts ran out.
    #[error("too many changes at the same time")]
    Contended,
}

/// A change that conflicts with another one, or whose lease is lost, is computed again; other errors are returned.
pub(crate) fn retry(error: CommitError) -> Result<(), Failure> {
    match error {
        CommitError::Conflict(_) | CommitError::Fenced(_) => Ok(()),
        CommitError::Journal(error) => Err(error.into()),
    }
}

pub(crate) fn unwritable(error: &serde_json::Error) -> Failure {
    Refusal::new(ErrorCode::InternalError, error.to_string()).into()
}
