//! The outcome of a set of questions, as `result` and `wait` print it.

use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::link;
use crate::messages::Message;
use crate::user_daemon;
use decide::{DecideError, Outcome, Replacement};
use model::{Ending, SessionId};
use serde_json::json;
use std::ffi::OsStr;
use store::{Decisions, ServerInfo};

/// How many sets of questions a hint names.
const NAMED_SETS: usize = 3;

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

/// That `command` means no set of questions, which was given no name: sets that it can be given where there are some.
pub(crate) fn none_meant(decisions: &Decisions, command: &'static str) -> Failure {
    match ended_sets(decisions) {
        sessions if sessions.is_empty() => DecideError::NothingAsked.into(),
        mut sessions => {
            sessions.truncate(NAMED_SETS);
            Failure::new(Message::NoneMeant, Message::NameEnded { command, sessions })
        }
    }
}

/// The same of a command that is about open questions.
pub(crate) fn none_open(decisions: &Decisions) -> Failure {
    // What it asks in the name of workflows is in no project.
    if user_daemon::running().is_some() {
        return Failure::new(Message::NothingOpen, Message::SeeDaemon);
    }
    match ended_sets(decisions).is_empty() {
        true => DecideError::NothingAsked.into(),
        false => Failure::new(Message::NothingOpen, Message::SeeList),
    }
}

/// The sets of questions that are open, the oldest first, as many as a hint names.
pub(crate) fn open_sets(decisions: &Decisions) -> Vec<SessionId> {
    let entries = decide::list_open(decisions).unwrap_or_default();
    entries.into_iter().map(|entry| entry.session).take(NAMED_SETS).collect()
}

/// The sets of questions that have ended, the latest first. What cannot be read is reported where it is asked for by its name.
fn ended_sets(decisions: &Decisions) -> Vec<SessionId> {
    let entries = decide::list(decisions).unwrap_or_default().into_iter();
    entries.filter(|entry| !entry.completed_at.is_empty()).map(|entry| entry.session).collect()
}

/// Prints that no set of questions is meant by a `command` that says what has become of some.
pub(crate) fn print_none(
    context: &Context,
    decisions: &Decisions,
    command: &'static str,
    json: bool,
) -> Result<u8, Failure> {
    if !json {
        return Err(none_meant(decisions, command));
    }
    print_json(&Outcome::None, context, None)?;
    Ok(FAILED)
}

/// Prints `outcome`, and returns the exit code: the answers on standard output, all else as a failure. With `json` it is
/// one object on standard output in any case, and the exit code is the same as without.
pub(crate) fn print(
    outcome: Outcome,
    context: &Context,
    decisions: &Decisions,
    session: Option<&SessionId>,
    json: bool,
) -> Result<u8, Failure> {
    if json {
        print_json(&outcome, context, session)?;
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
        // A person who withdraws questions does not want them again at once.
        Outcome::Ended(ending @ Ending::Cancelled) => ended(ending, None, Message::AskFirst),
        Outcome::Ended(ending @ Ending::Expired(_)) => ended(ending, None, Message::SubmitAgain),
        Outcome::Ended(ending @ Ending::Replaced(_)) => {
            let replacement = Replacement::from_ending(decisions, &ending);
            ended(ending, replacement, Message::AskAgainLater)
        }
    })
}

/// The failure for questions without an answer, with a hint for the asker.
fn ended(ending: Ending, replacement: Option<Replacement>, hint: Message) -> Failure {
    Failure::from(DecideError::Ended { ending, replacement }).with_hint(hint)
}

/// Prints `outcome` as one object.
pub(crate) fn print_json(
    outcome: &Outcome,
    context: &Context,
    session: Option<&SessionId>,
) -> Result<(), Failure> {
    let link = |server: &ServerInfo| match session {
        Some(session) => link::for_session(server, session),
        None => link::home(server),
    };
    context.output.json(&outcome.to_json(session, link).to_string())
}
