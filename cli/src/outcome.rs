//! What a set of questions has come to, as `result`, `wait` and `show` tell it.

use crate::commands::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::link;
use crate::messages::{Message, State};
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
        /// Older questions were answered here.
        has_older: bool,
    },
    /// Other questions were asked in their place while somebody waited.
    Replaced,
    /// Ended.
    Ended(Ending),
}

/// The questions last asked.
pub(crate) fn pending(decisions: &Decisions) -> Result<Option<Pending>, Failure> {
    decisions.pending().map_err(|error| match error {
        StoreError::Corrupt { message, .. } => {
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

/// The record of a session.
pub(crate) fn record(decisions: &Decisions, session: &SessionId) -> Result<Option<DecisionRecord>, Failure> {
    decisions.durable_record(session).map_err(|error| match error {
        StoreError::Corrupt { file, message } => {
            Failure::new(Message::RecordCorrupt { file, words: message }, Message::RestoreOrSubmit)
        }
        error => error.into(),
    })
}

/// Other questions have taken the place of these, and can be answered instead.
pub(crate) fn replaced() -> Failure {
    Failure::new(Message::Replaced, Message::AnswerThose)
}

/// Somebody was faster.
pub(crate) fn ended_before(ending: Ending) -> Failure {
    let what = match ending {
        Ending::Decided(_) => Message::AlreadyDecided,
        Ending::Returned(returned) => Message::Returned { message: returned.message },
        Ending::Cancelled => Message::Cancelled,
    };
    Failure::new(what, Message::SeeResult)
}

/// What the questions `session` have come to.
pub(crate) fn of(decisions: &Decisions, session: &SessionId) -> Result<Outcome, Failure> {
    // Asked before the record is looked for: a server that is gone by now has written all it ever will.
    let server = decisions.live_server();
    if let Some(record) = record(decisions, session)? {
        return Ok(Outcome::Ended(record.ending));
    }
    Ok(match server? {
        Some(server) if server.session_id == *session => Outcome::Pending { server: Box::new(server) },
        // A server of earlier questions will not answer these.
        _ => Outcome::Unserved { has_older: !decisions.records()?.is_empty() },
    })
}

impl Outcome {
    /// Prints it, and gives the exit code: the answers on standard output, all else as a failure. With `json` it is one
    /// object on standard output in any case, and the exit code is the same as without.
    pub(crate) fn tell(
        self,
        context: &Context,
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
            Self::Replaced => Failure::new(Message::Replaced, Message::SeeList),
            Self::Pending { .. } => Failure::new(Message::NoResult, Message::WaitForPerson),
            Self::Unserved { has_older: true } => Failure::new(Message::Expired, Message::SubmitAgain),
            Self::Unserved { has_older: false } => Failure::new(Message::NoResult, Message::ServerGone),
            Self::Ended(Ending::Returned(returned)) => {
                Failure::new(Message::Returned { message: returned.message }, Message::AskBetter)
            }
            Self::Ended(Ending::Cancelled) => Failure::new(Message::Cancelled, Message::SubmitAgain),
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
            Self::Pending { .. } => "pending",
            Self::Unserved { has_older: true } => "expired",
            Self::Unserved { has_older: false } => "unserved",
            Self::Replaced => "replaced",
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
