//! `.aide/decisions/`: what is asked, what was answered, what is being typed.

use crate::clock::Moment;
use crate::dir::Dir;
use crate::lock::Lock;
use crate::presence::{self, Presence, ServerInfo};
use crate::project::{AIDE, open_root};
use crate::{StoreError, durable, init, json, now};
use model::{Answer, AnswerSheet, DecideOutput, DecisionRecord, Questions, SessionId, Via};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

pub(crate) const FOLDER: &str = "decisions";
const PENDING: &str = "pending.json";
const DRAFT: &str = "draft.json";

/// How large `pending.json` may become, in bytes. A record holds the same document indented deeper, and the answers:
/// half the limit for reading leaves it room, so that whatever can be asked can also be answered.
const PENDING_LIMIT: u64 = json::READ_LIMIT / 2;

/// A handle on `.aide/decisions/`. It follows the folder, not its path. Clones share it.
#[derive(Debug, Clone)]
pub struct Decisions {
    dir: Arc<Dir>,
}

/// The questions last asked, answered or not: `pending.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Their name, and that of the record.
    pub session: SessionId,
    /// As [`crate::now`] writes it; empty when the file does not say.
    pub created_at: String,
}

/// What became of a submission: exactly one for each session wins.
#[derive(Debug, Clone, PartialEq)]
pub enum Published {
    /// This one is the record.
    Won(DecisionRecord),
    /// Another one was faster; this is it.
    Lost(DecisionRecord),
}

impl Decisions {
    pub(crate) fn open(root: &Path) -> Result<Self, StoreError> {
        let root = open_root(root)?;
        let aide = root.folder(AIDE)?.ok_or_else(|| StoreError::NoAideFolder { path: root.path_of(AIDE) })?;
        let dir = aide.ensure_folder(FOLDER)?;
        // Only keeps runtime files out of git; whoever may only read must still be able to.
        let _ = init::ensure_ignore_file(&aide, &dir);
        Ok(Self { dir: Arc::new(dir) })
    }

    /// Makes `questions` the pending ones, under a session id later than all before. They are on the disk when this
    /// returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::TooLarge`] above 32 MiB, [`StoreError::NoSessionLeft`], and whatever the disk says. The earlier
    /// questions are then still pending.
    pub fn begin(&self, questions: &Questions) -> Result<Pending, StoreError> {
        let lock = Lock::take(&self.dir)?;
        let moment = Moment::now();
        let last = self.last_session()?;
        let session =
            SessionId::next(&moment.second(), last.as_ref()).map_err(|_| StoreError::NoSessionLeft)?;
        if last.is_some_and(|last| session <= last) {
            return Err(StoreError::NoSessionLeft);
        }
        let created_at = moment.timestamp();
        let document = questions.document();
        let meta = Meta { created_at: &created_at, session_id: &session };
        let bytes = json::write(&self.dir, PENDING, &PendingFile { document, meta }, PENDING_LIMIT)?;
        durable::replace(&lock, &self.dir, PENDING, &bytes)?;
        Ok(Pending { session, created_at })
    }

    /// The questions last asked, if any were.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the file is no JSON object, [`StoreError::MissingSession`] when it names no
    /// session.
    pub fn pending(&self) -> Result<Option<Pending>, StoreError> {
        let Some(bytes) = json::read_bytes(&self.dir, PENDING)? else { return Ok(None) };
        // The questions themselves are only looked at as text: who asked them still has them.
        let members: HashMap<String, &RawValue> =
            serde_json::from_slice(&bytes).map_err(|error| json::corrupt(PENDING, &error))?;
        let meta: Value =
            members.get("_meta").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let text = |key| meta.get(key).and_then(Value::as_str);
        let session = text("session_id").and_then(|id| id.parse().ok()).ok_or(StoreError::MissingSession)?;
        let created_at = text("created_at").unwrap_or_default().to_owned();
        Ok(Some(Pending { session, created_at }))
    }

    /// Makes `output` the answer to `questions`, unless there is one. It is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when there is an answer that cannot be read, and whatever the disk says.
    pub fn publish(
        &self,
        session: &SessionId,
        questions: &Questions,
        output: &DecideOutput,
        via: Via,
    ) -> Result<Published, StoreError> {
        let record = DecisionRecord {
            input: questions.shared_document(),
            output: output.clone(),
            completed_at: now(),
            via: Some(via),
        };
        let name = record_name(session);
        let bytes = json::write(&self.dir, &name, &record, json::READ_LIMIT)?;
        let lock = Lock::take(&self.dir)?;
        if durable::publish_once(&lock, &self.dir, &name, &bytes)? {
            // The answer is given; a draft that stays is found again only by the same questions.
            let _ = self.remove_draft(questions);
            return Ok(Published::Won(record));
        }
        let winner = self.record(session)?;
        winner.map(Published::Lost).ok_or_else(|| self.dir.io(&name, std::io::ErrorKind::NotFound))
    }

    /// The answer to the questions of `session`, if it was given.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the file is no record.
    pub fn record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
        let name = record_name(session);
        let Some(bytes) = self.dir.read(&name, json::READ_LIMIT)? else { return Ok(None) };
        read_record(&bytes).map(Some).map_err(|error| json::corrupt(&name, &error))
    }

    /// Whether any questions were ever answered here.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn has_records(&self) -> Result<bool, StoreError> {
        Ok(self.dir.names()?.iter().any(|name| record_session(name).is_some()))
    }

    /// What the person had given for exactly these questions; empty when there is nothing to be had.
    pub fn draft(&self, questions: &Questions) -> AnswerSheet {
        match json::read::<DraftFile>(&self.dir, DRAFT) {
            Ok(Some(draft)) if draft.questions == questions.fingerprint() => {
                AnswerSheet { answers: draft.answers }
            }
            _ => AnswerSheet::default(),
        }
    }

    /// Keeps what the person has given so far, in the place of any earlier draft.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; the earlier draft is then still there.
    pub fn save_draft(&self, questions: &Questions, sheet: &AnswerSheet) -> Result<(), StoreError> {
        let draft = DraftFile {
            questions: questions.fingerprint().to_owned(),
            answers: sheet.answers.clone(),
            saved_at: now(),
        };
        let bytes = json::write(&self.dir, DRAFT, &draft, json::READ_LIMIT)?;
        durable::replace(&Lock::take(&self.dir)?, &self.dir, DRAFT, &bytes)
    }

    /// Makes a running server visible to other processes for as long as the result lives.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; an earlier server may then still be visible.
    pub fn announce(&self, info: &ServerInfo) -> Result<Presence, StoreError> {
        Presence::announce(&self.dir, info)
    }

    /// The server that is running now, if one is.
    ///
    /// # Errors
    ///
    /// When it is running and its file cannot be read.
    pub fn live_server(&self) -> Result<Option<ServerInfo>, StoreError> {
        presence::live(&self.dir)
    }

    /// With the lock held.
    fn remove_draft(&self, questions: &Questions) -> Result<(), StoreError> {
        match json::read::<DraftFile>(&self.dir, DRAFT) {
            Ok(Some(draft)) if draft.questions == questions.fingerprint() => {}
            // Nobody would ever be shown what cannot be read.
            Err(StoreError::Corrupt { .. }) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error),
        }
        self.dir.unlink(DRAFT)?;
        Ok(())
    }

    /// The latest session id in use. The clock may go back and `pending.json` may be broken: the records count too.
    fn last_session(&self) -> Result<Option<SessionId>, StoreError> {
        let pending = match self.pending() {
            Ok(pending) => pending.map(|pending| pending.session),
            // Asking anew is how a person gets rid of a broken file.
            Err(StoreError::Corrupt { .. } | StoreError::MissingSession | StoreError::TooLarge { .. }) => {
                None
            }
            Err(error) => return Err(error),
        };
        let records = self.dir.names()?;
        Ok(records.iter().filter_map(|name| record_session(name)).chain(pending).max())
    }
}

fn record_name(session: &SessionId) -> String {
    format!("{session}.json")
}

fn record_session(name: &str) -> Option<SessionId> {
    name.strip_suffix(".json")?.parse().ok()
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
}

#[derive(Serialize, Deserialize)]
struct DraftFile {
    /// [`Questions::fingerprint`].
    questions: String,
    answers: Vec<Answer>,
    saved_at: String,
}

/// The questions stand one level deeper in a record than in `pending.json`; read on their own, they are never too
/// deep for the parser when they were not before.
fn read_record(bytes: &[u8]) -> serde_json::Result<DecisionRecord> {
    #[derive(Deserialize)]
    struct RecordFile<'a> {
        #[serde(borrow)]
        input: &'a RawValue,
        output: DecideOutput,
        completed_at: String,
        #[serde(default)]
        via: Option<Via>,
    }
    let file: RecordFile<'_> = serde_json::from_slice(bytes)?;
    Ok(DecisionRecord {
        input: serde_json::from_str(file.input.get())?,
        output: file.output,
        completed_at: file.completed_at,
        via: file.via,
    })
}
