//! Questions that a person has sent back unanswered.

use crate::{DecideInput, is_blank};
use serde::{Deserialize, Serialize};

/// What a person said instead of answering.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Why; in a record never blank.
    pub message: String,
    /// The items that are meant, in their order; empty for the whole set.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub items: Vec<u64>,
}

impl Returned {
    /// Whether nothing was said, not even which items are meant.
    pub fn is_empty(&self) -> bool {
        self.message.is_empty() && self.items.is_empty()
    }

    /// The same with the items of `input` alone, in their order, and the message without white space around it; `None`
    /// when nothing is said.
    pub fn checked(&self, input: &DecideInput) -> Option<Self> {
        if is_blank(&self.message) {
            return None;
        }
        let items = input.items.iter().map(|item| item.id).filter(|id| self.items.contains(id)).collect();
        Some(Self { message: self.message.trim().to_owned(), items })
    }
}
