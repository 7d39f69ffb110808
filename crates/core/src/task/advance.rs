//! How a task advances through the transitions of its state machine, and what that means for its agents.

use super::{Task, steps_between};
use crate::Millis;
use protocol::workflow::{
    AgentTrigger, Event, TaskBlocked, TaskCompleted, TaskFailed, TaskStarted, TaskState, TaskTrigger,
    TaskUpdate, Trigger,
};

/// What is reported about a task that advances.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskReport {
    /// Its agent.
    pub agent: Option<String>,
    /// Its result, as JSON.
    pub result: Option<String>,
    /// Why it has failed.
    pub error: Option<String>,
    /// Why it cannot be done.
    pub reason: Option<String>,
    /// Whether it can be tried again.
    pub retryable: Option<bool>,
}

/// What a trigger about a task leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportEffect {
    /// The task advances.
    Advance,
    /// The progress of the task is reported.
    Progress,
    /// Nothing: the list that came with the trigger has said the same.
    AlreadyListed,
}

/// What the advance of a task means for its agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handover {
    /// The agent that no longer has the task.
    pub previous: Option<String>,
    /// The triggers for the agent that has it now.
    pub triggers: Vec<AgentTrigger>,
}

/// Returns the state to which a trigger takes its task; `None` if it is about no task.
pub fn target_of(trigger: Trigger) -> Option<TaskState> {
    match trigger {
        Trigger::TaskDispatched => Some(TaskState::Dispatched),
        Trigger::TaskStarted | Trigger::TaskProgress => Some(TaskState::Running),
        Trigger::TaskCompleted => Some(TaskState::ExecutionSucceeded),
        Trigger::TaskFailed => Some(TaskState::ExecutionFailed),
        _ => None,
    }
}

/// Whether an attempt begins with one of these steps.
pub fn begins_attempt(steps: &[TaskTrigger]) -> bool {
    steps.contains(&TaskTrigger::OrchestratorDispatch)
}

impl Task {
    /// Returns the effect of a trigger that takes tasks to the state `to`; `None` if the trigger is refused. `is_listed` states
    /// that the list which came with the trigger has changed the task.
    pub fn effect_of(&self, trigger: Trigger, to: TaskState, is_listed: bool) -> Option<ReportEffect> {
        if trigger == Trigger::TaskProgress {
            return (self.state == TaskState::Running).then_some(ReportEffect::Progress);
        }
        if self.state != to {
            return Some(ReportEffect::Advance);
        }
        match is_listed {
            true => Some(ReportEffect::AlreadyListed),
            // A second result is refused.
            false => (!to.has_ended()).then_some(ReportEffect::Advance),
        }
    }

    /// Returns the steps to a state; `None` if there are none, or if they would begin an attempt during a pause.
    pub fn steps_to(&self, to: TaskState, is_paused: bool) -> Option<Vec<TaskTrigger>> {
        steps_between(self.state, to).filter(|steps| !is_paused || !begins_attempt(steps))
    }

    /// Begins an attempt with this ID: result and error of the previous one are cleared.
    pub fn begin_attempt(&mut self, dispatch: String) {
        self.attempt += 1;
        self.dispatch = Some(dispatch);
        (self.started, self.finished, self.result, self.error) = (None, None, None, None);
    }

    /// Takes the task to the state `to` by these steps. Returns whether it has ended by that.
    pub fn advance(
        &mut self,
        to: TaskState,
        steps: &[TaskTrigger],
        report: &TaskReport,
        now: Millis,
    ) -> bool {
        self.state = to;
        if steps.contains(&TaskTrigger::TaskExecutionStarted) && self.started.is_none() {
            self.started = Some(now);
        }
        let has_result = steps.contains(&TaskTrigger::TaskExecutionResultSuccess)
            || steps.contains(&TaskTrigger::TaskExecutionResultFailure);
        let has_ended = has_result || to == TaskState::Blocked && !steps.is_empty();
        if has_ended {
            self.finished = Some(now);
            (self.result, self.error) = (report.result.clone(), report.error.clone());
        }
        has_ended
    }

    /// Returns what these steps, after which the task is `after`, mean for its agents.
    pub fn handover(&self, after: &Self, steps: &[TaskTrigger]) -> Handover {
        let mut handover = Handover::default();
        if self.state.is_in_flight() && self.agent != after.agent {
            handover.previous.clone_from(&self.agent);
            // The new agent takes over the task in its current state.
            if self.state != TaskState::Dispatching {
                handover.triggers.push(AgentTrigger::DispatchAck);
            }
            if self.state == TaskState::Running {
                handover.triggers.push(AgentTrigger::TaskExecutionStarted);
            }
        }
        handover.triggers.extend(steps.iter().filter_map(|step| agent_trigger(*step)));
        handover
    }

    /// Returns the event that reports these steps, after which the task is as it is now.
    pub fn event_of(&self, steps: &[TaskTrigger], report: &TaskReport) -> Option<Event> {
        let (task_id, agent_id) = (self.id.clone(), self.agent.clone());
        match self.state {
            TaskState::Running if !steps.is_empty() => {
                Some(TaskStarted { task_id, agent_id, description: self.description.clone() }.into())
            }
            TaskState::Blocked if !steps.is_empty() => {
                let reason = report.reason.clone().or_else(|| report.error.clone());
                let reason = reason.unwrap_or_else(|| "No agent qualifies".to_owned());
                Some(TaskBlocked { task_id, reason, estimated_start_time: None, benefit_score: None }.into())
            }
            _ if steps.contains(&TaskTrigger::TaskExecutionResultSuccess) => {
                let duration = self.finished.zip(self.started);
                let duration = duration.and_then(|(end, start)| u64::try_from(end - start).ok());
                let result = self.result.as_deref().and_then(|result| serde_json::from_str(result).ok());
                Some(TaskCompleted { task_id, agent_id, result, duration }.into())
            }
            _ if steps.contains(&TaskTrigger::TaskExecutionResultFailure) => {
                let error = self.error.clone().unwrap_or_default();
                Some(TaskFailed { task_id, agent_id, error, retryable: report.retryable }.into())
            }
            _ => None,
        }
    }

    /// Returns the task as the update of its workflow reports it.
    pub fn update(&self) -> TaskUpdate {
        TaskUpdate { id: self.id.clone(), status: self.state.simple(), assignee: self.agent.clone() }
    }
}

/// The trigger of the agent that corresponds to one of its task.
fn agent_trigger(step: TaskTrigger) -> Option<AgentTrigger> {
    match step {
        TaskTrigger::DispatchAck => Some(AgentTrigger::DispatchAck),
        TaskTrigger::TaskExecutionStarted => Some(AgentTrigger::TaskExecutionStarted),
        TaskTrigger::TaskExecutionResultSuccess => Some(AgentTrigger::TaskExecutionResultSuccess),
        TaskTrigger::TaskExecutionResultFailure => Some(AgentTrigger::TaskExecutionResultFailure),
        _ => None,
    }
}
