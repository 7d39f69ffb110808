//! Requests that wait: each looks when something has happened to what it waits for, however many others wait.

use crate::support::daemon::Daemon;
use crate::whole::WholeLists as _;
use futures_util::future::select_all;
use http::Method;
use journal::{Event, Journal, JournalError, PruneReport, Retention, Sqlite, View, Work};
use serde_json::{Value, json};
use server::Access;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// A journal that counts how often it is looked at.
struct CountingJournal {
    inner: Sqlite,
    looks: Arc<AtomicUsize>,
}

impl Journal for CountingJournal {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.inner.view()
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        self.inner.run(work)
    }

    fn release_all(&self) -> Result<(), JournalError> {
        self.inner.release_all()
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError> {
        self.inner.prune(prune)
    }
}

/// A daemon, and how often its journal is looked at.
pub(crate) fn counted() -> (Daemon, Arc<AtomicUsize>) {
    let looks: Arc<AtomicUsize> = Arc::default();
    let counted = Arc::clone(&looks);
    let access = || Access::open([127, 0, 0, 1].into(), 3721, "");
    let daemon = Daemon::with_journal(access(), access(), |_, listener| {
        Arc::new(CountingJournal { inner: Sqlite::in_memory(listener).unwrap(), looks: counted })
    });
    (daemon, looks)
}

/// Waits until so many requests wait and nothing looks any more; returns how often something has.
async fn settled(daemon: &Daemon, waiters: usize, looks: &AtomicUsize) -> usize {
    while daemon.get("/health").await["load"]["requests"]["count"] != waiters {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut before = usize::MAX;
    loop {
        let now = looks.load(Ordering::Relaxed);
        if now == before {
            return now;
        }
        before = now;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn wait_for_decision(daemon: &Daemon) -> (String, JoinHandle<Value>) {
    let created = daemon.post("/api/v1/decision", json!({ "message": "?", "options": ["Y", "n"] })).await;
    let id = created["decisionId"].as_str().unwrap().to_owned();
    let (path, daemon) = (format!("/api/v1/decision/{id}?wait=60"), daemon.clone());
    (id, tokio::spawn(async move { daemon.get(&path).await }))
}

/// How often is looked for one answer while so many wait for answers.
async fn looks_for_an_answer(waiters: usize) -> usize {
    let (daemon, looks) = counted();
    let mut waiting = Vec::new();
    for _ in 0..waiters {
        waiting.push(wait_for_decision(&daemon).await);
    }
    let before = settled(&daemon, waiters, &looks).await;
    let (id, waiter) = waiting.swap_remove(waiters / 2);
    daemon.post(&format!("/api/v1/decision/{id}/respond"), json!({ "response": "Y" })).await;
    assert_eq!(waiter.await.unwrap()["response"], "Y");
    let after = settled(&daemon, waiters - 1, &looks).await;
    for (_, waiter) in waiting {
        assert!(!waiter.is_finished());
        waiter.abort();
    }
    after - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_looked_at_by_the_request_that_waits_for_it_alone() {
    let (few, many) = (looks_for_an_answer(4).await, looks_for_an_answer(40).await);
    assert_eq!(few, many, "looks for one answer while 4 requests wait, and while 40 do");
}

/// How often is looked for the end of one workflow while so many requests wait for the ends of workflows.
async fn looks_for_an_end(waiters: usize) -> usize {
    let (daemon, looks) = counted();
    let mut waiting = Vec::new();
    for _ in 0..waiters {
        let message =
            json!({ "target": "finger-orchestrator", "message": { "content": "x" }, "blocking": true });
        let daemon = daemon.clone();
        waiting.push(tokio::spawn(async move {
            daemon.request(Method::POST, "/api/v1/message", Some(message), &[]).await.json()
        }));
    }
    let before = settled(&daemon, waiters, &looks).await;
    let workflow = daemon.runtime.workflows().unwrap().remove(0).id;
    daemon.step(&workflow, "cancel_requested", json!({})).await;
    let (ended, _, waiting) = select_all(waiting).await;
    assert_eq!(ended.unwrap()["workflowId"], *workflow);
    let after = settled(&daemon, waiters - 1, &looks).await;
    for waiter in waiting {
        assert!(!waiter.is_finished());
        waiter.abort();
    }
    after - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_workflow_is_looked_at_by_the_request_that_waits_for_it_alone() {
    let (few, many) = (looks_for_an_end(4).await, looks_for_an_end(40).await);
    assert_eq!(few, many, "looks for one end while 4 requests wait, and while 40 do");
}
