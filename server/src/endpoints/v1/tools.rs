//! The tools of agents, and their policies.

use super::call::json;
use super::{Shared, ask, say};
use crate::gate::Endpoint;
use serde_json::Value;
use std::sync::Arc;

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        ask("/api/v1/tools", |call| json(&call.runtime().tools()?)),
        say("/api/v1/tools/{tool}/policy", |call| {
            // What is no text is no policy, and is refused by the same words.
            let policy = call.member("policy").and_then(Value::as_str).unwrap_or_default();
            call.runtime().set_tool_policy(call.request(), call.name("tool"), policy)
        }),
    ]
}
