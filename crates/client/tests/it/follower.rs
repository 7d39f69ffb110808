//! A client that follows events across connections, and a daemon that breaks off, comes back and repeats what it has sent.

use crate::Peer;
use client::{Address, Client, ClientError, FollowUpdate, RetryPolicy, Secret, Subscription};
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const AT_ONCE: RetryPolicy = RetryPolicy { interval: Duration::from_millis(1), attempts: 5000 };

/// A daemon whose last event has this number: its sockets for a test, and a client of it.
async fn daemon_after(last: i64) -> (TcpListener, Client) {
    let listen = || TcpListener::bind("127.0.0.1:0");
    let (http, sockets) = (listen().await.unwrap(), listen().await.unwrap());
    let at = |listener: &TcpListener| listener.local_addr().unwrap().to_string();
    let (http_url, ws_url) = (format!("http://{}", at(&http)), format!("ws://{}", at(&sockets)));
    tokio::spawn(async move {
        loop {
            let (stream, _) = http.accept().await.unwrap();
            tokio::spawn(tell_history(stream, last));
        }
    });
    let address = Address::new(&http_url, Some(&ws_url), Secret::default()).unwrap();
    (sockets, Client::new(address, Some(Duration::from_secs(20))).unwrap())
}

/// Answers a request for the newest event.
async fn tell_history(mut stream: TcpStream, last: i64) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.unwrap() == 0 {
            return;
        }
    }
    assert!(request.starts_with(b"GET /api/v1/events/history?"));
    let body = json!({ "success": true, "events": [{ "type": "x", "seq": last }] }).to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ";
    stream.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes()).await.unwrap();
}

#[tokio::test]
async fn no_event_is_missed_or_repeated_across_connections() {
    let (sockets, client) = daemon_after(7).await;
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
async fn a_daemon_that_does_not_come_back_is_given_up() {
    let (sockets, client) = daemon_after(0).await;
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
    let (sockets, client) = daemon_after(0).await;
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
    });
    let retry = RetryPolicy { attempts: 3, ..AT_ONCE };
    let mut following = client.follow(Subscription::default(), retry, || None).await.unwrap();
    assert_eq!(following.next().await.unwrap(), FollowUpdate::Lost);
    assert!(matches!(following.next().await, Err(ClientError::Unreachable { .. })));
}
