//! Why there is no answer.

use crate::BadAnswer;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// Why a provider has not answered. What others have said is on one line, short, and without the key.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// There is no such program.
    #[error("there is no program {program}")]
    NotFound {
        /// Its name, as it is configured.
        program: String,
    },
    /// The program could not be started, or not be waited for.
    #[error("cannot run {program}: {source}")]
    NotStarted {
        /// Its name, as it is configured.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The program has failed.
    #[error("{program} has failed ({status}): {said}")]
    Failed {
        /// Its name, as it is configured.
        program: String,
        /// Its exit code, or the signal that has ended it.
        status: ExitStatus,
        /// What it has said of it.
        said: String,
    },
    /// It took too long.
    #[error("no {awaited} after {after:?}")]
    TimedOut {
        /// What did not come.
        awaited: Awaited,
        /// How long was waited for it.
        after: Duration,
        /// What a program said last on its standard error.
        said: String,
    },
    /// Somebody did not want to wait any more.
    #[error("cancelled")]
    Cancelled,
    /// The answer is longer than it may be.
    #[error("an answer of more than {limit} bytes")]
    TooMuch {
        /// How long it may be, in bytes.
        limit: usize,
    },
    /// There is an answer, it was recorded, and it is of no use.
    #[error(transparent)]
    BadAnswer(#[from] BadAnswer),
    /// The endpoint has answered with an error, or with something else than an answer.
    #[error("status {status}: {message}")]
    Http {
        /// The status, or the one that the error says it should have had.
        status: u16,
        /// What it says.
        message: String,
        /// When it may be asked again.
        retry_after: Option<Duration>,
    },
    /// The endpoint cannot be reached.
    #[error("cannot connect to {target}: {message}")]
    Connect {
        /// Its address.
        target: String,
        /// Why.
        message: String,
    },
    /// The connection has ended before the answer did.
    #[error("the connection has ended early: {message}")]
    Cut {
        /// Why.
        message: String,
    },
    /// What is configured is no address. It is not told: it may hold a password.
    #[error("no address")]
    BadUrl,
    /// The key was not found.
    #[error(transparent)]
    NoKey(#[from] KeyError),
    /// The request or the answer could not be recorded. Without its record, no request is sent.
    #[error("cannot record: {source}")]
    NotRecorded {
        /// The reason.
        source: io::Error,
        /// What was answered, where there is an answer: it may be recorded later.
        raw: Option<Vec<u8>>,
    },
}

/// What somebody waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// The beginning of an answer.
    Beginning,
    /// More of an answer that has begun.
    More,
    /// The end of the answer.
    End,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The variable is not set, or empty.
    #[error("the variable {name} is not set")]
    NoVariable {
        /// Its name.
        name: String,
    },
    /// The program that should print it has failed.
    #[error("{program} prints no key: {reason}")]
    NoOutput {
        /// Its name.
        program: String,
        /// Why.
        reason: String,
    },
    /// It has characters that no key has. They are not told.
    #[error("not a key")]
    NotAKey,
}

impl LlmError {
    /// Whether the same question may well be answered later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Http { status, .. } => is_transient_status(*status),
            Self::TimedOut { .. } | Self::Connect { .. } | Self::Cut { .. } => true,
            Self::NotFound { .. }
            | Self::NotStarted { .. }
            | Self::Failed { .. }
            | Self::Cancelled
            | Self::TooMuch { .. }
            | Self::BadAnswer(_)
            | Self::BadUrl
            | Self::NoKey(_)
            | Self::NotRecorded { .. } => false,
        }
    }

    /// Whether the same question is asked again at once: nobody has begun to answer it.
    pub(crate) fn may_be_retried(&self) -> bool {
        match self {
            Self::Http { status, .. } => is_transient_status(*status),
            Self::Connect { .. } => true,
            _ => false,
        }
    }
}

fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

impl std::fmt::Display for Awaited {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Beginning => "answer",
            Self::More => "more of the answer",
            Self::End => "end of the answer",
        })
    }
}
