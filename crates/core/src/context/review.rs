//! The last review of the tasks of a workflow.

use super::keys::{FEEDBACK, PERSON_SAYS, REVIEW_TASKS};
use serde_json::{Map, Value};

/// A review as the context of a workflow has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Review(Map<String, Value>);

impl Review {
    /// Returns a review with these members.
    pub fn from_members(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// Returns the members, in their order.
    pub fn into_members(self) -> Map<String, Value> {
        self.0
    }

    /// Returns the members, in their order.
    pub fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns what it says; empty if it says nothing.
    pub fn feedback(&self) -> &str {
        self.0.get(FEEDBACK).and_then(Value::as_str).unwrap_or_default()
    }

    /// Sets what it says.
    pub fn set_feedback(&mut self, feedback: &str) {
        self.0.insert(FEEDBACK.to_owned(), Value::from(feedback));
    }

    /// Returns the names of the tasks to redo.
    pub fn tasks(&self) -> Vec<Value> {
        self.0.get(REVIEW_TASKS).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// Names the tasks to redo; `None` means all tasks.
    pub fn set_tasks(&mut self, tasks: Option<Vec<Value>>) {
        match tasks {
            Some(tasks) => self.0.insert(REVIEW_TASKS.to_owned(), Value::Array(tasks)),
            None => self.0.shift_remove(REVIEW_TASKS),
        };
    }

    /// Sets what the user has said of it.
    pub fn set_person_says(&mut self, note: &str) {
        self.0.insert(PERSON_SAYS.to_owned(), Value::from(note));
    }
}
