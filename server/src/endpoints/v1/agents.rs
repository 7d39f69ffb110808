//! The agents of the pool.

use super::call::{Call, Reply, json};
use super::lists::{limited, range_of};
use super::{Shared, ask, report};
use crate::gate::Endpoint;
use protocol::workflow::api::AgentView;
use protocol::workflow::{ErrorCode, Refusal};
use serde_json::json;
use std::sync::Arc;
use workflow::Failure;

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        limited("/api/v1/agents", |call| {
            let (agents, next) = call.runtime().part_of_agents("agents", &range_of(call)?, |_| true)?;
            Ok((json(&agents)?, next))
        }),
        ask("/api/v1/agents/{agent}/capabilities", |call| {
            json(&call.runtime().capabilities(call.name("agent"))?)
        }),
        ask("/api/v1/agent/{agent}/progress", progress),
        limited("/api/v1/resources", resources),
        report("/api/v1/resources/deploy", |call| {
            let member = |name| call.required(name, "Missing resourceId, sessionId or workflowId");
            let (agent, session) = (member("resourceId")?, member("sessionId")?);
            call.runtime().deploy(call.request(), agent, session, member("workflowId")?)
        }),
        report("/api/v1/resources/release", |call| {
            call.runtime().release(call.request(), call.required("resourceId", "Missing resourceId")?)
        }),
    ]
}

/// `GET /api/v1/resources`
fn resources(call: &Call) -> Result<(String, Option<String>), Failure> {
    let is_available = |agent: &AgentView| agent.status == "available";
    let (available, next) = call.runtime().part_of_agents("resources", &range_of(call)?, is_available)?;
    Ok((json(&json!({ "count": available.len(), "available": available }))?, next))
}

/// `GET /api/v1/agent/{agent}/progress`: what an agent is doing.
fn progress(call: &Call) -> Reply {
    let id = call.name("agent");
    let missing = || Refusal::new(ErrorCode::AgentNotFound, "Agent not found").with("agentId", id);
    let agent = call.runtime().agents()?.into_iter().find(|agent| agent.id == id).ok_or_else(missing)?;
    json(&json!({ "agent": agent }))
}
