//! The events of tasks, and their progress.

use super::advance::TaskReport;
use super::blank;
use crate::agents;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use aide_core::{ProgressStep, TriggerPayload};
use journal::{Task, Workflow};
use model::workflow::{
    AgentStep, AgentStepCompleted, PlanUpdated, TaskBlocked, TaskCompleted, TaskFailed, TaskProgress,
    TaskStarted, TaskState, TaskStatus, TaskTrigger, Trigger, WorkflowProgress,
};

/// Tells what has happened to a task.
pub(super) fn emit_task(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    steps: &[TaskTrigger],
    task: &Task,
    said: &TaskReport,
) {
    let agent_id = task.agent.clone();
    let about =
        EventScope { task: Some(&task.id), agent: task.agent.as_deref(), ..EventScope::workflow(workflow) };
    let task_id = task.id.clone();
    match task.state {
        TaskState::Running if !steps.is_empty() => {
            draft.emit(about, TaskStarted { task_id, agent_id, description: task.description.clone() });
        }
        TaskState::Blocked if !steps.is_empty() => {
            let reason = said.reason.clone().or_else(|| said.error.clone());
            let reason = reason.unwrap_or_else(|| "No agent qualifies".to_owned());
            let told = TaskBlocked { task_id, reason, estimated_start_time: None, benefit_score: None };
            draft.emit(about, told);
        }
        _ if steps.contains(&TaskTrigger::TaskExecutionResultSuccess) => {
            let duration =
                task.finished.zip(task.started).and_then(|(end, start)| u64::try_from(end - start).ok());
            let result = task.result.as_deref().and_then(|result| serde_json::from_str(result).ok());
            draft.emit(about, TaskCompleted { task_id, agent_id, result, duration });
        }
        _ if steps.contains(&TaskTrigger::TaskExecutionResultFailure) => {
            let error = task.error.clone().unwrap_or_default();
            draft.emit(about, TaskFailed { task_id, agent_id, error, retryable: said.retryable });
        }
        _ => {}
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
        ..blank(workflow, id)
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

fn count(tasks: &[Task], status: TaskStatus) -> u64 {
    tasks.iter().filter(|task| task.state.simple() == status).count() as u64
}

/// The progress in percent: 0 if there are no tasks.
pub(crate) fn progress(tasks: &[Task]) -> u64 {
    match tasks.len() as u64 {
        0 => 0,
        all => (200 * count(tasks, TaskStatus::Completed) + all) / (2 * all),
    }
}

pub(super) fn emit_progress(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let (completed, failed) = (count(&tasks, TaskStatus::Completed), count(&tasks, TaskStatus::Failed));
    let mut active: Vec<String> = tasks
        .iter()
        .filter(|task| task.state == TaskState::Running)
        .filter_map(|task| task.agent.clone())
        .collect();
    active.sort_unstable();
    active.dedup();
    let told = WorkflowProgress {
        overall_progress: u8::try_from(progress(&tasks)).unwrap_or(100),
        active_agents: active,
        pending_tasks: tasks.len() as u64 - completed - failed,
        completed_tasks: completed,
        failed_tasks: failed,
        queued_tasks: Some(count(&tasks, TaskStatus::Ready)),
    };
    draft.emit(EventScope::workflow(workflow), told);
    Ok(())
}

pub(crate) fn emit_plan(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let told = PlanUpdated {
        plan_id: format!("plan-{}", workflow.id),
        version: u64::try_from(workflow.round).unwrap_or_default().max(1),
        task_count: tasks.len() as u64,
        completed_count: count(&tasks, TaskStatus::Completed),
    };
    draft.emit(EventScope::workflow(workflow), told);
    Ok(())
}
