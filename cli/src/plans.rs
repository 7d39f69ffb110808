//! How a task of a plan is shown.

use crate::messages::PlanMessage;
use crate::output::Tone;
use model::agent::{State, TaskStatus};
use serde_json::Value;

/// A line about a task, with its tone.
pub(crate) fn task_line(task: &TaskStatus, score: Option<String>) -> (Tone, PlanMessage) {
    let tone = match task.state {
        State::Completed => Tone::Ok,
        State::Failed => Tone::Failure,
        _ => Tone::Warning,
    };
    let line = PlanMessage::Task {
        task: task.task_id.to_string(),
        state: task.state,
        agent: task.assigned_agent_id.to_string(),
        again: task.attempts.reexecute_count,
        waits_for: waits_for(task),
        score,
    };
    (tone, line)
}

/// What a task waits for, by name, or else why it waits.
fn waits_for(task: &TaskStatus) -> Option<String> {
    let blocking = task.blocking.as_ref().filter(|_| !task.state.is_terminal())?;
    let name = |value: &Value| match value {
        Value::String(name) => Some(name.clone()),
        value => value.get("name").and_then(Value::as_str).map(str::to_owned),
    };
    let list = |key: &str| blocking.get(key).and_then(Value::as_array);
    let names: Vec<String> =
        list("missing").or_else(|| list("tasks")).into_iter().flatten().filter_map(name).collect();
    if names.is_empty() {
        return blocking.get("reason").and_then(Value::as_str).map(str::to_owned);
    }
    Some(names.join(", "))
}
