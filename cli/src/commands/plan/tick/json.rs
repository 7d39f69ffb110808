//! What a pass has come to, for programs.

use agent::plan::{Happened, Tick};
use model::agent::Id;
use serde_json::{Value, json};
use texts::{Explain, Lang};

/// All of it, with what went wrong worded in `lang`.
pub(super) fn of(tick: &Tick, lang: Lang) -> Value {
    let happened = tick.happened.iter().map(|(plan, happened)| event(plan, happened));
    let plans = tick.standing.iter().map(|(plan, standing)| {
        json!({
            "plan_id": plan,
            "is_over": standing.is_over(),
            "has_succeeded": standing.has_succeeded(),
        })
    });
    let paused = tick.paused.iter().map(|(plan, code)| json!({ "plan_id": plan, "code": code.name() }));
    let trouble = tick
        .trouble
        .iter()
        .map(|(plan, error)| json!({ "plan_id": plan, "message": error.explain(lang).what }));
    json!({
        "happened": happened.collect::<Vec<_>>(),
        "plans": plans.collect::<Vec<_>>(),
        "paused": paused.collect::<Vec<_>>(),
        "trouble": trouble.collect::<Vec<_>>(),
    })
}

fn event(plan: &Id, happened: &Happened) -> Value {
    let (event, mut members) = match happened {
        Happened::Delivered { message_id, task_id, output_name, from, to } => (
            "delivered",
            json!({
                "message_id": message_id, "task_id": task_id, "output_name": output_name,
                "from_agent_id": from, "to_agent_id": to,
            }),
        ),
        Happened::GivenUp { code, from, file_name, detail } => (
            "given_up",
            json!({
                "code": code.name(), "from_agent_id": from, "file_name": file_name, "message": detail,
            }),
        ),
        Happened::Issued { task_id, command_id, reexecutions } => (
            "issued",
            json!({ "task_id": task_id, "command_id": command_id, "reexecute_count": reexecutions }),
        ),
        Happened::Asked { request_id, task_id } => {
            ("asked", json!({ "request_id": request_id, "task_id": task_id }))
        }
        Happened::Answered { request_id } => ("answered", json!({ "request_id": request_id })),
        Happened::ReplanRequested { request_id } => ("replan_requested", json!({ "request_id": request_id })),
        Happened::Released { is_approved } => {
            ("released", json!({ "decision": if *is_approved { "APPROVE" } else { "REJECT" } }))
        }
        Happened::Alerted { code, message } => {
            ("alerted", json!({ "code": code.name(), "message": message }))
        }
    };
    members["plan_id"] = json!(plan);
    members["event"] = json!(event);
    members
}
