//! One phase alone, or a whole workflow, with one request (contract/workflows §3.8).

use super::Shared;
use super::call::{Call, Reply, json, refusal_of, respond};
use super::messages::{end_of, send};
use crate::answer::refusal_response;
use crate::gate::Endpoint;
use axum::response::Response;
use protocol::workflow::api::{MailboxMessage, MessageAccepted, StageAnswer};
use protocol::workflow::requests::ORCHESTRATOR;
use protocol::workflow::{ErrorCode, Refusal, SingleStage};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use workflow::NewMessage;

/// What a request asks for.
#[derive(Clone, Copy)]
enum RequestKind {
    Stage(SingleStage),
    Workflow,
}

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    let endpoint = |path, wanted| {
        let handler = move |call: Call| async move { begin(call, wanted).await };
        Endpoint::report(path, handler).waiting()
    };
    vec![
        endpoint("/api/v1/agent/understand", RequestKind::Stage(SingleStage::Understand)),
        endpoint("/api/v1/agent/route", RequestKind::Stage(SingleStage::Route)),
        endpoint("/api/v1/agent/plan", RequestKind::Stage(SingleStage::Plan)),
        endpoint("/api/v1/agent/execute", RequestKind::Stage(SingleStage::Execute)),
        endpoint("/api/v1/agent/review", RequestKind::Stage(SingleStage::Review)),
        endpoint("/api/v1/agent/orchestrate", RequestKind::Workflow),
    ]
}

impl RequestKind {
    /// The module that does it.
    fn target(self) -> &'static str {
        match self {
            Self::Stage(stage) => stage.module(),
            Self::Workflow => ORCHESTRATOR,
        }
    }

    /// The members of the request that it is about.
    fn members(self) -> &'static [&'static str] {
        match self {
            Self::Stage(SingleStage::Understand) => &["input", "images"],
            Self::Stage(SingleStage::Route) => &["intentAnalysis"],
            Self::Stage(SingleStage::Execute) => &["task", "agent", "queueOnBusy"],
            Self::Stage(SingleStage::Plan) => &["task"],
            Self::Workflow => &["task", "images"],
            Self::Stage(SingleStage::Review) => &["proposal"],
        }
    }

    /// Whether the end is waited for, as the request says, or as is usual.
    fn waits(self, call: &Call) -> Result<bool, Refusal> {
        let (name, usual) = match self {
            Self::Stage(SingleStage::Execute) => ("blocking", false),
            Self::Stage(_) => ("blocking", true),
            Self::Workflow => ("watch", false),
        };
        if call.member(name).is_some() { call.flag(name) } else { Ok(usual) }
    }

    /// The message that asks for it.
    fn message(self, call: &Call) -> Result<NewMessage, Refusal> {
        if let Self::Workflow = self {
            call.required("task", "Missing task")?;
        }
        let mut message = Map::new();
        for name in self.members() {
            if let Some(value) = call.member(name) {
                message.insert((*name).to_owned(), value.clone());
            }
        }
        for name in ["sessionId", "projectPath"] {
            if let Some(text) = call.text(name)? {
                message.insert(name.to_owned(), text.into());
            }
        }
        let sender = match self {
            Self::Stage(SingleStage::Execute) => call.text("sender")?.map(str::to_owned),
            _ => None,
        };
        let (target, message) = (self.target().to_owned(), Value::Object(message));
        Ok(NewMessage { target, message, sender, is_awaited: self.waits(call)?, callback_id: None })
    }
}

async fn begin(call: Call, wanted: RequestKind) -> Response {
    let asked = wanted.waits(&call).and_then(|waits| Ok((waits, wanted.message(&call)?)));
    let (waits, message) = match asked {
        Ok(asked) => asked,
        Err(refusal) => return refusal_response(&refusal),
    };
    let call = Arc::new(call);
    match send(Arc::clone(&call), message).await {
        Err(failure) => refusal_response(&refusal_of(failure)),
        Ok(body) => respond(answer(&call, waits, &body).await),
    }
}

/// The answer, with the result if the client waits for it.
async fn answer(call: &Call, waits: bool, accepted: &str) -> Reply {
    let accepted: MessageAccepted = serde_json::from_str(accepted)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    let MessageAccepted { message_id, workflow_id, session_id, status, .. } = accepted;
    let result = if waits {
        result_of(end_of(call, &message_id, workflow_id.as_deref()).await?)?
    } else {
        json!({ "messageId": message_id, "workflowId": workflow_id, "sessionId": session_id, "status": status })
    };
    json(&StageAnswer { success: true, result, message_id, workflow_id, session_id })
}

fn result_of(mail: MailboxMessage) -> Result<Value, Refusal> {
    if mail.status == "completed" {
        return Ok(mail.result.unwrap_or_default());
    }
    let error = mail.error.unwrap_or_default();
    let code = if error.starts_with("LLM_ERROR") { ErrorCode::LlmError } else { ErrorCode::AgentFailed };
    let refusal = Refusal::new(code, error).with("messageId", mail.id);
    Err(match mail.workflow_id {
        Some(workflow) => refusal.with("workflowId", workflow),
        None => refusal,
    })
}
