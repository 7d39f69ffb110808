//! Sessions, their messages, and resuming them.

use super::call::{Call, Reply, json};
use super::lists::{cursor_of, limited, list};
use super::{Shared, ask, remove, report};
use crate::gate::Endpoint;
use protocol::workflow::Refusal;
use protocol::workflow::api::TaskProgressEntry;
use serde_json::{Value, json};
use std::sync::Arc;
use workflow::{ListRange, NewCheckpoint, NewSession};

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    let latest = |call: &Call| json(&call.runtime().latest_checkpoint(call.name("session"))?);
    vec![
        list("/api/v1/sessions", |call, range, writer| {
            writer.write("[");
            let next = call.runtime().read_sessions(range, &mut |page| writer.page(page))?;
            writer.write("]");
            Ok(next)
        }),
        report("/api/v1/sessions", create),
        ask("/api/v1/sessions/current", |call| json(&call.runtime().current_session()?)),
        report("/api/v1/sessions/current", |call| {
            let id = call.required("sessionId", "Missing sessionId")?;
            call.runtime().enter_session(call.request(), id)
        }),
        list("/api/v1/sessions/resumable", |call, range, writer| {
            writer.write("{\"sessions\":[");
            let next = call.runtime().read_resumable(range, &mut |page| writer.page(page))?;
            writer.write("]}");
            Ok(next)
        }),
        ask("/api/v1/sessions/{session}", |call| json(&call.runtime().session(call.name("session"))?)),
        remove("/api/v1/sessions/{session}", |call| {
            call.runtime().delete_session(call.request(), call.name("session"))
        }),
        limited("/api/v1/sessions/{session}/messages", |call| {
            let range = ListRange { limit: Some(call.number("limit", 100, 1000)?), cursor: cursor_of(call) };
            let (messages, next) = call.runtime().part_of_messages(call.name("session"), &range)?;
            Ok((json(&json!({ "messages": messages }))?, next))
        }),
        report("/api/v1/sessions/{session}/messages", add_message),
        report("/api/v1/sessions/{session}/pause", |call| {
            call.runtime().pause_session(call.request(), call.name("session"))
        }),
        report("/api/v1/sessions/{session}/compress", |call| {
            call.runtime().compress_session(call.request(), call.name("session"))
        }),
        report("/api/v1/sessions/{session}/resume", |call| {
            let checkpoint = call.text("checkpointId")?;
            call.runtime().resume_session(call.request(), call.name("session"), checkpoint)
        }),
        ask("/api/v1/sessions/{session}/context", |call| {
            let id = call.name("session");
            json(&json!({ "sessionId": id, "context": call.runtime().session_context(id)? }))
        }),
        ask("/api/v1/sessions/{session}/checkpoint/latest", latest),
        // As it was called before.
        ask("/api/v1/session/{session}/checkpoint/latest", latest),
        report("/api/v1/session/resume", |call| {
            let id = call.required("sessionId", "Missing sessionId")?;
            call.runtime().resume_session(call.request(), id, call.text("checkpointId")?)
        }),
        report("/api/v1/session/checkpoint", checkpoint),
        ask("/api/v1/session/checkpoint/{checkpoint}", |call| {
            json(&call.runtime().checkpoint(call.name("checkpoint"))?)
        }),
    ]
}

/// `POST /api/v1/sessions`
fn create(call: &Call) -> Reply {
    let new = NewSession {
        name: call.text("name")?.map(str::to_owned),
        project_path: call.text("projectPath")?.map(str::to_owned),
    };
    call.runtime().create_session(call.request(), &new)
}

/// `POST /api/v1/sessions/{session}/messages`
fn add_message(call: &Call) -> Reply {
    let content = call.required("content", "Missing content")?;
    let role = call.text("role")?.unwrap_or("user");
    if !matches!(role, "user" | "assistant" | "system" | "orchestrator") {
        return Err(Refusal::invalid(format!("{role} is no role"), "role").into());
    }
    call.runtime().add_message(call.request(), call.name("session"), role, content)
}

/// `POST /api/v1/session/checkpoint`
fn checkpoint(call: &Call) -> Reply {
    const MISSING: &str = "Missing required fields";
    let progress = call.member("taskProgress").ok_or_else(|| Refusal::missing(MISSING, "taskProgress"))?;
    let Value::Array(tasks) = progress else {
        return Err(Refusal::invalid("taskProgress must be an array", "taskProgress").into());
    };
    let mut task_progress = Vec::with_capacity(tasks.len());
    for (number, task) in tasks.iter().enumerate() {
        let mut task = task.clone();
        // What need not be said.
        if let Value::Object(task) = &mut task {
            task.entry("description").or_insert_with(|| json!(""));
            task.entry("iterationCount").or_insert_with(|| json!(0));
            task.entry("maxIterations").or_insert_with(|| json!(0));
        }
        let task: TaskProgressEntry = serde_json::from_value(task)
            .map_err(|error| Refusal::invalid(format!("taskProgress[{number}]: {error}"), "taskProgress"))?;
        if !matches!(task.status.as_str(), "pending" | "in_progress" | "completed" | "failed" | "skipped") {
            let words = format!("taskProgress[{number}]: {} is no status", task.status);
            return Err(Refusal::invalid(words, "taskProgress").into());
        }
        task_progress.push(task);
    }
    let new = NewCheckpoint {
        session_id: call.required("sessionId", MISSING)?.to_owned(),
        original_task: call.required("originalTask", MISSING)?.to_owned(),
        task_progress,
        agent_states: call.object("agentStates")?,
        context: call.object("context")?,
    };
    call.runtime().create_checkpoint(call.request(), &new)
}
