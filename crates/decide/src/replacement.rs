//! Questions that were asked in the place of others.

use model::{Ending, SessionId};
use store::Decisions;

/// The questions that were asked in the place of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Their name.
    pub session: SessionId,
    /// What they are about; empty when that is not known any more.
    pub task: String,
}

impl Replacement {
    /// Returns the questions that `ending` names as those in the place of others.
    pub fn from_ending(decisions: &Decisions, ending: &Ending) -> Option<Self> {
        let Ending::Replaced(Some(session)) = ending else { return None };
        let task = match decisions.pending() {
            Ok(Some(pending)) if pending.session == *session => pending.task,
            // They have been replaced in turn, or cannot be read.
            _ => match decisions.record(session) {
                Ok(Some(record)) => record.task().to_owned(),
                _ => String::new(),
            },
        };
        Some(Self { session: session.clone(), task })
    }
}

/// Returns the questions that the record of `session` names as those in its place. A record that is gone, or cannot be
/// read, names none.
pub fn replacement(decisions: &Decisions, session: &SessionId) -> Option<Replacement> {
    match decisions.record(session) {
        Ok(Some(record)) => Replacement::from_ending(decisions, &record.ending),
        _ => None,
    }
}
