//! The file of a set of questions that is open: the questions as they were sent, and `_meta`.

use crate::{SourceHashes, StoreError};
use files::{Dir, FileError, json};
use model::{Origin, Questions, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// How large the file may become, in bytes. A record holds the same document indented deeper, and the answers: half the
/// limit for reading leaves it room, so that whatever can be asked can also be answered.
const LIMIT: u64 = json::MAX_JSON / 2;

/// The head of a set of questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSet {
    /// The name of the questions, and that of their record.
    pub session: SessionId,
    /// Where they lie.
    pub place: Place,
    /// As [`crate::now`] writes it; empty when the file does not say.
    pub created_at: String,
    /// Until when they can be answered, in the same form; `None` for ever.
    pub deadline: Option<String>,
    /// Who asks.
    pub origin: Origin,
    /// What the questions are about; empty when the file does not say.
    pub task: String,
    /// What the files were that the questions name. Empty when they name none that can be shown, or when the file does
    /// not say.
    pub sources: SourceHashes,
}

/// Where a set of questions lies while it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In `pending.json`, where the next questions of `aide decide submit` take its place.
    Slot,
    /// In a file of its own, `open/<session>.json`, which goes when it has ended.
    Own,
}

/// What `_meta` says.
#[derive(Serialize)]
pub(super) struct Meta<'a> {
    pub(super) created_at: &'a str,
    pub(super) session_id: &'a SessionId,
    #[serde(skip_serializing_if = "Origin::is_decide")]
    pub(super) origin: &'a Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deadline: Option<&'a str>,
    /// What the asker knows the questions by: asked again under the same one, they are not asked twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<&'a str>,
    /// The set that these questions were left over of, when the others were answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rest_of: Option<&'a SessionId>,
    #[serde(skip_serializing_if = "SourceHashes::is_empty")]
    pub(super) sources: &'a SourceHashes,
}

/// The text of the file `name`.
///
/// # Errors
///
/// [`FileError::TooLarge`] above 32 MiB.
pub(super) fn text(
    dir: &Dir,
    name: &str,
    document: &Map<String, Value>,
    meta: Meta<'_>,
) -> Result<Vec<u8>, FileError> {
    #[derive(Serialize)]
    struct SetFile<'a> {
        #[serde(flatten)]
        document: &'a Map<String, Value>,
        #[serde(rename = "_meta")]
        meta: Meta<'a>,
    }
    json::text(dir, name, &SetFile { document, meta }, LIMIT)
}

/// Reads `_meta` of the file `name` alone: the questions are only looked at as text, because who asked them still has
/// them. Beside it the key that the asker knows them by.
pub(super) fn read(
    name: &str,
    place: Place,
    bytes: &[u8],
) -> Result<(PendingSet, Option<String>), StoreError> {
    let members: HashMap<String, &RawValue> = json::parse(name, bytes)?;
    let meta: Value =
        members.get("_meta").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let text = |key| meta.get(key).and_then(Value::as_str).map(str::to_owned);
    let session = text("session_id").and_then(|id| id.parse().ok()).ok_or(StoreError::MissingSession)?;
    let task = members.get("task").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    // Without them nothing is marked; that is no reason to refuse the questions.
    let sources = meta.get("sources").and_then(|sources| SourceHashes::deserialize(sources).ok());
    // What a later version has to say about an asker is no reason either.
    let origin = meta.get("origin").and_then(|origin| Origin::deserialize(origin).ok());
    let pending = PendingSet {
        session,
        place,
        created_at: text("created_at").unwrap_or_default(),
        deadline: text("deadline"),
        origin: origin.unwrap_or_default(),
        task,
        sources: sources.unwrap_or_default(),
    };
    Ok((pending, text("key")))
}

/// Reads which set the questions of the file `name` were left over of, if they were.
///
/// # Errors
///
/// [`FileError::Corrupt`] when the file is no JSON object.
pub(super) fn rest_of(name: &str, bytes: &[u8]) -> Result<Option<SessionId>, StoreError> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(rename = "_meta")]
        meta: RestMeta,
    }
    #[derive(Deserialize)]
    struct RestMeta {
        #[serde(default)]
        rest_of: Option<SessionId>,
    }
    let head: Head = json::parse(name, bytes)?;
    Ok(head.meta.rest_of)
}

/// Reads the questions themselves.
///
/// # Errors
///
/// [`FileError::Corrupt`] when the file holds no valid questions.
pub(super) fn questions(name: &str, bytes: &[u8]) -> Result<Questions, FileError> {
    let document = json::parse(name, bytes)?;
    Questions::from_value(document).map_err(|problems| FileError::Corrupt {
        file: name.to_owned(),
        // Which sentence belongs to a broken rule is not known here; the place is.
        message: problems.first().map(|problem| problem.path.to_string()).unwrap_or_default(),
    })
}
