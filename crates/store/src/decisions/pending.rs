//! `pending.json`: the questions last asked, answered or not.

use super::Decisions;
use super::records::{record_name, record_session};
use crate::clock::{Moment, seconds_between};
use crate::{SourceHashes, StoreError};
use files::{FileError, Lock, durable, json};
use model::{DecisionRecord, Ending, Questions, RecordMeta, SessionId, Via};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::PoisonError;

pub(super) const PENDING: &str = "pending.json";

/// How large `pending.json` may become, in bytes. A record holds the same document indented deeper, and the answers:
/// half the limit for reading leaves it room, so that whatever can be asked can also be answered.
const PENDING_LIMIT: u64 = json::MAX_JSON / 2;

/// The head of `pending.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The name of the questions, and that of their record.
    pub session: SessionId,
    /// As [`crate::now`] writes it; empty when the file does not say.
    pub created_at: String,
    /// What the questions are about; empty when the file does not say.
    pub task: String,
    /// What the files were that the questions name. Empty when they name none that can be shown, or when the file does
    /// not say.
    pub sources: SourceHashes,
}

/// What became of a request to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The questions are new, and pending from now on.
    Anew(Pending),
    /// The same, and others that nobody had answered have made room for them. These have a record that says so.
    Replacing {
        /// The new questions.
        pending: Pending,
        /// The others.
        replaced: Pending,
    },
    /// The very same ones were pending already and are still open: they go on under their name.
    Again(Pending),
}

impl Asked {
    /// The session that is open now.
    pub fn pending(self) -> Pending {
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
    /// [`FileError::TooLarge`] above 32 MiB, [`StoreError::NoSessionLeft`], and whatever the disk says. The earlier
    /// questions are then still pending.
    pub fn ask(&self, questions: &Questions) -> Result<Asked, StoreError> {
        let lock = Lock::take(&self.dir)?;
        let open = self.open_questions()?;
        if let Some((pending, earlier)) = &open
            && earlier.document() == questions.document()
        {
            // Who wrote them may have been killed before they were on the disk.
            self.dir.sync()?;
            return Ok(Asked::Again(pending.clone()));
        }
        let names = self.dir.names()?;
        durable::sweep(&lock, &self.dir, &names);
        if !names.iter().any(|name| name == PENDING) {
            self.settle()?;
        }
        let moment = Moment::now();
        let last = self.last_session(&names)?;
        let session =
            SessionId::next(&moment.second(), last.as_ref()).map_err(|_| StoreError::NoSessionLeft)?;
        if last.is_some_and(|last| session <= last) {
            return Err(StoreError::NoSessionLeft);
        }
        let created_at = moment.timestamp();
        let document = questions.document();
        let sources = SourceHashes::take(&self.root, questions.input());
        let meta = Meta { created_at: &created_at, session_id: &session, sources: &sources };
        let bytes = json::text(&self.dir, PENDING, &PendingFile { document, meta }, PENDING_LIMIT)?;
        if let Some((pending, earlier)) = &open {
            self.record_replaced(&lock, pending, earlier, &session, &created_at)?;
        }
        durable::replace(&lock, &self.dir, PENDING, &bytes).inspect_err(|_| {
            // It does not count, and whoever looks at the folder need not wonder. Where the new file has its name all the
            // same, it does.
            if let Some((earlier, _)) = &open
                && matches!(self.pending(), Ok(Some(pending)) if pending.session == earlier.session)
            {
                let _ = self.dir.unlink(&record_name(&earlier.session));
            }
        })?;
        let pending = Pending { session, created_at, task: questions.input().task.clone(), sources };
        Ok(match open {
            Some((replaced, _)) => Asked::Replacing { pending, replaced },
            None => Asked::Anew(pending),
        })
    }

    /// Writes that the open questions `pending` have made room for those of the session `by`.
    fn record_replaced(
        &self,
        lock: &Lock,
        pending: &Pending,
        questions: &Questions,
        by: &SessionId,
        now: &str,
    ) -> Result<(), StoreError> {
        let meta = RecordMeta {
            session_id: pending.session.clone(),
            created_at: pending.created_at.clone(),
            open_seconds: seconds_between(&pending.created_at, now),
            via: Via::Terminal,
            items: Vec::new(),
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
    /// [`FileError::Corrupt`] when the file is no JSON object, [`StoreError::MissingSession`] when it names no
    /// session.
    pub fn pending(&self) -> Result<Option<Pending>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        head(&bytes).map(Some)
    }

    /// The questions last asked, in full.
    ///
    /// # Errors
    ///
    /// As [`Self::pending`], and [`FileError::Corrupt`] when the file holds no valid questions.
    pub fn pending_questions(&self) -> Result<Option<(Pending, Questions)>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        let pending = head(&bytes)?;
        let document = json::parse(PENDING, &bytes)?;
        let questions = Questions::from_value(document).map_err(|problems| FileError::Corrupt {
            file: PENDING.to_owned(),
            // Which sentence belongs to a broken rule is not known here; the place is.
            message: problems.first().map(|problem| problem.path.to_string()).unwrap_or_default(),
        })?;
        Ok(Some((pending, questions)))
    }

    /// Whether other questions have been asked since those of `session`. With the lock held that stays so.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(super) fn is_replaced(&self, session: &SessionId) -> Result<bool, StoreError> {
        let Some(present) = self.dir.identity(PENDING)? else { return Ok(false) };
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.as_ref().is_none_or(|(identity, _)| *identity != present) {
            *latest = match self.pending() {
                Ok(pending) => pending.map(|pending| (present, pending.session)),
                // Who asks says what is wrong with the file.
                Err(error) if error.is_damaged() => None,
                Err(error) => return Err(error),
            };
        }
        Ok(latest.as_ref().is_some_and(|(_, latest)| latest > session))
    }

    /// The pending questions, unless they have ended. With the lock held.
    fn open_questions(&self) -> Result<Option<(Pending, Questions)>, StoreError> {
        let found = match self.pending_questions() {
            // Asking anew is how a person gets rid of a broken file.
            Err(error) if error.is_damaged() => None,
            found => found?,
        };
        let Some((pending, questions)) = found else { return Ok(None) };
        Ok((!self.is_closed(&pending.session)?).then_some((pending, questions)))
    }

    /// Makes the folder itself durable: who created it may have been killed before it was.
    fn settle(&self) -> Result<(), FileError> {
        let aide = self.dir.parent()?;
        aide.sync()?;
        aide.parent()?.sync()
    }

    /// The latest session id in use. The clock may go back and `pending.json` may be broken: the records among `names`
    /// count too.
    fn last_session(&self, names: &[String]) -> Result<Option<SessionId>, StoreError> {
        let pending = match self.pending() {
            Ok(pending) => pending.map(|pending| pending.session),
            Err(error) if error.is_damaged() => None,
            Err(error) => return Err(error),
        };
        Ok(names.iter().filter_map(|name| record_session(name)).chain(pending).max())
    }
}

/// Reads `_meta` alone: the questions are only looked at as text, because who asked them still has them.
fn head(bytes: &[u8]) -> Result<Pending, StoreError> {
    let members: HashMap<String, &RawValue> = json::parse(PENDING, bytes)?;
    let meta: Value =
        members.get("_meta").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let text = |key| meta.get(key).and_then(Value::as_str);
    let session = text("session_id").and_then(|id| id.parse().ok()).ok_or(StoreError::MissingSession)?;
    let created_at = text("created_at").unwrap_or_default().to_owned();
    let task = members.get("task").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    // Without them nothing is marked; that is no reason to refuse the questions.
    let sources = meta.get("sources").and_then(|sources| SourceHashes::deserialize(sources).ok());
    Ok(Pending { session, created_at, task, sources: sources.unwrap_or_default() })
}

#[derive(Serialize)]
struct PendingFile<'a> {
    #[serde(flatten)]
    document: &'a Map<String, Value>,
    #[serde(rename = "_meta")]
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Meta<'a> {
    created_at: &'a str,
    session_id: &'a SessionId,
    #[serde(skip_serializing_if = "SourceHashes::is_empty")]
    sources: &'a SourceHashes,
}
