//! How a request to a person becomes questions, and its attachments files again: shared by the gateway and by agents that
//! ask directly.

use super::response::{self, AttachedFile};
use super::{Words, questions};
use crate::hash::Hasher;
use files::{Dir, FileError, Lock, Part, durable, json, part};
use model::{Ask, Origin, SessionId};
use protocol::agent::{HumanRequest, Id, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{Decisions, StoreError};

/// The folder of the notes: one for each request that was asked.
pub(crate) const ASKED: &str = "asked";
/// The task of questions that no task has asked.
const NO_TASK: &str = "-";

/// Which questions belong to a request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) request_id: String,
    pub(crate) session: SessionId,
    /// The agent has the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) delivered: bool,
}

impl Note {
    pub(crate) fn new(request_id: &Id, session: SessionId) -> Self {
        Self { request_id: request_id.to_string(), session, delivered: false }
    }

    pub(crate) fn read(notes: &Dir, request_id: &str) -> Result<Option<Self>, FileError> {
        json::read(notes, &format!("{request_id}.json"))
    }

    pub(crate) fn write(&self, lock: &Lock, notes: &Dir) -> Result<(), FileError> {
        let name = format!("{}.json", self.request_id);
        let text = json::text(notes, &name, self, json::MAX_JSON)?;
        durable::replace(lock, notes, &name, &text)
    }
}

/// Opens the questions of `request`, or finds them open; `Err` with the reason if a request cannot be asked at all.
///
/// # Errors
///
/// When the questions cannot be written.
pub(crate) fn ask(
    decisions: &Decisions,
    words: &Words,
    request: &HumanRequest,
) -> Result<Result<SessionId, String>, StoreError> {
    let questions = match questions(request, words) {
        Ok(questions) => questions,
        Err(error) => return Ok(Err(format!("cannot be asked: {error:?}"))),
    };
    let by = request.created_by.as_ref();
    let text = |id: Option<&Id>| id.map_or_else(|| NO_TASK.to_owned(), ToString::to_string);
    let origin = Origin::Agent {
        plan: request.plan_id.to_string(),
        task: text(by.and_then(|by| by.task_id.as_ref())),
        agent: text(by.and_then(|by| by.agent_id.as_ref())),
        request: request.request_id.to_string(),
    };
    let deadline = request.deadline.as_ref().map(|deadline| deadline.as_str().to_owned());
    let ask = Ask { questions: &questions, origin, deadline };
    let key = format!("{}:{}", request.plan_id, request.request_id);
    Ok(Ok(decisions.put(ask, &key)?.pending().session))
}

/// The last ended questions of a request, if the asker was killed before it recorded them.
pub(crate) fn ended(
    decisions: &Decisions,
    plan: &Id,
    request_id: &Id,
) -> Result<Option<SessionId>, StoreError> {
    let is_its = |origin: &Origin| {
        matches!(origin, Origin::Agent { plan: of, request: id, .. }
            if of == plan.as_str() && id == request_id.as_str())
    };
    for session in decisions.records()?.into_iter().rev() {
        let Ok(Some(record)) = decisions.record(&session) else { continue };
        if record.meta.is_some_and(|meta| is_its(&meta.origin)) {
            return Ok(Some(session));
        }
    }
    Ok(None)
}

/// When questions were answered, so that a response is the same bytes, no matter how often and by which program it is made.
pub(crate) fn answered_at(
    decisions: &Decisions,
    session: &SessionId,
    now: Timestamp,
) -> Result<Timestamp, StoreError> {
    let record = decisions.record(session)?;
    Ok(record.and_then(|record| record.completed_at.parse().ok()).unwrap_or(now))
}

/// Copies an attached file to `outbox`, under the name that is wanted.
///
/// # Errors
///
/// When it is not the file that was attached, and whatever the disk says.
pub(crate) fn provide(
    lock: &Lock,
    decisions: &Decisions,
    session: &SessionId,
    file: &AttachedFile,
    outbox: &Dir,
) -> Result<(), StoreError> {
    let mut way: Vec<&str> = file.path.components().collect();
    let Some(name) = way.pop() else { return Ok(()) };
    let folder = Arc::new(if way.is_empty() { outbox.again()? } else { outbox.ensure_folders(way)? });
    for left in folder.names()?.iter().filter(|name| part::is_part(name)) {
        part::remove_dead(lock, &folder, left)?;
    }
    let mut copied = Part::create(lock, Arc::clone(&folder), |_| false)?;
    let mut hasher = Hasher::default();
    let is_there = decisions.read_attachment(
        session,
        file.item,
        &file.attachment.name,
        |piece| -> Result<(), StoreError> {
            hasher.add(piece);
            Ok(copied.write(piece)?)
        },
    )?;
    if !is_there || Some(hasher.end()) != response::attached_hash(&file.attachment) {
        let message = "not the file that was attached".to_owned();
        return Err(FileError::Corrupt { file: file.attachment.name.clone(), message }.into());
    }
    copied.sync()?;
    part::rename(lock, &folder, copied.name(), name)?;
    copied.keep(lock);
    Ok(folder.sync()?)
}
