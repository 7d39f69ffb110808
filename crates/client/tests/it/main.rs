//! A client, and a daemon that behaves as one may.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod follower;
mod silence;

use client::{Address, Client, ClientError, Frame, Secret, Subscription};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// One connection of a client.
struct Peer(WebSocketStream<TcpStream>);

impl Peer {
    async fn accept(listener: &TcpListener) -> Self {
        let (stream, _) = listener.accept().await.unwrap();
        Self(tokio_tungstenite::accept_async(stream).await.unwrap())
    }

    async fn say(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn event(&mut self, seq: i64, kind: &str) {
        let at = "2026-02-23T03:00:00.000Z";
        let event =
            json!({ "type": kind, "timestamp": at, "payload": {}, "seq": seq, "eventId": seq.to_string() });
        self.say(event).await;
    }

    /// What the client subscribes to, which is agreed to.
    async fn agree(&mut self) -> Value {
        let Message::Text(text) = self.0.next().await.unwrap().unwrap() else { panic!("no text") };
        self.say(json!({ "type": "subscribe_confirmed", "types": [], "groups": [] })).await;
        serde_json::from_str(text.as_str()).unwrap()
    }

    async fn close(mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        self.0.close(Some(frame)).await.unwrap();
    }
}

async fn place() -> (TcpListener, Client) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (http, ws) = (format!("http://localhost:{port}"), format!("ws://127.0.0.1:{port}"));
    let address = Address::new(&http, Some(&ws), Secret::default()).unwrap();
    (listener, Client::new(address, Some(Duration::from_secs(20))).unwrap())
}

fn seq(frame: Option<Frame>) -> i64 {
    match frame {
        Some(Frame::Event(event)) => event["seq"].as_i64().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_was_too_slow_comes_again_and_misses_nothing() {
    let (listener, client) = place().await;
    let daemon = tokio::spawn(async move {
        let mut peer = Peer::accept(&listener).await;
        peer.say(json!({ "type": "client_id_assigned", "clientId": "c" })).await;
        // Before the subscription is confirmed, all events are sent.
        peer.event(1, "task_started").await;
        peer.event(2, "phase_transition").await;
        let first = peer.agree().await;
        peer.event(3, "phase_transition").await;
        peer.event(4, "task_failed").await;
        peer.event(5, "user_message").await;
        peer.close(1013, r#"{"seq":5}"#).await;
        let mut peer = Peer::accept(&listener).await;
        peer.event(6, "task_blocked").await;
        let second = peer.agree().await;
        let all = [(5, "user_message"), (6, "task_blocked"), (6, "task_blocked"), (7, "task_completed")];
        for (seq, kind) in all {
            peer.event(seq, kind).await;
        }
        peer.close(1001, "").await;
        (first, second)
    });
    let wanted = Subscription { events: vec!["task_*".to_owned()], ..Subscription::default() };
    let mut events = client.events(wanted).await.unwrap();
    for expected in [1, 4, 6, 7] {
        assert_eq!(seq(events.next().await.unwrap()), expected);
    }
    assert_eq!(events.next().await.unwrap(), None);
    drop(events);
    let (first, second) = daemon.await.unwrap();
    assert_eq!(first, json!({ "type": "subscribe", "events": ["task_*"], "groups": [] }));
    assert_eq!(second["since"], 5);
}

#[tokio::test]
async fn from_a_number_on_all_of_it_comes_again() {
    let (listener, client) = place().await;
    let daemon = tokio::spawn(async move {
        let mut peer = Peer::accept(&listener).await;
        peer.event(9, "task_started").await;
        let wanted = peer.agree().await;
        peer.say(json!({ "type": "replay_gap", "oldestSeq": 8 })).await;
        peer.event(8, "phase_transition").await;
        peer.event(9, "task_started").await;
        drop(peer);
        wanted
    });
    let mut events = client.events(Subscription { since: Some(3), ..Subscription::default() }).await.unwrap();
    assert_eq!(events.next().await.unwrap(), Some(Frame::Gap(8)));
    for expected in [8, 9] {
        assert_eq!(seq(events.next().await.unwrap()), expected);
    }
    // It breaks off without a farewell.
    assert!(matches!(events.next().await, Err(ClientError::Unreachable { .. })));
    assert_eq!(events.at(), Some(9));
    assert_eq!(daemon.await.unwrap()["events"], json!(["*"]));
}

#[tokio::test]
async fn a_subscription_that_is_refused_is_told() {
    let (listener, client) = place().await;
    let daemon = tokio::spawn(async move {
        let mut peer = Peer::accept(&listener).await;
        peer.say(json!({ "type": "error", "error": "since must be a number", "code": "INVALID_REQUEST" }))
            .await;
        (peer, listener)
    });
    let refused = client.events(Subscription::default()).await.err().unwrap();
    assert!(refused.to_string().contains("since must be a number"), "{refused}");
    drop(daemon.await.unwrap());
    let gone = client.events(Subscription::default()).await;
    assert!(matches!(gone, Err(ClientError::Unreachable { .. })));
}
