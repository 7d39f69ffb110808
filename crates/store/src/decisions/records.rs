//! `<session>.json`: how each set of questions ended.

use super::Decisions;
use super::FOLDER;
use super::drafts::Draft;
use super::head::{PendingSet, Place};
use super::own::GRAIN;
use super::record_file::RecordParts;
use super::remainder::SetAsideRemainder;
use crate::StoreError;
use crate::clock::{Moment, seconds_between};
use files::{FileError, FileType, Identity, Lock, durable, json};
use model::{DecideOutput, DecisionRecord, Ending, ItemMeta, Questions, RecordMeta, SessionId, Via};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// What became of an attempt to close a set of questions: exactly one for each session wins.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on its way to who asked")]
pub enum PublishOutcome {
    /// This one is the record.
    Won(DecisionRecord),
    /// Another one was faster, or other questions were.
    Lost(Ending),
}

impl Decisions {
    /// Makes `ending` the end of `questions`, unless they have one. It is on the disk when this returns. Where their
    /// deadline has passed, that is the end, and whatever else is said of them comes too late.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`](files::FileError::Corrupt) when there is a record that cannot be read,
    /// [`StoreError::AttachmentsChanged`] when the answer names other files than are attached, and whatever the disk says.
    pub fn publish(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        ending: Ending,
        via: Via,
    ) -> Result<PublishOutcome, StoreError> {
        let published = self.publish_locked(&Lock::take(&self.dir)?, pending, questions, ending, via)?;
        if let PublishOutcome::Won(record) = &published {
            self.carry_files(&pending.session, record);
        }
        Ok(published)
    }

    pub(super) fn publish_locked(
        &self,
        lock: &Lock,
        pending: &PendingSet,
        questions: &Questions,
        ending: Ending,
        via: Via,
    ) -> Result<PublishOutcome, StoreError> {
        let name = record_name(&pending.session);
        if let Some(earlier) = self.earlier_end(pending, &name)? {
            return Ok(PublishOutcome::Lost(earlier));
        }
        let given = ending;
        let (mut ending, via) = self.winning_end(pending, &given, via)?;
        let is_late = ending != given;
        let completed_at = match &ending {
            Ending::Expired(deadline) => deadline.clone(),
            _ => Moment::now().timestamp(),
        };
        if let Ending::Decided(output) = &ending
            && !self.is_closed(&pending.session)?
        {
            self.check_attachments(lock, pending, questions, output)?;
        }
        let draft = self.kept(pending, questions).unwrap_or_default();
        let aside = self.lay_aside_open(lock, pending, questions, &mut ending, &draft)?;
        let record = record_of(pending, questions, &draft, ending, via, completed_at);
        let bytes = json::text(&self.dir, &name, &record, json::MAX_JSON)?;
        let is_published = durable::publish_once(lock, &self.dir, &name, &bytes);
        if let Some(rest) = &aside {
            match is_published {
                // From here on the answer stands, whatever the disk says.
                Ok(true) => drop(self.ask_remainder(lock, rest)),
                Ok(false) => self.forget_remainder(rest),
                // The record may be there all the same.
                Err(_) => {}
            }
        }
        if is_published? {
            self.clear_after(lock, pending, questions, &record.ending, &name);
            return Ok(if is_late {
                PublishOutcome::Lost(record.ending)
            } else {
                PublishOutcome::Won(record)
            });
        }
        match self.record(&pending.session)? {
            Some(winner) => Ok(PublishOutcome::Lost(winner.ending)),
            None => Err(self.dir.missing(&name).into()),
        }
    }

    /// Returns how the questions of `pending`, whose record is called `name`, have ended before; `None` if they are open.
    fn earlier_end(&self, pending: &PendingSet, name: &str) -> Result<Option<Ending>, StoreError> {
        if !self.has_record(&pending.session)? {
            return Ok(self.is_gone(pending)?.then_some(Ending::Replaced(None)));
        }
        if !self.is_closed(&pending.session)? {
            // It says that they were replaced, which a kill has prevented.
            self.dir.unlink(name)?;
            return Ok(None);
        }
        if self.dir.kind(name)?.is_some() {
            return Ok(None);
        }
        Ok(self.record(&pending.session)?.map(|winner| winner.ending))
    }

    /// Returns the ending that counts, and its channel: a held submission or a deadline that has passed comes before `given`.
    fn winning_end(
        &self,
        pending: &PendingSet,
        given: &Ending,
        via: Via,
    ) -> Result<(Ending, Via), StoreError> {
        let passed = pending.passed_deadline();
        // What a person has submitted comes before what has happened since without one.
        let held = self.held(&pending.session)?.filter(|held| {
            let is_own = held.ending() == *given;
            let is_answer = matches!(given, Ending::Decided(_) | Ending::Returned(_));
            (is_own || !is_answer) && passed.is_none_or(|deadline| held.is_before(deadline))
        });
        Ok(match (held, passed) {
            (Some(held), _) => (held.ending(), held.via),
            (None, Some(deadline)) => (Ending::Expired(deadline.to_owned()), Via::Clock),
            (None, None) => (given.clone(), via),
        })
    }

    /// Sets aside the items that `ending` leaves open, if any, and enters their session into `ending`.
    fn lay_aside_open(
        &self,
        lock: &Lock,
        pending: &PendingSet,
        questions: &Questions,
        ending: &mut Ending,
        draft: &Draft,
    ) -> Result<Option<SetAsideRemainder>, StoreError> {
        let Ending::Decided(DecideOutput { open: Some(open), .. }) = ending else { return Ok(None) };
        let rest = self.lay_aside(lock, pending, questions, &open.items, draft)?;
        open.session_id = Some(rest.session().clone());
        Ok(Some(rest))
    }

    /// Removes what only open questions need. Their record `name` is on the disk.
    fn clear_after(
        &self,
        lock: &Lock,
        pending: &PendingSet,
        questions: &Questions,
        ending: &Ending,
        name: &str,
    ) {
        // The questions are closed. What stays of a file of their own is swept later; a draft in the slot is found again
        // only by the same questions.
        self.forget_held(&pending.session);
        let _ = match pending.place {
            Place::Slot => {
                self.keep_record(lock, &pending.session);
                self.remove_slot_draft(questions)
            }
            Place::Own => self.remove_own(&pending.session),
        };
        if let Ok(Some(present)) = self.dir.identity(name) {
            self.remember_closed(&pending.session, ending, present);
        }
    }

    /// Takes the record of questions that another keeper had, under their name or, where other questions have that, under the
    /// next one that is free. The same record is taken once, however often it comes: it is known by who asked. Returns the
    /// name. The record is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoSessionLeft`] when it has no name, and whatever the disk says.
    pub fn adopt(&self, record: &DecisionRecord) -> Result<SessionId, StoreError> {
        let mut record = record.clone();
        let Some(RecordMeta { session_id, origin, .. }) = &mut record.meta else {
            return Err(StoreError::NoSessionLeft);
        };
        let lock = Lock::take(&self.dir)?;
        let origin = origin.clone();
        let second = session_id.second().to_owned();
        loop {
            let taken = if self.has_record(session_id)? {
                let present = self.record(session_id).ok().flatten().and_then(|present| present.meta);
                if present.is_some_and(|present| present.origin == origin) {
                    // Who wrote it may have been killed before it was on the disk.
                    self.dir.sync()?;
                    return Ok(session_id.clone());
                }
                true
            } else {
                self.is_there(session_id).unwrap_or(true)
            };
            if !taken {
                break;
            }
            *session_id =
                SessionId::next(&second, Some(session_id)).map_err(|_| StoreError::NoSessionLeft)?;
        }
        let session = session_id.clone();
        let name = record_name(&session);
        let bytes = json::text(&self.dir, &name, &record, json::MAX_JSON)?;
        if !durable::publish_once(&lock, &self.dir, &name, &bytes)? {
            return Err(FileError::NotAFile { path: self.dir.path_of(&name) }.into());
        }
        Ok(session)
    }

    /// How the questions of `session` ended, if they have.
    ///
    /// A record of their replacement is written before `pending.json` is. While that still names them, they have not
    /// been replaced, and the replacing process may have been killed.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`](files::FileError::Corrupt) when the file is no record.
    pub fn record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
        self.record_if(session, |_| true)
    }

    /// The same for a search; also `None` for a record whose file `may_fit` refuses. It is called only if the file has no
    /// escapes, so that its texts stand there as they are read; most records need not be parsed as a whole then.
    ///
    /// # Errors
    ///
    /// As [`Decisions::record`].
    pub fn record_if(
        &self,
        session: &SessionId,
        may_fit: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<DecisionRecord>, StoreError> {
        let mut name = record_name(session);
        let mut bytes = self.dir.read(&name, json::MAX_JSON)?;
        if bytes.is_none() {
            name = kept_name(session);
            bytes = self.dir.read(&name, json::MAX_JSON)?;
        }
        let Some(bytes) = bytes else { return Ok(None) };
        let unreadable = |error: serde_json::Error| {
            StoreError::from(json::unreadable(&name, &bytes, &error)).in_folder(FOLDER)
        };
        let parts = RecordParts::read(&bytes).map_err(unreadable)?;
        let has_no_escapes = parts.input.get().starts_with('{') && !bytes.contains(&b'\\');
        if has_no_escapes && !may_fit(&bytes) {
            return Ok(None);
        }
        let record = parts.record().map_err(unreadable)?;
        let is_replaced = matches!(record.ending, Ending::Replaced(_));
        if is_replaced && matches!(self.pending(), Ok(Some(pending)) if pending.session == *session) {
            return Ok(None);
        }
        Ok(Some(record))
    }

    /// The same for callers that pass it on: the record outlasts a loss of power. The process that published it may not
    /// have synced it yet, or was killed before.
    ///
    /// # Errors
    ///
    /// As [`Decisions::record`], and when the disk refuses.
    pub fn durable_record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
        let record = self.record(session)?;
        if record.is_some() {
            self.dir.sync()?;
        }
        Ok(record)
    }

    /// Which file the record of `session` is, and in which state: another one once it was changed or replaced. `None` when there
    /// is no file of that name.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn record_identity(&self, session: &SessionId) -> Result<Option<Identity>, StoreError> {
        Ok(self.dir.identity(&record_name(session))?)
    }

    /// The sessions that have ended here, the latest first.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn records(&self) -> Result<Vec<SessionId>, StoreError> {
        // Before it is read: what changes meanwhile is seen the next time.
        let folder = self.dir.own_identity()?;
        let is_settled = folder.is_settled(GRAIN);
        let sessions = match self.known_records(&folder) {
            Some(known) => known,
            None => {
                let mut sessions = self.dir.pick_names(record_session)?;
                sessions.sort_by_cached_key(|session| Reverse(session.sort_key()));
                let sessions: Arc<[SessionId]> = sessions.into();
                // A change within the grain of the time would not be seen.
                let settled = is_settled.then(|| (folder, Arc::clone(&sessions)));
                self.heads().sorted = settled;
                sessions
            }
        };
        let mut sessions = sessions.to_vec();
        if let Some(index) = self.uncounted(&sessions) {
            sessions.remove(index);
        }
        Ok(sessions)
    }

    /// Those of the last call of [`Self::records`], if the folder is the same since.
    fn known_records(&self, folder: &Identity) -> Option<Arc<[SessionId]>> {
        let heads = self.heads();
        let (known, sessions) = heads.sorted.as_ref()?;
        (known == folder).then(|| Arc::clone(sessions))
    }

    /// The latest `count` of them, and whether there are more: all need not be sorted for that.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn latest_records(&self, count: usize) -> Result<(Vec<SessionId>, bool), StoreError> {
        let folder = self.dir.own_identity()?;
        let mut sessions = match self.known_records(&folder) {
            // One more may not count yet, one more says whether there are others.
            Some(known) => known[..known.len().min(count.saturating_add(2))].to_vec(),
            None => self.dir.pick_names(record_session)?,
        };
        if let Some(index) = self.uncounted(&sessions) {
            sessions.swap_remove(index);
        }
        let has_more = sessions.len() > count;
        if has_more {
            sessions.select_nth_unstable_by(count, |a, b| b.cmp(a));
            sessions.truncate(count);
        }
        sessions.sort_unstable_by(|a, b| b.cmp(a));
        Ok((sessions, has_more))
    }

    /// Where the record is among `sessions` that does not count yet, if there is one: only that of the questions in the slot can be.
    /// One that cannot be read is there all the same.
    fn uncounted(&self, sessions: &[SessionId]) -> Option<usize> {
        let slot = self.pending().ok()??.session;
        let index = sessions.iter().position(|session| *session == slot)?;
        matches!(self.record(&slot), Ok(None)).then_some(index)
    }

    /// Whether the questions of `pending` are no longer where they were: others have been asked in their place, or they were
    /// removed. With the lock held that stays so.
    pub(super) fn is_gone(&self, pending: &PendingSet) -> Result<bool, StoreError> {
        match pending.place {
            Place::Slot => self.is_replaced(&pending.session),
            Place::Own => Ok(!self.has_own_file(&pending.session)?),
        }
    }

    /// Whether there is a record of `session`, without reading it. It may not count yet, see [`Self::record`].
    pub(super) fn has_record(&self, session: &SessionId) -> Result<bool, StoreError> {
        let is_file =
            |name: String| Ok::<_, StoreError>(self.dir.kind(&name)? == Some(FileType::RegularFile));
        Ok(is_file(record_name(session))? || self.is_kept(session)?)
    }

    /// Whether the record of `session` is kept beside `pending.json`.
    fn is_kept(&self, session: &SessionId) -> Result<bool, StoreError> {
        Ok(self.dir.kind(&kept_name(session))? == Some(FileType::RegularFile))
    }

    /// Gives the record of the questions in the slot, which belong to this checkout, a second name that does so as well: the
    /// record itself is on the branch that they were answered on.
    fn keep_record(&self, lock: &Lock, session: &SessionId) {
        // Without it they are open again once another branch is checked out.
        let _ = durable::link_aside(lock, &self.dir, &record_name(session), &kept_name(session));
    }

    /// Forgets that name: other questions are in the slot.
    pub(super) fn forget_kept(&self, session: &SessionId) {
        // One that stays is never looked for.
        let _ = self.dir.unlink(&kept_name(session));
    }

    /// Whether the questions of `session` have ended.
    pub(super) fn is_closed(&self, session: &SessionId) -> Result<bool, StoreError> {
        let name = record_name(session);
        let present = match self.dir.identity(&name)? {
            None => self.dir.identity(&kept_name(session))?,
            present => present,
        };
        let Some(present) = present else { return Ok(false) };
        if self.heads().closed.get(session) == Some(&present) {
            return Ok(true);
        }
        if !self.has_record(session)? {
            return Ok(false);
        }
        match self.record(session) {
            // What cannot be read is there all the same.
            Err(error) if error.is_damaged() => Ok(true),
            record => {
                let record = record?;
                if let Some(record) = &record {
                    self.remember_closed(session, &record.ending, present);
                }
                Ok(record.is_some())
            }
        }
    }

    /// Those of `sessions` that have ended. The names of all records take less time to read than it takes to look for those of so
    /// many, unless there are very many.
    pub(super) fn closed_among(&self, sessions: &[SessionId]) -> Result<HashSet<SessionId>, StoreError> {
        /// Fewer are looked for.
        const MIN_FOR_NAMES: usize = 32;
        /// So many names are read in the time in which one session is looked for.
        const NAMES_IN_A_LOOK: usize = 10;
        let known = self.heads().records.unwrap_or_default();
        let may_have_ended = if sessions.len() < MIN_FOR_NAMES || known > sessions.len() * NAMES_IN_A_LOOK {
            sessions.iter().collect::<Vec<_>>()
        } else {
            let (asked, mut records) = (sessions.iter().collect::<HashSet<_>>(), 0);
            let picked = self.dir.pick_names(|name| {
                records += 1;
                let ended = record_session(name).or_else(|| kept_session(name))?;
                asked.get(&ended).copied()
            })?;
            self.heads().records = Some(records);
            picked
        };
        let mut ended = HashSet::new();
        for session in may_have_ended {
            if self.is_closed(session)? {
                ended.insert(session.clone());
            }
        }
        Ok(ended)
    }

    /// Remembers the record of `session`, which is in this state, as one that counts for as long as it is the same.
    fn remember_closed(&self, session: &SessionId, ending: &Ending, record: Identity) {
        /// More than can be open at a time.
        const MAX_OPEN: usize = 2000;
        // Whether that one counts depends on what is in the slot.
        if matches!(ending, Ending::Replaced(_)) {
            return;
        }
        let mut heads = self.heads();
        if heads.closed.len() >= MAX_OPEN {
            heads.closed.clear();
        }
        heads.closed.insert(session.clone(), record);
    }
}

/// Returns the record of a set of questions that has ended: its head, what was given before, how and when it ended, by
/// which door.
pub fn record_of(
    pending: &PendingSet,
    questions: &Questions,
    draft: &Draft,
    ending: Ending,
    via: Via,
    completed_at: String,
) -> DecisionRecord {
    let items = match &ending {
        Ending::Decided(output) => item_meta(questions, output, draft, via, &completed_at),
        Ending::Returned(_) | Ending::Cancelled | Ending::Expired(_) | Ending::Replaced(_) => Vec::new(),
    };
    let filled_in = match &ending {
        Ending::Returned(returned) => draft.filled_in(questions, &returned.items),
        Ending::Decided(_) | Ending::Cancelled | Ending::Expired(_) | Ending::Replaced(_) => Vec::new(),
    };
    let meta = RecordMeta {
        session_id: pending.session.clone(),
        created_at: pending.created_at.clone(),
        open_seconds: seconds_between(&pending.created_at, &completed_at),
        via,
        origin: pending.origin.clone(),
        deadline: pending.deadline.clone(),
        items,
        filled_in,
    };
    DecisionRecord { input: questions.shared_document(), ending, completed_at, meta: Some(meta) }
}

fn item_meta(
    questions: &Questions,
    output: &DecideOutput,
    draft: &Draft,
    via: Via,
    completed_at: &str,
) -> Vec<ItemMeta> {
    // Both are in the order of the items, some of which may be left for later.
    let mut items = questions.input().items.iter();
    let decided = output.decisions.iter();
    decided
        .filter_map(|decision| Some((decision, items.find(|item| item.id == decision.id)?)))
        .map(|(decision, item)| {
            let chosen = (0..).zip(&item.options).filter(|(_, option)| decision.chosen.has(&option.value));
            let other = decision.other.as_ref().and_then(|_| item.other_position());
            // That the files are the answer is said by position 0.
            let files = (!decision.files.is_empty()).then_some(0);
            let positions: Vec<u32> =
                chosen.map(|(position, _)| position).chain(other).chain(files).collect();
            let (via, at) = draft.stamp(decision.id, &positions).unwrap_or((via, completed_at));
            ItemMeta {
                id: decision.id,
                via,
                followed_recommendation: item.recommend.as_ref().map(|value| decision.chosen.has(value)),
                decided_at: at.to_owned(),
            }
        })
        .collect()
}

pub(super) fn record_name(session: &SessionId) -> String {
    format!("{session}.json")
}

/// The second name of the record of the questions in the slot.
fn kept_name(session: &SessionId) -> String {
    format!("{session}{KEPT}")
}

/// What the second name of a record ends with.
const KEPT: &str = ".ended";

fn kept_session(name: &str) -> Option<SessionId> {
    name.strip_suffix(KEPT)?.parse().ok()
}

pub(super) fn record_session(name: &str) -> Option<SessionId> {
    name.strip_suffix(".json")?.parse().ok()
}
