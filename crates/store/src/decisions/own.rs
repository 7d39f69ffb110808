//! `open/<session>.json`: sets of questions beside the slot, each in a file of its own until it has ended.

use super::head::{self, Meta, PendingSet, Place};
use super::pending::AskOutcome;
use super::receipts::ReceiptUpdate;
use super::records::record_session;
use super::{Decisions, drafts, held};
use crate::clock::Moment;
use crate::{SourceHashes, StoreError};
use files::{Dir, FileError, FileType, Lock, durable, json};
use model::{Ask, Questions, SessionId};
use std::collections::HashSet;
use std::sync::Arc;

pub(super) const OPEN: &str = "open";
/// The folder, from the project's root.
pub(super) const OPEN_FOLDER: &str = ".aide/decisions/open";

/// How many may be open at a time. No user answers more, and an endless asker is refused before the disk is full.
const MAX_OPEN: usize = 1000;

impl Decisions {
    /// Asks `ask` beside all that is open, under a session id later than all before. The same `key` finds the same
    /// questions again as long as they are open. They are on the disk when this returns.
    ///
    /// # Errors
    ///
    /// [`FileError::TooLarge`] above 32 MiB, [`StoreError::TooManyOpen`], [`StoreError::NoSessionLeft`], and whatever the
    /// disk says. Nothing is asked then.
    pub fn put<'q>(&self, ask: impl Into<Ask<'q>>, key: &str) -> Result<AskOutcome, StoreError> {
        self.put_locked(&Lock::take(&self.dir)?, ask.into(), key, None)
    }

    /// [`Self::put`] with the lock held. With `note` the asker gets a receipt, which is on the disk before the questions are.
    pub(super) fn put_locked(
        &self,
        lock: &Lock,
        ask: Ask<'_>,
        key: &str,
        note: Option<ReceiptUpdate<'_>>,
    ) -> Result<AskOutcome, StoreError> {
        let Ask { questions, origin, deadline } = ask;
        let open = self.dir.ensure_folder(OPEN)?.ours()?;
        self.settle_remainders(lock, &open)?;
        let names = open.names()?;
        durable::sweep(lock, &open, &names);
        self.sweep_ended(&open, &names)?;
        let sessions: Vec<_> = names.iter().filter_map(|name| record_session(name)).collect();
        let mut count = 0;
        for session in &sessions {
            // A damaged set does not count.
            let Ok(Some((pending, found))) = read_head(&open, session) else { continue };
            if self.is_closed(session)? {
                continue;
            }
            count += 1;
            if found.as_deref() == Some(key) {
                // Who asked them may have been killed before they were on the disk.
                open.sync()?;
                self.dir.sync()?;
                if let Some(note) = note {
                    self.note_receipt(lock, session, key, note)?;
                }
                return Ok(AskOutcome::Again(pending));
            }
        }
        if count >= MAX_OPEN {
            return Err(StoreError::TooManyOpen { count });
        }
        if sessions.is_empty() {
            // The process that made the folder may have been killed before it was on the disk.
            self.settle()?;
            self.dir.sync()?;
        }
        let moment = Moment::now();
        let records = self.dir.names()?;
        let session = self.next_session(&moment, &records)?;
        let created_at = moment.timestamp();
        let sources = SourceHashes::take(&self.root, questions.input());
        let meta = Meta {
            created_at: &created_at,
            session_id: &session,
            origin: &origin,
            deadline: deadline.as_deref(),
            key: Some(key),
            rest_of: None,
            sources: &sources,
        };
        let name = file_name(&session);
        let bytes = head::text(&open, &name, questions.document(), meta)?;
        if let Some(note) = note {
            self.note_receipt(lock, &session, key, note)?;
        }
        if !durable::publish_once(lock, &open, &name, &bytes)? {
            // Something else than a file has the name; no id in use is given again.
            return Err(FileError::NotAFile { path: open.path_of(&name) }.into());
        }
        let task = questions.input().task.clone();
        let place = Place::Own;
        let pending = PendingSet { session, place, created_at, deadline, origin, task, sources };
        self.fill_in(lock, &pending, questions, &records);
        Ok(AskOutcome::Anew(pending))
    }

    /// Returns where the same questions are open, if they are. With the lock held.
    pub(super) fn place_of_same(&self, questions: &Questions) -> Result<Option<Place>, StoreError> {
        let is_same = |found: &Questions| found.document() == questions.document();
        if self.open_questions()?.is_some_and(|(_, found)| is_same(&found)) {
            return Ok(Some(Place::Slot));
        }
        let Some(open) = self.own_folder()? else { return Ok(None) };
        for pending in self.own_heads(&open)? {
            // Their head tells most of them apart.
            if pending.task == questions.input().task
                && !self.is_closed(&pending.session)?
                && let Ok(Some((_, found))) = read_set(&open, &pending.session)
                && is_same(&found)
            {
                return Ok(Some(Place::Own));
            }
        }
        Ok(None)
    }

    /// The heads of all questions that are open, the oldest first. Damaged files are left out: [`Self::damaged_sets`].
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn open_sets(&self) -> Result<Vec<PendingSet>, StoreError> {
        let mut sets: Vec<_> = self.slot_head()?.into_iter().collect();
        if let Some(open) = self.own_folder()? {
            self.settle_left_aside(&open)?;
            sets.extend(self.own_heads(&open)?);
        }
        let mut open = Vec::with_capacity(sets.len());
        for pending in sets {
            if !self.is_closed(&pending.session)? {
                open.push(pending);
            }
        }
        open.sort_unstable_by(|a, b| a.session.cmp(&b.session));
        Ok(open)
    }

    /// The heads of the files in `open`, each of which is read once.
    fn own_heads(&self, open: &Dir) -> Result<Vec<PendingSet>, StoreError> {
        let sessions: HashSet<_> = own_sessions(open)?.into_iter().collect();
        let mut heads = self.heads();
        heads.own.retain(|session, _| sessions.contains(session));
        let mut found = Vec::with_capacity(sessions.len());
        for session in sessions {
            if let Some(pending) = heads.own.get(&session) {
                found.push(pending.clone());
                continue;
            }
            match read_head(open, &session) {
                Err(error) if error.is_damaged() => {}
                // It may have ended since the folder was read.
                read => {
                    if let Some((pending, _)) = read? {
                        heads.own.insert(session, pending.clone());
                        found.push(pending);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The sessions of open questions whose own file is damaged, and what is wrong with it.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn damaged_sets(&self) -> Result<Vec<(SessionId, StoreError)>, StoreError> {
        let Some(open) = self.own_folder()? else { return Ok(Vec::new()) };
        let mut damaged = Vec::new();
        for session in own_sessions(&open)? {
            let found = read_set(&open, &session);
            if let Err(error) = found
                && error.is_damaged()
                && !self.is_closed(&session)?
            {
                damaged.push((session, error));
            }
        }
        Ok(damaged)
    }

    /// The questions of `session` with their head, if they are in the slot or in a file of their own. They may have ended.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn set(&self, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError> {
        if let Some(open) = self.own_folder()? {
            if self.lies_aside(session)? {
                self.settle_left_aside(&open)?;
            }
            if let Some(found) = read_set(&open, session)? {
                return Ok(Some(found));
            }
        }
        match self.pending()? {
            Some(pending) if pending.session == *session => {}
            _ => return Ok(None),
        }
        Ok(self.pending_questions()?.filter(|(pending, _)| pending.session == *session))
    }

    /// Whether the questions of `session` are in the slot or in a file of their own, as far as can be told from the names
    /// of files and the head of the slot. They may have ended.
    ///
    /// # Errors
    ///
    /// When the slot is damaged, and whatever the disk says.
    pub fn is_there(&self, session: &SessionId) -> Result<bool, StoreError> {
        Ok(self.lies_aside(session)? || self.is_there_now(session)?)
    }

    fn is_there_now(&self, session: &SessionId) -> Result<bool, StoreError> {
        Ok(self.has_own_file(session)? || self.pending()?.is_some_and(|pending| pending.session == *session))
    }

    /// The folder of such sets; `None` if none was ever asked.
    pub(super) fn own_folder(&self) -> Result<Option<Arc<Dir>>, StoreError> {
        Ok(self.dir.folder(OPEN)?.map(Dir::ours).transpose()?.map(Arc::new))
    }

    /// Whether the questions of `session` have a file of their own.
    pub(super) fn has_own_file(&self, session: &SessionId) -> Result<bool, StoreError> {
        let Some(open) = self.own_folder()? else { return Ok(false) };
        Ok(open.kind(&file_name(session))? == Some(FileType::RegularFile))
    }

    /// The head of a set with a file of its own.
    pub(super) fn own_head(&self, session: &SessionId) -> Result<Option<PendingSet>, StoreError> {
        let Some(open) = self.own_folder()? else { return Ok(None) };
        Ok(read_head(&open, session)?.map(|(pending, _)| pending))
    }

    /// With the lock held, once the record is durable.
    pub(super) fn remove_own(&self, session: &SessionId) -> Result<(), StoreError> {
        if let Some(open) = self.own_folder()? {
            open.unlink(&file_name(session))?;
            open.unlink(&drafts::own_name(session))?;
        }
        Ok(())
    }

    /// The session of the questions that are asked next: later than that of the clock, of the slot, of all open sets and
    /// of the records among `names`. The clock may go back and `pending.json` may be broken.
    pub(super) fn next_session(&self, moment: &Moment, names: &[String]) -> Result<SessionId, StoreError> {
        let pending = match self.pending() {
            Ok(pending) => pending.map(|pending| pending.session),
            Err(error) if error.is_damaged() => None,
            Err(error) => return Err(error),
        };
        let own = self.own_folder()?.map(|open| own_sessions(&open)).transpose()?.unwrap_or_default();
        let records = names.iter().filter_map(|name| record_session(name));
        let last = records.chain(own).chain(pending).max();
        let session =
            SessionId::next(&moment.second(), last.as_ref()).map_err(|_| StoreError::NoSessionLeft)?;
        if last.is_some_and(|last| session <= last) { Err(StoreError::NoSessionLeft) } else { Ok(session) }
    }

    /// Makes the folder itself durable: who created it may have been killed before it was.
    pub(super) fn settle(&self) -> Result<(), FileError> {
        let aide = self.dir.parent()?;
        aide.sync()?;
        aide.parent()?.sync()
    }

    /// Clears away what has ended, and drafts of what is not there: a kill may have prevented that.
    fn sweep_ended(&self, open: &Dir, names: &[String]) -> Result<(), StoreError> {
        for name in names {
            if let Some(session) = record_session(name) {
                // A record that cannot be read has not replaced the questions.
                if self.has_record(&session)? && matches!(self.record(&session), Ok(Some(_))) {
                    open.unlink(name)?;
                    open.unlink(&drafts::own_name(&session))?;
                }
            } else if let Some(session) = held::held_session(name) {
                if self.is_closed(&session)? || !self.is_there_now(&session)? {
                    open.unlink(name)?;
                }
            } else if let Some(session) = drafts::own_session(name)
                && open.kind(&file_name(&session))?.is_none()
            {
                open.unlink(name)?;
            }
        }
        Ok(())
    }
}

pub(super) fn file_name(session: &SessionId) -> String {
    format!("{session}.json")
}

fn own_sessions(open: &Dir) -> Result<Vec<SessionId>, StoreError> {
    Ok(open.names()?.iter().filter_map(|name| record_session(name)).collect())
}

/// The head of the set `session`, and the key that its asker knows it by.
fn read_head(open: &Dir, session: &SessionId) -> Result<Option<(PendingSet, Option<String>)>, StoreError> {
    let name = file_name(session);
    let Some(bytes) = json::read_bytes(open, &name)? else { return Ok(None) };
    named(session, &name, &bytes).map(Some).map_err(|error| error.in_folder(OPEN_FOLDER))
}

fn read_set(open: &Dir, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError> {
    let name = file_name(session);
    let Some(bytes) = json::read_bytes(open, &name)? else { return Ok(None) };
    let (pending, _) = named(session, &name, &bytes).map_err(|error| error.in_folder(OPEN_FOLDER))?;
    Ok(Some((pending, head::questions(&name, &bytes)?)))
}

/// Reads a head, which must be that of `session`.
fn named(session: &SessionId, name: &str, bytes: &[u8]) -> Result<(PendingSet, Option<String>), StoreError> {
    let (pending, key) = head::read(name, Place::Own, bytes)?;
    if pending.session == *session {
        return Ok((pending, key));
    }
    Err(FileError::Corrupt { file: name.to_owned(), message: "_meta.session_id".to_owned() }.into())
}
