//! `pending.json`: the questions last asked, answered or not.

use super::Decisions;
use super::records::record_session;
use crate::clock::Moment;
use crate::lock::Lock;
use crate::{SourceHashes, StoreError, durable, json};
use model::{Questions, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::PoisonError;

pub(super) const PENDING: &str = "pending.json";

/// How large `pending.json` may become, in bytes. A record holds the same document indented deeper, and the answers:
/// half the limit for reading leaves it room, so that whatever can be asked can also be answered.
const PENDING_LIMIT: u64 = json::READ_LIMIT / 2;

/// The head of `pending.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The name of the questions, and that of their record.
    pub session: SessionId,
    /// As [`crate::now`] writes it; empty when the file does not say.
    pub created_at: String,
    /// What the files were that the questions name. Empty when they name none that can be shown, or when the file does
    /// not say.
    pub sources: SourceHashes,
}

/// What became of a request to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The questions are new, and pending from now on.
    Anew(Pending),
    /// The very same ones were pending already and are still open: they go on under their name.
    Again(Pending),
}

impl Asked {
    /// The session that is open now.
    pub fn pending(self) -> Pending {
        match self {
            Self::Anew(pending) | Self::Again(pending) => pending,
        }
    }
}

impl Decisions {
    /// Makes `questions` the pending ones, under a session id later than all before, unless they are pending and open
    /// already. They are on the disk when this returns, with
    /// hashes of the files they name: asked again, they keep the first ones.
    ///
    /// # Errors
    ///
    /// [`StoreError::TooLarge`] above 32 MiB, [`StoreError::NoSessionLeft`], and whatever the disk says. The earlier
    /// questions are then still pending.
    pub fn ask(&self, questions: &Questions) -> Result<Asked, StoreError> {
        let lock = Lock::take(&self.dir)?;
        if let Some(pending) = self.still_open(questions)? {
            // Who wrote them may have been killed before they were on the disk.
            self.dir.sync()?;
            return Ok(Asked::Again(pending));
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
        let bytes = json::write(&self.dir, PENDING, &PendingFile { document, meta }, PENDING_LIMIT)?;
        durable::replace(&lock, &self.dir, PENDING, &bytes)?;
        Ok(Asked::Anew(Pending { session, created_at, sources }))
    }

    /// The questions last asked, if any were.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the file is no JSON object, [`StoreError::MissingSession`] when it names no
    /// session.
    pub fn pending(&self) -> Result<Option<Pending>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        head(&bytes).map(Some)
    }

    /// The questions last asked, in full.
    ///
    /// # Errors
    ///
    /// As [`Self::pending`], and [`StoreError::Corrupt`] when the file holds no valid questions.
    pub fn pending_questions(&self) -> Result<Option<(Pending, Questions)>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        let pending = head(&bytes)?;
        let document = serde_json::from_slice(&bytes).map_err(|error| json::corrupt(PENDING, &error))?;
        let questions = Questions::from_value(document).map_err(|problems| StoreError::Corrupt {
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
                Err(
                    StoreError::Corrupt { .. } | StoreError::MissingSession | StoreError::TooLarge { .. },
                ) => None,
                Err(error) => return Err(error),
            };
        }
        Ok(latest.as_ref().is_some_and(|(_, latest)| latest > session))
    }

    /// With the lock held.
    fn still_open(&self, questions: &Questions) -> Result<Option<Pending>, StoreError> {
        let (pending, document) = match self.pending_questions() {
            Ok(Some((pending, earlier))) => (pending, earlier),
            // Asking anew is how a person gets rid of a broken file.
            Ok(None)
            | Err(StoreError::Corrupt { .. } | StoreError::MissingSession | StoreError::TooLarge { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let open = document.document() == questions.document() && !self.is_closed(&pending.session)?;
        Ok(open.then_some(pending))
    }

    /// Makes the folder itself durable: who created it may have been killed before it was.
    fn settle(&self) -> Result<(), StoreError> {
        let aide = self.dir.parent()?;
        aide.sync()?;
        aide.parent()?.sync()
    }

    /// The latest session id in use. The clock may go back and `pending.json` may be broken: the records among `names`
    /// count too.
    fn last_session(&self, names: &[String]) -> Result<Option<SessionId>, StoreError> {
        let pending = match self.pending() {
            Ok(pending) => pending.map(|pending| pending.session),
            Err(StoreError::Corrupt { .. } | StoreError::MissingSession | StoreError::TooLarge { .. }) => {
                None
            }
            Err(error) => return Err(error),
        };
        Ok(names.iter().filter_map(|name| record_session(name)).chain(pending).max())
    }
}

/// Reads `_meta` alone: the questions are only looked at as text, because who asked them still has them.
fn head(bytes: &[u8]) -> Result<Pending, StoreError> {
    let members: HashMap<String, &RawValue> =
        serde_json::from_slice(bytes).map_err(|error| json::corrupt(PENDING, &error))?;
    let meta: Value =
        members.get("_meta").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let text = |key| meta.get(key).and_then(Value::as_str);
    let session = text("session_id").and_then(|id| id.parse().ok()).ok_or(StoreError::MissingSession)?;
    let created_at = text("created_at").unwrap_or_default().to_owned();
    // Without them nothing is marked; that is no reason to refuse the questions.
    let sources = meta.get("sources").and_then(|sources| SourceHashes::deserialize(sources).ok());
    Ok(Pending { session, created_at, sources: sources.unwrap_or_default() })
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
