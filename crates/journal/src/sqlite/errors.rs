//! What SQLite says, as what it means here.

use crate::error::JournalError;
use rusqlite::{Error, ErrorCode, ffi};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells what an error means for the journal in this file.
#[derive(Clone)]
pub(super) struct Errors {
    path: Arc<Path>,
    is_unsynced: Arc<AtomicBool>,
}

impl Errors {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.into(), is_unsynced: Arc::default() }
    }

    /// Returns an error once a flush has failed: the contents of the disk are then unknown.
    pub(super) fn unsynced(&self) -> Option<JournalError> {
        self.is_unsynced.load(Ordering::Relaxed).then(|| JournalError::Unsynced { path: self.path() })
    }

    pub(super) fn damaged(&self, detail: impl Into<String>) -> JournalError {
        JournalError::Damaged { path: self.path(), detail: detail.into() }
    }

    pub(super) fn newer(&self, found: i64, known: i64, needed: Option<String>) -> JournalError {
        JournalError::Newer { path: self.path(), found, known, needed }
    }

    pub(super) fn convert(&self, error: &Error) -> JournalError {
        let Error::SqliteFailure(failure, detail) = error else {
            return JournalError::Invalid(error.to_string());
        };
        let detail = || detail.clone().unwrap_or_else(|| failure.to_string());
        match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => self.damaged(detail()),
            ErrorCode::DiskFull => JournalError::Full { path: self.path() },
            ErrorCode::SystemIoFailure
                if matches!(failure.extended_code, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) =>
            {
                self.is_unsynced.store(true, Ordering::Relaxed);
                JournalError::Unsynced { path: self.path() }
            }
            ErrorCode::ConstraintViolation | ErrorCode::TooBig => JournalError::Invalid(detail()),
            _ => JournalError::Io { path: self.path(), detail: detail() },
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path.to_path_buf()
    }
}

/// Whether another row has what only one can have.
pub(super) fn is_taken(error: &Error) -> bool {
    let Error::SqliteFailure(failure, _) = error else { return false };
    matches!(
        failure.extended_code,
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID
    )
}
