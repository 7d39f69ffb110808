//! What can go wrong in the folder.

use files::FileError;
use settings::{ConfigError, EditError};
use std::path::PathBuf;

/// Why the folder could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The project has no `.aide/` yet.
    #[error("no such folder: {}", path.display())]
    NoAideFolder {
        /// Where it should be.
        path: PathBuf,
    },
    /// `pending.json` names no session, or something that is no session id.
    #[error("pending.json names no session")]
    MissingSession,
    /// No session id is left that would be later than all others: the clock or a file name is at the end of time.
    #[error("no later session id than that of the clock or of a record")]
    NoSessionLeft,
    /// So many sets of questions are open that no other is taken on.
    #[error("{count} sets of questions are open")]
    TooManyOpen {
        /// How many.
        count: usize,
    },
    /// An answer names other files than those that are attached by now.
    #[error("other files are attached by now")]
    AttachmentsChanged,
    /// The questions are kept elsewhere than in the folder, by a daemon, which could not read or write.
    #[error("the journal cannot be used: {reason}")]
    Journal {
        /// Why, as the daemon words it.
        reason: String,
    },
    /// A file or a folder could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl StoreError {
    /// Whether a file exists but is invalid. Other errors mean that the folder is unusable now; this one lasts until
    /// the file is replaced.
    pub(crate) fn is_damaged(&self) -> bool {
        use FileError::{Conflict, Corrupt, TooLarge};
        matches!(self, Self::MissingSession | Self::File(Conflict { .. } | Corrupt { .. } | TooLarge { .. }))
    }

    /// Whether a merge has left two versions of a file.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::File(FileError::Conflict { .. }))
    }

    /// Gives a file in conflict its path: `folder` and its name.
    pub(crate) fn in_folder(self, folder: &str) -> Self {
        match self {
            Self::File(FileError::Conflict { file }) if !file.contains('/') => {
                Self::File(FileError::Conflict { file: format!("{folder}/{file}") })
            }
            error => error,
        }
    }
}

/// Why a project could not be initialised. What was already made stays; running again continues.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The folder, or the project's `.gitignore`, could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The configuration that exists cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl From<FileError> for InitError {
    fn from(error: FileError) -> Self {
        Self::Store(error.into())
    }
}

/// Why a project's configuration could not be changed. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditConfigError {
    /// The folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The configuration cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl From<FileError> for EditConfigError {
    fn from(error: FileError) -> Self {
        Self::Store(error.into())
    }
}
