//! A daemon that is killed at any moment, while programs ask it: what it has acknowledged is there, and was done once; every event
//! is told once, and none is missing.

use crate::support::daemon::Place;
use crate::support::http::{get, head};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Kills in all; `AIDE_PROOF_FACTOR` asks for more.
const ROUNDS: u64 = 20;
/// How many programs ask at the same time.
const ASKING: usize = 4;

/// A request that was sent at least once.
#[derive(Clone)]
struct Sent {
    path: String,
    key: String,
    body: String,
    /// What was answered.
    answer: Option<Value>,
}

/// Everything that was sent, by all.
#[derive(Default)]
struct Log(Mutex<Vec<Sent>>);

impl Log {
    fn all(&self) -> Vec<Sent> {
        self.0.lock().unwrap().clone()
    }

    fn push(&self, sent: Sent) {
        self.0.lock().unwrap().push(sent);
    }
}

/// Sends a request; `None` if the daemon is gone before it has answered.
fn send(port: u16, sent: &Sent) -> Option<Value> {
    let headers = format!(
        "Connection: close\r\nContent-Type: application/json\r\nIdempotency-Key: {}\r\nContent-Length: {}\r\n",
        sent.key,
        sent.body.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let request = head("POST", &sent.path, port, &headers) + &sent.body;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let text = String::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok())?;
    // Half an answer acknowledges nothing.
    let body = body.get(..length)?;
    assert!(head.starts_with("HTTP/1.1 200 "), "{}: {head} {body}", sent.path);
    serde_json::from_str(body).ok()
}

/// One program: it begins workflows, and lets each go two phases further.
fn ask(port: u16, log: &Log, name: &str, stop: &AtomicBool) {
    let transition = |workflow: &str, trigger: &str| Sent {
        path: format!("/api/v1/workflow/{workflow}/transition"),
        key: format!("{workflow}-{trigger}"),
        body: json!({ "trigger": trigger, "context": { "route": "full_replan" } }).to_string(),
        answer: None,
    };
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let content = format!("{name}-{number}");
        let message = json!({ "target": "finger-orchestrator", "message": { "content": content } });
        let mut sent = Sent {
            path: "/api/v1/message".to_owned(),
            key: content,
            body: message.to_string(),
            answer: None,
        };
        sent.answer = send(port, &sent);
        let answer = sent.answer.clone();
        log.push(sent);
        let Some(answer) = answer else { return };
        let workflow = answer["workflowId"].as_str().unwrap();
        for trigger in ["intent_analyzed", "routing_decided"] {
            let mut sent = transition(workflow, trigger);
            sent.answer = send(port, &sent);
            let is_answered = sent.answer.is_some();
            log.push(sent);
            if !is_answered {
                return;
            }
        }
    }
}

/// A number that differs each time and is the same for the same seed.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn begin(place: &Place) -> Child {
    let mut command =
        place.command(["daemon", "start", "--foreground", "--http-port", "0", "--ws-port", "0"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until it says that it is there.
fn ready(child: &mut Child) {
    let mut line = [0; 19];
    child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(&line, b"Daemon started with");
}

/// What was told after the number `at`, which is the one of the last event then.
fn read_events(port: u16, at: &mut u64, ids: &mut BTreeSet<String>) {
    loop {
        let answer = get(port, &format!("/api/v1/events/history?since={at}&limit=1000")).json();
        let events = answer["events"].as_array().unwrap();
        for event in events {
            *at += 1;
            assert_eq!(event["seq"].as_u64(), Some(*at), "an event is missing, or told twice");
            assert!(ids.insert(event["eventId"].as_str().unwrap().to_owned()), "{event}");
        }
        if events.is_empty() {
            return;
        }
    }
}

#[test]
fn what_was_acknowledged_is_there_whenever_the_daemon_is_killed() {
    let factor = std::env::var("AIDE_PROOF_FACTOR").map_or(1, |factor| factor.parse::<u64>().unwrap());
    let place = Place::new();
    let log = Arc::new(Log::default());
    let mut seed = 0x5eed;
    let (mut at, mut ids) = (0, BTreeSet::new());
    for round in 0..ROUNDS * factor {
        let mut daemon = begin(&place);
        if round % 4 == 3 {
            // While it begins, as well.
            thread::sleep(Duration::from_millis(random(&mut seed) % 40));
        } else {
            ready(&mut daemon);
            let port = place.http_port();
            read_events(port, &mut at, &mut ids);
            let stop = Arc::new(AtomicBool::new(false));
            let asking: Vec<_> = (0..ASKING)
                .map(|asker| {
                    let (log, stop) = (Arc::clone(&log), Arc::clone(&stop));
                    thread::spawn(move || ask(port, &log, &format!("{round}-{asker}"), &stop))
                })
                .collect();
            thread::sleep(Duration::from_micros(random(&mut seed) % 150_000));
            daemon.kill().unwrap();
            stop.store(true, Ordering::Relaxed);
            asking.into_iter().for_each(|asker| asker.join().unwrap());
        }
        let _ = daemon.kill();
        daemon.wait().unwrap();
    }
    let mut daemon = begin(&place);
    ready(&mut daemon);
    let port = place.http_port();
    read_events(port, &mut at, &mut ids);
    let states = get(port, "/api/v1/workflows").json();
    let found: BTreeMap<String, (String, String)> = states
        .as_array()
        .unwrap()
        .iter()
        .map(|workflow| {
            let text = |name: &str| workflow[name].as_str().unwrap().to_owned();
            (text("workflowId"), (text("userTask"), text("fsmState")))
        })
        .collect();
    let order = ["semantic_understanding", "routing_decision", "plan_loop"];
    let sent = log.all();
    let acknowledged = sent.iter().filter(|sent| sent.answer.is_some()).count();
    assert!(acknowledged > 50, "the daemon was hardly asked");
    for one in &sent {
        let Some(answer) = &one.answer else { continue };
        if let Some(workflow) = answer["workflowId"].as_str() {
            assert_eq!(found[workflow].0, one.key, "what was acknowledged is gone");
        } else {
            // It may have gone further since, but not back.
            let workflow = one.path.split('/').nth(4).unwrap();
            let reached = |state: &str| order.iter().position(|known| *known == state).unwrap();
            let (acknowledged, state) = (answer["currentState"].as_str().unwrap(), &found[workflow].1);
            assert!(reached(state) >= reached(acknowledged), "{workflow}: {acknowledged} has become {state}");
        }
    }
    // Each was done once, however often it is sent again; those that nobody has answered are done now, if they were not then.
    for one in &sent {
        let answer = send(port, one).unwrap();
        if let Some(before) = &one.answer {
            assert_eq!(&answer, before, "{}", one.key);
        }
    }
    let tasks = get(port, "/api/v1/workflows").json();
    let mut tasks: Vec<String> = tasks
        .as_array()
        .unwrap()
        .iter()
        .map(|workflow| workflow["userTask"].as_str().unwrap().to_owned())
        .collect();
    tasks.sort();
    let mut begun: Vec<String> =
        sent.iter().filter(|one| one.path == "/api/v1/message").map(|one| one.key.clone()).collect();
    begun.sort();
    assert_eq!(tasks, begun, "a workflow was begun twice, or never");
    read_events(port, &mut at, &mut ids);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}
