//! What a person is asked.

use super::call::{Call, Reply, json, not_read, refusal_of, respond};
use super::lists::{ListWriter, list};
use super::{Shared, report};
use crate::answer::refusal_response;
use crate::feed::Subject;
use crate::gate::Endpoint;
use axum::response::Response;
use model::Via;
use protocol::workflow::{DecisionStatus, ErrorCode, Refusal};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use workflow::{Failure, ListRange, NewDecision};

/// Maximum wait for a decision, in seconds.
const MAX_WAIT: u32 = 300;

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        list("/api/v1/decision", read),
        report("/api/v1/decision", create),
        Endpoint::ask("/api/v1/decision/{decision}", one).waiting(),
        report("/api/v1/decision/{decision}/respond", respond_to),
    ]
}

/// `GET /api/v1/decision`
fn read(call: &Call, range: &ListRange, writer: &mut ListWriter) -> Result<Option<String>, Failure> {
    let status = call.query("status").map(|name| {
        DecisionStatus::named(name).ok_or_else(|| Refusal::invalid(format!("{name} is no status"), "status"))
    });
    let (workflow, status) = (call.query("workflowId"), status.transpose()?);
    writer.write("{\"decisions\":[");
    let next = call.runtime().read_decisions(workflow, status, range, &mut |page| writer.page(page))?;
    writer.write("]}");
    Ok(next)
}

/// `POST /api/v1/decision`
fn create(call: &Call) -> Reply {
    let owned = |name: &str| Ok::<_, Refusal>(call.text(name)?.map(str::to_owned));
    let multi_select = match call.member("multiSelect") {
        None => None,
        Some(_) => Some(call.flag("multiSelect")?),
    };
    let timeout_ms = call.member("timeoutMs").map(|value| {
        value.as_i64().ok_or_else(|| Refusal::invalid("timeoutMs must be a whole number", "timeoutMs"))
    });
    let new = NewDecision {
        workflow_id: owned("workflowId")?,
        session_id: owned("sessionId")?,
        task_id: owned("taskId")?,
        agent_id: owned("agentId")?,
        message: call.required("message", "Missing message")?.to_owned(),
        options: call.texts("options")?,
        default: owned("default")?,
        multi_select,
        allow_other: false,
        timeout_ms: timeout_ms.transpose()?,
        context: owned("context")?,
    };
    call.runtime().create_decision(call.request(), &new)
}

/// `POST /api/v1/decision/{decision}/respond`
fn respond_to(call: &Call) -> Reply {
    let response = match call.member("response") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => return Err(Refusal::invalid("response must be a string", "response").into()),
        None => return Err(Refusal::missing("Missing response", "response").into()),
    };
    let via = match call.text("via")? {
        None => Via::Api,
        Some(name) if name == Via::Api.name() => Via::Api,
        Some(name) if name == Via::Terminal.name() => Via::Terminal,
        Some(_) => return Err(Refusal::invalid("via must be api or terminal", "via").into()),
    };
    call.runtime().respond_via(call.request(), call.name("decision"), &response, via)
}

/// `GET /api/v1/decision/{decision}`, with `?wait=S`: once it has ended, or after so many seconds.
async fn one(call: Call) -> Response {
    let wait = match call.query("wait") {
        None => 0,
        Some(_) => match call.number("wait", 1, MAX_WAIT) {
            Ok(seconds) => seconds,
            Err(refusal) => return refusal_response(&refusal),
        },
    };
    let id = call.name("decision").to_owned();
    let hold = if wait > 0 { call.in_flight.hold() } else { None };
    if wait > 0 && hold.is_none() {
        let refusal = Refusal::new(ErrorCode::Unavailable, "Too many requests wait already");
        return refusal_response(&refusal);
    }
    let name = id.clone();
    let ended = move |runtime: &workflow::Runtime| {
        let decision = runtime.decision(&name)?;
        Ok((decision.status != DecisionStatus::Pending.name()).then_some(decision))
    };
    let found = call.wait(Subject::Decision(id.clone()), Duration::from_secs(wait.into()), ended).await;
    drop(hold);
    match found {
        Ok(Some(decision)) => respond(json(&decision)),
        // Still pending: as it is.
        Ok(None) => {
            let runtime = Arc::clone(&call.api.runtime);
            let read = call.reads.run("a decision", move || runtime.decision(&id)).await;
            respond(read.map_err(not_read).and_then(|read| read).and_then(|decision| json(&decision)))
        }
        Err(failure) => refusal_response(&refusal_of(failure)),
    }
}
