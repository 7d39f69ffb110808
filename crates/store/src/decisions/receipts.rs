//! `receipts/<session>.json`: what is known of an asker that may go away and come back: whether it has the answer.

use super::Decisions;
use super::records::record_session;
use crate::StoreError;
use crate::clock::{now, seconds_between};
use files::{Dir, Lock, durable, json};
use model::{DecisionRecord, Ending, SessionId};
use serde::{Deserialize, Serialize};

const RECEIPTS: &str = "receipts";
/// How long one is kept once its questions have ended, in seconds.
const KEPT: u64 = 30 * 24 * 60 * 60;

/// What an asker was promised, and what it has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The key that it knows its questions by, as in [`Decisions::put`].
    pub key: String,
    /// When it asked last, as [`crate::now`] writes it.
    pub asked_at: String,
    /// What it may ask for the answer by; it cannot be guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Whether it does not wait for the task any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub task_cancelled: bool,
    /// When it had the answer for certain, in the form of [`Self::asked_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<String>,
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
        let lock = Lock::take(&self.dir)?;
        let folder = self.dir.ensure_folder(RECEIPTS)?.ours()?;
        let name = file_name(session);
        let names = folder.names()?;
        durable::sweep(&lock, &folder, &names);
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
            None => Receipt {
                key: key.to_owned(),
                asked_at,
                task: None,
                task_cancelled: false,
                delivered_at: None,
            },
        };
        change(&mut receipt);
        let bytes = json::text(&folder, &name, &receipt, json::MAX_JSON)?;
        durable::replace(&lock, &folder, &name, &bytes)?;
        Ok(receipt)
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

    fn receipts(&self) -> Result<Option<Dir>, StoreError> {
        Ok(self.dir.folder(RECEIPTS)?.map(Dir::ours).transpose()?)
    }
}

fn file_name(session: &SessionId) -> String {
    format!("{session}.json")
}
