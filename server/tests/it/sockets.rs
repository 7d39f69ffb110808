//! Events as they happen, over WebSockets and as a stream.

use crate::corpus::cookie_of;
use crate::support::daemon::{Daemon, happen};
use futures_util::{SinkExt, StreamExt};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use journal::{EventFilter, Retention};
use serde_json::{Value, json};
use server::{Access, Key, Limits};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::tungstenite::{Error, client::IntoClientRequest};
use tower::ServiceExt;

/// A daemon whose sockets are served.
struct ServerTask {
    daemon: Daemon,
    port: u16,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl ServerTask {
    fn start() -> Self {
        Self::with_limits(Limits { held: 600, connections: 2000, ..Limits::default() })
    }

    fn with_limits(limits: Limits) -> Self {
        Self::with(limits, Daemon::with_sockets_at)
    }

    /// The same for the daemon that is made for its port.
    fn with(limits: Limits, daemon: impl FnOnce(u16) -> Daemon) -> Self {
        let bound = server::bind("127.0.0.1", 0, None).unwrap();
        let port = bound.port;
        let daemon = daemon(port);
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = server::serve(bound, daemon.sockets.clone(), limits, async {
            let _ = stopped.await;
        });
        let task = tokio::spawn(async { serving.await.unwrap() });
        Self { daemon, port, stop, task }
    }

    async fn connect(&self) -> Client {
        self.try_connect(&[]).await.unwrap()
    }

    async fn try_connect(&self, headers: &[(&'static str, &str)]) -> Result<Client, Error> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        self.upgrade(stream, headers).await
    }

    async fn upgrade(&self, stream: TcpStream, headers: &[(&'static str, &str)]) -> Result<Client, Error> {
        self.upgrade_at("/", stream, headers).await
    }

    async fn upgrade_at(
        &self,
        path: &str,
        stream: TcpStream,
        headers: &[(&'static str, &str)],
    ) -> Result<Client, Error> {
        let mut request = format!("ws://localhost:{}{path}", self.port).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let (socket, response) = tokio_tungstenite::client_async(request, stream).await?;
        for taken in ["sec-websocket-extensions", "sec-websocket-protocol"] {
            assert!(!response.headers().contains_key(taken), "{taken}");
        }
        let mut client = Client { socket };
        let welcome = client.frame().await;
        assert_eq!(welcome["type"], "client_id_assigned");
        assert!(welcome["clientId"].as_str().unwrap().starts_with("client_"));
        Ok(client)
    }

    /// Lets something happen that has an event.
    fn happen(&self, name: &str) -> i64 {
        happen(&**self.daemon.runtime.journal(), [name.to_owned()])
    }
}

struct Client {
    socket: WebSocketStream<TcpStream>,
}

impl Client {
    async fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    /// The next frame that is no ping.
    async fn next(&mut self) -> Option<Result<Message, Error>> {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), self.socket.next())
                .await
                .expect("nothing came");
            match next {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => return other,
            }
        }
    }

    async fn frame(&mut self) -> Value {
        let message = self.next().await.unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    /// The number of the next event.
    async fn seq(&mut self) -> i64 {
        seq_of(self.next().await.unwrap().unwrap().to_text().unwrap())
    }

    /// What the client says, and the answer to it; what was told before that is of no interest.
    async fn ask(&mut self, message: Value) -> Value {
        self.say(message).await;
        loop {
            let frame = self.frame().await;
            if frame.get("seq").is_none() {
                return frame;
            }
        }
    }

    /// Sends bytes as they are.
    async fn send_raw(&mut self, bytes: &[u8]) {
        self.socket.get_mut().write_all(bytes).await.unwrap();
    }

    /// Waits until the server has gone; it says nothing more, but perhaps why.
    async fn is_left(&mut self) {
        loop {
            match self.next().await {
                None | Some(Err(_)) => return,
                Some(Ok(Message::Close(Some(frame)))) => assert_eq!(u16::from(frame.code), 1002),
                Some(Ok(Message::Close(None))) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The code and the reason by which the connection ends.
    async fn close(&mut self) -> (u16, String) {
        loop {
            match self.next().await {
                Some(Ok(Message::Close(Some(frame)))) => {
                    return (frame.code.into(), frame.reason.to_string());
                }
                Some(Ok(Message::Text(_))) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// contract/workflows §4.
#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_told_as_the_document_has_it() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    let confirmed = client.ask(json!({ "type": "subscribe", "events": ["*"] })).await;
    assert_eq!((&confirmed["type"], &confirmed["types"]), (&json!("subscribe_confirmed"), &json!(["*"])));
    let (workflow, session) = serving.daemon.begin().await;
    let kinds = [client.frame().await, client.frame().await].map(|event| event["type"].clone());
    assert_eq!(kinds, ["session_created", "user_message"]);
    let event = client.frame().await;
    assert_eq!(event["type"], "phase_transition");
    assert_eq!(event["sessionId"], session);
    assert_eq!(event["timestamp"], "2026-02-23T03:00:00.000Z");
    let payload = json!({ "from": "idle", "to": "semantic_understanding", "trigger": "user_input_received" });
    assert_eq!(
        (&event["payload"], &event["workflowId"], &event["seq"]),
        (&payload, &json!(workflow), &json!(3))
    );
    let history = serving.daemon.get("/api/v1/events/history?limit=1").await;
    assert_eq!(history["events"][0], event, "the same everywhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_together_is_told_before_a_client_is_answered() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    for round in 0..10 {
        let names = (0..200).map(|number| format!("{round} {number}"));
        let last = happen(&**serving.daemon.runtime.journal(), names);
        let mut seq = client.seq().await;
        client.say(json!({ "type": "ping" })).await;
        let answer = loop {
            let frame = client.frame().await;
            match frame["seq"].as_i64() {
                Some(told) => seq = told,
                None => break frame,
            }
        };
        assert_eq!((&answer["type"], seq), (&json!("pong"), last), "{round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_are_added_and_removed() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    serving.happen("before any choice");
    assert_eq!(client.frame().await["payload"]["error"], "before any choice", "everything");
    let tasks = json!({ "type": "subscribe", "events": ["task_*"], "groups": ["PHASE", "WORKFLOW"] });
    let confirmed = client.ask(tasks).await;
    assert_eq!(
        confirmed["groups"],
        json!(["PHASE", "WORKFLOW"]),
        "as it was asked for, unknown ones as well"
    );
    client.ask(json!({ "type": "subscribe", "types": ["user_message"] })).await;
    serving.happen("not chosen");
    let (workflow, _) = serving.daemon.executing().await;
    let mut kinds = Vec::new();
    for _ in 0..5 {
        kinds.push(client.frame().await["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds[0], "user_message");
    assert!(kinds[1..].iter().all(|kind| kind == "phase_transition"), "{kinds:?}");
    let gone = json!({ "type": "unsubscribe", "groups": ["PHASE"], "events": ["user_message"] });
    assert_eq!(client.ask(gone).await["type"], "unsubscribe_confirmed");
    serving.daemon.step(&workflow, "task_started", json!({ "taskId": "task-1" })).await;
    assert_eq!(client.frame().await["type"], "task_started");
    client.ask(json!({ "type": "unsubscribe" })).await;
    serving.daemon.step(&workflow, "task_completed", json!({ "taskId": "task-1" })).await;
    client.say(json!({ "type": "ping" })).await;
    assert_eq!(client.frame().await["type"], "pong", "nothing else comes any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_workflow_can_be_followed() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    let (first, _) = serving.daemon.begin().await;
    client.ask(json!({ "type": "subscribe", "events": ["*"], "workflowId": first, "since": 0 })).await;
    let (second, session) = serving.daemon.begin().await;
    serving.daemon.step(&first, "intent_analyzed", json!({})).await;
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(client.frame().await);
    }
    assert!(told.iter().all(|event| event["workflowId"] == first), "{told:?}");
    assert_eq!(told[2]["payload"]["to"], "routing_decision");
    let mut other = serving.connect().await;
    other.ask(json!({ "type": "subscribe", "sessionId": session, "since": 0 })).await;
    assert_eq!(other.frame().await["type"], "session_created");
    assert_eq!(other.frame().await["workflowId"], second);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_understood_is_said_and_the_connection_stays() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    for (text, code) in [
        ("{", "INVALID_JSON"),
        ("[]", "INVALID_JSON"),
        ("{}", "UNKNOWN_MESSAGE_TYPE"),
        (r#"{"type":"input_lock_acquire"}"#, "UNKNOWN_MESSAGE_TYPE"),
        (r#"{"type":"subscribe","events":"*"}"#, "INVALID_REQUEST"),
        (r#"{"type":"subscribe","events":[1]}"#, "INVALID_REQUEST"),
        (r#"{"type":"subscribe","since":-1}"#, "INVALID_REQUEST"),
        (r#"{"type":"subscribe","workflowId":7}"#, "INVALID_REQUEST"),
        (r#"{"type":"unsubscribe","groups":{}}"#, "INVALID_REQUEST"),
    ] {
        client.socket.send(Message::text(text)).await.unwrap();
        let answer = client.frame().await;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("error"), &json!(code)), "{text}");
    }
    let many: Vec<String> = (0..300).map(|number| format!("x{number}")).collect();
    assert_eq!(client.ask(json!({ "type": "subscribe", "events": many })).await["code"], "INVALID_REQUEST");
    serving.happen("still there");
    assert_eq!(client.frame().await["payload"]["error"], "still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_is_told_as_a_gap() {
    let serving = ServerTask::start();
    for number in 0..10 {
        serving.happen(&number.to_string());
    }
    let journal = serving.daemon.runtime.journal();
    journal.prune(Retention { keep_events: 4, answered_before: 0, at_most: 100 }).unwrap();
    let mut client = serving.connect().await;
    client.ask(json!({ "type": "subscribe", "events": ["*"], "since": 2 })).await;
    assert_eq!(client.frame().await, json!({ "type": "replay_gap", "oldestSeq": 7 }));
    assert_eq!(client.frame().await["seq"], 7);
    let mut other = serving.connect().await;
    other.ask(json!({ "type": "subscribe", "events": ["*"], "since": 6 })).await;
    assert_eq!(other.frame().await["seq"], 7, "nothing is missing");
}

/// A journal that was put back from a copy.
#[tokio::test(flavor = "multi_thread")]
async fn who_was_told_more_than_there_is_is_told_from_the_beginning() {
    let serving = ServerTask::start();
    serving.happen("a");
    let mut client = serving.connect().await;
    client.say(json!({ "type": "subscribe", "events": ["*"], "since": 99 })).await;
    while client.frame().await["type"] != "subscribe_confirmed" {}
    assert_eq!(client.frame().await, json!({ "type": "replay_gap", "oldestSeq": 1 }));
    assert_eq!(client.frame().await["seq"], 1);
    assert_eq!(serving.happen("b"), 2);
    assert_eq!(client.frame().await["seq"], 2);
}

/// contract/workflows §4.4: an event is sent when its change is visible to all clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_because_of_an_event_sees_what_has_happened() {
    const ROUNDS: usize = 20;
    let serving = ServerTask::with(Limits::default(), Daemon::on_disk);
    let mut client = serving.connect().await;
    client.ask(json!({ "type": "subscribe", "events": ["*"] })).await;
    let daemon = serving.daemon.clone();
    let driver = tokio::spawn(async move {
        for _ in 0..ROUNDS {
            let (workflow, _) = daemon.executing().await;
            let about = json!({ "taskId": "task-1", "agentId": "executor-coding" });
            daemon.step(&workflow, "task_started", about.clone()).await;
            let ask = json!({ "workflowId": workflow, "message": "?" });
            let asked = daemon.post("/api/v1/decision", ask).await;
            let path = format!("/api/v1/decision/{}/respond", asked["decisionId"].as_str().unwrap());
            daemon.post(&path, json!({ "response": "x" })).await;
            daemon.step(&workflow, "task_completed", about).await;
            daemon.step(&workflow, "review_passed", json!({ "output": "done" })).await;
        }
    });
    let (mut completed, mut phases) = (0, 0);
    while completed < ROUNDS {
        let event = client.frame().await;
        let (seq, payload) = (event["seq"].as_i64().unwrap(), &event["payload"]);
        let get = async |path: String| serving.daemon.get(&path).await;
        let history = get(format!("/api/v1/events/history?since={}&limit=1", seq - 1)).await;
        assert_eq!(history["events"][0], event);
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (workflow, session) = (name(&event["workflowId"]), name(&event["sessionId"]));
        let decision = name(&payload["decisionId"]);
        match event["type"].as_str().unwrap() {
            "session_created" => {
                phases = 0;
                assert_eq!(get(format!("/api/v1/sessions/{session}")).await["id"], session);
            }
            "user_message" => {
                let said = get(format!("/api/v1/sessions/{session}/messages")).await;
                assert_eq!(said["messages"][0]["id"], payload["messageId"]);
            }
            "phase_transition" => {
                let state = get(format!("/api/v1/workflows/{workflow}/state")).await;
                assert_eq!(state["history"][phases]["state"], payload["to"], "{event} {state}");
                phases += 1;
                if payload["to"] == "completed" {
                    completed += 1;
                    assert_eq!(get(format!("/api/v1/workflows/{workflow}/output")).await["output"], "done");
                }
            }
            "task_started" | "task_completed" => {
                let task = &get(format!("/api/v1/workflows/{workflow}/tasks")).await[0];
                let at = if event["type"] == "task_started" { "startedAt" } else { "completedAt" };
                assert!(task[at].is_string(), "{event} {task}");
            }
            "user_decision_required" => {
                get(format!("/api/v1/decision/{decision}")).await;
            }
            "user_decision_received" => {
                assert_eq!(get(format!("/api/v1/decision/{decision}")).await["status"], "answered");
            }
            _ => {}
        }
    }
    driver.await.unwrap();
}

/// By a clock that jumps to the next deadline when all wait.
#[tokio::test]
async fn who_answers_no_ping_is_left_after_the_second() {
    let serving = ServerTask::start();
    let mut silent = serving.connect().await;
    tokio::time::pause();
    let begun = Instant::now();
    let mut bytes = Vec::new();
    silent.socket.get_mut().read_to_end(&mut bytes).await.unwrap();
    // Two pings, and then 1008.
    let reason = b"no answer to pings";
    let mut expected = vec![0x89, 0, 0x89, 0, 0x88, 2 + 18, 0x03, 0xf0];
    expected.extend(reason);
    assert_eq!(bytes, expected, "{}", bytes.escape_ascii());
    assert!((59..=60).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn who_answers_pings_stays() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    tokio::time::pause();
    let begun = Instant::now();
    for times in 1..=10 {
        // Reading answers it.
        let ping = client.socket.next().await.unwrap().unwrap();
        assert_eq!(ping, Message::Ping(Vec::new().into()));
        assert!((20 * times - 1..=20 * times).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    }
    assert_eq!(client.ask(json!({ "type": "ping" })).await["type"], "pong");
}

/// The number of an event as sent, without parsing all of it.
fn seq_of(text: &str) -> i64 {
    let (_, rest) = text.split_once("\"seq\":").unwrap_or_else(|| panic!("{text}"));
    rest[..rest.find(',').unwrap()].parse().unwrap()
}

/// A client that has seen part of the log, and connects and disconnects.
struct Visitor {
    seen: Vec<i64>,
    random: u64,
    /// So much more may happen once it has seen an event.
    room: Arc<Semaphore>,
}

impl Visitor {
    fn new(number: u64, room: &Arc<Semaphore>) -> Self {
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { seen: Vec::new(), random, room: Arc::clone(room) }
    }

    fn last(&self) -> i64 {
        self.seen.last().copied().unwrap_or_default()
    }

    /// After how many events it goes again.
    fn stays(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        1 + self.random % 1500
    }

    fn sees(&mut self, seq: i64) {
        self.seen.push(seq);
        self.room.add_permits(1);
    }

    async fn follow_by_socket(&mut self, serving: &ServerTask, until: i64) {
        while self.last() < until {
            let mut client = serving.connect().await;
            client.say(json!({ "type": "subscribe", "events": ["system_*"], "since": self.last() })).await;
            let (mut stays, mut is_told) = (self.stays(), false);
            while stays > 0 && self.last() < until {
                match client.next().await {
                    Some(Ok(Message::Text(text))) if text.starts_with("{\"type\":\"system_error\"") => {
                        // What comes before is of the time before it said where to begin.
                        if is_told {
                            self.sees(seq_of(&text));
                            stays -= 1;
                        }
                    }
                    Some(Ok(Message::Text(_))) => is_told = true,
                    // It was too slow, and comes again; on a machine with much to do it may have been cut off.
                    Some(Ok(Message::Close(_)) | Err(Error::Io(_) | Error::ConnectionClosed)) | None => break,
                    Some(Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake))) => break,
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    async fn follow_by_stream(&mut self, daemon: &Daemon, until: i64) {
        while self.last() < until {
            let request =
                Request::get("/api/v1/events/stream?type=system_*").header("host", "localhost:3721");
            let request = request.header("last-event-id", self.last());
            let request = request.body(axum::body::Body::empty()).unwrap();
            let mut body = daemon.router.clone().oneshot(request).await.unwrap().into_body();
            let mut stays = self.stays();
            while stays > 0 && self.last() < until {
                // It was too slow, and comes again.
                let Some(frame) = body.frame().await else { break };
                let frame = frame.unwrap().into_data().unwrap();
                let text = std::str::from_utf8(&frame).unwrap();
                // One that is silent says at times that it is there.
                if text == ":\n\n" {
                    continue;
                }
                let id = text.strip_prefix("id: ").unwrap_or_else(|| panic!("{text}"));
                self.sees(id[..id.find('\n').unwrap()].parse().unwrap());
                stays -= 1;
            }
        }
    }
}

/// 50 clients that come and go at random while very much happens, over sockets and as streams: each has exactly the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_and_goes_has_every_event_once() {
    const CLIENTS: u32 = 50;
    const BATCH: u32 = 20;
    /// How far the log may be ahead of the clients on average: more events than wait for any of them.
    const LEAD: usize = 1000;
    // A hundred thousand are as good as a million.
    let events = 8_000 * i64::from(effort::factor().min(13));
    let limits = Limits { held: 600, connections: 2000, ..Limits::default() };
    let serving = Arc::new(ServerTask::with(limits, Daemon::on_disk));
    let room = Arc::new(Semaphore::new(LEAD * CLIENTS as usize));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (serving, mut visitor) = (Arc::clone(&serving), Visitor::new(number.into(), &room));
            tokio::spawn(async move {
                if number % 2 == 0 {
                    visitor.follow_by_socket(&serving, events).await;
                } else {
                    visitor.follow_by_stream(&serving.daemon, events).await;
                }
                visitor.seen
            })
        })
        .collect();
    for first in (0..events).step_by(BATCH as usize) {
        room.acquire_many(BATCH * CLIENTS).await.unwrap().forget();
        let runtime = Arc::clone(&serving.daemon.runtime);
        let names = (first..first + i64::from(BATCH)).map(|number| number.to_string());
        tokio::task::spawn_blocking(move || happen(&**runtime.journal(), names)).await.unwrap();
    }
    let expected: Vec<i64> = (1..=events).collect();
    for client in clients {
        assert!(client.await.unwrap() == expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_left_and_comes_again_without_loss() {
    /// More than the system buffers for one connection: a client that does not read stalls from there on.
    const LARGE: i64 = 100;
    const ALL: i64 = LARGE + 300;
    let serving = ServerTask::start();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let stream = socket.connect(([127, 0, 0, 1], serving.port).into()).await.unwrap();
    let mut slow = serving.upgrade(stream, &[]).await.unwrap();
    let mut quick = serving.connect().await;
    let long = "x".repeat(80_000);
    for first in (0..ALL).step_by(50) {
        let long = if first < LARGE { &*long } else { "" };
        let names = (first..first + 50).map(|number| format!("{number}{long}"));
        happen(&**serving.daemon.runtime.journal(), names);
        for number in first..first + 50 {
            assert_eq!(quick.seq().await, number + 1, "nobody waits for the slow one");
        }
    }
    let mut last = 0;
    let (code, reason) = loop {
        match slow.next().await {
            Some(Ok(Message::Text(text))) => last = seq_of(&text),
            Some(Ok(Message::Close(Some(frame)))) => break (u16::from(frame.code), frame.reason.to_string()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((code, reason), (1013, format!("{{\"seq\":{last}}}")));
    assert!((256..ALL).contains(&last), "{last}");
    let mut again = serving.connect().await;
    again.ask(json!({ "type": "subscribe", "events": ["*"], "since": last })).await;
    for seq in last + 1..=ALL {
        assert_eq!(again.seq().await, seq);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_says_so() {
    let serving = ServerTask::start();
    let mut client = serving.connect().await;
    serving.stop.send(()).unwrap();
    assert_eq!(client.close().await.0, 1001);
    serving.task.await.unwrap();
}

/// Returns the status and code of a refusal.
fn refused(result: Result<Client, Error>) -> (u16, String) {
    let Err(Error::Http(response)) = result else { panic!("let in") };
    let body: Value =
        serde_json::from_slice(response.body().as_deref().unwrap_or_default()).unwrap_or_default();
    (response.status().as_u16(), body["code"].as_str().unwrap_or_default().to_owned())
}

/// A daemon that requires a login, with its secret.
fn guarded() -> (ServerTask, Key) {
    let key = Key::generate().unwrap();
    let serving = ServerTask::with(Limits::default(), |port| {
        let access = || Access::guarded([127, 0, 0, 1].into(), port, "", key.clone());
        Daemon::with_access(access(), access())
    });
    (serving, key)
}

#[tokio::test(flavor = "multi_thread")]
async fn s31_a_cookie_alone_opens_no_socket_and_the_secret_does() {
    let (serving, key) = guarded();
    let door = Request::post(key.link("").unwrap())
        .header("host", format!("localhost:{}", serving.port))
        .header("content-type", "application/x-www-form-urlencoded");
    let door = serving.daemon.send(door.body(axum::body::Body::empty()).unwrap()).await;
    let (_, cookie) = cookie_of(&door);
    let (bearer, own) = (format!("Bearer {}", key.to_hex()), format!("http://localhost:{}", serving.port));
    let (cookie, bearer, own) = (("cookie", &*cookie), ("authorization", &*bearer), ("origin", &*own));
    let evil = ("origin", "http://evil.test");
    for (headers, expected) in [
        (&[][..], (401, "UNAUTHORIZED")),
        (&[own], (401, "UNAUTHORIZED")),
        (&[cookie], (403, "FORBIDDEN")),
        (&[cookie, evil], (403, "FORBIDDEN")),
        (&[cookie, ("origin", "null")], (403, "FORBIDDEN")),
        (&[cookie, own, ("sec-fetch-site", "same-site")], (403, "FORBIDDEN")),
        (&[bearer, evil], (403, "FORBIDDEN")),
        (&[("authorization", "Bearer 0"), cookie, own], (401, "UNAUTHORIZED")),
    ] {
        let (status, code) = refused(serving.try_connect(headers).await);
        assert_eq!((status, &*code), expected, "{headers:?}");
    }
    for headers in
        [&[bearer][..], &[bearer, own], &[cookie, own], &[cookie, own, ("sec-fetch-site", "same-origin")]]
    {
        serving.try_connect(headers).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s32_the_secret_opens_nothing_where_it_does_not_belong() {
    let (serving, key) = guarded();
    let (hex, bearer) = (key.to_hex(), format!("Bearer {}", key.to_hex()));
    let ticket = key.link("").unwrap();
    for protocol in [hex.clone(), format!("bearer, {hex}"), format!("Bearer.{hex}")] {
        let asked = serving.try_connect(&[("sec-websocket-protocol", &protocol)]).await;
        assert_eq!(refused(asked), (401, "UNAUTHORIZED".to_owned()), "{protocol}");
    }
    for query in [
        format!("token={hex}"),
        format!("access_token={hex}"),
        format!("authorization=Bearer%20{hex}"),
        format!("ticket={}", ticket.rsplit('/').next().unwrap()),
        hex.clone(),
    ] {
        let stream = TcpStream::connect(("127.0.0.1", serving.port)).await.unwrap();
        let asked = serving.upgrade_at(&format!("/?{query}"), stream, &[]).await;
        assert_eq!(refused(asked), (401, "UNAUTHORIZED".to_owned()), "{query}");
    }
    // It was the right one.
    serving.try_connect(&[("authorization", &bearer)]).await.unwrap();
}

/// A frame of a client as it is sent: its first byte, and its content. The mask is nothing but zeros.
fn raw(first: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match u16::try_from(content.len()).unwrap() {
        length if length < 126 => bytes.push(0x80 | length.to_be_bytes()[1]),
        length => {
            bytes.push(0x80 | 126);
            bytes.extend(length.to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(content);
    bytes
}

/// The first byte of the first frame of a text, of one that goes on, and of the last.
const BEGIN: u8 = 0x01;
const MORE: u8 = 0x00;
const LAST: u8 = 0x80;

#[tokio::test(flavor = "multi_thread")]
async fn s33_what_comes_in_pieces_or_packed_does_not_become_large() {
    let serving = ServerTask::start();
    // Pieces count together.
    let mut pieces = serving.connect().await;
    let kib = [b' '; 1024];
    pieces.send_raw(&raw(BEGIN, &kib)).await;
    for _ in 1..64 {
        pieces.send_raw(&raw(MORE, &kib)).await;
    }
    pieces.send_raw(&raw(MORE, b" ")).await;
    assert_eq!(pieces.close().await.0, 1009);
    // Exactly as much as may be.
    let mut pieces = serving.connect().await;
    let ping = br#"{"type":"ping"}"#;
    pieces.send_raw(&raw(BEGIN, &kib)).await;
    for _ in 1..63 {
        pieces.send_raw(&raw(MORE, &kib)).await;
    }
    pieces.send_raw(&raw(MORE, &kib[ping.len()..])).await;
    pieces.send_raw(&raw(LAST, ping)).await;
    assert_eq!(pieces.frame().await["type"], "pong");
    // Any number of them, with nothing in them.
    pieces.send_raw(&raw(BEGIN, &[])).await;
    for _ in 0..200 {
        pieces.send_raw(&raw(MORE, &[]).repeat(100)).await;
    }
    pieces.send_raw(&raw(LAST, ping)).await;
    assert_eq!(pieces.frame().await["type"], "pong");

    // Packing is not taken, as `upgrade` looks, and what is packed all the same is not unpacked.
    let offer = ("sec-websocket-extensions", "permessage-deflate; client_max_window_bits");
    for first in [0xC1, 0xA1, 0x91, 0x41] {
        let mut packed = serving.try_connect(&[offer]).await.unwrap();
        packed.send_raw(&raw(first, &[0xaa, 0x56, 0x2a])).await;
        packed.is_left().await;
    }
    // Neither is what is not masked, has a type that there is not, or goes on with nothing.
    for frame in [vec![0x81, 0x00], raw(0x83, b""), raw(0x8B, b""), raw(MORE, b"x"), raw(0x89, &[b'x'; 126])]
    {
        let mut broken = serving.connect().await;
        broken.send_raw(&frame).await;
        broken.is_left().await;
    }
    let mut other = serving.connect().await;
    assert_eq!(other.ask(json!({ "type": "ping" })).await["type"], "pong", "nobody else notices");
}

/// S30 to S33.
#[tokio::test(flavor = "multi_thread")]
async fn sockets_have_the_same_gate() {
    let serving = ServerTask::start();
    let evil = serving.try_connect(&[("origin", "http://evil.test")]).await;
    assert_eq!(refused(evil).0, 403);
    let site = serving.try_connect(&[("sec-fetch-site", "same-site")]).await;
    assert_eq!(refused(site).0, 403);
    let host = serving.try_connect(&[("host", "evil.test")]).await;
    assert_eq!(refused(host).0, 421);
    let own = format!("http://localhost:{}", serving.port);
    serving.try_connect(&[("origin", &own), ("sec-fetch-site", "same-origin")]).await.unwrap();

    let mut large = serving.connect().await;
    let text = format!("{{\"type\":\"ping\",\"x\":\"{}\"}}", "x".repeat(64 << 10));
    large.socket.send(Message::text(text)).await.unwrap();
    assert_eq!(large.close().await.0, 1009);
    let mut binary = serving.connect().await;
    binary.socket.send(Message::binary(vec![1])).await.unwrap();
    assert_eq!(binary.close().await.0, 1003);
    let mut flood = serving.connect().await;
    for _ in 0..2000 {
        flood.socket.send(Message::Ping(vec![0; 100].into())).await.unwrap();
    }
    assert_eq!(flood.ask(json!({ "type": "ping" })).await["type"], "pong");

    let plain = Request::get("/ws").header("host", "localhost:3721").body(axum::body::Body::empty()).unwrap();
    let plain = Daemon::new().send(plain).await;
    assert_eq!((plain.status.as_u16(), &plain.json()["code"]), (400, &json!("INVALID_REQUEST")));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_are_held() {
    let serving = ServerTask::with_limits(Limits { held: 2, ..Limits::default() });
    let (first, _second) = (serving.connect().await, serving.connect().await);
    let Err(Error::Http(response)) = serving.try_connect(&[]).await else { panic!("let in") };
    assert_eq!(response.status().as_u16(), 503);
    drop(first);
    let mut tries = 0;
    while serving.try_connect(&[]).await.is_err() {
        tries += 1;
        assert!(tries < 1000);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The same as `text/event-stream`.
#[tokio::test(flavor = "multi_thread")]
async fn events_are_streamed() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.begin().await;
    let stream = |path: String, header: Option<&'static str>| {
        let router = daemon.router.clone();
        async move {
            let mut request = Request::get(path).header("host", "localhost:3721");
            if let Some(last) = header {
                request = request.header("last-event-id", last);
            }
            router.oneshot(request.body(axum::body::Body::empty()).unwrap()).await.unwrap()
        }
    };
    let response =
        stream(format!("/api/v1/events/stream?type=phase_*&workflowId={workflow}&since=0"), None).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let next = async |body: &mut axum::body::Body| {
        let frame = tokio::time::timeout(Duration::from_secs(10), body.frame()).await.unwrap();
        String::from_utf8(frame.unwrap().unwrap().into_data().unwrap().to_vec()).unwrap()
    };
    let expected = "id: 3\nevent: phase_transition\ndata: {\"from\":\"idle\",\"to\":\"semantic_understanding\",\
                    \"trigger\":\"user_input_received\"}\n\n";
    assert_eq!(next(&mut body).await, expected);
    daemon.step(&workflow, "intent_analyzed", json!({})).await;
    assert!(next(&mut body).await.contains("\"to\":\"routing_decision\""));
    let mut again = stream("/api/v1/events/stream".to_owned(), Some("3")).await.into_body();
    assert!(next(&mut again).await.starts_with("id: 4\n"), "it goes on where it broke off");
    let wrong = stream("/api/v1/events/stream?since=x".to_owned(), None).await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
    let all = daemon.runtime.events(&EventFilter::after(0, 99)).unwrap();
    assert_eq!(all.len(), 4);
}
