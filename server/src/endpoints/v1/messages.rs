//! Messages to modules.

use super::call::{Call, Reply, json, refusal_of, respond};
use super::lists::{cursor_of, limited};
use super::{Shared, ask, known, report};
use crate::WriteError;
use crate::answer::refusal_response;
use crate::feed::Subject;
use crate::gate::Endpoint;
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use protocol::workflow::api::{MailboxMessage, MessageAccepted};
use protocol::workflow::{ErrorCode, MailStatus, Refusal};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use texts::Lang;
use workflow::{Failure, ListRange, NewMessage};

/// How long a blocking request waits for the end of a workflow.
const RESULT_TIMEOUT: Duration = Duration::from_secs(600);

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        Endpoint::report("/api/v1/message", message).waiting(),
        limited("/api/v1/mailbox", mailbox),
        report("/api/v1/mailbox/clear", clear),
        ask("/api/v1/mailbox/{message}", |call| json(&call.runtime().mail_by_id(call.name("message"))?)),
        ask("/api/v1/mailbox/callback/{callback}", |call| {
            json(&call.runtime().mail_by_callback(call.name("callback"))?)
        }),
        ask("/api/v1/modules", |call| json(&call.runtime().modules()?)),
        known("/api/v1/routes", |_| json(&json!({ "routes": [] }))),
    ]
}

/// `POST /api/v1/message`
async fn message(call: Call) -> Response {
    let new = match new_message(&call) {
        Ok(new) => new,
        Err(refusal) => return refusal_response(&refusal),
    };
    let wants_to_wait = match call.flag("blocking") {
        Ok(wants_to_wait) => wants_to_wait,
        Err(refusal) => return refusal_response(&refusal),
    };
    let call = Arc::new(call);
    let sent = send(Arc::clone(&call), new).await;
    match sent {
        Err(failure) => failed(refusal_of(failure)),
        Ok(body) if wants_to_wait => wait(&call, &body).await,
        Ok(body) => respond(Ok(body)),
    }
}

fn new_message(call: &Call) -> Result<NewMessage, Refusal> {
    const MISSING: &str = "Missing target or message";
    let message = call.anything("message").ok_or_else(|| Refusal::missing(MISSING, "message"));
    Ok(NewMessage {
        target: call.required("target", MISSING)?.to_owned(),
        message: message?.clone(),
        sender: call.text("sender")?.map(str::to_owned),
        is_awaited: call.flag("blocking")?,
        callback_id: call.text("callbackId")?.map(str::to_owned),
    })
}

/// Takes the message, as every request that writes does.
pub(super) async fn send(call: Arc<Call>, new: NewMessage) -> Reply {
    let in_flight = call.in_flight.clone();
    let taken = in_flight.write("a message", move || call.runtime().send(call.request(), &new)).await;
    match taken {
        Ok(taken) => taken,
        Err(WriteError::Late) => {
            let words = Lang::En.page().http_busy_detail;
            Err(Refusal::new(ErrorCode::Unavailable, words).into())
        }
        Err(WriteError::Lost) => Err(Failure::Lost),
    }
}

/// A message that no module takes has failed, whether awaited or not.
fn failed(refusal: Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut body = json!(refusal);
    if refusal.code == ErrorCode::ModuleNotFound {
        body["status"] = json!("failed");
    }
    (status, Json(body)).into_response()
}

/// Waits until the message has been processed. It was accepted already, and is not accepted again.
async fn wait(call: &Call, accepted: &str) -> Response {
    let accepted: Value = serde_json::from_str(accepted).unwrap_or_default();
    let id = accepted["messageId"].as_str().unwrap_or_default();
    match end_of(call, id, accepted["workflowId"].as_str()).await {
        Ok(mail) => ended(&mail),
        Err(refusal) => refusal_response(&refusal),
    }
}

/// Waits until the message with this id has been processed, which has begun this workflow.
pub(super) async fn end_of(call: &Call, id: &str, workflow: Option<&str>) -> Result<MailboxMessage, Refusal> {
    let Some(hold) = call.in_flight.hold() else {
        let refusal = Refusal::new(ErrorCode::Unavailable, "Too many requests wait already");
        return Err(refusal.with("messageId", id));
    };
    let name = id.to_owned();
    let look = move |runtime: &workflow::Runtime| {
        let mail = runtime.mail_by_id(&name)?;
        Ok(matches!(mail.status.as_str(), "completed" | "failed").then_some(mail))
    };
    // A message that has begun none ends by whatever may happen.
    let subject = workflow.map_or(Subject::Everything, |workflow| Subject::Workflow(workflow.to_owned()));
    let found = call.wait(subject, RESULT_TIMEOUT, look).await;
    drop(hold);
    match found {
        Ok(Some(mail)) => Ok(mail),
        Ok(None) if call.in_flight.is_ending() => {
            let refusal = Refusal::new(ErrorCode::Unavailable, "The daemon ends; the message stays accepted");
            Err(refusal.with("messageId", id))
        }
        Ok(None) => {
            let refusal = Refusal::new(ErrorCode::Timeout, "Message has not come to its end in time");
            Err(refusal.with("messageId", id))
        }
        Err(failure) => Err(refusal_of(failure)),
    }
}

fn ended(mail: &MailboxMessage) -> Response {
    if mail.status == "completed" {
        let answer = MessageAccepted {
            success: true,
            message_id: mail.id.clone(),
            status: mail.status.clone(),
            queued: false,
            workflow_id: mail.workflow_id.clone(),
            session_id: None,
            result: Some(mail.result.clone().unwrap_or_default()),
            unattended: None,
        };
        return Json(answer).into_response();
    }
    let mut body = json!({ "messageId": mail.id, "status": mail.status });
    if let Some(workflow) = &mail.workflow_id {
        body["workflowId"] = json!(workflow);
    }
    let refusal = Refusal::new(ErrorCode::AgentFailed, mail.error.clone().unwrap_or_default());
    body["error"] = json!(refusal.error);
    body["code"] = json!(refusal.code);
    body["details"] = json!({});
    // As ever: what was asked for cannot be had.
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// `GET /api/v1/mailbox`
fn mailbox(call: &Call) -> Result<(String, Option<String>), Failure> {
    let status = call.query("status").map(status).transpose()?;
    let range = ListRange { limit: Some(call.number("limit", 10, 1000)?), cursor: cursor_of(call) };
    let (messages, next) = call.runtime().part_of_mail(call.query("target"), status, &range)?;
    Ok((json(&json!({ "messages": messages }))?, next))
}

fn status(name: &str) -> Result<MailStatus, Refusal> {
    MailStatus::named(name).ok_or_else(|| Refusal::invalid(format!("{name} is no status"), "status"))
}

/// `POST /api/v1/mailbox/clear`
fn clear(call: &Call) -> Reply {
    let status = call.text("status")?.map(status).transpose()?;
    call.runtime().clear_mail(call.request(), call.text("target")?, status)
}
