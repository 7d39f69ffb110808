//! Finding questions by name, open ones and those that have ended; and taking them back.

use crate::{DecideError, OpenSet};
use model::{DecisionRecord, Ending, Questions, SessionId, Via};
use store::{Decisions, PendingSet, Place, Retention};

/// Returns the head of the questions asked last; `None` when nothing was ever asked.
///
/// # Errors
///
/// When it cannot be read.
pub fn pending(decisions: &Decisions) -> Result<Option<PendingSet>, DecideError> {
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

/// Returns the session that `name` names; without a name, the questions to be answered now: those asked last, and where
/// these have ended, the oldest that are open.
///
/// # Errors
///
/// As [`session`].
pub fn to_answer(decisions: &Decisions, name: Option<&str>) -> Result<SessionId, DecideError> {
    if name.is_some() {
        return session(decisions, name);
    }
    // Where nothing can be written, they are taken as they stand.
    let _ = decisions.expire_all();
    let open = decisions.open_sets()?;
    let chosen = open.iter().find(|set| set.place == Place::Slot).or(open.first());
    // If no set is open, the error says how the last one ended.
    chosen.map_or_else(|| session(decisions, None), |set| Ok(set.session.clone()))
}

/// Returns the session that `name` names; without a name, the only set of questions that is open. For answers that are given
/// unseen: of several sets the wrong one could get them.
///
/// # Errors
///
/// [`DecideError::SeveralOpen`], and those of [`session`].
pub fn only_one_to_answer(decisions: &Decisions, name: Option<&str>) -> Result<SessionId, DecideError> {
    let session = to_answer(decisions, name)?;
    let open = decisions.open_sets()?;
    if name.is_some() || open.len() < 2 {
        return Ok(session);
    }
    Err(DecideError::SeveralOpen { open: open.into_iter().map(|set| (set.session, set.task)).collect() })
}

/// Returns the session that a command without a name is about, and its task: the questions in the slot, and where there are
/// none the only ones that are open. Of the others, ended ones must be named. `None` without any.
///
/// # Errors
///
/// [`DecideError::SeveralOpen`], and those of [`session`].
pub fn latest(decisions: &Decisions) -> Result<Option<(SessionId, String)>, DecideError> {
    if let Some(slot) = pending(decisions)? {
        return Ok(Some((slot.session, slot.task)));
    }
    let mut open = decisions.open_sets()?;
    if open.len() > 1 {
        return Err(DecideError::SeveralOpen {
            open: open.into_iter().map(|set| (set.session, set.task)).collect(),
        });
    }
    Ok(open.pop().map(|only| (only.session, only.task)))
}

/// Returns how many sets of questions are open beside `session`, and the oldest of them.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn others_open(
    decisions: &Decisions,
    session: &SessionId,
) -> Result<Option<(SessionId, usize)>, DecideError> {
    let others = decisions.open_sets()?.into_iter().filter(|set| set.session != *session);
    let mut others = others.map(|set| set.session);
    Ok(others.next().map(|next| (next, others.count() + 1)))
}

/// Returns whether the questions `session` can be found, be it that they have ended.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn is_there(decisions: &Decisions, session: &SessionId) -> Result<bool, DecideError> {
    decisions.is_there(session).map_err(DecideError::of_pending)
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
) -> Result<(PendingSet, Questions), DecideError> {
    if let Some(record) = record(decisions, session)? {
        return Err(DecideError::ended(decisions, session, record.ending));
    }
    let found = decisions.set(session).map_err(DecideError::of_pending)?;
    let Some((pending, questions)) = found else {
        // They may have ended since the record was looked for.
        return Err(match record(decisions, session)? {
            Some(record) => DecideError::ended(decisions, session, record.ending),
            None => DecideError::NoSession { name: session.to_string() },
        });
    };
    if pending.passed_deadline().is_some()
        && let Some(ending) = decisions.expire(session)?
    {
        return Err(DecideError::ended(decisions, session, ending));
    }
    Ok((pending, questions))
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
/// `done` is called before each, with how many came before it, and at the end with how many there are. It must not wait: other
/// programs do.
///
/// # Errors
///
/// As [`removable`], and whatever the disk says; some may be gone by then.
pub fn remove(
    decisions: &Decisions,
    sessions: &[SessionId],
    done: &mut dyn FnMut(usize),
) -> Result<Vec<SessionId>, DecideError> {
    decisions.remove_records(sessions, done).map_err(DecideError::of_pending)
}

/// Cancels the questions `session`: the asker no longer wants an answer.
///
/// # Errors
///
/// As [`open_questions`].
pub fn cancel(decisions: &Decisions, session: &SessionId, via: Via) -> Result<DecisionRecord, DecideError> {
    let (pending, questions) = open_questions(decisions, session)?;
    OpenSet { desk: decisions, pending: &pending, questions: &questions }.end(Ending::Cancelled, via)
}
