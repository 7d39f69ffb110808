//! The tasks of a workflow.

mod advance;
mod attempts;
mod events;
mod list;

pub(crate) use advance::happen;
pub(crate) use attempts::{
    accept, dispatch, interrupt, is_undeliverable, reject, restore, retry, retry_failed, undelivered,
};
pub(crate) use events::{emit_plan, progress};
pub(crate) use list::{bring, check_brought, take};

use crate::draft::iso;
use crate::rows;
use aide_core::Context;
use journal::{Task, Workflow};
use model::workflow::api::{Assignment, TaskNode};
use model::workflow::requests::ORCHESTRATOR;
use model::workflow::{TaskState, TaskStatus};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// A task of which only the id is known.
pub(crate) fn blank(workflow: &Workflow, id: &str) -> Task {
    Task {
        workflow: workflow.id.clone(),
        id: id.to_owned(),
        no: 0,
        description: String::new(),
        kind: "executor".to_owned(),
        state: TaskState::Created,
        needs: "[]".to_owned(),
        capabilities: "[]".to_owned(),
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
        version: 0,
    }
}

/// Whether all that a task needs is done, among these.
pub(crate) fn has_all(task: &Task, tasks: &[Task]) -> bool {
    let done = tasks.iter().filter(|task| task.state.simple() == TaskStatus::Completed);
    let done: HashSet<&str> = done.map(|task| &*task.id).collect();
    rows::names(&task.needs).iter().all(|id| done.contains(id.as_str()))
}

/// The output of the tasks: their files, the last of which is the main one, and the last text.
pub(crate) fn output_of(tasks: &[Task]) -> Value {
    let results: Vec<Value> =
        tasks.iter().filter_map(|task| serde_json::from_str(task.result.as_deref()?).ok()).collect();
    let mut files: Vec<String> = Vec::new();
    for result in &results {
        for file in result["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            files.retain(|known| known != file);
            files.push(file.to_owned());
        }
    }
    let output = results.last().map(|result| result["output"].clone()).unwrap_or_default();
    let mut object = Map::new();
    object.insert("output".to_owned(), output);
    if let Some(last) = files.last() {
        object.insert("path".to_owned(), json!(format!("./{last}")));
        object.insert(
            "files".to_owned(),
            json!(files.iter().map(|file| format!("./{file}")).collect::<Vec<_>>()),
        );
    }
    Value::Object(object)
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
