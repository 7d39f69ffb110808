//! `pending.json`: the questions last asked, answered or not.

use super::head::{self, Meta, PendingSet, Place};
use super::receipts::ReceiptUpdate;
use super::records::record_name;
use super::{Decisions, FOLDER};
use crate::clock::{Moment, seconds_between};
use crate::layout::{AIDE, DECISIONS};
use crate::{SourceHashes, StoreError};
use files::{Lock, durable, json};
use model::{Ask, DecisionRecord, Ending, Questions, RecordMeta, SessionId, Via};

pub(super) const PENDING: &str = "pending.json";

/// The path of the questions last asked, from the project's root.
pub fn pending_path() -> String {
    format!("{AIDE}/{DECISIONS}/{PENDING}")
}

/// What became of a request to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on its way to who asked")]
pub enum AskOutcome {
    /// The questions are new, and pending from now on.
    Anew(PendingSet),
    /// The same, and they replace unanswered ones, which have a record that says so.
    Replacing {
        /// The new questions.
        pending: PendingSet,
        /// The others.
        replaced: PendingSet,
    },
    /// The very same ones were pending already and are still open: they go on under their name.
    Again(PendingSet),
}

impl AskOutcome {
    /// The session that is open now.
    pub fn pending(self) -> PendingSet {
        match self {
            Self::Anew(pending) | Self::Replacing { pending, .. } | Self::Again(pending) => pending,
        }
    }
}

impl Decisions {
    /// Makes `questions` the pending ones, under a session id later than all before, unless they are pending and open
    /// already. They are on the disk when this returns, with hashes of the files they name: asked again, they keep the
    /// first ones.
    ///
    /// Open questions that they replace get a record first. It counts from the moment on in which `pending.json` names
    /// others (see [`Self::record`]), so that a kill in between has replaced nothing.
    ///
    /// # Errors
    ///
    /// [`FileError::TooLarge`](files::FileError::TooLarge) above 32 MiB, [`StoreError::NoSessionLeft`], and whatever the disk says. The earlier
    /// questions are then still pending.
    pub fn ask<'q>(&self, ask: impl Into<Ask<'q>>) -> Result<AskOutcome, StoreError> {
        self.ask_locked(&Lock::take(&self.dir)?, ask.into(), None)
    }

    /// [`Self::ask`] with the lock held. With `note` the asker gets a receipt, under the key beside it, which is on the disk
    /// before the questions are.
    pub(super) fn ask_locked(
        &self,
        lock: &Lock,
        ask: Ask<'_>,
        note: Option<(&str, ReceiptUpdate<'_>)>,
    ) -> Result<AskOutcome, StoreError> {
        let Ask { questions, origin, deadline } = ask;
        let mut open = self.open_questions()?;
        if let Some((pending, earlier)) = &open
            && earlier.document() == questions.document()
        {
            // Who wrote them may have been killed before they were on the disk.
            self.dir.sync()?;
            if let Some((key, note)) = note {
                self.note_receipt(lock, &pending.session, key, note)?;
            }
            return Ok(AskOutcome::Again(pending.clone()));
        }
        if let Some((pending, earlier)) = &open
            && let Some(held) = self.held(&pending.session)?
        {
            // A person has answered them.
            self.publish_locked(lock, pending, earlier, held.ending(), held.via)?;
            open = None;
        }
        let earlier = self.slot_head()?.map(|earlier| earlier.session);
        let names = self.dir.names()?;
        durable::sweep(lock, &self.dir, &names);
        if !names.iter().any(|name| name == PENDING) {
            self.settle()?;
        }
        let moment = Moment::now();
        let session = self.next_session(&moment, &names)?;
        let created_at = moment.timestamp();
        let sources = SourceHashes::take(&self.root, questions.input());
        let meta = Meta {
            created_at: &created_at,
            session_id: &session,
            origin: &origin,
            deadline: deadline.as_deref(),
            key: None,
            rest_of: None,
            sources: &sources,
        };
        let bytes = head::text(&self.dir, PENDING, questions.document(), meta)?;
        if let Some((key, note)) = note {
            self.note_receipt(lock, &session, key, note)?;
        }
        if let Some((pending, earlier)) = &open {
            self.record_replaced(lock, pending, earlier, &session, &created_at)?;
        }
        durable::replace(lock, &self.dir, PENDING, &bytes).inspect_err(|_| {
            // The record does not count, and must not puzzle readers of the folder. If the new file has its name all
            // the same, the record counts.
            if let Some((earlier, _)) = &open
                && matches!(self.pending(), Ok(Some(pending)) if pending.session == earlier.session)
            {
                let _ = self.dir.unlink(&record_name(&earlier.session));
            }
        })?;
        if let Some(earlier) = earlier.filter(|earlier| *earlier != session) {
            self.forget_kept(&earlier);
        }
        let task = questions.input().task.clone();
        let pending = PendingSet { session, place: Place::Slot, created_at, deadline, origin, task, sources };
        self.fill_in(lock, &pending, questions, &names);
        Ok(match open {
            Some((replaced, _)) => AskOutcome::Replacing { pending, replaced },
            None => AskOutcome::Anew(pending),
        })
    }

    /// Writes that the open questions `pending` have made room for those of the session `by`.
    fn record_replaced(
        &self,
        lock: &Lock,
        pending: &PendingSet,
        questions: &Questions,
        by: &SessionId,
        now: &str,
    ) -> Result<(), StoreError> {
        let meta = RecordMeta {
            session_id: pending.session.clone(),
            created_at: pending.created_at.clone(),
            open_seconds: seconds_between(&pending.created_at, now),
            via: Via::Terminal,
            origin: pending.origin.clone(),
            deadline: pending.deadline.clone(),
            items: Vec::new(),
            filled_in: Vec::new(),
        };
        let record = DecisionRecord {
            input: questions.shared_document(),
            ending: Ending::Replaced(Some(by.clone())),
            completed_at: now.to_owned(),
            meta: Some(meta),
        };
        let name = record_name(&pending.session);
        let bytes = json::text(&self.dir, &name, &record, json::MAX_JSON)?;
        // Who asked them may have been killed before they were on the disk, and a record must not come before them.
        self.dir.sync()?;
        // What is there was left by a kill: the questions are open.
        Ok(durable::replace(lock, &self.dir, &name, &bytes)?)
    }

    /// The questions last asked, if any were.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`](files::FileError::Corrupt) when the file is no JSON object, [`StoreError::MissingSession`] when it names no
    /// session.
    pub fn pending(&self) -> Result<Option<PendingSet>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        Ok(Some(head::read(PENDING, Place::Slot, &bytes).map_err(|error| error.in_folder(FOLDER))?.0))
    }

    /// The questions last asked, in full.
    ///
    /// # Errors
    ///
    /// As [`Self::pending`], and [`FileError::Corrupt`](files::FileError::Corrupt) when the file holds no valid questions.
    pub fn pending_questions(&self) -> Result<Option<(PendingSet, Questions)>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        let (pending, _) =
            head::read(PENDING, Place::Slot, &bytes).map_err(|error| error.in_folder(FOLDER))?;
        Ok(Some((pending, head::questions(PENDING, &bytes)?)))
    }

    /// Whether other questions have been asked since those of `session`. With the lock held that stays so.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(super) fn is_replaced(&self, session: &SessionId) -> Result<bool, StoreError> {
        Ok(self.slot_head()?.is_some_and(|slot| slot.session > *session))
    }

    /// Returns the same as [`Self::pending`] without rereading an unchanged file; also `None` when it is damaged: the
    /// asker reports what is wrong with it.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(super) fn slot_head(&self) -> Result<Option<PendingSet>, StoreError> {
        let Some(present) = self.dir.identity(PENDING)? else { return Ok(None) };
        let mut heads = self.heads();
        match &heads.slot {
            Some((identity, head)) if *identity == present => return Ok(head.clone()),
            _ => {}
        }
        let head = match self.pending() {
            Err(error) if error.is_damaged() => None,
            head => head?,
        };
        heads.slot = Some((present, head.clone()));
        Ok(head)
    }

    /// The pending questions, unless they have ended. With the lock held.
    pub(super) fn open_questions(&self) -> Result<Option<(PendingSet, Questions)>, StoreError> {
        let found = match self.pending_questions() {
            // Asking anew is how a person gets rid of a broken file. One in conflict is two that are not.
            Err(error) if error.is_damaged() && !error.is_conflict() => None,
            found => found?,
        };
        let Some((pending, questions)) = found else { return Ok(None) };
        Ok((!self.is_closed(&pending.session)?).then_some((pending, questions)))
    }
}
