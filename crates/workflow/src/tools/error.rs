//! Why a call of a tool came to nothing.

use ::files::FileError;
use protocol::workflow::{MissingParameter, ToolName};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// How much of a path is quoted, in bytes.
const MAX_PATH: usize = 1024;

/// Why a call of a tool came to nothing, in words for the agent. No path of this machine stands in them, and no address that
/// the person has configured.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The call has not all that it needs.
    #[error(transparent)]
    Missing(#[from] MissingParameter),
    /// It may not be used.
    #[error("Tool {} is not allowed", .0.small())]
    NotAllowed(ToolName),
    /// A person was asked, and did not want it.
    #[error("the user does not allow {} in this workflow", .0.small())]
    Refused(ToolName),
    /// No search is configured.
    #[error("web_search capability not available: no search is configured")]
    NoSearch,
    /// The session has no project.
    #[error("the session has no project folder")]
    NoProject,
    /// The path leads out of the project, or to files that only their owner may touch.
    #[error("{}: {fault}", short(path))]
    Place {
        /// As it was given.
        path: String,
        /// What is wrong with it.
        fault: PlaceFault,
    },
    /// The file could not be read or written.
    #[error("{}: {}", short(path), plain(source))]
    File {
        /// As it was given.
        path: String,
        /// Why.
        source: FileError,
    },
    /// The content to write is too large.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// How large it may be, in bytes.
        limit: usize,
    },
    /// It is no text.
    #[error("not text")]
    NotText,
    /// The program could not be started.
    #[error("cannot be started: {0}")]
    NotStarted(std::io::Error),
    /// The person's program that searches could not be started.
    #[error("the search program {program:?} (daemon.tools.search_command) cannot be started: {reason}")]
    SearchNotStarted {
        /// Its name.
        program: String,
        /// Why.
        reason: std::io::Error,
    },
    /// The program has failed.
    #[error("the search failed with {status}: {said}")]
    SearchFailed {
        /// Its exit code, in words.
        status: String,
        /// What it said last.
        said: String,
    },
    /// It took too long.
    #[error("took longer than {} seconds", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// It is no address of HTTP.
    #[error("not an http or https address")]
    BadUrl,
    /// It leads to this machine, or to a network behind which it stands.
    #[error("{host} is not a public internet address")]
    NotPublic {
        /// The host that leads there.
        host: String,
    },
    /// There is no such host, or it cannot be reached.
    #[error("cannot reach {host}: {message}")]
    Unreachable {
        /// The host.
        host: String,
        /// Why.
        message: String,
    },
    /// Other addresses were named too often.
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    /// Something else than an answer came back.
    #[error("HTTP {status}")]
    Status {
        /// The status.
        status: u16,
    },
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceFault {
    /// Nothing is left of it.
    Empty,
    /// It leads upwards, or to another place than the project.
    Outside,
    /// It has a control character.
    Control,
    /// It leads to `.git` or `.aide`.
    Reserved,
}

impl fmt::Display for PlaceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "not a file",
            Self::Outside => "outside the project",
            Self::Control => "has a control character",
            Self::Reserved => "agents may not use files in .git or .aide",
        })
    }
}

/// The beginning of a path that is too long to show what is wrong with it.
fn short(path: &str) -> Cow<'_, str> {
    if path.len() <= MAX_PATH {
        return path.into();
    }
    format!("{}…", &path[..path.floor_char_boundary(MAX_PATH)]).into()
}

/// Without the path, which is one of this machine.
fn plain(error: &FileError) -> String {
    match error {
        FileError::Symlink { .. } => "a symlink, which is not followed".to_owned(),
        FileError::NotOurs { .. } => "others can write to it".to_owned(),
        FileError::NotAFolder { .. } => "not a folder".to_owned(),
        FileError::NotAFile { .. } => "not a regular file".to_owned(),
        FileError::TooLarge { limit, .. } => format!("larger than {limit} bytes"),
        FileError::Corrupt { message, .. } => message.clone(),
        FileError::Conflict { .. } => "merge conflict".to_owned(),
        FileError::Newer { .. } => "written by a later version of aide".to_owned(),
        FileError::Busy { .. } => "held by another program".to_owned(),
        FileError::Changed { .. } => "changed meanwhile".to_owned(),
        FileError::Io { source, .. } => source.to_string(),
    }
}
