//! What programs drive a daemon by: `/api/v1`, as contract/workflows §3 has it.

mod agents;
mod call;
mod decisions;
mod events;
mod lists;
mod load;
mod messages;
mod questions;
mod sessions;
mod socket;
mod stages;
mod tools;
mod workflows;

use super::Shared;
use crate::feed::{Feed, FollowedLog};
use crate::gate::Endpoint;
use app::ReadPool;
use call::{Call, Reply, json, respond};
use lists::ListTurns;
use load::ClientCounts;
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use workflow::Runtime;

pub(super) use call::refusal_of;
pub use questions::{HostError, QuestionHost};

/// All of it as OpenAPI 3.1, made from the table and the types by a test, which holds it equal to both.
const OPENAPI: &str = include_str!("../../../../docs/openapi.json");

/// What programs drive.
#[derive(Clone)]
pub struct Api {
    runtime: Arc<Runtime>,
    feed: Feed,
    host: Option<Arc<dyn QuestionHost>>,
    lists: ListTurns,
    /// The clients that wait or listen.
    clients: ClientCounts,
    /// Whether it has `/metrics`.
    has_metrics: bool,
}

impl Api {
    /// Returns the API of this runtime; `feed` receives the events of its journal.
    pub fn new(runtime: Arc<Runtime>, feed: Feed) -> Self {
        let (lists, clients) = (ListTurns::default(), ClientCounts::default());
        Self { runtime, feed, host: None, lists, clients, has_metrics: false }
    }

    /// Returns the runtime.
    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The log of events, to be followed by reads of this pool.
    fn log(&self, reads: &ReadPool) -> FollowedLog {
        FollowedLog { feed: self.feed.clone(), runtime: Arc::clone(&self.runtime), reads: reads.clone() }
    }

    /// Sets the host that shows the questions of projects.
    #[must_use]
    pub fn with_host(self, host: Arc<dyn QuestionHost>) -> Self {
        Self { host: Some(host), ..self }
    }

    /// Sets whether it has `/metrics`.
    #[must_use]
    pub fn with_metrics(self, has_metrics: bool) -> Self {
        Self { has_metrics, ..self }
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Api(…)")
    }
}

/// A row for each method of each path.
pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    let mut table = vec![
        known("/health", load::health),
        Endpoint::ask("/metrics", load::metrics).instant(),
        known("/api/test", test),
        known("/api/v1/openapi.json", |_| Ok(OPENAPI.to_owned())),
    ];
    table.extend(messages::table());
    table.extend(workflows::table());
    table.extend(decisions::table());
    table.extend(sessions::table());
    table.extend(agents::table());
    table.extend(stages::table());
    table.extend(tools::table());
    table.extend(events::table());
    table.extend(questions::table());
    table.push(Endpoint::ask("/ws", socket::upgrade).socket());
    table
}

/// What is served where there are nothing but sockets.
pub(super) fn socket_table() -> Vec<Endpoint<Arc<Shared>>> {
    let socket = |path| Endpoint::ask(path, socket::upgrade).socket();
    vec![socket("/"), socket("/ws")]
}

/// What only reads.
fn ask(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    Endpoint::ask(path, move |call: Call| async move { respond(answer(&call)) })
}

/// What is known without the journal.
fn known(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    ask(path, answer).instant()
}

/// What writes something down.
fn report(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    Endpoint::report(path, move |call: Call| async move { respond(answer(&call)) })
}

/// What says that something is so from now on.
fn say(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    Endpoint::say(path, move |call: Call| async move { respond(answer(&call)) })
}

/// What has something removed.
fn remove(path: &'static str, answer: fn(&Call) -> Reply) -> Endpoint<Arc<Shared>> {
    Endpoint::remove(path, move |call: Call| async move { respond(answer(&call)) })
}

/// `GET /api/test`
fn test(_: &Call) -> Reply {
    json(&json!({ "ok": true, "message": "Test route works" }))
}
