//! Events as they happen, over WebSockets and as a stream.

use crate::support::daemon::Daemon;
use futures_util::{SinkExt, StreamExt};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use journal::{Change, EventFilter, Journal, NewEvent, Prune};
use model::workflow::EventType;
use serde_json::{Value, json};
use server::Limits;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::tungstenite::{Error, client::IntoClientRequest};
use tower::ServiceExt;

/// A daemon whose sockets are served.
struct Serving {
    daemon: Daemon,
    port: u16,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Serving {
    fn start() -> Self {
        Self::with_limits(Limits { held: 600, connections: 2000, ..Limits::default() })
    }

    fn with_limits(limits: Limits) -> Self {
        let bound = server::bind("127.0.0.1", 0, None).unwrap();
        let port = bound.port;
        let daemon = Daemon::with_sockets_at(port);
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
        let mut request = format!("ws://localhost:{}", self.port).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        let mut client = Client { socket };
        let welcome = client.frame().await;
        assert_eq!(welcome["type"], "client_id_assigned");
        assert!(welcome["clientId"].as_str().unwrap().starts_with("client_"));
        Ok(client)
    }

    /// Lets something happen that is told.
    fn happen(&self, name: &str) -> i64 {
        happen(&**self.daemon.runtime.journal(), [name.to_owned()])
    }
}

/// Lets all of these happen together; returns the number of the last.
fn happen(journal: &dyn Journal, names: impl IntoIterator<Item = String>) -> i64 {
    let event = |name: String| NewEvent {
        payload: json!({ "error": name, "component": "test", "recoverable": true }).to_string(),
        id: name,
        at: 0,
        kind: EventType::SystemError,
        session: None,
        workflow: None,
        task: None,
        agent: None,
    };
    let events = names.into_iter().map(event).collect();
    journal.commit(Change { events, ..Change::default() }).unwrap().events.last().unwrap().seq
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

/// `cli-call-flow.md` 2.3 and 4.
#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_told_as_the_document_has_it() {
    let serving = Serving::start();
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
async fn entries_are_added_and_removed() {
    let serving = Serving::start();
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
    let serving = Serving::start();
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
    let serving = Serving::start();
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
    let serving = Serving::start();
    for number in 0..10 {
        serving.happen(&number.to_string());
    }
    let journal = serving.daemon.runtime.journal();
    journal.prune(Prune { keep_events: 4, answered_before: 0, at_most: 100 }).unwrap();
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
    let serving = Serving::start();
    serving.happen("a");
    let mut client = serving.connect().await;
    client.say(json!({ "type": "subscribe", "events": ["*"], "since": 99 })).await;
    while client.frame().await["type"] != "subscribe_confirmed" {}
    assert_eq!(client.frame().await, json!({ "type": "replay_gap", "oldestSeq": 1 }));
    assert_eq!(client.frame().await["seq"], 1);
    assert_eq!(serving.happen("b"), 2);
    assert_eq!(client.frame().await["seq"], 2);
}

/// 50 clients that come and go at random while very much happens: each has exactly the log.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_and_goes_has_every_event_once() {
    const CLIENTS: u64 = 50;
    const EVENTS: i64 = 3000;
    let serving = Arc::new(Serving::start());
    let writer = {
        let runtime = Arc::clone(&serving.daemon.runtime);
        tokio::task::spawn_blocking(move || {
            for first in (0..EVENTS).step_by(10) {
                happen(&**runtime.journal(), (first..first + 10).map(|number| number.to_string()));
                std::thread::sleep(Duration::from_millis(1));
            }
        })
    };
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let serving = Arc::clone(&serving);
            tokio::spawn(async move {
                let (mut seen, mut state) = (Vec::new(), number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                while seen.last() != Some(&EVENTS) {
                    let mut client = serving.connect().await;
                    let since = seen.last().copied().unwrap_or_default();
                    client.say(json!({ "type": "subscribe", "events": ["system_*"], "since": since })).await;
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let (mut stays, mut is_told) = (1 + state % 600, false);
                    while stays > 0 && seen.last() != Some(&EVENTS) {
                        match client.next().await {
                            Some(Ok(Message::Text(text))) => {
                                let event: Value = serde_json::from_str(&text).unwrap();
                                match event["type"].as_str() {
                                    // What comes before is of the time before the client said where to begin.
                                    Some("subscribe_confirmed") => is_told = true,
                                    Some("system_error") if is_told => {
                                        seen.push(event["seq"].as_i64().unwrap());
                                        stays -= 1;
                                    }
                                    _ => {}
                                }
                            }
                            // It was too slow, and comes again.
                            Some(Ok(Message::Close(_))) | None => break,
                            other => panic!("{other:?}"),
                        }
                    }
                }
                seen
            })
        })
        .collect();
    let expected: Vec<i64> = (1..=EVENTS).collect();
    for client in clients {
        assert_eq!(client.await.unwrap(), expected);
    }
    writer.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_left_and_comes_again_without_loss() {
    let serving = Serving::start();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let stream = socket.connect(([127, 0, 0, 1], serving.port).into()).await.unwrap();
    let mut slow = serving.upgrade(stream, &[]).await.unwrap();
    let mut quick = serving.connect().await;
    let long = "x".repeat(20_000);
    for first in (0..700).step_by(50) {
        let names = (first..first + 50).map(|number| format!("{number}{long}"));
        happen(&**serving.daemon.runtime.journal(), names);
        for number in first..first + 50 {
            assert_eq!(quick.frame().await["seq"], number + 1, "nobody waits for the slow one");
        }
    }
    let mut last = 0;
    let (code, reason) = loop {
        match slow.next().await {
            Some(Ok(Message::Text(text))) => {
                last = serde_json::from_str::<Value>(&text).unwrap()["seq"].as_i64().unwrap()
            }
            Some(Ok(Message::Close(Some(frame)))) => break (u16::from(frame.code), frame.reason.to_string()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((code, reason), (1013, format!("{{\"seq\":{last}}}")));
    assert!((256..700).contains(&last), "{last}");
    let mut again = serving.connect().await;
    again.ask(json!({ "type": "subscribe", "events": ["*"], "since": last })).await;
    for seq in last + 1..=700 {
        assert_eq!(again.frame().await["seq"], seq);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_says_so() {
    let serving = Serving::start();
    let mut client = serving.connect().await;
    serving.stop.send(()).unwrap();
    assert_eq!(client.close().await.0, 1001);
    serving.task.await.unwrap();
}

/// S30 to S33.
#[tokio::test(flavor = "multi_thread")]
async fn sockets_have_the_same_gate() {
    let serving = Serving::start();
    let refused = |result: Result<Client, Error>| match result {
        Err(Error::Http(response)) => {
            let body: Value =
                serde_json::from_slice(response.body().as_deref().unwrap_or_default()).unwrap_or_default();
            (response.status().as_u16(), body["code"].as_str().unwrap_or_default().to_owned())
        }
        _ => panic!("let in"),
    };
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
    let serving = Serving::with_limits(Limits { held: 2, ..Limits::default() });
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
