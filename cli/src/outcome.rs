//! What a set of questions has come to, as `result` and `wait` tell it.

use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::link;
use crate::messages::Message;
use decide::{DecideError, Outcome, Replacement};
use model::{Ending, SessionId};
use serde_json::json;
use std::ffi::OsStr;
use store::{Decisions, ServerInfo};

/// Returns the session that `text` names; without a name, the one submitted last.
pub(crate) fn session(decisions: &Decisions, text: Option<&OsStr>) -> Result<SessionId, DecideError> {
    // What is no UTF-8 is no name of a session either.
    decide::session(decisions, text.map(OsStr::to_string_lossy).as_deref())
}

/// Returns the session that a command is about: the one that is named, else the newest, which is then told on standard
/// error. `None` when nothing was ever asked.
pub(crate) fn asked_for(
    context: &Context,
    decisions: &Decisions,
    text: Option<&OsStr>,
) -> Result<Option<SessionId>, Failure> {
    if text.is_some() {
        return Ok(Some(session(decisions, text)?));
    }
    let latest = decide::latest(decisions).map_err(name_one)?;
    Ok(latest.map(|(session, task)| {
        context.output.notice(&Message::Newest { session: session.clone(), task });
        session
    }))
}

/// The failure of a command that takes the name of a session and was given none.
pub(crate) fn name_one(error: DecideError) -> Failure {
    let is_unclear = matches!(error, DecideError::SeveralOpen { .. });
    let failure = Failure::from(error);
    if is_unclear { failure.with_hint(Message::NameSession) } else { failure }
}

/// Prints `outcome`, and returns the exit code: the answers on standard output, all else as a failure. With `json` it is
/// one object on standard output in any case, and the exit code is the same as without.
pub(crate) fn tell(
    outcome: Outcome,
    context: &Context,
    decisions: &Decisions,
    session: Option<&SessionId>,
    json: bool,
) -> Result<u8, Failure> {
    if json {
        tell_json(&outcome, context, session)?;
        return Ok(if matches!(outcome, Outcome::Ended(Ending::Decided(_))) { DONE } else { FAILED });
    }
    Err(match outcome {
        Outcome::Ended(Ending::Decided(output)) => {
            context.output.json(&json!(output).to_string())?;
            return Ok(DONE);
        }
        Outcome::None => DecideError::NothingAsked.into(),
        Outcome::Pending { .. } => Failure::new(Message::NoResult, Message::WaitForPerson),
        Outcome::Unserved { session, has_older: true } => {
            Failure::new(Message::Expired, Message::SubmitOrBringBack { session })
        }
        Outcome::Unserved { session, has_older: false } => {
            Failure::new(Message::NoResult, Message::BringBack { session })
        }
        Outcome::Ended(Ending::Returned(returned)) => {
            ended(Ending::Returned(returned), None, Message::AskBetter)
        }
        Outcome::Ended(ending @ (Ending::Cancelled | Ending::Expired(_))) => {
            ended(ending, None, Message::SubmitAgain)
        }
        Outcome::Ended(ending @ Ending::Replaced(_)) => {
            let replacement = Replacement::of(decisions, &ending);
            ended(ending, replacement, Message::AskAgainLater)
        }
    })
}

/// That there is no answer, and what whoever asked can do about it.
fn ended(ending: Ending, replacement: Option<Replacement>, hint: Message) -> Failure {
    Failure::from(DecideError::Ended { ending, replacement }).with_hint(hint)
}

/// Prints `outcome` as one object.
pub(crate) fn tell_json(
    outcome: &Outcome,
    context: &Context,
    session: Option<&SessionId>,
) -> Result<(), Failure> {
    let link = |server: &ServerInfo| match session {
        Some(session) => link::of(server, session),
        None => link::home(server),
    };
    context.output.json(&outcome.to_json(session, link).to_string())
}
