//! A workflow as a whole, without its context.

use crate::Millis;
use crate::table::TransitionRefusal;
use protocol::workflow::{Refusal, Trigger, WorkflowState};

/// A workflow as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    /// Its ID.
    pub id: String,
    /// Its session.
    pub session: String,
    /// Its phase.
    pub state: WorkflowState,
    /// The phase before the pause, while it is paused.
    pub previous: Option<WorkflowState>,
    /// What is to be done, in words.
    pub task: String,
    /// How often it was planned.
    pub round: i64,
    /// Why it has failed.
    pub error: Option<String>,
    /// Its output, as JSON.
    pub output: Option<String>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// How often its phase has failed in a row.
    pub failures: i64,
    /// When its driver looks at it again; `None` if never.
    pub wake_at: Option<Millis>,
    /// When it last changed.
    pub updated: Millis,
}

impl Workflow {
    /// Whether it waits for the user as a whole, paused or not.
    pub fn is_waiting(&self) -> bool {
        let phase = self.previous.filter(|_| self.state == WorkflowState::Paused);
        phase.unwrap_or(self.state) == WorkflowState::WaitUserDecision
    }

    /// Has its driver look at it. It may be due already: to write another time would cost a page of the index of what is due.
    pub fn make_due(&mut self, now: Millis) {
        self.wake_at = Some(self.wake_at.filter(|at| *at <= now).unwrap_or(now));
    }

    /// Returns the refusal of a trigger.
    pub fn refused(&self, why: TransitionRefusal, trigger: Trigger) -> Refusal {
        why.refusal(trigger, self.state, self.cancelled)
    }
}
