//! A task of a workflow: how clients report it, the triggers that lead to the reported state, and what each of them changes
//! (contract/workflows §5.5).

mod advance;
mod attempt;
mod fill;
mod input;
mod list;
mod overview;

pub use advance::{Handover, ReportEffect, TaskReport, begins_attempt, target_of};
pub use attempt::{RestoredTasks, restore};
pub use fill::steps_between;
pub use input::{MAX_LEVEL, ReportedState, TaskInput};
pub use list::{TaskChange, TaskListUpdate, apply_list, check_needs, newly_ready, topological_order};
pub use overview::{file_and_text, output_of, plan_updated, progress, workflow_progress};

use crate::Millis;
use protocol::workflow::TaskState;

/// A task of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its ID.
    pub id: String,
    /// Its number, by which the tasks of a workflow are ordered.
    pub no: i64,
    /// What is to be done.
    pub description: String,
    /// The kind of agent that does it.
    pub kind: String,
    /// Its state.
    pub state: TaskState,
    /// The tasks that must be done before.
    pub needs: Vec<String>,
    /// What its agent must be able to do.
    pub capabilities: Vec<String>,
    /// How well, from 1 to [`MAX_LEVEL`].
    pub min_level: Option<u64>,
    /// Its agent.
    pub agent: Option<String>,
    /// The ID of the attempt.
    pub dispatch: Option<String>,
    /// How many attempts were begun.
    pub attempt: i64,
    /// How often a review has rejected its result.
    pub rejections: i64,
    /// When it is to be done.
    pub due: Option<Millis>,
    /// How long it may take, in milliseconds.
    pub estimate: Option<i64>,
    /// When the attempt was started.
    pub started: Option<Millis>,
    /// When the attempt ended.
    pub finished: Option<Millis>,
    /// The result of the attempt, as JSON: no rule but [`output_of`] looks into it.
    pub result: Option<String>,
    /// Why the attempt has failed.
    pub error: Option<String>,
}

impl Task {
    /// Returns a task of which only the ID is known.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            no: 0,
            description: String::new(),
            kind: "executor".to_owned(),
            state: TaskState::Created,
            needs: Vec::new(),
            capabilities: Vec::new(),
            min_level: None,
            agent: None,
            dispatch: None,
            attempt: 0,
            rejections: 0,
            due: None,
            estimate: None,
            started: None,
            finished: None,
            result: None,
            error: None,
        }
    }

    /// Whether all tasks that it needs are done.
    pub fn needs_are_met(&self, is_done: impl Fn(&str) -> bool) -> bool {
        self.needs.iter().all(|id| is_done(id))
    }

    /// Whether the plan states more about its agent than the kind.
    pub fn states_needs(&self) -> bool {
        !self.capabilities.is_empty() || self.min_level.is_some()
    }

    /// Whether its last attempt was begun and has no result.
    pub fn is_interrupted(&self) -> bool {
        self.dispatch.is_some() && self.finished.is_none()
    }
}
