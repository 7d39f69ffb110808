//! A daemon that takes connections and does not answer, and one that is only slow.

use crate::Peer;
use client::{Address, Client, ClientError, FollowUpdate, Frame, RetryPolicy, Secret, Subscription};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

/// Attempts that follow each other at once, more than there can be in the time of one that waits in vain.
const AT_ONCE: RetryPolicy = RetryPolicy { interval: Duration::from_millis(1), attempts: 100_000 };

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

/// A client of what listens there for requests and for sockets. It waits for answers without a limit.
fn client(requests: &TcpListener, sockets: &TcpListener) -> Client {
    let at = |scheme: &str, listener: &TcpListener| format!("{scheme}://{}", listener.local_addr().unwrap());
    let address = Address::new(&at("http", requests), Some(&at("ws", sockets)), Secret::default()).unwrap();
    Client::new(address, None).unwrap()
}

/// The path of the next request on this connection; `None` at its end.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let byte = stream.read_u8().await.ok()?;
        bytes.push(byte);
    }
    let head = String::from_utf8(bytes).unwrap();
    Some(head.split(' ').nth(1).unwrap().to_owned())
}

async fn answer(stream: &mut TcpStream, body: &str) {
    let head = format!("HTTP/1.1 200 -\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all((head + body).as_bytes()).await.unwrap();
}

/// Answers `/api/v1/modules` while `is_alive`, and says so; whatever else is asked waits for `others`.
async fn serve(
    listener: TcpListener,
    is_alive: Arc<AtomicU32>,
    probes: mpsc::UnboundedSender<()>,
    others: Arc<Notify>,
) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (is_alive, probes, others) = (Arc::clone(&is_alive), probes.clone(), Arc::clone(&others));
        tokio::spawn(async move {
            while let Some(path) = request(&mut stream).await {
                if path != "/api/v1/modules" {
                    others.notified().await;
                    answer(&mut stream, "[]").await;
                } else if is_alive.load(Ordering::SeqCst) == 1 {
                    answer(&mut stream, "{}").await;
                    let _ = probes.send(());
                }
            }
        });
    }
}

fn is_unresponsive<T: std::fmt::Debug>(result: &Result<T, ClientError>) -> bool {
    matches!(result, Err(ClientError::Unresponsive { .. }))
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_takes_connections_and_does_not_answer_is_found_out_whatever_it_is_asked() {
    let silent = listener().await;
    let client = client(&silent, &silent);
    let begun = tokio::time::Instant::now();
    assert!(is_unresponsive(&client.workflows(&[]).await));
    // By the paused clock this is no measurement: it is the sum of both limits.
    assert_eq!(begun.elapsed().as_millis() / 100, 48);
    assert!(is_unresponsive(&client.pause("wf-1", false).await));
    assert!(is_unresponsive(&client.decision("decision-1", Some(20)).await));
    assert!(is_unresponsive(&client.events(Subscription::default()).await.map(drop)));
    let followed = client.follow(Subscription::default(), AT_ONCE, || None).await;
    assert!(is_unresponsive(&followed.map(drop)));
}

#[tokio::test(start_paused = true)]
async fn an_own_limit_that_is_shorter_is_what_ends_a_request() {
    let silent = listener().await;
    let address = client(&silent, &silent).address().clone();
    let hasty = Client::new(address, Some(Duration::from_secs(1))).unwrap();
    assert!(matches!(hasty.workflows(&[]).await, Err(ClientError::TimedOut { .. })));
}

#[tokio::test]
async fn a_slow_answer_is_waited_for_as_long_as_the_daemon_answers_others() {
    let (requests, sockets) = (listener().await, listener().await);
    let client = client(&requests, &sockets);
    let (probes, mut probed) = mpsc::unbounded_channel();
    let others = Arc::new(Notify::new());
    tokio::spawn(serve(requests, Arc::new(AtomicU32::new(1)), probes, Arc::clone(&others)));
    let asked = tokio::spawn(async move { client.workflows(&[]).await });
    // Only after the second time that it was asked whether it is there.
    probed.recv().await.unwrap();
    probed.recv().await.unwrap();
    assert!(!asked.is_finished());
    others.notify_one();
    assert_eq!(asked.await.unwrap().unwrap().len(), 0);
}

#[tokio::test]
async fn one_that_falls_silent_while_it_is_waited_for_is_found_out() {
    let (requests, sockets) = (listener().await, listener().await);
    let client = client(&requests, &sockets);
    let (probes, mut probed) = mpsc::unbounded_channel();
    let is_alive = Arc::new(AtomicU32::new(1));
    tokio::spawn(serve(requests, Arc::clone(&is_alive), probes, Arc::default()));
    let asked = tokio::spawn(async move { client.workflows(&[]).await });
    probed.recv().await.unwrap();
    is_alive.store(0, Ordering::SeqCst);
    assert!(is_unresponsive(&asked.await.unwrap()));
}

#[tokio::test]
async fn one_that_takes_no_connections_any_more_and_owes_an_answer_is_given_up_as_unreachable() {
    let (requests, sockets) = (listener().await, listener().await);
    let client = client(&requests, &sockets);
    let asked = tokio::spawn(async move { client.workflows(&[]).await });
    let (mut stream, _) = requests.accept().await.unwrap();
    drop(requests);
    assert!(request(&mut stream).await.is_some());
    assert!(matches!(asked.await.unwrap(), Err(ClientError::Unreachable { .. })));
    drop(stream);
}

#[tokio::test]
async fn events_that_do_not_come_are_waited_for_as_long_as_the_daemon_is_there() {
    let (requests, sockets) = (listener().await, listener().await);
    let client = client(&requests, &sockets);
    let (probes, mut probed) = mpsc::unbounded_channel();
    let is_alive = Arc::new(AtomicU32::new(1));
    tokio::spawn(serve(requests, Arc::clone(&is_alive), probes, Arc::default()));
    let (go_on, mut goes_on) = mpsc::unbounded_channel::<()>();
    tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        // It does not read, so that pings stay without an answer.
        goes_on.recv().await.unwrap();
        peer.event(1, "task_started").await;
        goes_on.recv().await
    });
    let mut events = client.events(Subscription::default()).await.unwrap();
    // Each wait is given up, and yet it comes to the probes.
    for _ in 0..2 {
        loop {
            tokio::select! {
                biased;
                _ = probed.recv() => break,
                next = events.next() => panic!("{next:?}"),
                () = tokio::time::sleep(Duration::from_millis(50)) => {}
            }
        }
    }
    go_on.send(()).unwrap();
    assert!(matches!(events.next().await.unwrap(), Some(Frame::Event(_))));
    is_alive.store(0, Ordering::SeqCst);
    assert!(is_unresponsive(&events.next().await));
}

#[tokio::test]
async fn who_follows_a_daemon_that_falls_silent_says_so_and_is_there_again() {
    let (requests, sockets) = (listener().await, listener().await);
    let client = client(&requests, &sockets);
    let (probes, _probed) = mpsc::unbounded_channel();
    tokio::spawn(serve(requests, Arc::default(), probes, Arc::default()));
    let daemon = tokio::spawn(async move {
        let mut silent = Peer::accept(&sockets).await;
        silent.agree().await;
        let mut peer = Peer::accept(&sockets).await;
        let since = peer.agree().await["since"].clone();
        peer.event(8, "task_started").await;
        (silent, peer, since)
    });
    let wanted = Subscription { since: Some(7), ..Subscription::default() };
    let mut following = client.follow(wanted, AT_ONCE, || None).await.unwrap();
    let mut heard = Vec::new();
    while following.at() != Some(8) || heard.len() < 3 {
        heard.push(match following.next().await.unwrap() {
            FollowUpdate::Event(event) => event["seq"].clone(),
            other => json!(format!("{other:?}")),
        });
    }
    assert_eq!(heard, [json!("Silent"), json!("Back"), json!(8)]);
    assert_eq!(daemon.await.unwrap().2, 7);
}

#[tokio::test]
async fn an_attempt_that_waits_in_vain_counts_for_as_many_as_its_time_has_room_for() {
    let (requests, sockets) = (listener().await, listener().await);
    let client = client(&requests, &sockets);
    let connected = tokio::spawn(async move {
        let mut peer = Peer::accept(&sockets).await;
        peer.agree().await;
        (peer, sockets)
    });
    // Ten seconds, of which each attempt takes almost five.
    let retry = RetryPolicy { interval: Duration::from_millis(500), attempts: 20 };
    let wanted = Subscription { since: Some(7), ..Subscription::default() };
    let mut following = client.follow(wanted, retry, || None).await.unwrap();
    let _silent = connected.await.unwrap();
    tokio::time::pause();
    assert_eq!(following.next().await.unwrap(), FollowUpdate::Silent);
    let lost = tokio::time::Instant::now();
    assert!(is_unresponsive(&following.next().await));
    assert_eq!(lost.elapsed().as_millis() / 100, 106);
}
