//! Why nothing was changed.

use files::FileError;
use std::path::PathBuf;

/// Nothing was changed, but for what [`SetupError::NotApplied`] names.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Files that must not be changed.
    #[error("{} files cannot be changed", .0.len())]
    Refused(Vec<Refusal>),
    /// Changing a file has failed, or it was another one by then. The others were put back.
    #[error("{error}")]
    NotApplied {
        /// What went wrong.
        error: FileError,
        /// Those that could not be put back.
        left: Vec<PathBuf>,
    },
    /// The backups or records could not be read or written.
    #[error(transparent)]
    Records(#[from] FileError),
}

/// A file that must not be changed.
#[derive(Debug)]
pub struct Refusal {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: RefusalReason,
}

/// The reason why a file must not be changed.
#[derive(Debug)]
pub enum RefusalReason {
    /// It is not what the agent could read.
    Unparsable {
        /// The parser's own words.
        message: String,
    },
    /// It is not UTF-8.
    NotText,
    /// A link leads out of the project, or the person's own folders.
    LeadsOut {
        /// Where to.
        to: PathBuf,
    },
    /// A link leads to nothing.
    LeadsNowhere,
    /// Something else has the name `aide` in there.
    Foreign {
        /// What it starts, or its address.
        what: String,
    },
    /// It is written so that the entry cannot be changed alone.
    Unsuited,
    /// The marks around the part of aide do not fit.
    Marks,
    /// It cannot be read.
    File(FileError),
}
