//! What drives a daemon, and a daemon that breaks off, comes back and says things twice.

use crate::Peer;
use client::{
    Address, Client, ClientError, ConnectionState, DecisionScope, FingerClient, FollowUpdate,
    OrchestrationOptions, RetryPolicy, Secret, Subscription,
};
use protocol::workflow::UserDecisionRequired;
use protocol::workflow::requests::DecisionRequest;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const AT_ONCE: RetryPolicy = RetryPolicy { interval: Duration::from_millis(1), attempts: 5000 };

/// A daemon as far as it answers requests.
#[derive(Clone, Default)]
struct FakeDaemon(Arc<Mutex<DaemonState>>);

#[derive(Default)]
struct DaemonState {
    /// The number of the last event.
    last: i64,
    pending: Vec<Value>,
    /// What was asked for, with its body.
    requests: Vec<(String, Value)>,
    /// How the next responses are answered; with 200, if nothing is said.
    responses: VecDeque<(u16, Value)>,
    /// A message is answered once a decision was.
    holds: bool,
}

impl FakeDaemon {
    fn change(&self, change: impl FnOnce(&mut DaemonState)) {
        change(&mut self.0.lock().unwrap());
    }

    /// The answers that were given to decisions.
    fn responses(&self) -> Vec<(String, Value)> {
        let known = self.0.lock().unwrap();
        known.requests.iter().filter(|(path, _)| path.ends_with("/respond")).cloned().collect()
    }

    fn holds(&self, path: &str) -> bool {
        path == "/api/v1/message" && self.0.lock().unwrap().holds && self.responses().is_empty()
    }

    fn answer(&self, path: &str, body: Value) -> (u16, Value) {
        let mut known = self.0.lock().unwrap();
        known.requests.push((path.to_owned(), body));
        if path.starts_with("/api/v1/events/history") {
            return (200, json!({ "success": true, "events": [{ "type": "x", "seq": known.last }] }));
        }
        if path.ends_with("/respond") {
            let answered = json!({ "success": true, "decisionId": "d", "response": "", "selected": [] });
            return known.responses.pop_front().unwrap_or((200, answered));
        }
        if path == "/api/v1/decision" {
            return (200, json!({ "success": true, "decisionId": "d-own", "status": "pending" }));
        }
        if path.starts_with("/api/v1/mailbox/callback/aide-") {
            let message = json!({
                "id": "msg-1", "target": "finger-orchestrator", "content": "", "status": "processing",
                "createdAt": "", "updatedAt": "", "workflowId": "wf-1",
            });
            return (200, message);
        }
        if path.ends_with("/resume") {
            return (200, json!({ "success": true, "sessionId": "session-3", "workflowId": "wf-3" }));
        }
        if path.starts_with("/api/v1/decision") {
            return (200, json!({ "decisions": known.pending }));
        }
        if path == "/api/v1/agents/executor-1/capabilities" {
            let details = json!([{ "type": "web_search", "level": 8 }]);
            return (
                200,
                json!({ "agentId": "executor-1", "capabilities": ["web_search"], "details": details }),
            );
        }
        let accepted = json!({
            "success": true, "messageId": "msg-1", "status": "queued", "queued": true, "workflowId": "wf-1",
        });
        (200, accepted)
    }

    async fn serve(self, listener: TcpListener) {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let answers = self.clone();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                let (head, body) = loop {
                    let mut piece = [0; 4096];
                    let length = stream.read(&mut piece).await.unwrap();
                    if length == 0 {
                        return;
                    }
                    bytes.extend_from_slice(&piece[..length]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let expected = head.lines().find_map(|line| {
                        line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
                    });
                    if body.len() >= expected.unwrap_or(0) {
                        break (head.to_owned(), body.to_owned());
                    }
                };
                let path = head.split(' ').nth(1).unwrap();
                let body = serde_json::from_str(&body).unwrap_or(Value::Null);
                let (status, answer) = answers.answer(path, body);
                while answers.holds(path) {
                    tokio::task::yield_now().await;
                }
                let answer = answer.to_string();
                let head = format!("HTTP/1.1 {status} -\r\nContent-Length: {}\r\n", answer.len());
                let answer =
                    format!("{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{answer}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            });
        }
    }
}

/// A daemon that answers, with its sockets for a test, and a client of it.
async fn place() -> (FakeDaemon, TcpListener, Client) {
    let (http, sockets) =
        (TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let (http_url, ws) =
        (format!("http://127.0.0.1:{}", port(&http)), format!("ws://127.0.0.1:{}", port(&sockets)));
    let answers = FakeDaemon::default();
    tokio::spawn(answers.clone().serve(http));
    let address = Address::new(&http_url, Some(&ws), Secret::default()).unwrap();
    (answers, sockets, Client::new(address, Some(Duration::from_secs(20))).unwrap())
}

fn decision(id: &str) -> Value {
    json!({
        "decisionId": id, "workflowId": "wf-1", "message": format!("{id}?"), "options": ["Y", "n"],
        "multiSelect": false, "createdAt": "", "status": "pending", "selected": [],
    })
}

fn asked(id: &str) -> Value {
    json!({ "decisionId": id, "workflowId": "wf-1", "message": format!("{id}?"), "options": ["Y", "n"] })
}

fn received(id: &str) -> Value {
    json!({ "decisionId": id, "decision": "n", "selected": ["n"] })
}

impl Peer {
    async fn send_event(&mut self, seq: i64, kind: &str, payload: Value) {
        let at = "2026-02-23T03:00:00.000Z";
        self.say(
            json!({ "type": kind, "timestamp": at, "payload": payload, "seq": seq, "workflowId": "wf-1" }),
        )
        .await;
    }
}

/// What a handler was called with, in order.
fn calls<T: Send + 'static>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    unbounded_channel()
}

async fn next<T>(calls: &mut UnboundedReceiver<T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), calls.recv()).await.expect("nothing comes").unwrap()
}

#[tokio::test]
async fn nothing_is_missed_or_told_twice_across_connections() {
    let (answers, sockets, client) = place().await;
    answers.change(|known| known.last = 7);
    let daemon = tokio::spawn(async move {
        let mut wanted = Vec::new();
        // It breaks off before anything was told.
        let mut peer = Peer::accept(&sockets).await;
        wanted.push(peer.agree().await["since"].clone());
        drop(peer);
        let mut peer = Peer::accept(&sockets).await;
        wanted.push(peer.agree().await["since"].clone());
        peer.event(8, "task_started").await;
        peer.event(8, "task_started").await;
        // And says farewell in the middle.
        peer.close(1001, "").await;
        let mut peer = Peer::accept(&sockets).await;
        wanted.push(peer.agree().await["since"].clone());
        peer.event(8, "task_started").await;
        peer.event(9, "task_completed").await;
        (wanted, peer)
    });
    let mut following = client.follow(Subscription::default(), AT_ONCE, || None).await.unwrap();
    let mut heard = Vec::new();
    while following.at() != Some(9) {
        heard.push(match following.next().await.unwrap() {
            FollowUpdate::Event(event) => event["seq"].clone(),
            FollowUpdate::Lost => json!("lost"),
            FollowUpdate::Back => json!("back"),
            FollowUpdate::Gap(_) | FollowUpdate::Silent => {
                panic!("nothing is missing, and the daemon answers")
            }
        });
    }
    assert_eq!(heard, [json!("lost"), json!("back"), json!(8), json!("lost"), json!("back"), json!(9)]);
    assert_eq!(daemon.await.unwrap().0, [json!(7), json!(7), json!(8)]);
}

#[tokio::test]
async fn who_does_not_come_back_is_given_up() {
    let (_, sockets, client) = place().await;
    let daemon = tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
    });
    for attempts in [0, 3] {
        let retry = RetryPolicy { attempts, ..AT_ONCE };
        let follow = client.follow(Subscription::default(), retry, || None).await;
        if attempts == 0 {
            let mut following = follow.unwrap();
            // No retries are allowed.
            assert!(matches!(following.next().await, Err(ClientError::Unreachable { .. })));
        } else {
            assert!(matches!(follow, Err(ClientError::Unreachable { .. })));
        }
    }
    daemon.await.unwrap();
    let (_, sockets, client) = place().await;
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
    });
    let retry = RetryPolicy { attempts: 3, ..AT_ONCE };
    let mut following = client.follow(Subscription::default(), retry, || None).await.unwrap();
    assert_eq!(following.next().await.unwrap(), FollowUpdate::Lost);
    assert!(matches!(following.next().await, Err(ClientError::Unreachable { .. })));
}

#[tokio::test]
async fn the_handler_of_decisions_is_called_once_for_each_and_swallows_nothing() {
    let (answers, sockets, client) = place().await;
    answers.change(|known| known.pending = vec![decision("d-1")]);
    let (commands, mut commanded) = calls::<Vec<(i64, &str, Value)>>();
    let daemon = tokio::spawn(async move {
        let mut connections = 0;
        loop {
            let mut peer = Peer::accept(&sockets).await;
            peer.agree().await;
            connections += 1;
            let Some(events) = commanded.recv().await else { return connections };
            for (seq, kind, payload) in events {
                peer.send_event(seq, kind, payload).await;
            }
        }
    });
    let client = FingerClient::new(client, AT_ONCE);
    let (seen, mut events) = calls();
    let (decisions, mut called) = calls();
    // Before it is connected, and one that panics.
    let all = client.subscribe_all(|_| panic!("not my day"));
    let subscribed = client
        .subscribe(&["user_decision_*"], move |event| {
            seen.send((event.kind().to_owned(), event.payload()["decisionId"].clone())).unwrap();
        })
        .unwrap();
    client.on_decision_of(DecisionScope::All, move |UserDecisionRequired { decision_id, .. }| {
        decisions.send(decision_id.clone()).unwrap();
        async move {
            match &*decision_id {
                "d-2" => panic!("not mine either"),
                "d-3" => None,
                _ => Some("Y".to_owned()),
            }
        }
    });
    client.connect().await.unwrap();
    client.connect().await.unwrap();
    // It was open before.
    assert_eq!(next(&mut called).await, "d-1");
    let (required, ended) = ("user_decision_required", "user_decision_received");
    commands.send(vec![(1, required, asked("d-1")), (2, required, asked("d-2"))]).unwrap();
    assert_eq!(next(&mut called).await, "d-2");
    // After the reconnection, all of them are sent again.
    commands.send(vec![(2, required, asked("d-2")), (3, required, asked("d-3"))]).unwrap();
    assert_eq!(next(&mut called).await, "d-3");
    for id in ["d-1", "d-2", "d-3"] {
        assert_eq!(next(&mut events).await, (required.to_owned(), json!(id)));
    }
    all.unsubscribe();
    subscribed.unsubscribe();
    commands.send(vec![(4, ended, received("d-3")), (5, required, asked("d-4"))]).unwrap();
    assert_eq!(next(&mut called).await, "d-4");
    assert!(events.recv().await.is_none(), "the handler is still there");
    let given = || {
        let mut given: Vec<String> = answers.responses().into_iter().map(|(path, _)| path).collect();
        given.sort();
        given
    };
    while given().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(given(), ["/api/v1/decision/d-1/respond", "/api/v1/decision/d-4/respond"]);
    assert_eq!(answers.responses()[0].1, json!({ "response": "Y" }));
    client.disconnect();
    assert_eq!(client.connection_state(), ConnectionState::Disconnected);
    drop(commands);
    drop(daemon);
}

fn with_workflow(mut decision: Value, workflow: &str) -> Value {
    decision["workflowId"] = json!(workflow);
    decision
}

/// The decisions that were answered, once these are all.
async fn all_given(answers: &FakeDaemon, count: usize) -> Vec<String> {
    let given = async {
        while answers.responses().len() < count {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), given).await.expect("too few are answered");
    let responses = answers.responses();
    let mut given: Vec<_> =
        responses.iter().map(|(path, _)| path.split('/').nth(4).unwrap().to_owned()).collect();
    given.sort();
    given
}

#[tokio::test]
async fn a_handler_answers_for_the_workflows_and_questions_of_its_own_client() {
    let (answers, sockets, client) = place().await;
    let of_others = with_workflow(decision("d-others"), "wf-2");
    let resumed = with_workflow(decision("d-resumed"), "wf-3");
    answers.change(|known| known.pending = vec![of_others, resumed]);
    let (commands, mut commanded) = calls::<Vec<(i64, Value)>>();
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        while let Some(events) = commanded.recv().await {
            for (seq, payload) in events {
                peer.send_event(seq, "user_decision_required", payload).await;
            }
        }
    });
    let client = FingerClient::new(client, AT_ONCE);
    let (decisions, mut called) = calls();
    let handler = move |asked: UserDecisionRequired| {
        decisions.send(asked.decision_id).unwrap();
        async { Some("Y".to_owned()) }
    };
    client.on_decision(handler.clone());
    client.connect().await.unwrap();
    client.orchestrate("a report", &OrchestrationOptions::default()).await.unwrap();
    let asked_of_others = with_workflow(asked("d-others-2"), "wf-2");
    commands.send(vec![(1, asked_of_others), (2, asked("d-begun"))]).unwrap();
    assert_eq!(next(&mut called).await, "d-begun");
    client.resume_session("session-3", None).await.unwrap();
    assert_eq!(next(&mut called).await, "d-resumed");
    let question: DecisionRequest = serde_json::from_value(json!({ "message": "Which?" })).unwrap();
    client.create_decision(&question).await.unwrap();
    commands.send(vec![(3, json!({ "decisionId": "d-own", "message": "Which?" }))]).unwrap();
    assert_eq!(next(&mut called).await, "d-own");
    assert_eq!(all_given(&answers, 3).await, ["d-begun", "d-own", "d-resumed"]);
    // Workflows that are named, beside its own.
    client.on_decision_of(DecisionScope::Of(vec!["wf-2".to_owned()]), handler);
    assert_eq!(next(&mut called).await, "d-others");
    assert_eq!(all_given(&answers, 4).await, ["d-begun", "d-others", "d-own", "d-resumed"]);
}

#[tokio::test]
async fn a_workflow_that_is_waited_for_has_its_decisions_answered() {
    let (answers, sockets, client) = place().await;
    answers.change(|known| known.holds = true);
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        peer.send_event(1, "user_decision_required", asked("d-1")).await;
        std::future::pending::<()>().await;
    });
    let client = FingerClient::new(client, AT_ONCE);
    client.on_decision(|_| async { Some("Y".to_owned()) });
    let how = OrchestrationOptions { blocking: true, ..OrchestrationOptions::default() };
    let connected = async {
        // The message is there before anything is asked for its workflow.
        while answers.0.lock().unwrap().requests.is_empty() {
            tokio::task::yield_now().await;
        }
        client.connect().await.unwrap();
    };
    let (begun, ()) = tokio::join!(client.orchestrate("a report", &how), connected);
    assert_eq!(begun.unwrap().workflow_id, "wf-1");
    assert_eq!(all_given(&answers, 1).await, ["d-1"]);
}

#[tokio::test]
async fn a_handler_is_broken_off_when_somebody_else_has_decided() {
    let (answers, sockets, client) = place().await;
    let (go_on, mut went_on) = calls::<()>();
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        peer.send_event(1, "user_decision_required", asked("d-1")).await;
        went_on.recv().await;
        peer.send_event(2, "user_decision_received", received("d-1")).await;
        std::future::pending::<()>().await;
    });
    /// Told when it is dropped.
    struct DropSignal(UnboundedSender<&'static str>);
    impl Drop for DropSignal {
        fn drop(&mut self) {
            let _ = self.0.send("withdrawn");
        }
    }
    let client = FingerClient::new(client, AT_ONCE);
    let (told, mut asking) = calls();
    client.on_decision_of(DecisionScope::All, move |_| {
        let asking = DropSignal(told.clone());
        async move {
            asking.0.send("asked").unwrap();
            std::future::pending().await
        }
    });
    client.connect().await.unwrap();
    assert_eq!(next(&mut asking).await, "asked");
    go_on.send(()).unwrap();
    assert_eq!(next(&mut asking).await, "withdrawn");
    assert_eq!(answers.responses(), []);
}

#[tokio::test]
async fn an_answer_that_nobody_could_take_is_given_again() {
    let (answers, sockets, client) = place().await;
    let unable = json!({ "error": "Disk full", "code": "INTERNAL_ERROR", "details": {} });
    let late =
        json!({ "error": "Decision already resolved", "code": "DECISION_ALREADY_RESOLVED", "details": {} });
    answers.change(|known| {
        known.pending = vec![decision("d-1")];
        known.responses = [(500, unable.clone()), (500, unable), (409, late)].into();
    });
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        std::future::pending::<()>().await;
    });
    let client = FingerClient::new(client, AT_ONCE);
    client.on_decision_of(DecisionScope::All, |_| async { Some("Y".to_owned()) });
    client.connect().await.unwrap();
    while answers.responses().len() < 3 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_again_five_times_in_all() {
    let (answers, sockets, client) = place().await;
    let none = json!({ "error": "Not an option", "code": "INVALID_RESPONSE", "details": {} });
    answers.change(|known| {
        known.pending = vec![decision("d-1")];
        known.responses = [(400, none.clone())].into();
    });
    let (send_event, mut wanted) = calls::<&str>();
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        let mut seq = 0;
        while let Some(id) = wanted.recv().await {
            seq += 1;
            peer.send_event(seq, "user_decision_required", asked(id)).await;
        }
    });
    let client = FingerClient::new(client, AT_ONCE);
    let said = Arc::new(Mutex::new(0));
    client.on_decision_of(DecisionScope::All, move |UserDecisionRequired { decision_id, .. }| {
        let mut said = said.lock().unwrap();
        *said += 1;
        let answer = format!("{decision_id} {said}");
        async { Some(answer) }
    });
    client.connect().await.unwrap();
    let given = || -> Vec<String> {
        let responses = answers.responses();
        responses.iter().map(|(_, body)| body["response"].as_str().unwrap().to_owned()).collect()
    };
    let until = async |count: usize| {
        let given = async {
            while given().len() < count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), given).await.expect("nobody is asked again");
    };
    // Asked again until there is an answer.
    until(2).await;
    assert_eq!(given(), ["d-1 1", "d-1 2"]);
    // And no longer than that makes sense.
    answers.change(|known| known.responses = vec![(400, none); 5].into());
    send_event.send("d-2").unwrap();
    until(7).await;
    send_event.send("d-3").unwrap();
    until(8).await;
    assert_eq!(given()[2..], ["d-2 3", "d-2 4", "d-2 5", "d-2 6", "d-2 7", "d-3 8"]);
}

#[tokio::test]
async fn a_workflow_of_no_session_belongs_where_its_program_is() {
    let (answers, _sockets, client) = place().await;
    let client = FingerClient::new(client, AT_ONCE);
    let here = std::env::current_dir().unwrap();
    for (how, folder) in [
        (OrchestrationOptions::default(), json!({ "content": "a report", "projectPath": here })),
        (
            OrchestrationOptions {
                project_path: Some("/elsewhere".to_owned()),
                ..OrchestrationOptions::default()
            },
            json!({ "content": "a report", "projectPath": "/elsewhere" }),
        ),
        // A session that is there has its own.
        (
            OrchestrationOptions {
                session_id: Some("session-1".to_owned()),
                ..OrchestrationOptions::default()
            },
            json!({ "content": "a report", "sessionId": "session-1" }),
        ),
    ] {
        client.orchestrate("a report", &how).await.unwrap();
        let sent = answers.0.lock().unwrap().requests.last().unwrap().1["message"].clone();
        assert_eq!(sent, folder);
    }
}

#[tokio::test]
async fn how_it_stands_to_the_daemon_is_told() {
    let (_, sockets, client) = place().await;
    let client = FingerClient::new(client, RetryPolicy { attempts: 2, ..AT_ONCE });
    let (told, mut states) = calls();
    let subscribed = client.on_state_change(move |state| told.send(state).unwrap());
    let (leave, mut left) = calls::<()>();
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        left.recv().await;
    });
    client.connect().await.unwrap();
    let begun = client.orchestrate("a report", &OrchestrationOptions::default()).await.unwrap();
    assert_eq!((&*begun.workflow_id, &*begun.message_id), ("wf-1", "msg-1"));
    // Whatever a client asks can be asked of it.
    assert_eq!(client.agent_capabilities("executor-1").await.unwrap().capabilities, ["web_search"]);
    leave.send(()).unwrap();
    let expected = [
        ConnectionState::Connecting,
        ConnectionState::Connected,
        ConnectionState::Reconnecting,
        ConnectionState::Disconnected,
    ];
    for expected in expected {
        assert_eq!(next(&mut states).await, expected);
    }
    assert!(client.connect().await.is_err());
    assert_eq!(next(&mut states).await, ConnectionState::Connecting);
    assert_eq!(next(&mut states).await, ConnectionState::Disconnected);
    subscribed.unsubscribe();
}
