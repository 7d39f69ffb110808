//! Why something could not be done with questions.

use crate::{Desk, Replacement};
use files::FileError;
use model::{DecideOutput, Ending, SessionId};
use store::StoreError;

/// Why something could not be done with questions. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// Nothing was ever asked here.
    #[error("nothing was asked")]
    NothingAsked,
    /// Nothing is known of questions with this name.
    #[error("no session {name}")]
    NoSession {
        /// What was asked for; it need not be the name of a session.
        name: String,
    },
    /// Several sets of questions are open, and none is named.
    #[error("several sets of questions are open")]
    SeveralOpen {
        /// Their sessions and tasks, the oldest first.
        open: Vec<(SessionId, String)>,
    },
    /// The questions have ended.
    #[error("the questions have ended")]
    Ended {
        /// How.
        ending: Ending,
        /// Those in their place, where they were replaced and that is known.
        replacement: Option<Replacement>,
    },
    /// `pending.json` is damaged.
    #[error("pending.json: {message}")]
    PendingCorrupt {
        /// The parser's words.
        message: String,
    },
    /// A record is damaged.
    #[error("{file}: {message}")]
    RecordCorrupt {
        /// Its name.
        file: String,
        /// The parser's words.
        message: String,
    },
    /// The folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DecideError {
    /// The questions `session` have ended.
    pub fn ended(desk: &dyn Desk, session: &SessionId, ending: Ending) -> Self {
        let replacement = desk.replacement(session, &ending);
        let ending = match ending {
            Ending::Decided(output) => Ending::Decided(without_ended_remainder(desk, output)),
            ending => ending,
        };
        Self::Ended { ending, replacement }
    }

    /// Tells of `pending.json`, if it is the file that was read when `error` came up.
    pub(crate) fn of_pending(error: StoreError) -> Self {
        match error {
            StoreError::File(FileError::Corrupt { message, .. }) => Self::PendingCorrupt { message },
            error => error.into(),
        }
    }

    /// The same of a record.
    pub(crate) fn of_record(error: StoreError) -> Self {
        match error {
            StoreError::File(FileError::Corrupt { file, message }) => Self::RecordCorrupt { file, message },
            error => error.into(),
        }
    }
}

/// The answers, without the part that was left for later where it was answered since.
fn without_ended_remainder(desk: &dyn Desk, mut output: DecideOutput) -> DecideOutput {
    let left = output.open.as_ref().and_then(|open| open.session_id.as_ref());
    if left.is_some_and(|left| desk.record(left).is_ok_and(|record| record.is_some())) {
        output.open = None;
    }
    output
}
