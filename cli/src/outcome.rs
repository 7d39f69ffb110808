//! What a set of questions has come to, as `result`, `wait` and `show` tell it.

use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::link;
use crate::messages::{Message, State};
use files::FileError;
use model::{DecideOutput, DecisionRecord, Ending, SessionId, is_blank};
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use store::{Decisions, Pending, ServerInfo, StoreError};

/// What the pending questions have come to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing was ever asked.
    None,
    /// Open, and who serves the page.
    Pending { server: Box<ServerInfo> },
    /// Open, and nobody serves them.
    Unserved {
        session: SessionId,
        /// Older questions were answered here.
        has_older: bool,
    },
    /// Ended.
    Ended(Ending),
}

/// The questions that were asked in the place of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    pub(crate) session: SessionId,
    pub(crate) task: String,
}

/// The questions last asked.
pub(crate) fn pending(decisions: &Decisions) -> Result<Option<Pending>, Failure> {
    decisions.pending().map_err(|error| match error {
        StoreError::File(FileError::Corrupt { message, .. }) => {
            Failure::new(Message::PendingCorrupt { words: message }, Message::SubmitAgainDamaged)
        }
        error => error.into(),
    })
}

/// The session that `text` names; without a name, the one submitted last.
pub(crate) fn session(decisions: &Decisions, text: Option<&OsStr>) -> Result<SessionId, Failure> {
    match text {
        Some(text) => text.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
            let session = text.to_string_lossy().into_owned();
            Failure::new(Message::NoSession { session }, Message::SeeList)
        }),
        None => match pending(decisions)? {
            Some(pending) => Ok(pending.session),
            None => Err(Failure::new(Message::NoPending, Message::SubmitFirst)),
        },
    }
}

/// The session that a command is about: the one that is named, else the newest, which is then told on standard error.
/// `None` when nothing was ever asked.
pub(crate) fn asked_for(
    context: &Context,
    decisions: &Decisions,
    text: Option<&OsStr>,
) -> Result<Option<SessionId>, Failure> {
    if text.is_some() {
        return session(decisions, text).map(Some);
    }
    Ok(pending(decisions)?.map(|Pending { session, task, .. }| {
        context.output.notice(&Message::Newest { session: session.clone(), task });
        session
    }))
}

/// The record of a session.
pub(crate) fn record(decisions: &Decisions, session: &SessionId) -> Result<Option<DecisionRecord>, Failure> {
    decisions.durable_record(session).map_err(|error| match error {
        StoreError::File(FileError::Corrupt { file, message }) => {
            Failure::new(Message::RecordCorrupt { file, words: message }, Message::RestoreOrSubmit)
        }
        error => error.into(),
    })
}

/// The questions that the record of `session` names as those in its place. A record that is gone, or cannot be read, names
/// none.
pub(crate) fn replacement(decisions: &Decisions, session: &SessionId) -> Option<Replacement> {
    match decisions.record(session) {
        Ok(Some(DecisionRecord { ending: Ending::Replaced(by), .. })) => Some(Replacement::of(decisions, by)),
        _ => None,
    }
}

/// Other questions have taken the place of those of `session`, and can be answered instead.
pub(crate) fn replaced(decisions: &Decisions, session: &SessionId) -> Failure {
    Failure::new(Message::Replaced { by: replacement(decisions, session) }, Message::AnswerThose)
}

/// Somebody was faster.
pub(crate) fn ended_before(decisions: &Decisions, session: &SessionId, ending: Ending) -> Failure {
    let what = match ending {
        Ending::Decided(_) => Message::AlreadyDecided,
        Ending::Returned(returned) => Message::Returned { message: returned.message },
        Ending::Cancelled => Message::Cancelled,
        Ending::Replaced(_) => return replaced(decisions, session),
    };
    Failure::new(what, Message::SeeResult)
}

/// What the questions `session` have come to.
///
/// # Errors
///
/// [`Message::NoSession`] when nothing is known of such questions.
pub(crate) fn of(decisions: &Decisions, session: &SessionId) -> Result<Outcome, Failure> {
    // Asked before the record is looked for: a server that is gone by now has written all it ever will.
    let server = decisions.live_server();
    if let Some(record) = record(decisions, session)? {
        return Ok(Outcome::Ended(record.ending));
    }
    Ok(match server? {
        Some(server) if server.session_id == *session => Outcome::Pending { server: Box::new(server) },
        // A server of earlier questions will not answer these.
        _ if pending(decisions)?.is_some_and(|pending| pending.session == *session) => {
            Outcome::Unserved { session: session.clone(), has_older: has_older(decisions)? }
        }
        // They may have been replaced since the record was looked for.
        _ => match record(decisions, session)? {
            Some(record) => Outcome::Ended(record.ending),
            None => {
                let session = session.to_string();
                return Err(Failure::new(Message::NoSession { session }, Message::SeeList));
            }
        },
    })
}

/// Whether somebody serves the open questions `session`. Where that cannot be told nobody does, as far as anybody knows.
pub(crate) fn open_state(decisions: &Decisions, session: &SessionId) -> State {
    match decisions.live_server() {
        Ok(Some(server)) if server.session_id == *session => State::Open,
        _ => State::Unserved,
    }
}

/// Whether earlier questions were answered, sent back or cancelled here. What cannot be read has ended somehow.
fn has_older(decisions: &Decisions) -> Result<bool, Failure> {
    let is_replaced = |session: &SessionId| match decisions.record(session) {
        Ok(record) => record.is_none_or(|record| matches!(record.ending, Ending::Replaced(_))),
        Err(_) => false,
    };
    Ok(!decisions.records()?.iter().all(is_replaced))
}

impl Replacement {
    fn of(decisions: &Decisions, session: SessionId) -> Self {
        let task = match decisions.pending() {
            Ok(Some(pending)) if pending.session == session => pending.task,
            // They have been replaced in turn, or cannot be read.
            _ => match decisions.record(&session) {
                Ok(Some(record)) => record.task().to_owned(),
                _ => String::new(),
            },
        };
        Self { session, task }
    }
}

impl Outcome {
    /// Prints it, and gives the exit code: the answers on standard output, all else as a failure. With `json` it is one
    /// object on standard output in any case, and the exit code is the same as without.
    pub(crate) fn tell(
        self,
        context: &Context,
        decisions: &Decisions,
        session: Option<&SessionId>,
        json: bool,
    ) -> Result<u8, Failure> {
        if json {
            self.tell_json(context, session)?;
            return Ok(if matches!(self, Self::Ended(Ending::Decided(_))) { DONE } else { FAILED });
        }
        Err(match self {
            Self::Ended(Ending::Decided(output)) => {
                context.output.json(&json!(without_blank_notes(output)).to_string())?;
                return Ok(DONE);
            }
            Self::None => Failure::new(Message::NoPending, Message::SubmitFirst),
            Self::Pending { .. } => Failure::new(Message::NoResult, Message::WaitForPerson),
            Self::Unserved { session, has_older: true } => {
                Failure::new(Message::Expired, Message::SubmitOrBringBack { session })
            }
            Self::Unserved { session, has_older: false } => {
                Failure::new(Message::NoResult, Message::BringBack { session })
            }
            Self::Ended(Ending::Returned(returned)) => {
                Failure::new(Message::Returned { message: returned.message }, Message::AskBetter)
            }
            Self::Ended(Ending::Cancelled) => Failure::new(Message::Cancelled, Message::SubmitAgain),
            Self::Ended(Ending::Replaced(by)) => {
                let by = Some(Replacement::of(decisions, by));
                Failure::new(Message::Replaced { by }, Message::AskAgainLater)
            }
        })
    }

    /// Prints it as one object.
    pub(crate) fn tell_json(&self, context: &Context, session: Option<&SessionId>) -> Result<(), Failure> {
        context.output.json(&self.to_json(session).to_string())
    }

    fn to_json(&self, session: Option<&SessionId>) -> Value {
        let mut object = Map::new();
        let status = match self {
            Self::None => "none",
            Self::Pending { .. } => State::Open.code(),
            Self::Unserved { has_older: true, .. } => "expired",
            Self::Unserved { has_older: false, .. } => "unserved",
            Self::Ended(ending) => State::of(ending).code(),
        };
        object.insert("status".to_owned(), status.into());
        if let Some(session) = session {
            object.insert("session_id".to_owned(), session.to_string().into());
        }
        let more = match self {
            Self::Pending { server } => json!({ "url": link::of(server) }),
            Self::Ended(Ending::Decided(output)) => json!(without_blank_notes(output.clone())),
            Self::Ended(Ending::Returned(returned)) => json!(returned),
            _ => Value::Null,
        };
        if let Value::Object(more) = more {
            object.extend(more);
        }
        Value::Object(object)
    }
}

/// Other implementations have written empty notes; nobody wrote them.
fn without_blank_notes(mut output: DecideOutput) -> DecideOutput {
    for decision in &mut output.decisions {
        decision.note = decision.note.take().filter(|note| !is_blank(note));
    }
    output
}
