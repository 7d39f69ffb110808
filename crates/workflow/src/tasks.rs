//! The tasks of a workflow.

use crate::draft::iso;
use crate::rows;
use aide_core::Context;
use aide_core::task::{self, TaskInput};
use journal::{Task, Workflow};
use protocol::workflow::api::{Assignment, TaskNode};
use protocol::workflow::requests::ORCHESTRATOR;
use serde_json::Value;
use std::collections::HashMap;

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
