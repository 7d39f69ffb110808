//! The documents of a decision: what is asked, what is answered.

use serde::{Deserialize, Serialize};

/// A set of open questions, as validated (`DecideInput` of data-formats.md 2.1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecideInput {
    /// What the agent is working on, in one line.
    pub task: String,
    /// The document the questions come from.
    pub source: String,
    /// At least one item; ids are unique.
    pub items: Vec<DecideItem>,
}

/// One open question with at least two options.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecideItem {
    /// Positive, at most [`crate::MAX_SAFE_INTEGER`], unique within the input.
    pub id: u64,
    /// The question.
    pub title: String,
    /// The lines of a file that the question is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Explanation, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// At least two; values are unique within the item.
    pub options: Vec<DecideOption>,
    /// The `value` of the option that the agent recommends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommend: Option<String>,
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

/// What `aide decide result` prints (`DecideOutput` of data-formats.md 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecideOutput {
    /// One per item, in the order of the items.
    pub decisions: Vec<Decision>,
}

/// The answer to one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The item.
    pub id: u64,
    /// The `value` of the chosen option.
    pub chosen: String,
    /// What the person added. Absent when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}
