//! Moves a task, and its agent, through the transitions of the state machine.

use super::events::{emit_progress, emit_task, emit_unknown, progressed};
use super::has_all;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::{agents, ids, rows};
use aide_core::{TransitionRefusal, TriggerPayload, task};
use journal::{Task, Workflow};
use model::workflow::{
    AgentTrigger, ErrorCode, Refusal, TaskState, TaskTrigger, TaskUpdate, Trigger, WorkflowState,
};
use serde_json::Value;

/// What is known of a task that has come further.
#[derive(Default)]
pub(super) struct TaskReport {
    pub(super) agent: Option<String>,
    pub(super) result: Option<String>,
    pub(super) error: Option<String>,
    /// Why it cannot be done.
    pub(super) reason: Option<String>,
    pub(super) retryable: Option<bool>,
}

/// What tasks have come to in one change.
#[derive(Default)]
pub(crate) struct ChangeSummary {
    /// How those that have changed stand now.
    pub(crate) updates: Vec<TaskUpdate>,
    /// What went wrong with the last one that has failed.
    pub(crate) error: Option<String>,
    has_ended: bool,
}

fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::NotFound, "Task not found").with("taskId", id)
}

/// Tasks all of whose needs are done can begin.
pub(super) fn unblock(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    for task in &tasks {
        if task.state == TaskState::Created
            && has_all(task, &tasks)
            && let Some(state) = task.state.next(TaskTrigger::DepsSatisfied)
        {
            draft.put(Task { state, ..task.clone() });
        }
    }
    Ok(())
}

/// What happens to the task that a trigger is about. `outcome` is what a list has brought together with it.
pub(crate) fn happen(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    payload: &TriggerPayload,
    outcome: &mut ChangeSummary,
) -> Result<(), Failure> {
    let target = match trigger {
        Trigger::TaskDispatched => TaskState::Dispatched,
        Trigger::TaskStarted | Trigger::TaskProgress => TaskState::Running,
        Trigger::TaskCompleted => TaskState::ExecutionSucceeded,
        Trigger::TaskFailed => TaskState::ExecutionFailed,
        _ => return finish(draft, workflow, outcome),
    };
    let said = TaskReport {
        agent: payload.agent().map(str::to_owned),
        result: payload.result().map(Value::to_string),
        error: payload.error().map(str::to_owned),
        reason: None,
        retryable: payload.retryable(),
    };
    let is_paused = workflow.state == WorkflowState::Paused;
    let tasks = draft.tasks(&workflow.id)?;
    match payload.task() {
        Some(id) if tasks.is_empty() => {
            // The driver keeps its tasks to itself: what began before the pause is unknown.
            if is_paused && trigger == Trigger::TaskStarted {
                return Err(rows::transition_refused(TransitionRefusal::Invalid, trigger, workflow)
                    .with("taskId", id)
                    .into());
            }
            outcome.has_ended |= target.has_ended();
            emit_unknown(draft, workflow, trigger, id, &said, payload)?;
        }
        Some(id) => {
            let task = tasks.into_iter().find(|task| task.id == id).ok_or_else(|| not_found(id))?;
            let is_told = outcome.updates.iter().any(|update| update.id == id) && task.state == target;
            if trigger == Trigger::TaskProgress {
                if task.state != TaskState::Running {
                    return Err(impossible(&task, trigger, workflow).into());
                }
                progressed(draft, workflow, id, said.agent.as_deref().or(task.agent.as_deref()), payload)?;
            } else if is_told {
                // The list that came with it has said the same.
            } else if target.has_ended() && task.state == target {
                // It has its result.
                return Err(impossible(&task, trigger, workflow).into());
            } else {
                advance(draft, workflow, task, target, trigger, &said, outcome)?;
                unblock(draft, workflow)?;
            }
        }
        // Which task has begun is not known, nor whether it had before the pause.
        None if is_paused && trigger == Trigger::TaskStarted && !payload.has_tasks() => {
            return Err(rows::transition_refused(TransitionRefusal::Invalid, trigger, workflow).into());
        }
        None => outcome.has_ended |= target.has_ended(),
    }
    finish(draft, workflow, outcome)
}

/// What follows when tasks have ended.
fn finish(draft: &mut Draft<'_>, workflow: &Workflow, outcome: &ChangeSummary) -> Result<(), Failure> {
    if outcome.has_ended {
        if !draft.tasks(&workflow.id)?.is_empty() {
            emit_progress(draft, workflow)?;
        }
        draft.keep(&workflow.id);
    }
    Ok(())
}

/// Moves a task to the state `to`, through the transitions on the way; returns it. `trigger` is the one that the client has sent.
pub(super) fn advance(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    before: Task,
    to: TaskState,
    trigger: Trigger,
    said: &TaskReport,
    outcome: &mut ChangeSummary,
) -> Result<Task, Failure> {
    let steps = task::path(before.state, to).ok_or_else(|| impossible(&before, trigger, workflow))?;
    let is_begun = steps.contains(&TaskTrigger::OrchestratorDispatch);
    if is_begun && workflow.state == WorkflowState::Paused {
        return Err(impossible(&before, trigger, workflow).into());
    }
    let mut task = before.clone();
    task.state = to;
    if is_begun {
        task.attempt += 1;
        task.dispatch = Some(ids::timed("dispatch", draft.now(), draft.world()));
        (task.started, task.finished, task.result, task.error) = (None, None, None, None);
    }
    task.agent = said.agent.clone().or(task.agent);
    if is_begun && task.agent.is_none() {
        task.agent = agents::fitting(draft, workflow, &task)?;
    }
    let is_under_way = steps.contains(&TaskTrigger::TaskExecutionStarted);
    if is_under_way && task.started.is_none() {
        task.started = Some(draft.now());
    }
    let is_result = |step: &TaskTrigger| {
        let results = [TaskTrigger::TaskExecutionResultSuccess, TaskTrigger::TaskExecutionResultFailure];
        results.contains(step)
    };
    let has_ended = steps.iter().any(is_result) || to == TaskState::Blocked && !steps.is_empty();
    if has_ended {
        task.finished = Some(draft.now());
        (task.result, task.error) = (said.result.clone(), said.error.clone());
    }
    hand_over(draft, workflow, &before, &task, &steps)?;
    emit_task(draft, workflow, &steps, &task, said);
    if to == TaskState::ExecutionFailed {
        outcome.error = said.error.clone().or(outcome.error.take());
    }
    outcome.has_ended |= has_ended;
    outcome.updates.push(TaskUpdate {
        id: task.id.clone(),
        status: task.state.simple(),
        assignee: task.agent.clone(),
    });
    draft.put(task.clone());
    Ok(task)
}

fn impossible(task: &Task, trigger: Trigger, workflow: &Workflow) -> Refusal {
    let refusal = rows::transition_refused(TransitionRefusal::Invalid, trigger, workflow);
    refusal.with("taskId", &*task.id).with("taskState", task.state.name())
}

/// What its agent does meanwhile. One from whom it was taken is free.
fn hand_over(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    before: &Task,
    task: &Task,
    steps: &[TaskTrigger],
) -> Result<(), Failure> {
    let step = |trigger: &TaskTrigger| match trigger {
        TaskTrigger::DispatchAck => Some(AgentTrigger::DispatchAck),
        TaskTrigger::TaskExecutionStarted => Some(AgentTrigger::TaskExecutionStarted),
        TaskTrigger::TaskExecutionResultSuccess => Some(AgentTrigger::TaskExecutionResultSuccess),
        TaskTrigger::TaskExecutionResultFailure => Some(AgentTrigger::TaskExecutionResultFailure),
        _ => None,
    };
    let mut done = Vec::new();
    if before.state.is_in_flight() && before.agent != task.agent {
        if let Some(former) = &before.agent {
            agents::leave(draft, former, workflow, &task.id)?;
        }
        // The new agent takes over the task in its current state.
        if before.state != TaskState::Dispatching {
            done.push(AgentTrigger::DispatchAck);
        }
        if before.state == TaskState::Running {
            done.push(AgentTrigger::TaskExecutionStarted);
        }
    }
    done.extend(steps.iter().filter_map(step));
    match &task.agent {
        Some(agent) => agents::works(draft, agent, workflow, task, &done),
        None => Ok(()),
    }
}
