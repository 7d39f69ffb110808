//! What programs drive a daemon by: `/api/v1`, as `cli-call-flow.md` 3 has it.

mod agents;
mod call;
mod decisions;
mod events;
mod messages;
mod sessions;
mod workflows;

use super::Shared;
use crate::gate::Endpoint;
use call::{Call, Reply, json, respond};
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use tokio::sync::watch;
use workflow::Runtime;

/// What programs drive.
#[derive(Clone)]
pub struct Api {
    runtime: Arc<Runtime>,
    /// The number of the last event.
    last: watch::Receiver<i64>,
}

impl Api {
    /// Returns what drives this runtime. `last` says the number of the last event, as soon as it has happened.
    pub fn new(runtime: Arc<Runtime>, last: watch::Receiver<i64>) -> Self {
        Self { runtime, last }
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Api(…)")
    }
}

/// A row for each method of each path.
pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    let mut table = vec![ask("/health", health), ask("/api/test", test)];
    table.extend(messages::table());
    table.extend(workflows::table());
    table.extend(decisions::table());
    table.extend(sessions::table());
    table.extend(agents::table());
    table.extend(events::table());
    table
}

/// What only reads.
fn ask(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    let handler = move |call: Call| super::history::reading(move || respond(answer(&call)));
    Endpoint::ask(path, handler)
}

/// What writes something down.
fn tell(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    Endpoint::tell(path, move |call: Call| async move { respond(answer(&call)) })
}

/// What has something removed.
fn remove(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    Endpoint::remove(path, move |call: Call| async move { respond(answer(&call)) })
}

/// `GET /health`
fn health(call: &Call) -> Reply {
    // Whoever can be asked this can read.
    call.runtime().log()?;
    json(&json!({ "status": "healthy", "timestamp": call.now() }))
}

/// `GET /api/test`
fn test(_: &Call) -> Reply {
    json(&json!({ "ok": true, "message": "Test route works" }))
}
