//! Lists: as a whole, and in parts.

use crate::support::daemon::{Daemon, happen};
use crate::whole::WholeLists as _;
use axum::body::{Body, to_bytes};
use http::{Method, Request, StatusCode};
use http_body::Body as _;
use journal::{JournalExt as _, Record, Session, Workflow};
use protocol::workflow::{SessionKind, WorkflowState};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tower::ServiceExt as _;

/// Makes so many workflows, and as many sessions.
fn fill(daemon: &Daemon, count: usize) {
    let rows: Vec<Record> =
        (0..count).flat_map(|number| [session(number).into(), workflow(number).into()]).collect();
    daemon.runtime.journal().write(|tx| rows.iter().cloned().try_for_each(|row| tx.put(row))).unwrap();
}

fn session(number: usize) -> Session {
    Session {
        id: format!("session-{number}"),
        kind: SessionKind::User,
        name: "x".to_owned(),
        project: None,
        paused: false,
        created: 1,
        updated: 1,
        accessed: 1,
        context: "{}".to_owned(),
        version: 0,
    }
}

fn workflow(number: usize) -> Workflow {
    Workflow {
        id: format!("wf-{number}"),
        session: format!("session-{number}"),
        state: WorkflowState::Idle,
        previous: None,
        task: "x".repeat(2000),
        context: "{}".to_owned(),
        round: 0,
        engine: 1,
        error: None,
        output: None,
        cancelled: false,
        failures: 0,
        wake_at: None,
        created: 1,
        updated: i64::try_from(number / 2).unwrap(),
        driven: 0,
        version: 0,
    }
}

/// contract/workflows §3: a list is the same, byte for byte, however long it is.
#[tokio::test]
async fn a_list_is_the_same_however_long_it_is() {
    for count in [0, 3, 128, 129, 1000] {
        let daemon = Daemon::on_disk(3721);
        fill(&daemon, count);
        let runtime = &daemon.runtime;
        for (path, expected) in [
            ("/api/v1/workflows", json!(runtime.workflows().unwrap())),
            ("/api/v1/workflows/state", json!({ "snapshots": runtime.states().unwrap() })),
            ("/api/v1/sessions", json!(runtime.sessions().unwrap())),
            ("/api/v1/sessions/resumable", json!({ "sessions": runtime.resumable().unwrap() })),
            ("/api/v1/decision", json!({ "decisions": runtime.decisions(None, None).unwrap() })),
        ] {
            let answer = daemon.request(Method::GET, path, None, &[]).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}");
            assert!(!answer.headers.contains_key("next-cursor"), "{path}");
            let found: Value = serde_json::from_slice(&answer.body).unwrap();
            assert_eq!(found, expected, "{path} {count}");
            if path == "/api/v1/workflows" {
                let bytes = serde_json::to_vec(&runtime.workflows().unwrap()).unwrap();
                assert!(answer.body == bytes, "{path} {count}");
            }
        }
    }
}

/// contract/workflows §3: parts of every list, one after the other, are the list.
#[tokio::test]
async fn the_parts_of_every_list_are_the_list() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.executing().await;
    let tasks: Vec<_> =
        (1..7).map(|number| json!({ "id": format!("task-{number}"), "description": "x" })).collect();
    daemon.step(&workflow, "task_started", json!({ "taskId": "task-1", "tasks": tasks })).await;
    for number in 0..5 {
        daemon.begin().await;
        let asked = json!({ "workflowId": workflow, "message": format!("{number}?"), "options": ["a", "b"] });
        daemon.post("/api/v1/decision", asked).await;
        let said = json!({ "content": format!("{number}") });
        daemon.post(&format!("/api/v1/sessions/{session}/messages"), said).await;
    }
    happen(&**daemon.runtime.journal(), (0..9).map(|number| format!("event-{number}")));
    for (path, member, is_backwards) in [
        ("/api/v1/workflows?", "", false),
        ("/api/v1/workflows?state=waiting&", "", false),
        ("/api/v1/workflows/state?", "snapshots", false),
        (&format!("/api/v1/workflows/{workflow}/tasks?"), "", false),
        ("/api/v1/decision?", "decisions", false),
        ("/api/v1/decision?status=pending&", "decisions", false),
        ("/api/v1/sessions?", "", false),
        ("/api/v1/sessions/resumable?", "sessions", false),
        (&format!("/api/v1/sessions/{session}/messages?"), "messages", true),
        ("/api/v1/agents?", "", false),
        ("/api/v1/resources?", "available", false),
        ("/api/v1/mailbox?", "messages", false),
        ("/api/v1/events/history?", "events", true),
        ("/api/v1/events/history?since=2&", "events", false),
    ] {
        let entries = |body: &Value| {
            let list = if member.is_empty() { body } else { &body[member] };
            list.as_array().unwrap().clone()
        };
        let whole = entries(&daemon.get(&format!("{path}limit=1000")).await);
        let mut parts: Vec<Value> = Vec::new();
        let mut cursor = String::new();
        loop {
            let answer = daemon.request(Method::GET, &format!("{path}limit=2{cursor}"), None, &[]).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
            let part = entries(&answer.json());
            assert!(part.len() <= 2, "{path}");
            let at = if is_backwards { 0 } else { parts.len() };
            parts.splice(at..at, part);
            match answer.headers.get("next-cursor") {
                Some(next) => cursor = format!("&cursor={}", next.to_str().unwrap()),
                None => break,
            }
        }
        assert_eq!(parts, whole, "{path}");
    }
}

/// contract/workflows §3.0: what is no limit, and what is no cursor of the list.
#[tokio::test]
async fn a_bad_limit_or_cursor_is_refused() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.executing().await;
    let (_, other_session) = daemon.begin().await;
    let (other_workflow, _) = daemon.executing().await;
    let tasks = [2, 3].map(|number| json!({ "id": format!("task-{number}"), "description": "x" }));
    daemon.step(&workflow, "task_started", json!({ "taskId": "task-1", "tasks": tasks })).await;
    for content in ["a", "b"] {
        daemon.post(&format!("/api/v1/sessions/{session}/messages"), json!({ "content": content })).await;
    }
    let next = async |path: &str| {
        let answer = daemon.request(Method::GET, path, None, &[]).await;
        answer.header("next-cursor").to_owned()
    };
    let cursor = next("/api/v1/sessions?limit=1").await;
    for list in [
        "workflows",
        "workflows/state",
        &format!("workflows/{workflow}/tasks"),
        "decision",
        "sessions/resumable",
        &format!("sessions/{session}/messages"),
        "agents",
        "resources",
        "mailbox",
        "events/history",
    ] {
        for (query, code, field) in [
            ("limit=0", "INVALID_LIMIT", "limit"),
            ("limit=1001", "INVALID_LIMIT", "limit"),
            ("limit=x", "INVALID_LIMIT", "limit"),
            ("cursor=x", "INVALID_REQUEST", "cursor"),
            (&format!("cursor={cursor}"), "INVALID_REQUEST", "cursor"),
        ] {
            let (status, found, _, details) =
                daemon.refused(Method::GET, &format!("/api/v1/{list}?{query}"), None).await;
            assert_eq!((status, &*found, &details["field"]), (400, code, &json!(field)), "{list} {query}");
        }
    }
    for number in 1..=2 {
        let asked = json!({ "workflowId": workflow, "message": format!("{number}?"), "options": ["a", "b"] });
        daemon.post("/api/v1/decision", asked).await;
    }
    let decisions = |status: &str| format!("decision?workflowId={workflow}&status={status}");
    // Cursors of another list of the same kind, and of the same list with other filters.
    for (list, other) in [
        (format!("workflows/{workflow}/tasks"), format!("workflows/{other_workflow}/tasks")),
        (format!("sessions/{session}/messages"), format!("sessions/{other_session}/messages")),
        ("agents".to_owned(), "resources".to_owned()),
        ("resources".to_owned(), "agents".to_owned()),
        ("workflows".to_owned(), "workflows?state=active".to_owned()),
        ("workflows?state=active".to_owned(), "workflows".to_owned()),
        ("workflows?state=active".to_owned(), "workflows?state=active&search=x".to_owned()),
        ("workflows?state=active".to_owned(), "workflows?state=active&project=x".to_owned()),
        (decisions("pending"), decisions("answered")),
        (decisions("pending"), "decision?status=pending".to_owned()),
        ("mailbox".to_owned(), "mailbox?status=completed".to_owned()),
        ("mailbox".to_owned(), "mailbox?target=finger-orchestrator".to_owned()),
        ("events/history".to_owned(), "events/history?since=0".to_owned()),
        ("events/history?since=0".to_owned(), "events/history?since=1".to_owned()),
        ("events/history".to_owned(), "events/history?type=phase_transition".to_owned()),
        ("events/history".to_owned(), format!("events/history?workflowId={workflow}")),
        ("events/history".to_owned(), format!("events/history?sessionId={session}")),
    ] {
        let with = |list: &str, parameter: &str| {
            let separator = if list.contains('?') { '&' } else { '?' };
            format!("/api/v1/{list}{separator}{parameter}")
        };
        let cursor = next(&with(&list, "limit=1")).await;
        let parameter = format!("cursor={cursor}");
        let answer = daemon.request(Method::GET, &with(&list, &parameter), None, &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{list}");
        let (status, code, _, details) = daemon.refused(Method::GET, &with(&other, &parameter), None).await;
        let found = (status, &*code, &details["field"]);
        assert_eq!(found, (400, "INVALID_REQUEST", &json!("cursor")), "{list} {other}");
    }
}

/// Clients that do not take their lists hold up nothing that is short; and no more than a few pages are read for them.
#[tokio::test]
async fn what_is_short_is_read_and_written_while_lists_are_not_taken() {
    let daemon = Daemon::on_disk(3721);
    fill(&daemon, 1000);
    let ask =
        || Request::get("/api/v1/workflows").header("host", "localhost:3721").body(Body::empty()).unwrap();
    let mut lists = Vec::new();
    for _ in 0..journal::Sqlite::LONG_READERS {
        let response = daemon.router.clone().oneshot(ask()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.body().size_hint().exact().is_none(), "it is sent as it is read");
        lists.push(response);
    }
    for _ in 0..8 {
        assert_eq!(daemon.get("/api/v1/workflows/wf-7").await["id"], "wf-7");
    }
    let (begun, _) = daemon.executing().await;
    daemon.step(&begun, "task_started", json!({ "taskId": "task-1" })).await;
    // They are as of the moment at which they began.
    for list in lists {
        let body = to_bytes(list.into_body(), usize::MAX).await.unwrap();
        let found: Vec<Value> = serde_json::from_slice(&body).unwrap();
        let ids: BTreeSet<_> = found.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
        assert_eq!((found.len(), ids.len()), (1000, 1000));
        assert!(!ids.contains(&*begun));
    }
    assert_eq!(daemon.get("/api/v1/workflows").await.as_array().unwrap().len(), 1001);
}
