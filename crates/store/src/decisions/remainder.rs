//! What is left for later where a part of a set was answered: a set of its own. It lies aside as `open/<session>.rest.json`
//! until the record of the answered part, which names it, is on the disk; from then on it is `open/<session>.json`. A kill in
//! between has either answered nothing or is made good by the next process that looks.

use super::Decisions;
use super::drafts::{self, Draft};
use super::head::{self, Meta, PendingSet, Place};
use super::own::{OPEN, OPEN_FOLDER, file_name};
use crate::clock::Moment;

use crate::{AttachError, StoreError};
use files::{Dir, Lock, durable, json};
use model::{DecideOutput, DecisionRecord, ItemKind, Questions, SessionId};

const ASIDE: &str = ".rest.json";

/// A remainder that lies aside.
#[derive(Debug)]
pub(super) struct SetAsideRemainder {
    open: Dir,
    session: SessionId,
}

impl SetAsideRemainder {
    /// The name that it is asked under.
    pub(super) fn session(&self) -> &SessionId {
        &self.session
    }
}

impl Decisions {
    /// With the lock held. Lays the items `items` of `questions` aside, with what `draft` has of them.
    ///
    /// # Errors
    ///
    /// As [`Self::put`]. Nothing lies there then that counts.
    pub(super) fn lay_aside(
        &self,
        lock: &Lock,
        pending: &PendingSet,
        questions: &Questions,
        items: &[u64],
        draft: &Draft,
    ) -> Result<SetAsideRemainder, StoreError> {
        let rest = questions.only(items);
        let open = self.dir.ensure_folder(OPEN)?.ours()?;
        self.settle_remainders(lock, &open)?;
        let moment = Moment::now();
        let session = self.next_session(&moment, &self.dir.names()?)?;
        let created_at = moment.timestamp();
        let meta = Meta {
            created_at: &created_at,
            session_id: &session,
            origin: &pending.origin,
            deadline: pending.deadline.as_deref(),
            // Who asks for just these questions again finds them.
            key: Some(rest.fingerprint()),
            rest_of: Some(&pending.session),
            // As the files were when the questions were asked.
            sources: &pending.sources,
        };
        let name = aside_name(&session);
        let bytes = head::text(&open, &name, rest.document(), meta)?;
        if let Some(bytes) = draft.only(items).into_bytes(&open, &session, &rest)? {
            durable::replace(lock, &open, &drafts::own_name(&session), &bytes)?;
        }
        durable::replace(lock, &open, &name, &bytes)?;
        Ok(SetAsideRemainder { open, session })
    }

    /// With the lock held. Asks what the record of an answered part names.
    ///
    /// # Errors
    ///
    /// Whatever the disk says. It is asked then by the next process that looks.
    pub(super) fn ask_remainder(&self, lock: &Lock, aside: &SetAsideRemainder) -> Result<(), StoreError> {
        let SetAsideRemainder { open, session } = aside;
        // Without a receipt it is a set like any other.
        let _ = self.carry_asker(lock, aside);
        durable::move_file(lock, open, &aside_name(session), open, &file_name(session))?;
        Ok(())
    }

    /// With the lock held. Who waits for the answered part gets the rest as well.
    fn carry_asker(&self, lock: &Lock, aside: &SetAsideRemainder) -> Result<(), StoreError> {
        let name = aside_name(&aside.session);
        let Some(bytes) = json::read_bytes(&aside.open, &name)? else { return Ok(()) };
        let (_, key) = head::read(&name, Place::Own, &bytes)?;
        match (head::rest_of(&name, &bytes)?, key) {
            (Some(answered), Some(key)) => self.carry_receipt(lock, &answered, &aside.session, &key),
            _ => Ok(()),
        }
    }

    /// With the lock held. Forgets a remainder whose other part was not answered after all.
    pub(super) fn forget_remainder(&self, aside: &SetAsideRemainder) {
        // One that stays is swept by the next process that looks.
        let _ = aside.open.unlink(&aside_name(&aside.session));
        let _ = aside.open.unlink(&drafts::own_name(&aside.session));
    }

    /// Asks what a process has left aside that was killed after the record had named it; `names` are those in `open`. Without any,
    /// nothing is locked, and this returns false.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(super) fn settle_left_aside(&self, open: &Dir, names: &[String]) -> Result<bool, StoreError> {
        let is_aside = names.iter().any(|name| name.ends_with(ASIDE));
        if is_aside {
            self.settle_remainders(&Lock::take(&self.dir)?, open)?;
        }
        Ok(is_aside)
    }

    /// Whether `session` is a remainder that lies aside.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(super) fn lies_aside(&self, session: &SessionId) -> Result<bool, StoreError> {
        let Some(open) = self.own_folder()? else { return Ok(false) };
        Ok(open.kind(&aside_name(session))?.is_some())
    }

    /// With the lock held: no other process is between the two steps.
    pub(super) fn settle_remainders(&self, lock: &Lock, open: &Dir) -> Result<(), StoreError> {
        for name in open.names()?.iter().filter(|name| name.ends_with(ASIDE)) {
            let Ok(session) = name.trim_end_matches(ASIDE).parse::<SessionId>() else { continue };
            let aside = SetAsideRemainder { open: open.again()?, session };
            if self.is_named(&aside)? {
                self.ask_remainder(lock, &aside)?;
            } else {
                self.forget_remainder(&aside);
            }
        }
        Ok(())
    }

    /// Whether the record of the answered part names this remainder.
    fn is_named(&self, aside: &SetAsideRemainder) -> Result<bool, StoreError> {
        let name = aside_name(&aside.session);
        let Some(bytes) = json::read_bytes(&aside.open, &name)? else { return Ok(false) };
        let answered = match head::rest_of(&name, &bytes) {
            Ok(Some(answered)) => answered,
            Ok(None) => return Ok(false),
            Err(error) => return Err(error.in_folder(OPEN_FOLDER)),
        };
        let record = self.record(&answered)?;
        Ok(record.as_ref().and_then(remainder_of) == Some(&aside.session))
    }

    /// Attaches to a remainder what was attached to its items before. What cannot be copied is attached again by the person:
    /// the answer stands.
    pub(super) fn carry_files(&self, answered: &SessionId, record: &DecisionRecord) {
        let Some(rest) = remainder_of(record) else { return };
        let Ok(Some((pending, questions))) = self.set(rest) else { return };
        let Ok(attached) = self.attachments(answered) else { return };
        for item in questions.input().items.iter().filter(|item| item.kind == ItemKind::Files) {
            for file in attached.get(&item.id).into_iter().flatten() {
                let _ = self.carry_file(answered, (&pending, &questions), item.id, &file.name);
            }
        }
    }

    fn carry_file(
        &self,
        answered: &SessionId,
        (pending, questions): (&PendingSet, &Questions),
        item: u64,
        name: &str,
    ) -> Result<(), AttachError> {
        let mut upload = self.attach(pending, questions, item, name)?;
        self.read_attachment(answered, item, name, |bytes| upload.write(bytes))?;
        upload.finish().map(drop)
    }
}

fn aside_name(session: &SessionId) -> String {
    format!("{session}{ASIDE}")
}

fn remainder_of(record: &DecisionRecord) -> Option<&SessionId> {
    record.output().and_then(DecideOutput::remainder)
}
