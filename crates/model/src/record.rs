//! What is kept of a set of questions once it is closed: how it ended, and how that came about.

use crate::{Answer, DecideOutput, Origin, Returned, SessionId};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::sync::Arc;

/// By which door something came in.
///
/// An agent runs as the same user and could answer itself; the record keeps at least the way it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// The hydrated page.
    Page,
    /// The page as plain HTML.
    Form,
    /// `POST /api/submit`.
    Api,
    /// A command in a terminal.
    Terminal,
    /// None: a deadline has passed.
    Clock,
}

impl Via {
    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Form => "form",
            Self::Api => "api",
            Self::Terminal => "terminal",
            Self::Clock => "clock",
        }
    }
}

/// The file of a closed set of questions (contract/storage §2.2).
///
/// A set that was answered has `output`, as documented. One that was not has `returned`, `cancelled`, `expired_at` or
/// `replaced_by` instead and no `output`, so that no reader takes it for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionRecord {
    /// The questions as they were asked, unknown fields included, without `_meta`.
    pub input: Arc<Map<String, Value>>,
    /// How it ended.
    pub ending: Ending,
    /// Local time with offset, whole seconds.
    pub completed_at: String,
    /// Absent in records of earlier implementations.
    pub meta: Option<RecordMeta>,
}

/// How a set of questions ended. Exactly one ending can ever be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// A person answered.
    Decided(DecideOutput),
    /// A person sent the questions back unanswered.
    Returned(Returned),
    /// The asker no longer needs an answer.
    Cancelled,
    /// No answer arrived before this deadline: local time with offset, whole seconds.
    Expired(String),
    /// Replaced by the questions of this session before an answer arrived. `None` where that session is unknown, or where the
    /// questions were removed: no process waits for an answer, and no record says so.
    Replaced(Option<SessionId>),
}

/// How an ending came about: `_meta` of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordMeta {
    /// The name of the session, as in `pending.json`.
    pub session_id: SessionId,
    /// When the questions were asked, as in `pending.json`.
    pub created_at: String,
    /// How long they were open, in seconds; absent when `created_at` cannot be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open_seconds: Option<u64>,
    /// By which door the ending came in.
    pub via: Via,
    /// Who asked.
    #[serde(skip_serializing_if = "Origin::is_decide", default)]
    pub origin: Origin,
    /// Until when they were to be answered, as in the file of the open set.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deadline: Option<String>,
    /// One per answer, in the order of the items; empty when nothing was answered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub items: Vec<ItemMeta>,
    /// What was filled in when the questions were sent back, without the items that were meant: a corrected set begins with
    /// it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub filled_in: Vec<FilledAnswer>,
}

/// What was filled in for an item of questions that were sent back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilledAnswer {
    /// What.
    #[serde(flatten)]
    pub answer: Answer,
    /// By which door the choice first came in; absent while nothing is chosen, and in records of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub via: Option<Via>,
    /// When the choice was first known; absent as `via` is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<String>,
}

/// How one item was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemMeta {
    /// The item.
    pub id: u64,
    /// By which door the choice first came in.
    pub via: Via,
    /// Whether the recommended option was chosen, be it with others; absent when none was recommended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub followed_recommendation: Option<bool>,
    /// When the choice was first known here, which is within a second of being made.
    pub decided_at: String,
}

impl DecisionRecord {
    /// What the questions were about; empty when the record does not say.
    pub fn task(&self) -> &str {
        self.input.get("task").and_then(Value::as_str).unwrap_or_default()
    }

    /// The answers, if there are any.
    pub fn output(&self) -> Option<&DecideOutput> {
        match &self.ending {
            Ending::Decided(output) => Some(output),
            Ending::Returned(_) | Ending::Cancelled | Ending::Expired(_) | Ending::Replaced(_) => None,
        }
    }
}

impl Serialize for DecisionRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("input", &self.input)?;
        match &self.ending {
            Ending::Decided(output) => map.serialize_entry("output", output)?,
            Ending::Returned(returned) => map.serialize_entry("returned", returned)?,
            Ending::Cancelled => map.serialize_entry("cancelled", &true)?,
            Ending::Expired(deadline) => map.serialize_entry("expired_at", deadline)?,
            Ending::Replaced(by) => map.serialize_entry("replaced_by", by)?,
        }
        map.serialize_entry("completed_at", &self.completed_at)?;
        if let Some(meta) = &self.meta {
            map.serialize_entry("_meta", meta)?;
        }
        map.end()
    }
}
