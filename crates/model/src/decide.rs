//! The documents of a decision: what is asked, what is answered.

use crate::attachment::{Attachment, MAX_ATTACHED, USUAL_FILES, name_matches};
use crate::{Preview, SessionId};
use serde::{Deserialize, Serialize};
use std::slice;

/// A set of open questions, as validated (contract/decide §2.1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecideInput {
    /// What the agent is working on, in one line.
    pub task: String,
    /// The document the questions come from.
    pub source: String,
    /// At least one item; ids are unique.
    pub items: Vec<DecideItem>,
    /// A part of the items may be answered now, and the rest later: that becomes a set of its own.
    #[serde(skip_serializing_if = "is_false")]
    pub partial: bool,
}

/// One open question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecideItem {
    /// Positive, at most [`crate::MAX_SAFE_INTEGER`], unique within the input.
    pub id: u64,
    /// The question.
    pub title: String,
    /// What counts as an answer.
    #[serde(skip_serializing_if = "ItemKind::is_choice")]
    pub kind: ItemKind,
    /// The lines of a file that the question is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Explanation, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// As many as the kind takes; values are unique within the item.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<DecideOption>,
    /// The `value` of the option that the agent recommends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommend: Option<String>,
    /// Several options may be chosen together.
    #[serde(skip_serializing_if = "is_false")]
    pub multiple: bool,
    /// How many at least; only with `multiple`, and for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<usize>,
    /// How many at most; only with `multiple`, and for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
    /// What the files may be called, with `*` for any characters; empty for any. Only for files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// How large a file may be, in bytes; only for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// The person may write an answer of their own.
    #[serde(skip_serializing_if = "is_false")]
    pub allow_other: bool,
    /// False when the item may be left open.
    #[serde(skip_serializing_if = "is_true")]
    pub required: bool,
}

/// What counts as an answer to an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// One or several of at least two options.
    #[default]
    Choice,
    /// The person's own words; there are no options.
    Text,
    /// The only option.
    Confirm,
    /// Files that the person attaches; there are no options.
    Files,
}

impl ItemKind {
    /// All of them, in the order in which they are explained.
    pub const ALL: [Self; 4] = [Self::Choice, Self::Text, Self::Confirm, Self::Files];

    /// As it is written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Text => "text",
            Self::Confirm => "confirm",
            Self::Files => "files",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
    fn is_choice(&self) -> bool {
        *self == Self::Choice
    }
}

/// A range of lines, counted from 1, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Path relative to the project root.
    pub file: String,
    /// First line, at least 1.
    pub start: u64,
    /// Last line, at least `start`.
    pub end: u64,
}

/// One way to answer an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecideOption {
    /// What the agent gets back.
    pub value: String,
    /// What the person reads.
    pub label: String,
    /// A longer explanation, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// 0 to 100, both included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Arguments for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pros: Option<Vec<String>>,
    /// Arguments against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cons: Option<Vec<String>>,
}

/// What `aide decide result` prints (contract/decide §2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecideOutput {
    /// One per item that was answered, in the order of the items.
    pub decisions: Vec<Decision>,
    /// The items that are still to be answered. Absent when there are none, which is always so without
    /// [`DecideInput::partial`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open: Option<Box<Remainder>>,
}

/// The items of a set that were left for later when the others were answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remainder {
    /// The set that asks them now; `None` until the answers are kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session_id: Option<SessionId>,
    /// Their ids, in the order of the items.
    pub items: Vec<u64>,
}

impl DecideOutput {
    /// The answers to all items.
    pub fn complete(decisions: Vec<Decision>) -> Self {
        Self { decisions, open: None }
    }

    /// The set that asks what was left for later.
    pub fn remainder(&self) -> Option<&SessionId> {
        self.open.as_ref()?.session_id.as_ref()
    }
}

/// The answer to one item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The item.
    pub id: u64,
    /// The chosen option, or options.
    pub chosen: Chosen,
    /// The answer in the person's own words. Absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other: Option<String>,
    /// The files that are the answer. Absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<Attachment>,
    /// What the person added. Absent when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// What was chosen for one item, as the `value`s of its options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Chosen {
    /// None of the options: the person wrote an answer of their own, or left open what is not required. `null` in JSON.
    #[default]
    None,
    /// The one option. A string in JSON.
    One(String),
    /// Those of an item with `multiple`, in the order of the options. An array in JSON.
    Several(Vec<String>),
}

impl Chosen {
    /// The chosen values, whether one or several were asked for.
    pub fn values(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(value) => slice::from_ref(value),
            Self::Several(values) => values,
        }
    }

    /// Whether this is, or is among, what was chosen.
    pub fn has(&self, value: &str) -> bool {
        self.values().iter().any(|chosen| chosen == value)
    }
}

impl DecideItem {
    /// How many answers the item takes, the person's own words being one: at least and at most.
    pub fn bounds(&self) -> (usize, usize) {
        if self.multiple {
            (self.min.unwrap_or(1), self.max.unwrap_or_else(|| self.choices()))
        } else {
            (1, 1)
        }
    }

    /// How many answers are offered, the person's own words and the attached files being one each.
    pub fn choices(&self) -> usize {
        self.options.len() + usize::from(self.takes_words()) + usize::from(self.kind == ItemKind::Files)
    }

    /// How many files the item takes, if any are given: at least and at most.
    pub fn file_bounds(&self) -> (usize, usize) {
        let least = self.min.unwrap_or(1);
        (least, self.max.unwrap_or_else(|| USUAL_FILES.max(least)))
    }

    /// How large a file may be, in bytes.
    pub fn largest_file(&self) -> u64 {
        self.max_bytes.unwrap_or(MAX_ATTACHED)
    }

    /// Whether a file may be called `name`.
    pub fn takes_name(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|pattern| name_matches(pattern, name))
    }

    /// Whether an answer may be in the person's own words.
    pub fn takes_words(&self) -> bool {
        self.allow_other || self.kind == ItemKind::Text
    }

    /// Whether the questions cannot be answered without an answer to this item.
    pub fn needs_choice(&self) -> bool {
        self.required && self.bounds().0 > 0
    }

    /// The position that stands for the person's own words: after the last option.
    pub fn other_position(&self) -> Option<u32> {
        self.takes_words().then(|| u32::try_from(self.options.len()).ok()).flatten()
    }

    /// The position of the recommended option.
    pub fn recommended(&self) -> Option<u32> {
        let recommend = self.recommend.as_ref()?;
        let position = self.options.iter().position(|option| &option.value == recommend)?;
        u32::try_from(position).ok()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_true(value: &bool) -> bool {
    *value
}
