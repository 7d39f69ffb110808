//! The events of tasks, and their progress.

use super::stored::StoredTasks;
use crate::agents;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use aide_core::task::{self, Task, TaskReport};
use aide_core::{ProgressStep, TriggerPayload};
use journal::Workflow;
use model::workflow::{AgentStep, AgentStepCompleted, TaskProgress, TaskState, TaskTrigger, Trigger};

/// Tells what has happened to a task.
pub(super) fn emit_task(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    steps: &[TaskTrigger],
    task: &Task,
    said: &TaskReport,
) {
    let about =
        EventScope { task: Some(&task.id), agent: task.agent.as_deref(), ..EventScope::workflow(workflow) };
    if let Some(event) = task.event_of(steps, said) {
        draft.emit(about, event);
    }
}

/// The same for a task of which nothing else is known.
pub(super) fn emit_unknown(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    id: &str,
    said: &TaskReport,
    payload: &TriggerPayload,
) -> Result<(), Failure> {
    let task = Task {
        description: payload.description().unwrap_or_default().to_owned(),
        agent: said.agent.clone(),
        result: said.result.clone(),
        error: said.error.clone(),
        ..Task::new(id)
    };
    let (state, steps) = match trigger {
        Trigger::TaskProgress => return progressed(draft, workflow, id, said.agent.as_deref(), payload),
        Trigger::TaskStarted => (TaskState::Running, TaskTrigger::TaskExecutionStarted),
        Trigger::TaskCompleted => (TaskState::ExecutionSucceeded, TaskTrigger::TaskExecutionResultSuccess),
        Trigger::TaskFailed => (TaskState::ExecutionFailed, TaskTrigger::TaskExecutionResultFailure),
        _ => return Ok(()),
    };
    emit_task(draft, workflow, &[steps], &Task { state, ..task }, said);
    Ok(())
}

/// Emits the progress of a task, and the step of its agent if the client has sent a thought, action or observation.
pub(super) fn progressed(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    agent: Option<&str>,
    payload: &TriggerPayload,
) -> Result<(), Failure> {
    let about = EventScope { task: Some(id), agent, ..EventScope::workflow(workflow) };
    if let Some(step) = payload.step() {
        let ProgressStep { thought, action, observation, round, params, success } = step;
        let round = match round {
            Some(round) => round,
            None => 1 + draft.last_step(&workflow.id, id)?,
        };
        let step = AgentStep {
            thought: thought.clone(),
            action: action.clone(),
            observation: observation.clone(),
            round: Some(round),
            params,
            success: Some(success),
        };
        if let Some(agent) = agent {
            agents::steps(draft, agent, workflow, id, step)?;
        }
        let agent_id = agent.map(str::to_owned);
        draft.emit(about, AgentStepCompleted { agent_id, round, thought, action, observation, success });
    }
    let message = payload.message().map(str::to_owned);
    draft.emit(about, TaskProgress { task_id: id.to_owned(), progress: payload.progress(), message });
    Ok(())
}

/// Reports how far a workflow has come that has tasks.
pub(super) fn emit_progress(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = StoredTasks::read(draft, &workflow.id)?.tasks;
    if !tasks.is_empty() {
        draft.emit(EventScope::workflow(workflow), task::workflow_progress(&tasks));
    }
    Ok(())
}

pub(crate) fn emit_plan(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = StoredTasks::read(draft, &workflow.id)?.tasks;
    let told = task::plan_updated(&workflow.id, workflow.round, &tasks);
    draft.emit(EventScope::workflow(workflow), told);
    Ok(())
}
