//! Workflows, and what happens to them.

use super::call::{Call, Reply, json};
use super::lists::{limited, list, range_of};
use super::{Shared, ask, remove, report};
use crate::gate::Endpoint;
use protocol::workflow::{ErrorCode, Refusal, Trigger};
use serde_json::Value;
use std::sync::Arc;
use workflow::{StateFilter, Transition, WorkflowFilter};

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        report("/api/v1/workflow/input", input),
        report("/api/v1/workflow/pause", |call| {
            let id = call.required("workflowId", "Missing workflowId")?;
            call.runtime().pause(call.request(), id, call.flag("hard")?)
        }),
        report("/api/v1/workflow/resume", |call| {
            call.runtime().resume(call.request(), call.required("workflowId", "Missing workflowId")?)
        }),
        report("/api/v1/workflow/cancel", |call| {
            call.runtime().cancel(call.request(), call.required("workflowId", "Missing workflowId")?)
        }),
        report("/api/v1/workflow/{workflow}/transition", transition),
        list("/api/v1/workflows", |call, range, writer| {
            let sought = sought(call)?;
            writer.write("[");
            let next = call.runtime().read_workflows(&sought, range, &mut |page| writer.page(page))?;
            writer.write("]");
            Ok(next)
        }),
        list("/api/v1/workflows/state", |call, range, writer| {
            writer.write("{\"snapshots\":[");
            let next = call.runtime().read_states(range, &mut |page| writer.page(page))?;
            writer.write("]}");
            Ok(next)
        }),
        ask("/api/v1/workflows/{workflow}", |call| json(&call.runtime().workflow(call.name("workflow"))?)),
        remove("/api/v1/workflows/{workflow}", |call| {
            call.runtime().delete_workflow(call.request(), call.name("workflow"))
        }),
        report("/api/v1/workflows/{workflow}/cancel", |call| {
            call.runtime().cancel(call.request(), call.name("workflow"))
        }),
        ask("/api/v1/workflows/{workflow}/state", |call| json(&call.runtime().state(call.name("workflow"))?)),
        limited("/api/v1/workflows/{workflow}/tasks", |call| {
            let (tasks, next) = call.runtime().part_of_tasks(call.name("workflow"), &range_of(call)?)?;
            Ok((json(&tasks)?, next))
        }),
        ask("/api/v1/workflows/{workflow}/output", |call| {
            json(&call.runtime().output(call.name("workflow"))?)
        }),
    ]
}

/// Which workflows `GET /api/v1/workflows` is asked for.
fn sought(call: &Call) -> Result<WorkflowFilter, Refusal> {
    let state = call.query("state").map(|name| {
        StateFilter::named(name).ok_or_else(|| {
            let refusal = Refusal::invalid(format!("Unknown state: {name}"), "state");
            refusal.with("states", StateFilter::names().collect::<Vec<_>>())
        })
    });
    let text = |name| call.query(name).map(str::to_owned);
    Ok(WorkflowFilter { state: state.transpose()?, project: text("project"), text: text("search") })
}

/// `POST /api/v1/workflow/input`
fn input(call: &Call) -> Reply {
    const MISSING: &str = "Missing workflowId or input";
    let id = call.required("workflowId", MISSING)?;
    let input = match call.member("input").ok_or_else(|| Refusal::missing(MISSING, "input"))? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    call.runtime().input(call.request(), id, &input)
}

/// `POST /api/v1/workflow/{workflow}/transition`
fn transition(call: &Call) -> Reply {
    let name = call.required("trigger", "Missing trigger")?;
    let trigger = Trigger::named(name).ok_or_else(|| {
        let refusal = Refusal::new(ErrorCode::InvalidTrigger, format!("Unknown trigger: {name}"));
        refusal.with("field", "trigger").with("triggers", Trigger::NAMES)
    })?;
    let context = call.object("context")?;
    call.runtime().transition(call.request(), call.name("workflow"), &Transition { trigger, context })
}
