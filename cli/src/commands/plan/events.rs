//! What happens to plans, for programs: an object for each event, which begins with what it is and which plan it is about.

use agent::gateway::{GatewayEvent, RequestOutcome};
use agent::plan::PlanEvent;
use protocol::agent::{Code, Id};
use serde_json::{Map, Value, json};

/// What a pass has done.
pub(super) fn happened(plan: &Id, happened: &PlanEvent) -> Value {
    match happened {
        PlanEvent::Delivered { message_id, task_id, output_name, from, to } => event(
            "delivered",
            plan,
            json!({
                "message_id": message_id, "task_id": task_id, "output_name": output_name,
                "from_agent_id": from, "to_agent_id": to,
            }),
        ),
        PlanEvent::GivenUp { code, from, file_name, detail } => event(
            "given_up",
            plan,
            json!({
                "code": code.name(), "from_agent_id": from, "file_name": file_name, "message": detail,
            }),
        ),
        PlanEvent::Issued { task_id, command_id, reexecutions } => event(
            "issued",
            plan,
            json!({ "task_id": task_id, "command_id": command_id, "reexecute_count": reexecutions }),
        ),
        PlanEvent::Asked { request_id, task_id } => {
            event("asked", plan, json!({ "request_id": request_id, "task_id": task_id }))
        }
        PlanEvent::Answered { request_id } => event("answered", plan, json!({ "request_id": request_id })),
        PlanEvent::Withdrawn { request_id, task_id } => {
            event("withdrawn", plan, json!({ "request_id": request_id, "task_id": task_id }))
        }
        PlanEvent::ReplanRequested { request_id } => {
            event("replan_requested", plan, json!({ "request_id": request_id }))
        }
        PlanEvent::Released { is_approved } => {
            event("released", plan, json!({ "decision": if *is_approved { "APPROVE" } else { "REJECT" } }))
        }
        PlanEvent::Alerted { code, message } => {
            event("alerted", plan, json!({ "code": code.name(), "message": message }))
        }
    }
}

/// What has become of a request to a person.
pub(super) fn person(done: &GatewayEvent) -> Value {
    let GatewayEvent { plan_id, request_id, what } = done;
    let (name, mut members) = match what {
        RequestOutcome::Asked(session) => ("questions_opened", json!({ "session_id": session })),
        RequestOutcome::Answered => ("questions_answered", json!({})),
        RequestOutcome::AnsweredElsewhere => ("questions_closed", json!({})),
        RequestOutcome::Withdrawn => ("questions_withdrawn", json!({})),
        RequestOutcome::Expired => ("questions_expired", json!({})),
        RequestOutcome::Refused(why) => ("request_refused", json!({ "error": why })),
    };
    members["request_id"] = json!(request_id);
    event(name, plan_id, members)
}

/// That the documents of a plan keep it from going on.
pub(super) fn paused(plan: &Id, code: Code) -> Value {
    event("paused", plan, json!({ "code": code.name() }))
}

/// That nothing but the decision about its release is left.
pub(super) fn release_pending(plan: &Id) -> Value {
    event("release_pending", plan, json!({}))
}

fn event(name: &str, plan: &Id, members: Value) -> Value {
    let mut event = Map::new();
    event.insert("event".to_owned(), name.into());
    event.insert("plan_id".to_owned(), json!(plan));
    if let Value::Object(members) = members {
        event.extend(members);
    }
    event.into()
}
