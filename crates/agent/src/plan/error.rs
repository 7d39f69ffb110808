//! Why something could not be done for plans.

use crate::folder::FolderError;
use files::{FileError, Holder};
use protocol::agent::{FormatError, Id};
use std::path::PathBuf;

/// Why something could not be done for plans. Nothing is half done then that the next attempt would not end.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// There is no such folder.
    #[error("no such folder: {}", path.display())]
    Missing {
        /// As it was named.
        path: PathBuf,
    },
    /// Another program routes.
    #[error("held by another program: {}", path.display())]
    Held {
        /// The folder.
        path: PathBuf,
        /// Who has it.
        holder: Holder,
    },
    /// There is no such plan.
    #[error("no such plan: {0}")]
    UnknownPlan(Id),
    /// A document is wrong.
    #[error("invalid: {}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: FormatError,
    },
    /// The folder of an agent cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A document cannot be written as JSON.
    #[error("cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// The disk refuses, or something else stands where a file or folder should.
    #[error(transparent)]
    File(#[from] FileError),
}
