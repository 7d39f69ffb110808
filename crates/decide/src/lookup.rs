//! Finding questions by name, open ones and those that have ended; and taking them back.

use crate::{DecideError, OpenSet};
use model::{DecisionRecord, Ending, Questions, SessionId, Via};
use store::{Decisions, Pending, Retention};

/// Returns the head of the questions asked last; `None` when nothing was ever asked.
///
/// # Errors
///
/// When it cannot be read.
pub fn pending(decisions: &Decisions) -> Result<Option<Pending>, DecideError> {
    decisions.pending().map_err(DecideError::of_pending)
}

/// Returns the session that `name` names; without a name, the one asked last.
///
/// # Errors
///
/// [`DecideError::NoSession`] when it is no name of a session, [`DecideError::NothingAsked`] without one.
pub fn session(decisions: &Decisions, name: Option<&str>) -> Result<SessionId, DecideError> {
    match name {
        Some(name) => name.parse().map_err(|_| DecideError::NoSession { name: name.to_owned() }),
        None => Ok(pending(decisions)?.ok_or(DecideError::NothingAsked)?.session),
    }
}

/// Returns the record of `session`, which outlasts a loss of power from then on; `None` when it has none.
///
/// # Errors
///
/// When it cannot be read.
pub fn record(decisions: &Decisions, session: &SessionId) -> Result<Option<DecisionRecord>, DecideError> {
    decisions.durable_record(session).map_err(DecideError::of_record)
}

/// Returns the questions `session`, which are open, with their head.
///
/// # Errors
///
/// [`DecideError::Ended`] when they have ended, [`DecideError::NoSession`] when nothing is known of them.
pub fn open_questions(
    decisions: &Decisions,
    session: &SessionId,
) -> Result<(Pending, Questions), DecideError> {
    if let Some(record) = record(decisions, session)? {
        return Err(DecideError::ended(decisions, session, record.ending));
    }
    let found = match pending(decisions)? {
        Some(pending) if pending.session == *session => decisions.pending_questions()?,
        _ => None,
    };
    found
        .filter(|(pending, _)| pending.session == *session)
        .ok_or_else(|| DecideError::NoSession { name: session.to_string() })
}

/// Returns the sessions whose records `retention` lets go, the latest first. The questions asked last are never among them.
///
/// # Errors
///
/// When it cannot be told which were asked last, or the folder cannot be read.
pub fn removable(decisions: &Decisions, retention: Retention) -> Result<Vec<SessionId>, DecideError> {
    decisions.removable(retention).map_err(DecideError::of_pending)
}

/// Removes the records of `sessions`, and returns those that were there. They are gone from the disk when this returns.
///
/// # Errors
///
/// As [`removable`], and whatever the disk says; some may be gone by then.
pub fn remove(decisions: &Decisions, sessions: &[SessionId]) -> Result<Vec<SessionId>, DecideError> {
    decisions.remove_records(sessions).map_err(DecideError::of_pending)
}

/// Takes back the questions asked last: whoever asked them does not want to know any more.
///
/// # Errors
///
/// [`DecideError::NothingAsked`], and [`DecideError::Ended`] when they have ended.
pub fn cancel(decisions: &Decisions, via: Via) -> Result<DecisionRecord, DecideError> {
    // What is damaged is told as such before the questions are read in full.
    pending(decisions)?.ok_or(DecideError::NothingAsked)?;
    let (pending, questions) = decisions.pending_questions()?.ok_or(DecideError::NothingAsked)?;
    OpenSet { decisions, pending: &pending, questions: &questions }.end(Ending::Cancelled, via)
}
