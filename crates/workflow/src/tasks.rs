//! The tasks of a workflow.

use crate::aggregate::{change, change_reported};
use crate::draft::{Draft, iso};
use crate::failure::Failure;
use crate::rows;
use aide_core::decide::tasks::{self, ChangeSummary, TakenList};
use aide_core::task::TaskInput;
use aide_core::{Context, TriggerPayload, task};
use journal::{Task, Workflow};
use model::workflow::api::{Assignment, TaskNode, TaskProgressEntry};
use model::workflow::requests::ORCHESTRATOR;
use model::workflow::{TaskTrigger, Trigger};
use serde_json::Value;
use std::collections::HashMap;

pub(crate) fn take(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    payload: &TriggerPayload,
) -> Result<TakenList, Failure> {
    change(draft, workflow, |scratch| tasks::take_list(scratch, trigger, payload))
}

pub(crate) fn bring(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    taken: TakenList,
) -> Result<ChangeSummary, Failure> {
    change(draft, workflow, |scratch| tasks::advance_list(scratch, trigger, taken))
}

pub(crate) fn happen(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    payload: &TriggerPayload,
    summary: &mut ChangeSummary,
) -> Result<(), Failure> {
    let reported = payload.task_without_round();
    change_reported(draft, workflow, reported, |scratch| {
        tasks::advance_reported(scratch, trigger, payload, summary)
    })
}

pub(crate) fn emit_plan(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::publish_plan(scratch);
        Ok(())
    })
}

pub(crate) fn accept(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::accept(scratch);
        Ok(())
    })
}

pub(crate) fn reject(draft: &mut Draft<'_>, workflow: &Workflow, context: &Context) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::reject(scratch, context);
        Ok(())
    })
}

pub(crate) fn retry_failed(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::retry_failed(scratch);
        Ok(())
    })
}

pub(crate) fn retry(draft: &mut Draft<'_>, workflow: &Workflow, id: &str) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::retry(scratch, id);
        Ok(())
    })
}

pub(crate) fn dispatch(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    agent: &str,
) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::dispatch(scratch, id, agent);
        Ok(())
    })
}

pub(crate) fn undelivered(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    why: TaskTrigger,
    words: &str,
) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::take_back_unaccepted(scratch, id, why, words);
        Ok(())
    })
}

/// What an agent has is taken from it. Returns whether any had something.
pub(crate) fn interrupt(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<bool, Failure> {
    change(draft, workflow, |scratch| Ok(tasks::interrupt(scratch)))
}

pub(crate) fn restore(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    then: &[TaskProgressEntry],
) -> Result<(), Failure> {
    change(draft, workflow, |scratch| {
        tasks::restore(scratch, then);
        Ok(())
    })
}

/// Checks a task that a client or an agent has sent.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_brought(task: &Value) -> Result<(), String> {
    TaskInput::read(task).map(drop)
}

/// The output of the tasks: their files, the last of which is the main one, and the last text.
pub(crate) fn output_of(tasks: &[Task]) -> Value {
    task::output_of(tasks.iter().filter_map(|task| task.result.as_deref()))
}

/// The progress in percent: 0 if there are no tasks.
pub(crate) fn progress(tasks: &[Task]) -> u64 {
    let states: Vec<_> = tasks.iter().map(|task| task.state).collect();
    task::progress(&states)
}

/// Tasks as the API lists them.
pub(crate) fn nodes(tasks: &[Task]) -> Vec<TaskNode> {
    let mut dependents: HashMap<String, Vec<String>> = HashMap::new();
    for task in tasks {
        for needed in rows::names(&task.needs) {
            dependents.entry(needed).or_default().push(task.id.clone());
        }
    }
    let mut node = |task: &Task| TaskNode {
        id: task.id.clone(),
        description: task.description.clone(),
        kind: task.kind.clone(),
        status: task.state.status(),
        fsm_state: task.state,
        dependencies: rows::names(&task.needs),
        dependents: dependents.remove(&task.id).unwrap_or_default(),
        required_capabilities: rows::names(&task.capabilities),
        min_level: task.min_level.and_then(|level| u64::try_from(level).ok()),
        assignee: task.agent.clone(),
        estimated_duration: task.estimate.and_then(|estimate| u64::try_from(estimate).ok()),
        deadline: task.due.map(iso),
        started_at: task.started.map(iso),
        completed_at: task.finished.map(iso),
        result: task.result.as_deref().and_then(|result| serde_json::from_str(result).ok()),
        error: task.error.clone(),
        assignment: None,
    };
    tasks.iter().map(&mut node).collect()
}

/// The same, each with who has given it to whom (contract/workflows §6.5).
pub(crate) fn assigned(workflow: &Workflow, tasks: &[Task]) -> Vec<TaskNode> {
    let context = Context::read(&workflow.context);
    let assigner = context.planned_by().unwrap_or(ORCHESTRATOR);
    let assignment = |task: &Task| {
        let was_tried = task.attempt > 0 || task.rejections > 0;
        Some(Assignment {
            epic_id: workflow.id.clone(),
            task_id: task.id.clone(),
            assigner_agent_id: assigner.to_owned(),
            assignee_agent_id: task.agent.clone(),
            phase: task.state.assignment(was_tried, workflow.state.is_terminal())?,
            attempt: u64::try_from(task.attempt).unwrap_or_default(),
        })
    };
    let nodes = nodes(tasks).into_iter().zip(tasks);
    nodes.map(|(node, task)| TaskNode { assignment: assignment(task), ..node }).collect()
}
