//! The tasks of a workflow as a whole: their progress and their output.

use super::Task;
use protocol::workflow::{PlanUpdated, TaskState, TaskStatus, WorkflowProgress};
use serde_json::{Map, Value, json};

/// Returns the number of tasks with this status.
fn count(states: impl IntoIterator<Item = TaskState>, status: TaskStatus) -> u64 {
    states.into_iter().filter(|state| state.simple() == status).count() as u64
}

/// Returns the progress in percent: 0 if there are no tasks.
pub fn progress(states: &[TaskState]) -> u64 {
    match states.len() as u64 {
        0 => 0,
        all => (200 * count(states.iter().copied(), TaskStatus::Completed) + all) / (2 * all),
    }
}

/// Returns the event that reports the progress of a workflow with these tasks.
pub fn workflow_progress(tasks: &[Task]) -> WorkflowProgress {
    let states: Vec<TaskState> = tasks.iter().map(|task| task.state).collect();
    let count = |status: TaskStatus| count(states.iter().copied(), status);
    let (completed_tasks, failed_tasks) = (count(TaskStatus::Completed), count(TaskStatus::Failed));
    let running = tasks.iter().filter(|task| task.state == TaskState::Running);
    let mut active_agents: Vec<String> = running.filter_map(|task| task.agent.clone()).collect();
    active_agents.sort_unstable();
    active_agents.dedup();
    WorkflowProgress {
        overall_progress: u8::try_from(progress(&states)).unwrap_or(100),
        active_agents,
        pending_tasks: tasks.len() as u64 - completed_tasks - failed_tasks,
        completed_tasks,
        failed_tasks,
        queued_tasks: Some(count(TaskStatus::Ready)),
    }
}

/// Returns the event that reports a new plan of a workflow; `round` counts its plans.
pub fn plan_updated(workflow: &str, round: i64, tasks: &[Task]) -> PlanUpdated {
    PlanUpdated {
        plan_id: format!("plan-{workflow}"),
        version: u64::try_from(round).unwrap_or_default().max(1),
        task_count: tasks.len() as u64,
        completed_count: count(tasks.iter().map(|task| task.state), TaskStatus::Completed),
    }
}

/// Takes the output of a workflow apart: the path of its main file, and the text beside it, which is missing if a client has
/// reported a file alone. An output without a path is all text.
pub fn file_and_text(output: &Value) -> (Option<&str>, Option<&Value>) {
    match output.get("path").and_then(Value::as_str) {
        Some(path) => (Some(path), output.get("output")),
        None => (None, Some(output)),
    }
}

/// Returns the output of tasks with these results, each as JSON: their files, the last of which is the main one, and the last
/// text.
pub fn output_of<'a>(results: impl IntoIterator<Item = &'a str>) -> Value {
    let results = results.into_iter().filter_map(|result| serde_json::from_str::<Value>(result).ok());
    let results: Vec<Value> = results.collect();
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
        let files: Vec<String> = files.iter().map(|file| format!("./{file}")).collect();
        object.insert("files".to_owned(), json!(files));
    }
    Value::Object(object)
}
