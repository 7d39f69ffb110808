//! `open/<session>.json`: sets of questions beside the slot, each in a file of its own until it has ended.

use super::head::{self, Meta, PendingSet, Place};
use super::pending::AskOutcome;
use super::receipts::ReceiptUpdate;
use super::records::record_session;
use super::{Decisions, Folders, OpenList, drafts, held};
use crate::clock::Moment;
use crate::{SourceHashes, StoreError};
use files::{Dir, FileError, FileType, Identity, Lock, durable, json};
use model::{Ask, Questions, SessionId};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const OPEN: &str = "open";
/// The folder, from the project's root.
pub(super) const OPEN_FOLDER: &str = ".aide/decisions/open";

/// How many may be open at a time. No user answers more, and an endless asker is refused before the disk is full.
const MAX_OPEN: usize = 1000;

/// The clock of a file system may stand still for so long.
pub(super) const GRAIN: Duration = Duration::from_secs(2);
/// The same of one whose times are fine: ten of its ticks.
const FINE_GRAIN: Duration = Duration::from_millis(100);

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
        for head in self.read_own_heads(&open, &open.names()?)?.0 {
            // Their head tells most of them apart.
            if head.task == questions.input().task
                && !self.is_closed(&head.session)?
                && let Ok(Some((_, found))) = read_set(&open, &head.session)
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
        Ok(self.open_list()?.to_vec())
    }

    /// Like [`Self::open_sets`], but returns the list of the last call while nothing has changed.
    ///
    /// # Errors
    ///
    /// As [`Self::open_sets`].
    pub fn open_list(&self) -> Result<Arc<[PendingSet]>, StoreError> {
        let slot = match self.slot_head()? {
            Some(slot) if !self.is_closed(&slot.session)? => Some(slot),
            _ => None,
        };
        let folder = self.own_folder()?;
        // Before they are read: what changes meanwhile is seen the next time.
        let folders = match &folder {
            Some(open) => (self.dir.own_identity()?, Some(open.own_identity()?)),
            None => (self.dir.own_identity()?, None),
        };
        // A change within the grain of the time would have the same one; judged now, before others come.
        let is_settled = self.are_settled(folders);
        if let Some(known) = &self.heads().open
            && (known.folders.as_ref(), &known.slot) == (Some(&folders), &slot)
        {
            return Ok(Arc::clone(&known.sets));
        }
        let (own, is_whole) = match &folder {
            Some(open) => self.open_of_their_own(open)?,
            None => (Vec::new(), true),
        };
        let mut heads = self.heads();
        // What has changed may be a draft, or has been put back: then the list need not be made again, and a caller that compares it
        // sees at once that it is the same.
        let same = heads.open.take().filter(|known| known.slot == slot && known.has_own(&own));
        let sets = same.map_or_else(|| list(slot.as_ref(), &own), |known| known.sets);
        // A damaged file may be mended in its place, which the folder does not show. One that may change unseen is no state that
        // could be found again.
        let folders = (is_whole && is_settled).then_some(folders);
        heads.open = Some(OpenList { folders, slot, sets: Arc::clone(&sets) });
        Ok(sets)
    }

    /// Whether another change of the folders would be seen in their state. Their time alone says so only after a while, because it is
    /// of another clock; where it is fine, so does a state that was there long before.
    fn are_settled(&self, folders: Folders) -> bool {
        let mut heads = self.heads();
        let since = match heads.seen {
            Some((seen, since)) if seen == folders => since,
            _ => heads.seen.insert((folders, Instant::now())).1,
        };
        let is_long_there = since.elapsed() >= FINE_GRAIN;
        let is_settled = |folder: &Identity| folder.is_settled(GRAIN) || folder.is_fine() && is_long_there;
        is_settled(&folders.0) && folders.1.iter().all(is_settled)
    }

    /// The heads of the files in `open` that have not ended, the oldest first, and whether each of these files could be read.
    fn open_of_their_own(&self, open: &Dir) -> Result<(Vec<Arc<PendingSet>>, bool), StoreError> {
        let mut names = open.names()?;
        if self.settle_left_aside(open, &names)? {
            names = open.names()?;
        }
        let (mut heads, is_whole) = self.read_own_heads(open, &names)?;
        let sessions: Vec<_> = heads.iter().map(|head| head.session.clone()).collect();
        let ended = self.closed_among(&sessions)?;
        heads.retain(|head| !ended.contains(&head.session));
        heads.sort_by_cached_key(|head| head.session.sort_key());
        Ok((heads, is_whole))
    }

    /// Returns the heads of the files `names` in `open`, each of which is read once, and whether those are all.
    fn read_own_heads(
        &self,
        open: &Dir,
        names: &[String],
    ) -> Result<(Vec<Arc<PendingSet>>, bool), StoreError> {
        let sessions: Vec<_> = names.iter().filter_map(|name| record_session(name)).collect();
        let mut heads = self.heads();
        let (mut found, mut is_whole) = (Vec::with_capacity(sessions.len()), true);
        for session in sessions {
            if let Some(known) = heads.own.get(&session) {
                found.push(Arc::clone(known));
                continue;
            }
            match read_head(open, &session) {
                Err(error) if error.is_damaged() => is_whole = false,
                // It may have ended since the folder was read.
                read => {
                    if let Some((pending, _)) = read? {
                        let pending = Arc::new(pending);
                        heads.own.insert(session, Arc::clone(&pending));
                        found.push(pending);
                    }
                }
            }
        }
        if heads.own.len() > found.len() {
            let there: HashSet<_> = found.iter().map(|head| &head.session).collect();
            heads.own.retain(|session, _| there.contains(session));
        }
        Ok((found, is_whole))
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
                self.settle_left_aside(&open, &open.names()?)?;
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

/// The sets that are open: that in the slot, and those of their own.
fn list(slot: Option<&PendingSet>, own: &[Arc<PendingSet>]) -> Arc<[PendingSet]> {
    let mut sets: Vec<_> = own.iter().map(|set| &**set).chain(slot).cloned().collect();
    sets.sort_by(|a, b| a.session.cmp(&b.session));
    sets.into()
}

#[cfg(test)]
mod tests {
    use super::{Decisions, FINE_GRAIN, GRAIN};
    use files::fault::{self, CallKind, Fault};
    use model::{Ending, Questions, SessionId, Via};
    use rustix::io::Errno;
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    fn questions(task: &str) -> Questions {
        let text = r#"{"task":"TASK","source":"s","items":[{"id":1,"title":"t","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}"#;
        Questions::parse(text.replace("TASK", task).as_bytes()).unwrap()
    }

    /// How many calls of the system it takes to look what is open, when nothing has changed for a while.
    fn calls_of_look(decisions: &Decisions) -> Vec<CallKind> {
        // The time of a folder's last change is the system's and cannot be set; only one that has passed is trusted.
        thread::sleep(GRAIN + Duration::from_millis(100));
        let known = decisions.open_list().unwrap();
        fault::fail(u64::MAX, Fault::Fails(Errno::IO));
        assert!(Arc::ptr_eq(&known, &decisions.open_list().unwrap()));
        let calls = fault::calls();
        fault::fail_no_more();
        calls
    }

    /// So many sets in `decisions`, made from the file of one.
    fn many(folder: &Path, decisions: &Decisions, count: usize) -> Vec<SessionId> {
        let first = decisions.put(&questions("one"), "one").unwrap().pending().session;
        let open = folder.join(".aide/decisions/open");
        let text = fs::read_to_string(open.join(format!("{first}.json"))).unwrap();
        let others: Vec<_> = (2..=count).map(|number| first.later(u32::try_from(number).unwrap())).collect();
        for other in &others {
            let text = text.replace(&first.to_string(), &other.to_string());
            fs::write(open.join(format!("{other}.json")), text).unwrap();
        }
        [first].into_iter().chain(others).collect()
    }

    #[test]
    fn to_look_after_a_change_costs_the_same_for_few_and_for_many_sets() {
        let calls_for = |count: usize| {
            let folder = tempfile::tempdir().unwrap();
            crate::init(folder.path()).unwrap();
            let (decisions, other) =
                (Decisions::open(folder.path()).unwrap(), Decisions::open(folder.path()).unwrap());
            let mut sessions = many(folder.path(), &decisions, count);
            assert_eq!(decisions.open_list().unwrap().len(), count);
            let (pending, asked) = other.set(&sessions[1]).unwrap().unwrap();
            other.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
            sessions.remove(1);
            let last = sessions.last().unwrap().later(1);
            let open = folder.path().join(".aide/decisions/open");
            let text = fs::read_to_string(open.join(format!("{}.json", sessions[0]))).unwrap();
            fs::write(
                open.join(format!("{last}.json")),
                text.replace(&sessions[0].to_string(), &last.to_string()),
            )
            .unwrap();
            sessions.push(last);
            fault::fail(u64::MAX, Fault::Fails(Errno::IO));
            let list = decisions.open_list().unwrap();
            let calls = fault::calls();
            fault::fail_no_more();
            assert!(list.iter().map(|set| &set.session).eq(&sessions));
            // Whatever the clock of the file system says, it is the same list as long as it lists the same.
            assert!(Arc::ptr_eq(&list, &decisions.open_list().unwrap()));
            calls
        };
        assert_eq!(calls_for(40), calls_for(400));
    }

    /// What is in the folders is read once more when their state has been there for ten ticks of the clock, and not again.
    #[test]
    fn a_fine_time_is_trusted_once_it_was_there_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        crate::init(folder.path()).unwrap();
        let decisions = Decisions::open(folder.path()).unwrap();
        let reads = || {
            fault::fail(u64::MAX, Fault::Fails(Errno::IO));
            decisions.open_list().unwrap();
            let calls = fault::calls().len();
            fault::fail_no_more();
            calls
        };
        let is_fine = (0..50).any(|number| {
            decisions.put(&questions(&number.to_string()), &number.to_string()).unwrap();
            let open = decisions.own_folder().unwrap().unwrap();
            decisions.dir.own_identity().unwrap().is_fine() && open.own_identity().unwrap().is_fine()
        });
        assert!(is_fine, "times are as coarse as milliseconds here");
        reads();
        let second = reads();
        let seen = decisions.heads().seen.unwrap();
        // As if it had been seen so for long.
        decisions.heads().seen = Some((seen.0, seen.1.checked_sub(FINE_GRAIN).unwrap()));
        let (third, fourth) = (reads(), reads());
        assert!(second == third && third > fourth, "{second} {third} {fourth}");
        // Another state has to be there as long.
        decisions.put(&questions("another"), "another").unwrap();
        assert!(reads() > fourth && reads() > fourth);
    }

    /// The names of all records are read again when one of them has changed, and only then.
    #[test]
    fn the_records_are_read_once_while_their_folder_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        crate::init(folder.path()).unwrap();
        let (decisions, other) =
            (Decisions::open(folder.path()).unwrap(), Decisions::open(folder.path()).unwrap());
        let sessions = many(folder.path(), &other, 4);
        let end = |session: &SessionId| {
            let (pending, asked) = other.set(session).unwrap().unwrap();
            other.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
        };
        let check = |expected: &[SessionId]| {
            let expected: Vec<_> = expected.iter().rev().cloned().collect();
            for count in [1, 2, 9] {
                let latest = decisions.latest_records(count).unwrap();
                assert_eq!(latest, (expected[..expected.len().min(count)].to_vec(), expected.len() > count));
            }
            assert_eq!(decisions.records().unwrap(), expected);
            decisions.heads().sorted.is_some()
        };
        sessions[..2].iter().for_each(end);
        assert!(!check(&sessions[..2]), "another change would have the same time");
        // As in `calls_of_look`: the time of a folder's last change cannot be set.
        thread::sleep(GRAIN + Duration::from_millis(100));
        assert!(check(&sessions[..2]) && check(&sessions[..2]));
        end(&sessions[2]);
        check(&sessions[..3]);
        fs::remove_file(folder.path().join(format!(".aide/decisions/{}.json", sessions[2]))).unwrap();
        check(&sessions[..2]);
    }

    #[test]
    fn what_has_ended_is_found_among_all_names_as_by_looking_for_each() {
        for count in [5, 31, 32, 60] {
            let folder = tempfile::tempdir().unwrap();
            crate::init(folder.path()).unwrap();
            let decisions = Decisions::open(folder.path()).unwrap();
            let sessions = many(folder.path(), &decisions, count);
            let (pending, asked) = decisions.set(&sessions[0]).unwrap().unwrap();
            decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
            let records = folder.path().join(".aide/decisions");
            let record = fs::read(records.join(format!("{}.json", sessions[0]))).unwrap();
            for (number, session) in sessions.iter().enumerate() {
                match number % 5 {
                    1 => fs::write(records.join(format!("{session}.json")), &record).unwrap(),
                    2 => fs::write(records.join(format!("{session}.ended")), &record).unwrap(),
                    // What cannot be read is there all the same.
                    3 => fs::write(records.join(format!("{session}.json")), "{").unwrap(),
                    // It is not a file.
                    4 => fs::create_dir(records.join(format!("{session}.json"))).unwrap(),
                    _ => {}
                }
            }
            let each: HashSet<_> =
                sessions.iter().filter(|session| decisions.is_closed(session).unwrap()).cloned().collect();
            assert_eq!(decisions.closed_among(&sessions).unwrap(), each);
            assert!((1..count).contains(&each.len()));
        }
    }

    #[test]
    fn to_look_again_costs_the_same_for_few_and_for_many_sets() {
        let folder = tempfile::tempdir().unwrap();
        crate::init(folder.path()).unwrap();
        let decisions = Decisions::open(folder.path()).unwrap();
        let ask = |name: &str| decisions.put(&questions(name), name).unwrap().pending().session;
        let mut sessions: Vec<_> = (0..3).map(|number| ask(&number.to_string())).collect();
        let few = calls_of_look(&decisions);
        sessions.extend((3..30).map(|number| ask(&number.to_string())));
        assert_eq!(calls_of_look(&decisions), few);
        // What changes is seen at once.
        sessions.push(ask("last"));
        let open = || decisions.open_sets().unwrap().into_iter().map(|set| set.session).collect::<Vec<_>>();
        assert_eq!(open(), sessions);
        let (pending, asked) = decisions.set(&sessions[0]).unwrap().unwrap();
        decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
        assert_eq!(open(), sessions[1..]);
    }
}
