//! `receipts/<session>.json`: what is known of an asker that may go away and come back: whether it has the answer.

use super::Decisions;
use super::askers::{Asker, AskerState};
use super::head::Place;
use super::pending::AskOutcome;
use super::records::record_session;
use crate::StoreError;
use crate::clock::{now, seconds_between};
use files::{Dir, Lock, durable, json};
use model::{Ask, DecisionRecord, Ending, SessionId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

const RECEIPTS: &str = "receipts";
/// How the name of a file ends that is locked by the process that wakes an agent.
const WAKER: &str = ".waker";
/// Longer than [`Decisions::delivery`] holds such a lock to see whether it is held.
const GLANCE: Duration = Duration::from_millis(200);
/// How long one is kept once its questions have ended, in seconds.
const KEPT: u64 = 30 * 24 * 60 * 60;
/// How many tasks of one set of questions are known at a time.
const MAX_TASKS: usize = 1000;

/// What an asker was promised, and what it has got.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The key that it knows its questions by, as in [`Decisions::put`].
    pub key: String,
    /// When it asked last, as [`crate::now`] writes it.
    pub asked_at: String,
    /// What clients may ask for the answer by: one for each that waits, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<WaitingTask>,
    /// When it had the answer for certain, in the form of [`Self::asked_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<String>,
    /// What its program calls itself; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// The sessions of agents that are woken with the answer, each with when it had it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wakes: BTreeMap<String, Option<String>>,
    /// The programs that ask for the answer, by the processes that answer their calls.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub askers: BTreeMap<String, Asker>,
}

/// That a client waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTask {
    /// What the client knows it by; it cannot be guessed.
    pub token: String,
    /// Whether the client does not wait any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

impl Receipt {
    /// Adds a task that waits. Of more than 1,000 one is forgotten: the oldest that does not wait any more, else the oldest.
    pub fn add_task(&mut self, token: String) {
        if self.tasks.len() >= MAX_TASKS {
            let cancelled = self.tasks.iter().position(|task| task.cancelled);
            self.tasks.remove(cancelled.unwrap_or_default());
        }
        self.tasks.push(WaitingTask { token, cancelled: false });
    }

    /// Whether the session `agent` of an agent has the answer, as far as its programs noted nothing of their own.
    pub fn is_delivered_to(&self, agent: &str) -> bool {
        self.was_brought_to(agent) || self.wakes_only(agent) && self.delivered_at.is_some()
    }

    /// Whether a hook has brought the answer to the session `agent` of an agent.
    pub(super) fn was_brought_to(&self, agent: &str) -> bool {
        self.wakes.get(agent).is_some_and(Option::is_some)
    }

    /// Whether no other session than `agent` is woken with the answer: what was fetched by a call was fetched there.
    pub(super) fn wakes_only(&self, agent: &str) -> bool {
        self.wakes.keys().all(|other| other == agent)
    }
}

/// What an asker writes on its receipt.
pub type ReceiptUpdate<'n> = &'n dyn Fn(&mut Receipt);

/// What became of questions whose asker may have asked them before.
#[derive(Debug, Clone, PartialEq)]
pub enum AskOnceOutcome {
    /// They are open.
    Open(AskOutcome),
    /// They were answered or sent back before, and the asker may not have got that.
    Undelivered(SessionId, DecisionRecord),
}

/// What became of the answer to questions whose asker has a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The asker has it.
    Delivered,
    /// It was sent to the asker, which has not been heard of since: some end then.
    Sent,
    /// It is kept, and the asker has not fetched it yet.
    Kept,
    /// The asker was to be woken with it, and is gone; it is kept.
    AskerGone,
}

/// Held by the process that wakes an agent with the answer, so that there is one.
#[derive(Debug)]
pub struct Waker {
    folder: Dir,
    name: String,
    _lock: Lock,
}

impl Drop for Waker {
    fn drop(&mut self) {
        // While it is held: no other process may hold a file without a name. What stays here is removed with the receipt.
        let _ = self.folder.unlink(&self.name);
    }
}

impl Decisions {
    /// Returns the receipt of `session`; `None` where its asker has none.
    ///
    /// # Errors
    ///
    /// When it is damaged or cannot be read.
    pub fn receipt(&self, session: &SessionId) -> Result<Option<Receipt>, StoreError> {
        let Some(folder) = self.receipts()? else { return Ok(None) };
        Ok(json::read(&folder, &file_name(session))?)
    }

    /// Writes that the questions `session`, known as `key`, were asked now. `change` has the last word on what is written, and
    /// sees what was there. What was delivered of earlier ones is of no use after a month, and is removed.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; what was there is then still there.
    pub fn give_receipt(
        &self,
        session: &SessionId,
        key: &str,
        change: impl FnOnce(&mut Receipt),
    ) -> Result<Receipt, StoreError> {
        self.write_receipt(&Lock::take(&self.dir)?, session, key, change)
    }

    /// [`Self::give_receipt`] with the lock held. A receipt for other questions, which were never asked, is none.
    pub(super) fn note_receipt(
        &self,
        lock: &Lock,
        session: &SessionId,
        key: &str,
        note: ReceiptUpdate<'_>,
    ) -> Result<(), StoreError> {
        self.write_receipt(lock, session, key, |receipt| {
            if receipt.key != key {
                let asked_at = std::mem::take(&mut receipt.asked_at);
                *receipt = Receipt { key: key.to_owned(), asked_at, ..Receipt::default() };
            }
            note(receipt);
        })?;
        Ok(())
    }

    fn write_receipt(
        &self,
        lock: &Lock,
        session: &SessionId,
        key: &str,
        change: impl FnOnce(&mut Receipt),
    ) -> Result<Receipt, StoreError> {
        let folder = self.ensure_receipts()?;
        let name = file_name(session);
        let names = folder.names()?;
        durable::sweep(lock, &folder, &names);
        Self::sweep_callers(&folder, &names);
        for waker in names.iter().filter(|name| name.ends_with(WAKER)) {
            let has_receipt =
                |session: &str| names.iter().any(|name| name.strip_suffix(".json") == Some(session));
            if waker.split_once('.').is_some_and(|(session, _)| !has_receipt(session)) {
                folder.unlink(waker)?;
            }
        }
        let asked_at = now();
        for other in names.iter().filter(|other| **other != name) {
            let Ok(Some(receipt)) = json::read::<Receipt>(&folder, other) else { continue };
            let is_old = seconds_between(&receipt.asked_at, &asked_at).is_some_and(|age| age > KEPT);
            let has_ended = |session| self.is_there(&session).is_ok_and(|is_there| !is_there);
            if is_old && record_session(other).is_some_and(has_ended) {
                folder.unlink(other)?;
            }
        }
        // One that is damaged promises nothing that could be kept.
        let before = json::read::<Receipt>(&folder, &name).ok().flatten();
        let mut receipt = match before {
            Some(before) => Receipt { asked_at, ..before },
            None => Receipt { key: key.to_owned(), asked_at, ..Receipt::default() },
        };
        change(&mut receipt);
        let bytes = json::text(&folder, &name, &receipt, json::MAX_JSON)?;
        durable::replace(lock, &folder, &name, &bytes)?;
        Ok(receipt)
    }

    /// Asks `ask` for an asker with a receipt, unless it may not have got the answer of the last `seconds` to the same
    /// questions, or they are open: a process that was killed and asks again asks nothing twice. New ones go to `place`.
    ///
    /// # Errors
    ///
    /// As [`Self::ask`] and [`Self::put`]. Nothing is asked then.
    pub fn ask_once(
        &self,
        ask: Ask<'_>,
        (key, note): (&str, ReceiptUpdate<'_>),
        place: Place,
        seconds: u64,
    ) -> Result<AskOnceOutcome, StoreError> {
        // Held over all of it: between two looks the questions could be answered, and be found by neither.
        let lock = Lock::take(&self.dir)?;
        let known = self.place_of_same(ask.questions)?;
        if known.is_none()
            && let Some((session, record)) = self.undelivered(key, seconds)?
        {
            return Ok(AskOnceOutcome::Undelivered(session, record));
        }
        let asked = match known.unwrap_or(place) {
            Place::Slot => self.ask_locked(&lock, ask, Some((key, note)))?,
            Place::Own => self.put_locked(&lock, ask, key, Some(note))?,
        };
        Ok(AskOnceOutcome::Open(asked))
    }

    /// [`Self::put`] for an asker with a receipt, which is on the disk before the questions are.
    ///
    /// # Errors
    ///
    /// As [`Self::put`].
    pub fn put_with_receipt(
        &self,
        ask: Ask<'_>,
        key: &str,
        note: ReceiptUpdate<'_>,
    ) -> Result<AskOutcome, StoreError> {
        self.put_locked(&Lock::take(&self.dir)?, ask, key, Some(note))
    }

    /// With the lock held. The askers of `answered` ask for the rest of it as well: the questions `rest`, known as `key`. All of
    /// them continue without waiting, and get the answer later.
    ///
    /// # Errors
    ///
    /// As [`Self::give_receipt`].
    pub(super) fn carry_receipt(
        &self,
        lock: &Lock,
        answered: &SessionId,
        rest: &SessionId,
        key: &str,
    ) -> Result<(), StoreError> {
        let Some(before) = self.receipt(answered)? else { return Ok(()) };
        self.write_receipt(lock, rest, key, |receipt| {
            receipt.client = before.client;
            for session in before.wakes.into_keys() {
                receipt.wakes.entry(session).or_default();
            }
            for (caller, Asker { client, .. }) in before.askers {
                receipt.askers.entry(caller).or_insert(Asker { client, standing: AskerState::WentOn });
            }
        })?;
        Ok(())
    }

    /// Changes the receipt of `session`, if there is one.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; what was there is then still there.
    pub fn change_receipt(
        &self,
        session: &SessionId,
        change: impl FnOnce(&mut Receipt),
    ) -> Result<(), StoreError> {
        let lock = Lock::take(&self.dir)?;
        let Some(folder) = self.receipts()? else { return Ok(()) };
        let name = file_name(session);
        let Some(before) = json::read::<Receipt>(&folder, &name)? else { return Ok(()) };
        let mut receipt = before.clone();
        change(&mut receipt);
        if receipt == before {
            return Ok(());
        }
        let bytes = json::text(&folder, &name, &receipt, json::MAX_JSON)?;
        Ok(durable::replace(&lock, &folder, &name, &bytes)?)
    }

    /// Returns the questions known as `key` that were answered or sent back within the last `seconds`, and whose asker may not
    /// have got that: the latest of them.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read. A damaged file is passed over.
    pub fn undelivered(
        &self,
        key: &str,
        seconds: u64,
    ) -> Result<Option<(SessionId, DecisionRecord)>, StoreError> {
        let Some(folder) = self.receipts()? else { return Ok(None) };
        let mut sessions: Vec<_> = folder.names()?.iter().filter_map(|name| record_session(name)).collect();
        sessions.sort_unstable_by(|a, b| b.cmp(a));
        let now = now();
        for session in sessions {
            let Ok(Some(receipt)) = json::read::<Receipt>(&folder, &file_name(&session)) else { continue };
            if receipt.key != key || receipt.delivered_at.is_some() {
                continue;
            }
            let Ok(Some(record)) = self.durable_record(&session) else { continue };
            let is_recent = seconds_between(&record.completed_at, &now).is_some_and(|age| age <= seconds);
            if is_recent && matches!(record.ending, Ending::Decided(_) | Ending::Returned(_)) {
                return Ok(Some((session, record)));
            }
        }
        Ok(None)
    }

    /// Returns all receipts of the last `seconds`, by when they were asked for, in the order of their sessions.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read. A damaged file is passed over.
    pub fn receipts_since(&self, seconds: u64) -> Result<Vec<(SessionId, Receipt)>, StoreError> {
        let Some(folder) = self.receipts()? else { return Ok(Vec::new()) };
        let now = now();
        let mut sessions: Vec<_> = folder.names()?.iter().filter_map(|name| record_session(name)).collect();
        sessions.sort_unstable();
        let found = sessions.into_iter().filter_map(|session| {
            let receipt = json::read::<Receipt>(&folder, &file_name(&session)).ok().flatten()?;
            let age = seconds_between(&receipt.asked_at, &now)?;
            (age <= seconds).then_some((session, receipt))
        });
        Ok(found.collect())
    }

    /// Takes on to wake the session `agent` of an agent with the answer to `session`; `None` where another process has.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn wake(&self, session: &SessionId, agent: &str) -> Result<Option<Waker>, StoreError> {
        let folder = self.ensure_receipts()?;
        let name = waker_name(session, agent);
        let lock = Lock::of_file(&folder, &name, GLANCE)?;
        Ok(lock.map(|lock| Waker { folder, name, _lock: lock }))
    }

    /// Notes that a hook has brought the answer to `session` to the session `agent` of an agent, and so to the programs that
    /// `is_asker` picks by what they call themselves.
    ///
    /// # Errors
    ///
    /// As [`Self::change_receipt`].
    pub fn delivered(
        &self,
        session: &SessionId,
        agent: &str,
        is_asker: impl Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        self.change_receipt(session, |receipt| {
            receipt.delivered_at.get_or_insert_with(now);
            receipt.wakes.entry(agent.to_owned()).or_default().get_or_insert_with(now);
            for asker in receipt.askers.values_mut().filter(|asker| is_asker(&asker.client)) {
                asker.standing = AskerState::HasAnswer;
            }
        })
    }

    /// Returns what became of the answer to `session`; `None` where its asker has no receipt.
    ///
    /// # Errors
    ///
    /// When that cannot be read.
    pub fn delivery(&self, session: &SessionId) -> Result<Option<Delivery>, StoreError> {
        let Some(receipt) = self.receipt(session)? else { return Ok(None) };
        if receipt.delivered_at.is_some() {
            return Ok(Some(Delivery::Delivered));
        }
        let has_answer = |asker: &Asker| asker.standing == AskerState::HasAnswer;
        if !receipt.askers.is_empty() && receipt.askers.values().all(has_answer) {
            return Ok(Some(Delivery::Sent));
        }
        let Some(folder) = self.receipts()? else { return Ok(Some(Delivery::Kept)) };
        let names = if receipt.wakes.is_empty() { Vec::new() } else { folder.names()? };
        for agent in receipt.wakes.keys() {
            let name = waker_name(session, agent);
            // One that is not there is not made to look whether it is held.
            if names.contains(&name) && Lock::of_file(&folder, &name, Duration::ZERO)?.is_none() {
                return Ok(Some(Delivery::Kept));
            }
        }
        Ok(Some(if receipt.wakes.is_empty() { Delivery::Kept } else { Delivery::AskerGone }))
    }

    pub(super) fn receipts(&self) -> Result<Option<Dir>, StoreError> {
        Ok(self.dir.folder(RECEIPTS)?.map(Dir::ours).transpose()?)
    }

    pub(super) fn ensure_receipts(&self) -> Result<Dir, StoreError> {
        Ok(self.dir.ensure_folder(RECEIPTS)?.ours()?)
    }
}

/// One for each agent's session, whatever that is called.
fn waker_name(session: &SessionId, agent: &str) -> String {
    let mut name = format!("{session}.");
    for byte in &Sha256::digest(agent)[..8] {
        // Writing into a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name + WAKER
}

fn file_name(session: &SessionId) -> String {
    format!("{session}.json")
}
