//! How much the daemon has to do: `/health` as JSON, `/metrics` as Prometheus reads it.

use super::Api;
use super::call::{Call, Reply, json};
use crate::answer::refusal_response;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use journal::{Ages, Millis};
use protocol::workflow::api::{Backlog, DaemonLoad, SubscriberLoad};
use protocol::workflow::{ErrorCode, Refusal};
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The content type of the text format of Prometheus.
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Counts the clients that wait or listen. Clones count the same.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientCounts(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    waiting: Mutex<Ages>,
    sockets: AtomicU64,
    streams: AtomicU64,
}

/// What a client does.
#[derive(Debug, Clone, Copy)]
enum Activity {
    /// It has waited since then.
    Wait(Millis),
    Socket,
    Stream,
}

/// A client that is counted as long as this lives.
#[derive(Debug)]
pub(super) struct CountedClient {
    counts: Arc<Counts>,
    activity: Activity,
}

impl ClientCounts {
    /// A request waits, since then.
    pub(super) fn waiting(&self, since: Millis) -> CountedClient {
        self.count(Activity::Wait(since))
    }

    /// A WebSocket is open.
    pub(super) fn socket(&self) -> CountedClient {
        self.count(Activity::Socket)
    }

    /// A stream of events is open.
    pub(super) fn stream(&self) -> CountedClient {
        self.count(Activity::Stream)
    }

    fn count(&self, activity: Activity) -> CountedClient {
        match activity {
            Activity::Wait(since) => self.0.change_waiting(|ages| ages.add(since)),
            Activity::Socket => _ = self.0.sockets.fetch_add(1, Ordering::Relaxed),
            Activity::Stream => _ = self.0.streams.fetch_add(1, Ordering::Relaxed),
        }
        CountedClient { counts: Arc::clone(&self.0), activity }
    }
}

impl Counts {
    fn change_waiting<T>(&self, change: impl FnOnce(&mut Ages) -> T) -> T {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for CountedClient {
    fn drop(&mut self) {
        match self.activity {
            Activity::Wait(since) => self.counts.change_waiting(|ages| ages.remove(since)),
            Activity::Socket => _ = self.counts.sockets.fetch_sub(1, Ordering::Relaxed),
            Activity::Stream => _ = self.counts.streams.fetch_sub(1, Ordering::Relaxed),
        }
    }
}

impl Api {
    fn load(&self) -> DaemonLoad {
        let counts = &self.clients.0;
        let subscribers = SubscriberLoad {
            web_socket: counts.sockets.load(Ordering::Relaxed),
            sse: counts.streams.load(Ordering::Relaxed),
        };
        self.runtime.load(counts.change_waiting(|ages| ages.backlog()), subscribers)
    }
}

/// `GET /health`
#[derive(Serialize)]
struct Health {
    status: &'static str,
    timestamp: String,
    load: DaemonLoad,
}

/// `GET /health`: whether the daemon serves, and how much there is to do. It needs neither disk nor journal.
pub(super) fn health(call: &Call) -> Reply {
    json(&Health { status: "healthy", timestamp: call.now(), load: call.api.load() })
}

/// `GET /metrics`: the same numbers as text for Prometheus, if the settings say so.
pub(super) async fn metrics(call: Call) -> Response {
    if !call.api.has_metrics {
        return refusal_response(&Refusal::new(ErrorCode::NotFound, "Not Found"));
    }
    ([(CONTENT_TYPE, EXPOSITION)], exposition(&call.api.load())).into_response()
}

/// All numbers in the text format 0.0.4 of Prometheus.
fn exposition(load: &DaemonLoad) -> String {
    let mut text = Exposition::default();
    text.family("aide_build_info", "gauge", "The version of the daemon.");
    text.sample("aide_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    text.family("aide_workflows", "gauge", "Workflows that have not ended, by state.");
    for (state, count) in &load.workflows.states {
        text.sample("aide_workflows", &[("state", state)], number(*count));
    }
    text.family("aide_workflows_running", "gauge", "Workflows that have not ended and are not paused.");
    text.sample("aide_workflows_running", &[], number(load.workflows.running));
    text.family("aide_workflows_paused", "gauge", "Workflows that are paused.");
    text.sample("aide_workflows_paused", &[], number(load.workflows.paused));
    let backlogs = [
        ("aide_decisions_open", "Decisions that are open", &load.decisions),
        ("aide_agent_queue", "Workflows that wait for an agent", &load.agent_queue.total),
        ("aide_outbox", "Records that wait to be published", &load.outbox),
        ("aide_requests_waiting", "Requests that wait for a decision or a workflow", &load.requests),
    ];
    for (name, what, backlog) in backlogs {
        text.backlog(name, what, &[(None, backlog)]);
    }
    let types: Vec<_> = load.agent_queue.types.iter().map(|(kind, of)| (Some(&**kind), of)).collect();
    text.backlog("aide_agent_queue_by_type", "Workflows that wait for an agent of a type", &types);
    let commits = &load.commits;
    text.family("aide_commit_seconds", "histogram", "How long flushes of the journal took.");
    for bucket in &commits.buckets {
        let bound = bucket.at_most_seconds.to_string();
        text.sample("aide_commit_seconds_bucket", &[("le", &bound)], number(bucket.count));
    }
    text.sample("aide_commit_seconds_bucket", &[("le", "+Inf")], number(commits.count));
    text.sample("aide_commit_seconds_sum", &[], commits.total_seconds);
    text.sample("aide_commit_seconds_count", &[], number(commits.count));
    text.family("aide_journal_writers", "gauge", "Threads that change the journal or wait to do so.");
    text.sample("aide_journal_writers", &[], number(load.writers));
    text.family("aide_journal_readers", "gauge", "Views of the journal.");
    text.sample("aide_journal_readers", &[("state", "busy")], number(load.readers.busy));
    text.sample("aide_journal_readers", &[("state", "waiting")], number(load.readers.waiting));
    text.family("aide_journal_readers_limit", "gauge", "Views of the journal that there can be at a time.");
    text.sample("aide_journal_readers_limit", &[], number(load.readers.limit));
    text.family("aide_subscribers", "gauge", "Clients that listen to events.");
    text.sample("aide_subscribers", &[("transport", "websocket")], number(load.subscribers.web_socket));
    text.sample("aide_subscribers", &[("transport", "sse")], number(load.subscribers.sse));
    text.family("aide_journal_bytes", "gauge", "Size of the journal.");
    text.sample("aide_journal_bytes", &[("file", "database")], number(load.journal.file_bytes));
    text.sample("aide_journal_bytes", &[("file", "wal")], number(load.journal.wal_bytes));
    text.0
}

/// As all numbers of the format are; counts are exact up to 2⁵³.
fn number(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "nothing is counted that far")]
    let number = count as f64;
    number
}

/// The text format of Prometheus.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    /// Begins a family of samples.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// A sample of the family.
    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<_> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    /// Two families: how many wait, and how long the first of them has waited; by type, where there are types.
    fn backlog(&mut self, name: &str, what: &str, backlogs: &[(Option<&str>, &Backlog)]) {
        self.family(name, "gauge", &format!("{what}."));
        for (kind, backlog) in backlogs {
            self.sample(name, kind.map(|kind| ("type", kind)).as_slice(), number(backlog.count));
        }
        let oldest = format!("{name}_oldest_seconds");
        self.family(&oldest, "gauge", &format!("{what}: how long the first of them has waited; 0 for none."));
        for (kind, backlog) in backlogs {
            let seconds = backlog.oldest_seconds.unwrap_or_default();
            self.sample(&oldest, kind.map(|kind| ("type", kind)).as_slice(), seconds);
        }
    }
}

/// The value of a label: the names of types are those of the person.
fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::Exposition;
    use protocol::workflow::api::Backlog;

    #[test]
    fn what_a_label_holds_ends_neither_the_label_nor_the_line() {
        let mut text = Exposition::default();
        let backlog = Backlog { count: 2, oldest_seconds: Some(1.5) };
        text.backlog("queue", "What waits", &[(Some("a\"b\\c\nd"), &backlog)]);
        let expected = "# HELP queue What waits.\n# TYPE queue gauge\nqueue{type=\"a\\\"b\\\\c\\nd\"} 2\n\
            # HELP queue_oldest_seconds What waits: how long the first of them has waited; 0 for none.\n\
            # TYPE queue_oldest_seconds gauge\nqueue_oldest_seconds{type=\"a\\\"b\\\\c\\nd\"} 1.5\n";
        assert_eq!(text.0, expected);
    }
}
