//! Rows of the contract that programs rely on and that are easily lost: who wins, what comes again, and the errors with their
//! words.

use crate::support::Answer;
use crate::support::daemon::Daemon;
use app::ReadPool;
use axum::body::Body;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use journal::{Event, Journal, JournalError, PruneReport, Retention, Sqlite, View, Work};
use protocol::workflow::{ErrorCode, Refusal};
use serde_json::{Value, json};
use server::{Access, InFlight, daemon_endpoints};
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance};
use tower::ServiceExt;

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned()
}

async fn post(daemon: &Daemon, path: &str, body: Value) -> Answer {
    daemon.request(Method::POST, path, Some(body), &[]).await
}

/// The types of the events that were found, in their order.
async fn kinds(daemon: &Daemon, query: &str) -> Vec<String> {
    let found = daemon.get(&format!("/api/v1/events/history?limit=1000&{query}")).await;
    found["events"].as_array().unwrap().iter().map(|event| text(event, "type")).collect()
}

/// 64 clients answer one decision at the same moment, half of them by input to its workflow (contract/workflows §7): the first
/// answer stands. Clients that answer the decision directly learn so; input after the answer is taken as a message to the agents
/// still working.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_64_answers_to_one_decision_one_stands_and_all_others_are_told_which() {
    const ANSWERS: usize = 64;
    let daemon = Daemon::on_disk(3721);
    for round in 0..20 {
        // Every other round has no workflow input.
        let by_input = |number: usize| round % 2 == 0 && number.is_multiple_of(2);
        let (workflow, _) = daemon.executing().await;
        let asked = daemon.post("/api/v1/decision", json!({ "workflowId": workflow, "message": "?" })).await;
        let decision = text(&asked, "decisionId");
        let start = Arc::new(Barrier::new(ANSWERS));
        let tasks: Vec<_> = (0..ANSWERS)
            .map(|number| {
                let (daemon, start, said) = (daemon.clone(), Arc::clone(&start), format!("answer {number}"));
                let (path, body) = if by_input(number) {
                    ("/api/v1/workflow/input".to_owned(), json!({ "workflowId": workflow, "input": said }))
                } else {
                    (format!("/api/v1/decision/{decision}/respond"), json!({ "response": said }))
                };
                tokio::spawn(async move {
                    start.wait().await;
                    post(&daemon, &path, body).await
                })
            })
            .collect();
        let mut answers = Vec::new();
        for task in tasks {
            answers.push(task.await.unwrap());
        }
        let view = daemon.get(&format!("/api/v1/decision/{decision}")).await;
        let winner = text(&view, "response");
        let mut won = Vec::new();
        for (number, answer) in answers.iter().enumerate() {
            let body = answer.json();
            match (by_input(number), answer.status.as_u16()) {
                (false, 200) => won.push(text(&body, "response")),
                (true, 200) if body.get("askResolution").is_some() => {
                    won.push(text(&body["askResolution"], "answer"));
                }
                (true, 200) => {}
                (_, status) => {
                    assert_eq!((status, &body["code"]), (409, &json!("DECISION_ALREADY_RESOLVED")), "{body}");
                    assert_eq!(body["details"]["response"], winner, "{body}");
                }
            }
        }
        assert_eq!(won, [&*winner], "round {round}");
        let told = format!("/api/v1/events/history?type=user_decision_received&workflowId={workflow}");
        let told = daemon.get(&told).await;
        let told = told["events"].as_array().unwrap();
        assert_eq!((told.len(), &told[0]["payload"]["decision"]), (1, &json!(winner)), "round {round}");
    }
}

/// contract/workflows §7: workflow input does not answer an expired decision.
#[tokio::test]
async fn an_input_does_not_answer_a_decision_whose_time_is_up() {
    let daemon = Daemon::new();
    for by_message in [false, true] {
        let (workflow, _) = daemon.executing().await;
        let ask = json!({ "workflowId": workflow, "message": "?", "timeoutMs": 5000 });
        let decision = text(&daemon.post("/api/v1/decision", ask).await, "decisionId");
        daemon.clock.passed.fetch_add(5000, Ordering::Relaxed);
        let said = if by_message {
            let message = json!({ "content": "late", "workflowId": workflow });
            daemon
                .post("/api/v1/message", json!({ "target": "finger-orchestrator", "message": message }))
                .await
        } else {
            daemon.post("/api/v1/workflow/input", json!({ "workflowId": workflow, "input": "late" })).await
        };
        assert!(said.get("askResolution").is_none(), "{said}");
        let view = daemon.get(&format!("/api/v1/decision/{decision}")).await;
        assert_eq!((&view["status"], view.get("response")), (&json!("expired"), None), "{view}");
    }
}

/// What goes wrong with a journal.
#[derive(Debug, Clone)]
enum JournalFault {
    Read(JournalError),
    Write(JournalError),
    /// It does not answer.
    Silent(Arc<Silence>),
}

/// As long as a journal does not answer.
#[derive(Debug)]
struct Silence {
    is_over: Mutex<bool>,
    changed: Condvar,
    /// A permit for each thread that has begun to wait.
    begun: Semaphore,
}

impl Silence {
    fn new() -> Arc<Self> {
        Arc::new(Self { is_over: Mutex::default(), changed: Condvar::new(), begun: Semaphore::new(0) })
    }

    fn wait(&self) {
        self.begun.add_permits(1);
        drop(self.changed.wait_while(self.is_over.lock().unwrap(), |is_over| !*is_over).unwrap());
    }

    /// Completes when so many more threads have begun to wait.
    async fn has_begun(&self, count: usize) {
        self.begun.acquire_many(u32::try_from(count).unwrap()).await.unwrap().forget();
    }
}

/// Ends a silence, also where a test fails: a runtime waits for its threads.
struct SilenceGuard(Arc<Silence>);

impl Drop for SilenceGuard {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap() = true;
        self.0.changed.notify_all();
    }
}

/// A journal that fails when a test wants it to.
struct FailingJournal {
    inner: Sqlite,
    wrong: Arc<Mutex<Option<JournalFault>>>,
}

impl FailingJournal {
    fn wrong(&self) -> Option<JournalFault> {
        self.wrong.lock().unwrap().clone()
    }
}

impl Journal for FailingJournal {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        match self.wrong() {
            Some(JournalFault::Read(error)) => return Err(error),
            Some(JournalFault::Silent(silence)) => silence.wait(),
            _ => {}
        }
        self.inner.view()
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        match self.wrong() {
            Some(JournalFault::Read(error) | JournalFault::Write(error)) => Err(error),
            Some(JournalFault::Silent(_)) | None => self.inner.run(work),
        }
    }

    fn release_all(&self) -> Result<(), JournalError> {
        self.inner.release_all()
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError> {
        self.inner.prune(prune)
    }
}

fn failing() -> (Daemon, Arc<Mutex<Option<JournalFault>>>) {
    let wrong: Arc<Mutex<Option<JournalFault>>> = Arc::default();
    let access = || Access::open([127, 0, 0, 1].into(), 3721, "");
    let shared = Arc::clone(&wrong);
    let daemon = Daemon::with_journal(access(), access(), |_, listener| {
        Arc::new(FailingJournal { inner: Sqlite::in_memory(listener).unwrap(), wrong: shared })
    });
    (daemon, wrong)
}

/// contract/workflows §3.0 `INTERNAL_ERROR`: whatever the disk says, in the form of the contract, and without the names of files.
#[tokio::test]
async fn a_journal_that_cannot_be_read_is_an_internal_error_on_every_path() {
    let (daemon, wrong) = failing();
    let path = || PathBuf::from("/secret/journal.db");
    let io = || JournalError::Io { path: path(), detail: "secret words".to_owned() };
    // What is known without the journal.
    let known = [
        "/health",
        "/metrics",
        "/api/test",
        "/api/v1/openapi.json",
        "/api/v1/routes",
        "/api/v1/events/types",
        "/api/v1/events/groups",
        "/api/v1/events/stream",
        "/ws",
    ];
    for (error, reason) in [
        (io(), "storage"),
        (JournalError::Full { path: path() }, "full"),
        (JournalError::Damaged { path: path(), detail: "secret words".to_owned() }, "damaged"),
        (JournalError::Unsynced { path: path() }, "unsynced"),
    ] {
        *wrong.lock().unwrap() = Some(JournalFault::Read(error));
        for row in daemon_endpoints().iter().filter(|row| !known.contains(&row.path)) {
            let body = json!({
                "target": "finger-orchestrator", "message": "?", "workflowId": "x", "sessionId": "x", "input": "x",
                "trigger": "plan_created", "response": "x", "content": "x", "originalTask": "x", "taskProgress": [],
                "resourceId": "x", "projectPath": "/p", "setId": "2026-02-23T03-00-00",
                "intentAnalysis": {}, "task": "x", "proposal": "x",
            });
            let body = (row.method == Method::POST).then_some(body);
            let path = row.path.replace(['{', '}'], "");
            let (status, code, words, details) = daemon.refused(row.method.clone(), &path, body).await;
            let told = (status, &*code, &details["reason"]);
            assert_eq!(told, (500, "INTERNAL_ERROR", &json!(reason)), "{} {path}", row.method);
            assert!(
                !words.contains("secret") && !details.to_string().contains("secret"),
                "{words} {details}"
            );
        }
    }
    *wrong.lock().unwrap() = None;
    daemon.begin().await;
    assert_eq!(daemon.get("/health").await["status"], "healthy", "it goes on when the disk does");
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_is_an_internal_error_and_nothing_has_happened() {
    let (daemon, wrong) = failing();
    let (workflow, _) = daemon.begin().await;
    let before = daemon.get("/api/v1/workflows/state").await;
    let path = format!("/api/v1/workflow/{workflow}/transition");
    *wrong.lock().unwrap() = Some(JournalFault::Write(JournalError::Full { path: "x".into() }));
    for (path, body) in [
        (&*path, json!({ "trigger": "intent_analyzed" })),
        ("/api/v1/message", json!({ "target": "finger-orchestrator", "message": "x", "blocking": true })),
    ] {
        let refused = daemon.refused(Method::POST, path, Some(body)).await;
        let expected = (500, "INTERNAL_ERROR", "The journal cannot be used: full");
        assert_eq!((refused.0, &*refused.1, &*refused.2), expected, "{path}");
    }
    assert_eq!(daemon.get("/api/v1/workflows/state").await, before);
    *wrong.lock().unwrap() = None;
    assert_eq!(daemon.step(&workflow, "intent_analyzed", json!({})).await["success"], true);
}

/// contract/workflows §3.0 and §3.1 `TIMEOUT`: by a clock that jumps to the next deadline when all wait.
#[tokio::test(start_paused = true)]
async fn a_message_that_is_waited_for_in_vain_is_a_timeout_and_goes_on() {
    let daemon = Daemon::new();
    let message =
        json!({ "target": "finger-orchestrator", "message": "x", "blocking": true, "callbackId": "c" });
    let begun = Instant::now();
    let (status, code, _, details) =
        daemon.refused(Method::POST, "/api/v1/message", Some(message.clone())).await;
    assert_eq!((status, &*code), (504, "TIMEOUT"));
    assert_eq!(begun.elapsed().as_secs(), 600);
    let mail = daemon.get(&format!("/api/v1/mailbox/{}", text(&details, "messageId"))).await;
    assert_eq!((&mail["status"], &mail["callbackId"]), (&json!("processing"), &json!("c")));
    // A repeated request waits for the same message.
    let again = daemon.refused(Method::POST, "/api/v1/message", Some(message)).await;
    assert_eq!((again.0, &again.3), (504, &details));
    assert_eq!(daemon.get("/api/v1/workflows").await.as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_is_waited_for_in_vain_is_told_as_it_is() {
    let daemon = Daemon::new();
    let decision = text(&daemon.post("/api/v1/decision", json!({ "message": "?" })).await, "decisionId");
    let begun = Instant::now();
    let view = daemon.get(&format!("/api/v1/decision/{decision}?wait=300")).await;
    assert_eq!((&view["status"], begun.elapsed().as_secs()), (&json!("pending"), 300));
    let refused = daemon.refused(Method::GET, &format!("/api/v1/decision/{decision}?wait=301"), None).await;
    assert_eq!((refused.0, &*refused.1), (400, "INVALID_REQUEST"));
}

/// contract/workflows §3.0: if too many requests wait already, a new one is refused in the form of the contract.
#[tokio::test]
async fn who_would_have_to_be_held_beside_too_many_is_told_that_it_is_unavailable() {
    let daemon = Daemon::new();
    let decision = text(&daemon.post("/api/v1/decision", json!({ "message": "?" })).await, "decisionId");
    let in_flight = InFlight::default();
    let holds: Vec<_> = std::iter::from_fn(|| in_flight.hold()).collect();
    let message = json!({ "target": "finger-orchestrator", "message": "x", "blocking": true });
    let ask = async |path: &str, body: Option<&Value>| {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost:3721");
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        daemon.send(request.extension(in_flight.clone()).body(body).unwrap()).await
    };
    let waiting = format!("/api/v1/decision/{decision}?wait=60");
    for (path, body) in
        [(&*waiting, None), ("/api/v1/events/stream", None), ("/api/v1/message", Some(&message))]
    {
        let answer = ask(path, body).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        answer.assert_guarded(path);
        let refusal: Refusal = serde_json::from_slice(&answer.body)
            .unwrap_or_else(|error| panic!("{path}: {error}: {}", answer.text()));
        assert_eq!(refusal.code, ErrorCode::Unavailable, "{path}");
        // It was taken, and can be asked for.
        if let Some(message) = refusal.details.get("messageId") {
            let mail = daemon.get(&format!("/api/v1/mailbox/{}", message.as_str().unwrap())).await;
            assert_eq!(mail["status"], "processing");
        } else {
            assert!(body.is_none(), "{refusal}");
        }
    }
    assert_eq!(ask(&format!("/api/v1/decision/{decision}"), None).await.status, StatusCode::OK);
    drop(holds);
}

/// contract/workflows §3.2 `GET /workflows/:id/state`.
#[tokio::test]
async fn the_state_of_no_workflow_is_not_found_in_its_own_words() {
    let daemon = Daemon::new();
    let refused = daemon.refused(Method::GET, "/api/v1/workflows/x/state", None).await;
    assert_eq!(
        (refused.0, &*refused.1, &*refused.2),
        (404, "WORKFLOW_NOT_FOUND", "State snapshot not found")
    );
}

/// contract/workflows §3.2: `input` is anything but nothing.
#[tokio::test]
async fn an_input_is_any_json_but_none_and_nothing() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.begin().await;
    for input in [json!(""), json!(" \n\t"), json!(null)] {
        let body = Some(json!({ "workflowId": workflow, "input": input }));
        let refused = daemon.refused(Method::POST, "/api/v1/workflow/input", body).await;
        let told = (refused.0, &*refused.1, &*refused.2);
        assert_eq!(told, (400, "MISSING_FIELD", "Missing workflowId or input"), "{input:?}");
        assert_eq!(refused.3["field"], "input");
    }
    for (input, said) in [
        (json!(7), "7"),
        (json!(false), "false"),
        (json!(["a", 1]), r#"["a",1]"#),
        (json!({ "a": null }), r#"{"a":null}"#),
        (json!("  x "), "x"),
    ] {
        let body = json!({ "workflowId": workflow, "input": input });
        let answer = daemon.post("/api/v1/workflow/input", body).await;
        assert_eq!(answer, json!({ "success": true, "workflowId": workflow }), "{input}");
        let told = daemon.get("/api/v1/events/history?type=workflow_update&limit=1").await;
        assert_eq!(told["events"][0]["payload"]["userInput"], said);
    }
}

/// contract/workflows §3.2 `GET /workflows` and `GET /workflows/state`.
#[tokio::test]
async fn workflows_are_listed_by_when_they_changed_last() {
    let daemon = Daemon::new();
    let mut begun = Vec::new();
    for _ in 0..3 {
        begun.push(daemon.begin().await.0);
        daemon.clock.passed.fetch_add(1000, Ordering::Relaxed);
    }
    let listed = async || {
        let list = daemon.get("/api/v1/workflows").await;
        let ids: Vec<_> = list.as_array().unwrap().iter().map(|row| text(row, "id")).collect();
        let states = daemon.get("/api/v1/workflows/state").await;
        let states = states["snapshots"].as_array().unwrap().iter().map(|row| text(row, "workflowId"));
        assert_eq!(states.collect::<Vec<_>>(), ids);
        ids
    };
    assert_eq!(listed().await, [begun[2].clone(), begun[1].clone(), begun[0].clone()]);
    daemon.step(&begun[0], "intent_analyzed", json!({})).await;
    assert_eq!(listed().await, [begun[0].clone(), begun[2].clone(), begun[1].clone()]);
    let first = daemon.get(&format!("/api/v1/workflows/{}", begun[0])).await;
    assert_eq!(first["createdAt"], "2026-02-23T03:00:00.000Z");
    assert_eq!(first["updatedAt"], "2026-02-23T03:00:03.000Z");
}

/// contract/workflows §3.2 `WORKFLOW_TERMINAL`: an end is an end, however it is asked.
#[tokio::test]
async fn what_has_ended_is_not_paused_resumed_cancelled_or_told_anything() {
    let daemon = Daemon::new();
    for completes in [true, false] {
        let (workflow, session) = daemon.executing().await;
        if completes {
            daemon.step(&workflow, "task_completed", json!({ "taskId": "task-1" })).await;
            daemon.step(&workflow, "review_passed", json!({})).await;
        } else {
            let cancelled = daemon.post("/api/v1/workflow/cancel", json!({ "workflowId": workflow })).await;
            assert_eq!(cancelled, json!({ "success": true, "workflowId": workflow, "status": "failed" }));
        }
        let state = daemon.get(&format!("/api/v1/workflows/{workflow}/state")).await;
        let last = daemon.runtime.log().unwrap().last;
        let by_path = format!("/api/v1/workflows/{workflow}/cancel");
        let transition = format!("/api/v1/workflow/{workflow}/transition");
        let deploy = json!({ "resourceId": "executor-coding", "sessionId": session, "workflowId": workflow });
        let said =
            json!({ "target": "finger-orchestrator", "message": { "content": "x", "workflowId": workflow } });
        for (path, body) in [
            ("/api/v1/workflow/pause", json!({ "workflowId": workflow })),
            ("/api/v1/workflow/pause", json!({ "workflowId": workflow, "hard": true })),
            ("/api/v1/workflow/resume", json!({ "workflowId": workflow })),
            ("/api/v1/workflow/cancel", json!({ "workflowId": workflow })),
            (&*by_path, json!({})),
            ("/api/v1/workflow/input", json!({ "workflowId": workflow, "input": "x" })),
            (&*transition, json!({ "trigger": "user_input_received" })),
            ("/api/v1/decision", json!({ "workflowId": workflow, "message": "?" })),
            ("/api/v1/resources/deploy", deploy),
            ("/api/v1/message", said),
        ] {
            let (status, code, words, details) = daemon.refused(Method::POST, path, Some(body)).await;
            let told = (status, &*code, &*words);
            assert_eq!(told, (409, "WORKFLOW_TERMINAL", "Workflow has ended"), "{path}");
            let expected = if completes { "completed" } else { "failed" };
            assert_eq!(details["currentState"], expected, "{path}");
        }
        let resume = Some(json!({ "sessionId": session }));
        let refused = daemon.refused(Method::POST, "/api/v1/session/resume", resume).await;
        assert_eq!((refused.0, &*refused.1), (409, "SESSION_NOT_RESUMABLE"));
        assert_eq!(daemon.get(&format!("/api/v1/workflows/{workflow}/state")).await, state);
        assert_eq!(daemon.runtime.log().unwrap().last, last);
    }
}

/// contract/workflows §3.4 `POST /session/resume`.
#[tokio::test]
async fn a_session_goes_on_from_an_earlier_checkpoint_that_is_named() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.begin().await;
    let latest = async || {
        let found = daemon.get(&format!("/api/v1/sessions/{session}/checkpoint/latest")).await;
        text(&found["checkpoint"], "checkpointId")
    };
    let first = latest().await;
    daemon.clock.passed.fetch_add(1000, Ordering::Relaxed);
    daemon.step(&workflow, "intent_analyzed", json!({})).await;
    daemon.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).await;
    daemon
        .step(&workflow, "plan_created", json!({ "tasks": [{ "id": "task-1", "description": "x" }] }))
        .await;
    let second = latest().await;
    assert_ne!(first, second);
    daemon.post("/api/v1/workflow/pause", json!({ "workflowId": workflow, "hard": true })).await;
    assert_ne!(latest().await, second, "a pause makes one");
    let (_, other) = daemon.begin().await;
    let by_path = format!("/api/v1/sessions/{session}/resume");
    for (path, body) in [
        ("/api/v1/session/resume", json!({ "sessionId": session, "checkpointId": "x" })),
        ("/api/v1/session/resume", json!({ "sessionId": other, "checkpointId": first })),
        (&by_path, json!({ "checkpointId": "x" })),
    ] {
        let refused = daemon.refused(Method::POST, path, Some(body)).await;
        let told = (refused.0, &*refused.1, &*refused.2);
        assert_eq!(told, (404, "CHECKPOINT_NOT_FOUND", "No checkpoint found for session"), "{path}");
    }
    let resume = json!({ "sessionId": session, "checkpointId": first });
    let resumed = daemon.post("/api/v1/session/resume", resume.clone()).await;
    assert_eq!((&resumed["checkpointId"], &resumed["workflowId"]), (&json!(first), &json!(workflow)));
    assert_eq!(resumed["resumePhase"], "semantic_understanding");
    assert_eq!(resumed["resumeContext"]["checkpoint"]["checkpointId"], first);
    let state = daemon.get(&format!("/api/v1/workflows/{workflow}")).await;
    assert_eq!(state["fsmState"], "semantic_understanding");
    let told = daemon.get("/api/v1/events/history?type=session_resumed&limit=1").await;
    assert_eq!(told["events"][0]["payload"]["checkpointId"], first);
    let again = daemon.refused(Method::POST, "/api/v1/session/resume", Some(resume)).await;
    assert_eq!((again.0, &*again.1), (409, "SESSION_BUSY"));
}

/// contract/workflows §3.5 `POST /resources/deploy`.
#[tokio::test]
async fn an_agent_that_is_used_is_refused_in_the_words_of_the_contract() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.begin().await;
    let deploy = json!({ "resourceId": "executor-coding", "sessionId": session, "workflowId": workflow });
    daemon.post("/api/v1/resources/deploy", deploy.clone()).await;
    let (status, code, words, details) =
        daemon.refused(Method::POST, "/api/v1/resources/deploy", Some(deploy)).await;
    let expected = (409, "RESOURCE_BUSY", "Resource not available or already deployed");
    assert_eq!((status, &*code, &*words), expected);
    assert_eq!(details, json!({ "resourceId": "executor-coding", "status": "deployed" }));
}

/// contract/workflows §3.1: an inbox has an end.
#[tokio::test]
async fn an_agent_with_a_hundred_messages_takes_no_more() {
    let daemon = Daemon::new();
    let message = || json!({ "target": "executor-coding", "message": "x" });
    for _ in 0..100 {
        daemon.post("/api/v1/message", message()).await;
    }
    let refused = daemon.refused(Method::POST, "/api/v1/message", Some(message())).await;
    let told = (refused.0, &*refused.1, &*refused.2);
    assert_eq!(told, (409, "QUEUE_FULL", "target agent busy: executor-coding"));
}

/// contract/workflows §3.6: all that is asked for must fit.
#[tokio::test]
async fn the_history_is_asked_by_type_and_group_and_workflow_and_session_together() {
    let daemon = Daemon::new();
    let (first, session) = daemon.executing().await;
    daemon.step(&first, "task_started", json!({ "taskId": "task-1" })).await;
    let (second, other) = daemon.begin().await;
    let all = kinds(&daemon, "").await;
    let phases = kinds(&daemon, "group=PHASE").await;
    assert!(!phases.is_empty() && phases.len() < all.len());
    assert_eq!(kinds(&daemon, "type=phase_*&group=PHASE").await, phases);
    assert_eq!(kinds(&daemon, "type=phase_transition,task_started&group=TASK").await, ["task_started"]);
    assert_eq!(kinds(&daemon, "type=task_*&group=PHASE,SESSION").await, [""; 0]);
    assert_eq!(kinds(&daemon, "type=task_*&group=ALL").await, ["task_started"]);
    assert_eq!(kinds(&daemon, "type=nothing_such").await, [""; 0]);
    for path in ["history", "stream"] {
        let path = format!("/api/v1/events/{path}?type=*&group=PHASE,NOBODY");
        let (status, code, words, details) = daemon.refused(Method::GET, &path, None).await;
        assert_eq!((status, &*code, &details["field"]), (400, "INVALID_GROUP", &json!("group")));
        assert!(words.starts_with("Unknown group NOBODY, known are SESSION, TASK, "), "{words}");
    }
    for (query, member, expected) in [
        (format!("workflowId={first}"), "workflowId", &first),
        (format!("workflowId={second}"), "workflowId", &second),
        (format!("sessionId={session}"), "sessionId", &session),
        (format!("sessionId={other}"), "sessionId", &other),
    ] {
        let found = daemon.get(&format!("/api/v1/events/history?limit=1000&{query}")).await;
        let found = found["events"].as_array().unwrap();
        assert!(!found.is_empty() && found.len() < all.len(), "{query}");
        assert!(found.iter().all(|event| event[member] == *expected), "{query}");
    }
    let of_both = [format!("sessionId={session}"), format!("sessionId={other}")];
    let mut count = 0;
    for query in &of_both {
        count += kinds(&daemon, query).await.len();
    }
    assert_eq!(count, all.len(), "each belongs to one of the two");
    assert_eq!(kinds(&daemon, &format!("sessionId={session}&workflowId={second}")).await, [""; 0]);
    assert_eq!(kinds(&daemon, &format!("group=TASK&workflowId={first}")).await, ["task_started"]);
}

/// contract/workflows §3.7.
#[tokio::test]
async fn what_stands_beside_it_has_the_words_of_the_contract() {
    let daemon = Daemon::new();
    assert_eq!(daemon.get("/api/test").await, json!({ "ok": true, "message": "Test route works" }));
    assert_eq!(daemon.get("/api/v1/routes").await, json!({ "routes": [] }));
    let cleared = daemon.post("/api/v1/mailbox/clear", json!({})).await;
    assert_eq!(cleared, json!({ "success": true, "message": "Mailbox cleaned up" }));
    for path in ["/api/v1/mailbox/x", "/api/v1/mailbox/callback/x"] {
        let refused = daemon.refused(Method::GET, path, None).await;
        assert_eq!((refused.0, &*refused.1, &*refused.2), (404, "MESSAGE_NOT_FOUND", "Message not found"));
    }
}

/// contract/workflows §3.7 `GET /mailbox`, and what `mailbox/clear` leaves.
#[tokio::test]
async fn the_mailbox_is_asked_by_target_and_status_and_keeps_what_has_not_ended() {
    let daemon = Daemon::new();
    for (number, target) in ["echo-input", "executor-coding", "finger-orchestrator"].into_iter().enumerate() {
        for part in ["a", "b"] {
            let message = json!({ "content": format!("{number}{part}") });
            let said = json!({ "target": target, "message": message, "sender": "cli" });
            daemon.post("/api/v1/message", said).await;
            daemon.clock.passed.fetch_add(1, Ordering::Relaxed);
        }
    }
    let found = async |query: &str| {
        let found = daemon.get(&format!("/api/v1/mailbox?{query}")).await;
        let found = found["messages"].as_array().unwrap();
        found.iter().map(|mail| text(&mail["content"], "content")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found("").await, "2b 2a 1b 1a 0b 0a");
    assert_eq!(found("limit=3").await, "2b 2a 1b");
    assert_eq!(found("target=echo-input").await, "0b 0a");
    assert_eq!(found("target=executor-coding&limit=1").await, "1b");
    assert_eq!(found("target=nobody").await, "");
    assert_eq!(found("status=completed").await, "0b 0a");
    assert_eq!(found("status=pending").await, "1b 1a");
    assert_eq!(found("status=processing").await, "2b 2a");
    assert_eq!(found("status=failed").await, "");
    assert_eq!(found("status=pending&target=finger-orchestrator").await, "");
    let refused = daemon.refused(Method::GET, "/api/v1/mailbox?status=asleep", None).await;
    assert_eq!((refused.0, &*refused.1), (400, "INVALID_REQUEST"));
    daemon.post("/api/v1/mailbox/clear", json!({})).await;
    assert_eq!(found("").await, "2b 2a 1b 1a", "what somebody waits for stays");
}

/// contract/workflows §4.3: what an event is about stands beside its payload as well.
#[tokio::test]
async fn an_event_names_its_task_and_its_agent_beside_its_payload() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.executing().await;
    let about = json!({ "taskId": "task-1", "agentId": "executor-coding" });
    daemon.step(&workflow, "task_started", about.clone()).await;
    let ask =
        json!({ "workflowId": workflow, "taskId": "task-1", "agentId": "executor-coding", "message": "?" });
    let decision = text(&daemon.post("/api/v1/decision", ask).await, "decisionId");
    daemon.post(&format!("/api/v1/decision/{decision}/respond"), json!({ "response": "x" })).await;
    daemon.step(&workflow, "task_completed", about).await;
    let found = daemon.get(&format!("/api/v1/events/history?workflowId={workflow}&limit=1000")).await;
    let mut seen = Vec::new();
    for event in found["events"].as_array().unwrap() {
        let kind = text(event, "type");
        assert_eq!(
            (&event["sessionId"], &event["workflowId"]),
            (&json!(session), &json!(workflow)),
            "{event}"
        );
        let is_about_task = kind.starts_with("task_")
            || kind.starts_with("user_decision_")
            || ["agent_update", "waiting_for_user"].contains(&kind.as_str());
        assert_eq!(event.get("taskId"), is_about_task.then_some(&json!("task-1")), "{event}");
        if is_about_task {
            assert_eq!(event["agentId"], "executor-coding", "{event}");
        }
        if kind.starts_with("task_") {
            let payload = &event["payload"];
            assert_eq!((&payload["taskId"], &payload["agentId"]), (&event["taskId"], &event["agentId"]));
        }
        seen.push(kind);
    }
    for kind in ["task_started", "task_completed", "user_decision_required", "user_decision_received"] {
        assert_eq!(seen.iter().filter(|seen| *seen == kind).count(), 1, "{kind}");
    }
}

/// contract/workflows §6.7 `PUT /tools/:name/policy`.
#[tokio::test]
async fn a_tool_is_allowed_asked_for_or_denied() {
    let daemon = Daemon::new();
    let path = |tool: &str| format!("/api/v1/tools/{tool}/policy");
    let listed = daemon.get("/api/v1/tools").await;
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|tool| text(tool, "name")).collect();
    assert_eq!(names, ["WEB_SEARCH", "FETCH_URL", "READ_FILE", "WRITE_FILE", "SHELL_EXEC"]);
    assert_eq!(
        listed[3],
        json!({ "name": "WRITE_FILE", "policy": "allow", "configured": "allow", "parameters": ["path", "content"], "available": true })
    );
    for (tool, policy) in [("web_search", "allow"), ("WEB_SEARCH", "deny"), ("SHELL_EXEC", "allow")] {
        let body = json!({ "policy": policy });
        let answer = daemon.request(Method::PUT, &path(tool), Some(body), &[]).await;
        assert_eq!((answer.status, answer.json()["policy"].as_str()), (StatusCode::OK, Some(policy)));
    }
    let listed = daemon.get("/api/v1/tools").await;
    assert_eq!((&listed[0]["policy"], &listed[0]["configured"]), (&json!("deny"), &json!("ask")));
    assert_eq!(listed[4]["policy"], json!("allow"));
    let words = "Invalid policy. Must be \"allow\", \"ask\" or \"deny\"";
    for body in
        [json!({ "policy": "maybe" }), json!({ "policy": true }), json!({ "policy": null }), json!({})]
    {
        let (status, code, error, details) =
            daemon.refused(Method::PUT, &path("web_search"), Some(body)).await;
        assert_eq!((status, &*code, &*error), (400, "INVALID_REQUEST", words));
        assert_eq!(details, json!({ "field": "policy" }));
    }
    let unknown = daemon.refused(Method::PUT, &path("COMPLETE"), Some(json!({ "policy": "allow" }))).await;
    assert_eq!((unknown.0, &*unknown.1, &*unknown.2), (404, "NOT_FOUND", "Tool not found"));
    // There is no other way to say so.
    let posted =
        daemon.request(Method::POST, &path("web_search"), Some(json!({ "policy": "allow" })), &[]).await;
    assert_eq!((posted.status, posted.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "PUT".to_owned()));
}

/// A request to this daemon, under way.
fn ask(daemon: &Daemon, path: &str) -> JoinHandle<StatusCode> {
    let request = Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap();
    let answer = daemon.router.clone().oneshot(request);
    tokio::spawn(async move { answer.await.unwrap().status() })
}

#[tokio::test(start_paused = true)]
async fn a_daemon_whose_journal_does_not_answer_says_what_it_knows_and_refuses_the_rest_in_time() {
    let (daemon, wrong) = failing();
    let silence = Silence::new();
    let ends = SilenceGuard(Arc::clone(&silence));
    *wrong.lock().unwrap() = Some(JournalFault::Silent(Arc::clone(&silence)));
    // Of pages and programs alike: more than there are threads that serve, and then as many as can be read at a time.
    let paths = ["/workflows", "/api/v1/workflows", "/workflows/x", "/api/v1/workflows/x"];
    let mut reads: Vec<_> = paths.iter().map(|path| ask(&daemon, path)).collect();
    silence.has_begun(paths.len()).await;
    assert_eq!(daemon.get("/health").await["status"], "healthy");
    // The list has a turn of its own.
    reads.extend((paths.len() - 1..ReadPool::LIMIT).map(|_| ask(&daemon, "/api/v1/workflows/x")));
    silence.has_begun(ReadPool::LIMIT - (paths.len() - 1)).await;
    for (path, status) in [
        ("/health", 200),
        ("/api/test", 200),
        ("/api/v1/openapi.json", 200),
        ("/api/v1/routes", 200),
        ("/api/v1/events/types", 200),
        ("/api/v1/events/groups", 200),
        ("/favicon.svg", 200),
        ("/submit", 303),
        ("/nothing", 404),
        ("/api/v1/nothing", 404),
        ("/api/submit", 405),
    ] {
        assert_eq!(daemon.page(path).await.status, status, "{path}");
    }
    let late =
        // Of lists, one page is read at a time.
        ["/api/v1/agents", "/api/v1/decision", "/api/v1/decision?limit=1"].map(|path| ask(&daemon, path));
    tokio::task::yield_now().await;
    advance(ReadPool::DEADLINE).await;
    for read in reads.into_iter().chain(late) {
        assert_eq!(read.await.unwrap(), 503);
    }
    assert_eq!(daemon.get("/health").await["status"], "healthy");
    *wrong.lock().unwrap() = None;
    drop(ends);
    assert_eq!(daemon.get("/api/v1/workflows").await, json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_stream_whose_journal_does_not_answer_reads_it_once_at_a_time_and_ends() {
    let (daemon, wrong) = failing();
    let silence = Silence::new();
    let _ends = SilenceGuard(Arc::clone(&silence));
    *wrong.lock().unwrap() = Some(JournalFault::Silent(Arc::clone(&silence)));
    let request = Request::get("/api/v1/events/stream?since=0").header("host", "localhost:3721");
    let answer = daemon.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut body = answer.into_body();
    let mut after = async |time: Duration| {
        let mut frame = pin!(body.frame());
        assert!(poll_fn(|context| Poll::Ready(frame.as_mut().poll(context).is_pending())).await);
        advance(time).await;
        frame.await.map(|frame| frame.unwrap().into_data().unwrap())
    };
    let half = ReadPool::DEADLINE / 2;
    assert_eq!(after(half).await.unwrap(), ":\n\n");
    silence.has_begun(1).await;
    assert_eq!(after(half).await, None);
    assert_eq!(silence.begun.available_permits(), 0, "a silent stream does not read again");
}
