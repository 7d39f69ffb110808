//! Moves a task, and its agent, through the transitions of the state machine.

use super::events::{emit_progress, emit_task, emit_unknown, progressed};
use super::stored::StoredTasks;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::{agents, ids, rows};
use aide_core::task::{self, ReportEffect, Task, TaskReport};
use aide_core::{TransitionRefusal, TriggerPayload};
use journal::Workflow;
use model::workflow::{ErrorCode, Refusal, TaskState, TaskTrigger, TaskUpdate, Trigger, WorkflowState};
use serde_json::Value;

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
    let stored = StoredTasks::read(draft, &workflow.id)?;
    for task in task::newly_ready(&stored.tasks) {
        stored.put(draft, task);
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
    let Some(target) = task::target_of(trigger) else { return finish(draft, workflow, outcome) };
    let said = TaskReport {
        agent: payload.agent().map(str::to_owned),
        result: payload.result().map(Value::to_string),
        error: payload.error().map(str::to_owned),
        reason: None,
        retryable: payload.retryable(),
    };
    // Which task has begun is not known, nor whether it had before the pause.
    let is_unknown_start = workflow.state == WorkflowState::Paused && trigger == Trigger::TaskStarted;
    let stored = StoredTasks::read(draft, &workflow.id)?;
    match payload.task() {
        Some(id) if stored.tasks.is_empty() => {
            // The driver keeps its tasks to itself.
            if is_unknown_start {
                return Err(rows::transition_refused(TransitionRefusal::Invalid, trigger, workflow)
                    .with("taskId", id)
                    .into());
            }
            outcome.has_ended |= target.has_ended();
            emit_unknown(draft, workflow, trigger, id, &said, payload)?;
        }
        Some(id) => {
            let task = stored.tasks.iter().find(|task| task.id == id).ok_or_else(|| not_found(id))?;
            let is_listed = outcome.updates.iter().any(|update| update.id == id);
            let effect = task.effect_of(trigger, target, is_listed);
            match effect.ok_or_else(|| impossible(task, trigger, workflow))? {
                ReportEffect::AlreadyListed => {}
                ReportEffect::Progress => {
                    let agent = said.agent.as_deref().or(task.agent.as_deref());
                    progressed(draft, workflow, id, agent, payload)?;
                }
                ReportEffect::Advance => {
                    let task = advance(draft, workflow, task, target, trigger, &said, outcome)?;
                    stored.put(draft, task);
                    unblock(draft, workflow)?;
                }
            }
        }
        None if is_unknown_start && !payload.has_tasks() => {
            return Err(rows::transition_refused(TransitionRefusal::Invalid, trigger, workflow).into());
        }
        None => outcome.has_ended |= target.has_ended(),
    }
    finish(draft, workflow, outcome)
}

/// What follows when tasks have ended.
fn finish(draft: &mut Draft<'_>, workflow: &Workflow, outcome: &ChangeSummary) -> Result<(), Failure> {
    if outcome.has_ended {
        emit_progress(draft, workflow)?;
        draft.keep(&workflow.id);
    }
    Ok(())
}

/// Returns the task in the state `to`, to which it gets through the transitions on the way. `trigger` is the one that the client
/// has sent.
pub(super) fn advance(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    before: &Task,
    to: TaskState,
    trigger: Trigger,
    said: &TaskReport,
    outcome: &mut ChangeSummary,
) -> Result<Task, Failure> {
    let steps = before.steps_to(to, workflow.state == WorkflowState::Paused);
    let steps = steps.ok_or_else(|| impossible(before, trigger, workflow))?;
    let mut task = before.clone();
    let is_begun = task::begins_attempt(&steps);
    if is_begun {
        task.begin_attempt(ids::timed("dispatch", draft.now(), draft.world()));
    }
    task.agent = said.agent.clone().or(task.agent);
    if is_begun && task.agent.is_none() {
        task.agent = agents::best_agent(draft, workflow, &task)?;
    }
    let has_ended = task.advance(to, &steps, said, draft.now());
    hand_over(draft, workflow, before, &task, &steps)?;
    emit_task(draft, workflow, &steps, &task, said);
    if to == TaskState::ExecutionFailed {
        outcome.error = said.error.clone().or(outcome.error.take());
    }
    outcome.has_ended |= has_ended;
    outcome.updates.push(task.update());
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
    let handover = before.handover(task, steps);
    if let Some(previous) = &handover.previous {
        agents::leave(draft, previous, workflow, &task.id)?;
    }
    match &task.agent {
        Some(agent) => agents::works(draft, agent, workflow, task, &handover.triggers),
        None => Ok(()),
    }
}
