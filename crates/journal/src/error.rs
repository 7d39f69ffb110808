//! Why something could not be read or written.

use crate::cell::UnreadableCell;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the journal could not be opened, read or written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalError {
    /// The file is damaged. Nothing was written to it.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The file was written by a later version.
    #[error("{} has version {found}; this program knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest that is known here.
        known: i64,
        /// The oldest program that knows it, such as `0.3.0`; `None` where the file does not say.
        needed: Option<String>,
    },
    /// There is no room on the disk.
    #[error("no room for {}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: {detail}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its words.
        detail: String,
    },
    /// A write may have failed after all: what was written before is there, and nothing more is written.
    #[error("{} could not be made durable; nothing more is written to it", path.display())]
    Unsynced {
        /// The file.
        path: PathBuf,
    },
    /// The folder of the journal.
    #[error(transparent)]
    Folder(Arc<files::FileError>),
    /// A row does not hold what it should.
    #[error(transparent)]
    Unreadable(#[from] UnreadableCell),
    /// A change that no caller can make: a row that refers to a missing row, that is there already or was changed since it was
    /// read, or invalid JSON.
    #[error("refused: {0}")]
    Invalid(String),
    /// The thread has a view or a transaction already: with two of them, threads wait for each other for ever. Where assertions
    /// are compiled in, it panics instead.
    #[error("a thread that has a view of the journal asks for more")]
    Nested,
    /// All views are taken, and none was given back in time.
    #[error("the journal is busy")]
    Busy,
    /// The journal is closed.
    #[error("the journal is closed")]
    Closed,
}

impl From<files::FileError> for JournalError {
    fn from(error: files::FileError) -> Self {
        Self::Folder(Arc::new(error))
    }
}
