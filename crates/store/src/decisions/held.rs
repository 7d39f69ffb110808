//! `open/<session>.held.json`: a submission that can still be taken back (`decide.undo`). It becomes the end of its questions
//! once its time has come, by whichever process looks first: a kill in between loses nothing. Until then the questions are open.

use super::own::OPEN;
use super::{Decisions, PendingSet, PublishOutcome};
use crate::StoreError;
use crate::clock::{is_since, now, unix_millis};
use files::{Dir, Lock, durable, json};
use model::{DecideOutput, Ending, Questions, SessionId, Via};
use serde::{Deserialize, Serialize};
use std::time::Duration;

const HELD: &str = ".held.json";

/// Nothing is held for longer, whatever the clock does.
const MAX_HOLD: Duration = Duration::from_secs(60);

/// A submission that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HeldSubmission {
    output: DecideOutput,
    pub(super) via: Via,
    /// As [`crate::now`] writes it.
    submitted_at: String,
    /// When it counts, in milliseconds since 1970.
    due: i64,
}

impl HeldSubmission {
    pub(super) fn ending(&self) -> Ending {
        Ending::Decided(self.output.clone())
    }

    /// Whether it came before `deadline`, in the form of [`crate::now`].
    pub(super) fn is_before(&self, deadline: &str) -> bool {
        is_since(deadline, &self.submitted_at)
    }

    /// How long it can still be taken back; `None` when its time has come. A clock that was set back makes that no longer.
    fn left(&self) -> Option<Duration> {
        let left = u64::try_from(self.due.saturating_sub(unix_millis())).ok().filter(|left| *left > 0)?;
        Some(Duration::from_millis(left)).filter(|left| *left <= MAX_HOLD)
    }
}

impl Decisions {
    /// Keeps `output`, which fits `questions`, as a submission that can be taken back for `wait`, in the place of an earlier one.
    /// False, and nothing is kept, when the questions have ended.
    ///
    /// # Errors
    ///
    /// [`StoreError::AttachmentsChanged`] when it names other files than are attached, and whatever the disk says.
    pub fn hold(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        output: DecideOutput,
        via: Via,
        wait: Duration,
    ) -> Result<bool, StoreError> {
        let lock = Lock::take(&self.dir)?;
        if self.is_closed(&pending.session)? || self.is_gone(pending)? || pending.passed_deadline().is_some()
        {
            return Ok(false);
        }
        self.check_attachments(&lock, pending, questions, &output)?;
        let open = self.dir.ensure_folder(OPEN)?.ours()?;
        let wait = i64::try_from(wait.min(MAX_HOLD).as_millis()).unwrap_or_default();
        let held =
            HeldSubmission { output, via, submitted_at: now(), due: unix_millis().saturating_add(wait) };
        let name = held_name(&pending.session);
        durable::replace(&lock, &open, &name, &json::text(&open, &name, &held, json::MAX_JSON)?)?;
        self.dir.sync()?;
        Ok(true)
    }

    /// Takes back a submission that is held: the questions go on. False when there is none, or when it counts already.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn take_back(&self, session: &SessionId) -> Result<bool, StoreError> {
        let _lock = Lock::take(&self.dir)?;
        let Some(open) = self.own_folder()? else { return Ok(false) };
        let is_held = self.held_in(&open, session)?.is_some_and(|held| held.left().is_some());
        if !is_held || self.is_closed(session)? {
            return Ok(false);
        }
        open.unlink(&held_name(session))?;
        open.sync()?;
        Ok(true)
    }

    /// For how long the submission for `session` can still be taken back; `None` when none is held.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn held_for(&self, session: &SessionId) -> Result<Option<Duration>, StoreError> {
        Ok(self.held(session)?.and_then(|held| held.left()))
    }

    /// Makes the submission for `session` count whose time has come; `None` when there is none.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(super) fn settle_held(&self, session: &SessionId) -> Result<Option<Ending>, StoreError> {
        let Some(held) = self.held(session)?.filter(|held| held.left().is_none()) else { return Ok(None) };
        let Some((pending, questions)) = self.set(session)? else { return Ok(None) };
        match self.publish(&pending, &questions, held.ending(), held.via) {
            Ok(PublishOutcome::Won(record)) => Ok(Some(record.ending)),
            Ok(PublishOutcome::Lost(ending)) => Ok(Some(ending)),
            Err(StoreError::AttachmentsChanged) => {
                // It is not the answer that was looked at: the questions go on.
                self.forget_held(session);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The submission for `session` that is held, due or not.
    pub(super) fn held(&self, session: &SessionId) -> Result<Option<HeldSubmission>, StoreError> {
        let Some(open) = self.own_folder()? else { return Ok(None) };
        self.held_in(&open, session)
    }

    fn held_in(&self, open: &Dir, session: &SessionId) -> Result<Option<HeldSubmission>, StoreError> {
        let name = held_name(session);
        if open.kind(&name)?.is_none() {
            return Ok(None);
        }
        // What cannot be read is no submission: the questions are still open.
        Ok(json::read(open, &name).unwrap_or_default())
    }

    pub(super) fn forget_held(&self, session: &SessionId) {
        // One that stays beside a record is swept by the next who asks.
        if let Ok(Some(open)) = self.own_folder() {
            let _ = open.unlink(&held_name(session));
        }
    }
}

pub(super) fn held_name(session: &SessionId) -> String {
    format!("{session}{HELD}")
}

/// The questions that such a submission is for.
pub(super) fn held_session(name: &str) -> Option<SessionId> {
    name.strip_suffix(HELD)?.parse().ok()
}
