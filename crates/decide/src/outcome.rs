//! The outcome of a set of questions.

use crate::state::is_own;
use crate::{DecideError, State, lookup, serves};
use files::FileError;
use model::{DecideOutput, Ending, SessionId, is_blank};
use serde_json::{Map, Value, json};
use store::{Decisions, ServerInfo, StoreError};

/// The outcome of a set of questions.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing was ever asked.
    None,
    /// Open, and who serves the page.
    Pending {
        /// Who.
        server: Box<ServerInfo>,
    },
    /// Open, without a server.
    Unserved {
        /// Their name.
        session: SessionId,
        /// Older questions were answered here.
        has_older: bool,
    },
    /// Ended. Answers are without the empty notes that other implementations write.
    Ended(Ending),
}

/// Returns what the questions `session` have come to.
///
/// # Errors
///
/// [`DecideError::NoSession`] when nothing is known of such questions.
pub fn outcome(decisions: &Decisions, session: &SessionId) -> Result<Outcome, DecideError> {
    // Asked before the record is looked for: a server that is gone by now has written all it ever will.
    let server = decisions.live_server();
    if let Some(record) = lookup::record(decisions, session)? {
        return Ok(Outcome::ended(record.ending));
    }
    let server = server?;
    let is_there = decisions.is_there(session).map_err(DecideError::of_pending)?;
    if is_there && let Some(ending) = expired(decisions, session)? {
        return Ok(Outcome::ended(ending));
    }
    Ok(match server {
        Some(server) if is_own(&server, session) || is_there && serves(decisions, &server, session) => {
            Outcome::Pending { server: Box::new(server) }
        }
        // A server of earlier questions will not answer these.
        _ if is_there => Outcome::Unserved { session: session.clone(), has_older: has_older(decisions)? },
        // They may have been replaced since the record was looked for.
        _ => match lookup::record(decisions, session)? {
            Some(record) => Outcome::ended(record.ending),
            None => return Err(DecideError::NoSession { name: session.to_string() }),
        },
    })
}

/// Ends the questions `session`, if their deadline has passed. Where nothing can be written they go on.
fn expired(decisions: &Decisions, session: &SessionId) -> Result<Option<Ending>, DecideError> {
    match decisions.expire(session) {
        Ok(ending) => Ok(ending),
        Err(StoreError::File(FileError::Io { .. })) => Ok(None),
        Err(error) => Err(DecideError::of_pending(error)),
    }
}

/// Whether earlier questions were answered, sent back or cancelled here. What cannot be read has ended somehow.
fn has_older(decisions: &Decisions) -> Result<bool, DecideError> {
    let is_replaced = |session: &SessionId| match decisions.record(session) {
        Ok(record) => record.is_none_or(|record| matches!(record.ending, Ending::Replaced(_))),
        Err(_) => false,
    };
    Ok(!decisions.records()?.iter().all(is_replaced))
}

impl Outcome {
    fn ended(ending: Ending) -> Self {
        Self::Ended(match ending {
            Ending::Decided(output) => Ending::Decided(without_blank_notes(output)),
            ending => ending,
        })
    }

    /// Returns it as one object about the questions `session`; `link` is the link to the page of a server.
    pub fn to_json(&self, session: Option<&SessionId>, link: impl FnOnce(&ServerInfo) -> String) -> Value {
        let mut object = Map::new();
        let status = match self {
            Self::None => "none",
            Self::Pending { .. } => State::Open.code(),
            Self::Unserved { has_older: true, .. } => "expired",
            Self::Unserved { has_older: false, .. } => State::Unserved.code(),
            Self::Ended(ending) => State::from_ending(ending).code(),
        };
        object.insert("status".to_owned(), status.into());
        if let Some(session) = session {
            object.insert("session_id".to_owned(), session.to_string().into());
        }
        let more = match self {
            Self::Pending { server } => json!({ "url": link(server) }),
            Self::Ended(Ending::Decided(output)) => json!(output),
            Self::Ended(Ending::Returned(returned)) => json!(returned),
            // Tells it from questions that are open, whose status is the same word.
            Self::Ended(Ending::Expired(deadline)) => json!({ "deadline": deadline }),
            _ => Value::Null,
        };
        if let Value::Object(more) = more {
            object.extend(more);
        }
        Value::Object(object)
    }
}

/// Removes empty notes: no user wrote them.
fn without_blank_notes(mut output: DecideOutput) -> DecideOutput {
    for decision in &mut output.decisions {
        decision.note = decision.note.take().filter(|note| !is_blank(note));
    }
    output
}
