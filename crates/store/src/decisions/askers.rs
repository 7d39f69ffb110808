//! Which programs ask for the answer to a set of questions, and how each of them gets it: by the result of a call, or by a hook.
//!
//! An answer reaches the program that asked through the result of its call or through a hook, not both. The receipt records the
//! last report of each process that answers calls to its program (`askers`), and that process holds a lock beside it: a call
//! counts as waiting only as long as the lock is held. `Decisions::way` determines which of the two applies.

use super::Decisions;
use super::receipts::Receipt;
use crate::StoreError;
use files::{Dir, Lock};
use model::SessionId;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How the name of a file ends that is locked by a process that answers the calls of programs.
const CALLER: &str = ".caller";
/// Longer than such a lock is held to see whether it is held.
const GLANCE: Duration = Duration::from_millis(200);

/// A program that asks for the answer, by a process that answers its calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// What the program calls itself; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// What it was told last.
    pub standing: AskerState,
}

/// What a program was told last about the questions that it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskerState {
    /// Nothing yet: its call waits, or the result is on its way.
    Waits,
    /// That they are open: it has gone on without the answer.
    WentOn,
    /// The answer: the result was written.
    HasAnswer,
}

/// How the answer gets to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerRoute {
    /// A hook brings it: no call does.
    Hook,
    /// The call of the program that waits.
    Call,
    /// The program has it.
    Arrived,
}

/// That this process answers calls; known to others as long as it is there.
#[derive(Debug)]
pub(super) struct Caller {
    folder: Dir,
    name: String,
    _lock: Lock,
}

impl Drop for Caller {
    fn drop(&mut self) {
        // While it is held. One that stays is removed with the next question.
        let _ = self.folder.unlink(&self.file_name());
    }
}

impl Caller {
    fn take(folder: Dir) -> Result<Self, StoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos());
            let name = format!("{}-{nanos:x}-{count}", process::id());
            // A process elsewhere that shares the folder may have the same.
            if let Some(lock) = Lock::of_file(&folder, &file_name(&name), GLANCE)? {
                return Ok(Self { folder, name, _lock: lock });
            }
        }
    }

    fn file_name(&self) -> String {
        file_name(&self.name)
    }
}

fn file_name(caller: &str) -> String {
    format!("{caller}{CALLER}")
}

impl Decisions {
    /// Returns what notes on a receipt what this process has sent to `client`. What an earlier process of the same program noted
    /// counts no more.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn standing<'d>(
        &'d self,
        client: &'d str,
        standing: AskerState,
    ) -> Result<impl Fn(&mut Receipt) + 'd, StoreError> {
        let caller = self.caller()?;
        let folder = self.receipts()?;
        Ok(move |receipt: &mut Receipt| {
            receipt.askers.retain(|other, asker| {
                other == caller
                    || asker.client != client
                    || folder.as_ref().is_none_or(|folder| is_there(folder, other, Duration::ZERO))
            });
            let asker = Asker { client: client.to_owned(), standing };
            receipt.askers.insert(caller.to_owned(), asker);
        })
    }

    /// Notes what this process has sent to `client` about the questions `session`, where these have a receipt.
    ///
    /// # Errors
    ///
    /// As [`Self::change_receipt`].
    pub fn note_standing(
        &self,
        session: &SessionId,
        client: &str,
        standing: AskerState,
    ) -> Result<(), StoreError> {
        let Some(receipt) = self.receipt(session)? else { return Ok(()) };
        let known = receipt.askers.get(self.caller()?);
        if known.is_some_and(|asker| asker.client == client && asker.standing == standing) {
            return Ok(());
        }
        self.change_receipt(session, self.standing(client, standing)?)
    }

    /// Notes what the program was told that asks for the answer to `session` by this process; with `is_delivered` that it has
    /// the answer for certain.
    ///
    /// # Errors
    ///
    /// As [`Self::change_receipt`].
    pub fn note_result(
        &self,
        session: &SessionId,
        standing: AskerState,
        is_delivered: bool,
    ) -> Result<(), StoreError> {
        let caller = self.caller()?;
        self.change_receipt(session, |receipt| {
            if let Some(asker) = receipt.askers.get_mut(caller) {
                asker.standing = standing;
            }
            if is_delivered {
                receipt.delivered_at.get_or_insert_with(crate::now);
            }
        })
    }

    /// Returns how the answer to `session` gets to the programs that `is_asker` picks by what they call themselves; `None` where
    /// none of them has asked.
    ///
    /// # Errors
    ///
    /// As [`Self::receipt`].
    pub fn way(
        &self,
        session: &SessionId,
        is_asker: impl Fn(&str) -> bool,
    ) -> Result<Option<AnswerRoute>, StoreError> {
        let Some(folder) = self.receipts()? else { return Ok(None) };
        let Some(before) = self.receipt(session)? else { return Ok(None) };
        let waits = before
            .askers
            .iter()
            .filter(|(_, asker)| asker.standing == AskerState::Waits && is_asker(&asker.client));
        let gone: HashSet<_> =
            waits.map(|(caller, _)| caller).filter(|caller| !is_there(&folder, caller, GLANCE)).collect();
        // What a process noted before it was gone.
        let Some(receipt) = self.receipt(session)? else { return Ok(None) };
        let mut way = None;
        for (caller, asker) in receipt.askers.iter().filter(|(_, asker)| is_asker(&asker.client)) {
            way = match asker.standing {
                AskerState::WentOn => return Ok(Some(AnswerRoute::Hook)),
                AskerState::Waits if gone.contains(caller) => return Ok(Some(AnswerRoute::Hook)),
                AskerState::Waits => Some(AnswerRoute::Call),
                AskerState::HasAnswer => way.or(Some(AnswerRoute::Arrived)),
            };
        }
        Ok(way)
    }

    /// The same for the session `agent` of an agent that is woken with the answer.
    ///
    /// # Errors
    ///
    /// As [`Self::receipt`].
    pub fn way_to(
        &self,
        session: &SessionId,
        agent: &str,
        is_asker: impl Fn(&str) -> bool,
    ) -> Result<AnswerRoute, StoreError> {
        let way = self.way(session, is_asker)?;
        let Some(receipt) = self.receipt(session)? else { return Ok(AnswerRoute::Hook) };
        let is_brought = match way {
            _ if receipt.was_brought_to(agent) => true,
            // Of several sessions another one may have it.
            Some(AnswerRoute::Arrived) => receipt.wakes_only(agent),
            Some(_) => false,
            None => receipt.is_delivered_to(agent),
        };
        Ok(match way {
            _ if is_brought => AnswerRoute::Arrived,
            Some(AnswerRoute::Call) => AnswerRoute::Call,
            _ => AnswerRoute::Hook,
        })
    }

    /// Removes what processes left behind that are gone.
    pub(super) fn sweep_callers(folder: &Dir, names: &[String]) {
        for name in names.iter().filter(|name| name.ends_with(CALLER)) {
            if let Ok(Some(_held)) = Lock::of_file(folder, name, Duration::ZERO) {
                // The next sweep finds it again.
                let _ = folder.unlink(name);
            }
        }
    }

    /// The name of this process among those that answer calls.
    fn caller(&self) -> Result<&str, StoreError> {
        if let Some(caller) = self.caller.get() {
            return Ok(&caller.name);
        }
        let made = Caller::take(self.ensure_receipts()?)?;
        Ok(&self.caller.get_or_init(|| made).name)
    }
}

/// Whether a process that answers calls is there. One that cannot be looked at may be, and so may one whose lock another process
/// looks at for all of `wait`.
fn is_there(folder: &Dir, caller: &str, wait: Duration) -> bool {
    let name = file_name(caller);
    match folder.kind(&name) {
        // It is not made to look whether it is held.
        Ok(None) => false,
        Ok(Some(_)) => Lock::of_file(folder, &name, wait).map_or(true, |lock| lock.is_none()),
        Err(_) => true,
    }
}
