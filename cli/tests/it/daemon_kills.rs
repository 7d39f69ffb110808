//! A daemon that is killed at any moment, while clients send requests and others listen: what it has acknowledged is there, and
//! was done once; every event is sent once, none is missing, and none that was sent is lost from the log.

use crate::support::chance::Chance;
use crate::support::daemon::Place;
use crate::support::http::{first_frame, get, head, web_socket};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Kills of one daemon's folder. `AIDE_PROOF_FACTOR` asks for more folders: 20 make 500 kills.
const ROUNDS: u64 = 25;
/// Before how many requests to a daemon it is killed.
const MOST_REQUESTS: u64 = 40;
/// How many programs ask at the same time.
const ASKING: usize = 4;
/// How many folders are tried at the same time.
const AT_ONCE: u64 = 4;

/// What has come back: the status, and the body.
type Answer = (u16, Value);

/// A request that was sent at least once.
#[derive(Clone)]
struct SentRequest {
    path: String,
    key: String,
    body: String,
    /// What must be told of it, once.
    told: String,
    /// In which state its workflow is then, if it goes on with it.
    state: Option<(String, &'static str)>,
    /// What was answered.
    answer: Option<Answer>,
}

/// Everything that was sent, by all.
#[derive(Default)]
struct Log(Mutex<Vec<SentRequest>>);

impl Log {
    fn all(&self) -> Vec<SentRequest> {
        self.0.lock().unwrap().clone()
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// Waits until so many requests have come to their end; they do, because each has a limit.
fn until_there_are(count: usize, log: &Log) {
    while log.count() < count {
        thread::sleep(Duration::from_micros(200));
    }
}

/// Sends a request; `None` if the daemon is gone before it has answered.
fn send(port: u16, sent: &SentRequest) -> Option<Answer> {
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
    let body: Value = serde_json::from_str(body.get(..length)?).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    // Of two who answer the same question, one comes too late.
    let is_late =
        status == 409 && sent.path.ends_with("/respond") && body["code"] == "DECISION_ALREADY_RESOLVED";
    assert!(status == 200 || is_late, "{}: {head} {body}", sent.path);
    Some((status, body))
}

/// A program that asks.
struct Asker {
    port: u16,
    log: Arc<Log>,
    name: String,
    chance: Chance,
}

impl Asker {
    fn send(&self, mut sent: SentRequest) -> Option<Value> {
        sent.answer = send(self.port, &sent);
        let answer = sent.answer.clone();
        self.log.0.lock().unwrap().push(sent);
        answer.map(|(_, body)| body)
    }

    /// What goes on with a workflow.
    fn steer(
        &self,
        workflow: &str,
        verb: &str,
        body: Value,
        told: &str,
        state: &'static str,
    ) -> Option<Value> {
        self.send(SentRequest {
            path: verb.to_owned(),
            key: format!("{workflow} {told}"),
            body: body.to_string(),
            told: format!("{workflow} {told}"),
            state: Some((workflow.to_owned(), state)),
            answer: None,
        })
    }

    /// It begins workflows, lets each go two phases further, and does with it what comes to its mind.
    fn run(mut self, stop: &AtomicBool) {
        let mut number = 0;
        while !stop.load(Ordering::Relaxed) {
            number += 1;
            if self.drive(&format!("{}-{number}", self.name)).is_none() {
                return;
            }
        }
    }

    fn drive(&mut self, content: &str) -> Option<()> {
        let message = json!({ "target": "finger-orchestrator", "message": { "content": content } });
        let begun = self.send(SentRequest {
            path: "/api/v1/message".to_owned(),
            key: content.to_owned(),
            body: message.to_string(),
            told: format!("said {content}"),
            state: None,
            answer: None,
        })?;
        let workflow = begun["workflowId"].as_str().unwrap();
        let id = || json!({ "workflowId": workflow });
        for (trigger, state) in [("intent_analyzed", "routing_decision"), ("routing_decided", "plan_loop")] {
            let body = json!({ "trigger": trigger, "context": { "route": "full_replan" } });
            self.steer(workflow, &format!("/api/v1/workflow/{workflow}/transition"), body, trigger, state)?;
        }
        match self.chance.below(5) {
            0 => {}
            1 => {
                let input = json!({ "workflowId": workflow, "input": content });
                let told = format!("input {content}");
                self.steer(workflow, "/api/v1/workflow/input", input, &told, "plan_loop")?;
            }
            2 => {
                let pause = "/api/v1/workflow/pause";
                self.steer(workflow, pause, id(), "pause_requested", "paused")?;
                let resume = "/api/v1/workflow/resume";
                self.steer(workflow, resume, id(), "resume_requested", "plan_loop")?;
            }
            3 => {
                let cancel = "/api/v1/workflow/cancel";
                self.steer(workflow, cancel, id(), "cancel_requested", "failed")?;
            }
            _ => self.decide(workflow, content)?,
        }
        Some(())
    }

    /// Lets two answer at once what a workflow asks.
    fn decide(&self, workflow: &str, content: &str) -> Option<()> {
        let question = json!({ "workflowId": workflow, "message": content, "options": ["left", "right"] });
        let asked = self.send(SentRequest {
            path: "/api/v1/decision".to_owned(),
            key: format!("{content} asked"),
            body: question.to_string(),
            told: format!("asked {content}"),
            state: None,
            answer: None,
        })?;
        let decision = asked["decisionId"].as_str().unwrap();
        let answer = |response: &str| {
            self.send(SentRequest {
                path: format!("/api/v1/decision/{decision}/respond"),
                key: format!("{content} {response}"),
                body: json!({ "response": response }).to_string(),
                told: format!("answered {decision}"),
                state: None,
                answer: None,
            })
        };
        let (left, right) = thread::scope(|scope| {
            let left = scope.spawn(|| answer("left"));
            (answer("right"), left.join().unwrap())
        });
        left.and(right).map(drop)
    }
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

/// What was told by whatever means: the name of the event of each number.
#[derive(Default)]
struct EventNames(BTreeMap<u64, String>);

impl EventNames {
    /// The same number is the same event for ever; the number.
    fn take(&mut self, event: &Value) -> u64 {
        let (seq, id) = (event["seq"].as_u64().unwrap(), event["eventId"].as_str().unwrap());
        let known = self.0.entry(seq).or_insert_with(|| id.to_owned());
        assert_eq!(known, id, "what was told as number {seq} is another event now");
        seq
    }

    /// Reads all there is, which is all that was ever told.
    fn read(&mut self, port: u16) -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        loop {
            let answer = get(port, &format!("/api/v1/events/history?since={}&limit=1000", all.len())).json();
            let events = answer["events"].as_array().unwrap();
            if events.is_empty() {
                break;
            }
            for event in events {
                let seq = self.take(event);
                all.push(event.clone());
                assert_eq!(seq, all.len() as u64, "an event is missing, or told twice");
            }
        }
        assert_eq!(self.0.len(), all.len(), "what was told is gone: {:?}", self.0.last_key_value());
        let ids: BTreeSet<&String> = self.0.values().collect();
        assert_eq!(ids.len(), all.len(), "an event has two numbers");
        all
    }
}

/// Reads a WebSocket until the daemon is gone, and returns the events received.
fn listen(mut stream: TcpStream) -> Vec<Value> {
    let mut bytes = Vec::new();
    // What came before it was killed was told, however it ended.
    let _ = stream.read_to_end(&mut bytes);
    let mut rest = &*bytes;
    let mut events = Vec::new();
    while let Some((opcode, payload, after)) = first_frame(rest) {
        if opcode == 1 {
            let told: Value = serde_json::from_slice(payload).unwrap();
            if told.get("seq").is_some() {
                events.push(told);
            }
        }
        rest = after;
    }
    events
}

/// The answers that stand, by decision.
fn answers(port: u16) -> BTreeMap<String, Value> {
    let list = get(port, "/api/v1/decision").json();
    let decisions = list["decisions"].as_array().unwrap();
    decisions
        .iter()
        .map(|one| (one["decisionId"].as_str().unwrap().to_owned(), one["response"].clone()))
        .collect()
}

/// An acknowledged answer is the one that stands.
fn check_answers(port: u16, sent: &[SentRequest]) {
    let found = answers(port);
    for one in sent.iter().filter(|one| one.path.ends_with("/respond")) {
        let Some((200, answer)) = &one.answer else { continue };
        let decision = answer["decisionId"].as_str().unwrap();
        assert_eq!(found[decision], answer["response"], "the answer to {decision} has changed");
    }
}

/// What an event tells of a request, in the words of `SentRequest::told`.
fn about(event: &Value) -> Option<String> {
    let payload = &event["payload"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match event["type"].as_str().unwrap() {
        "user_message" => Some(format!("said {}", text(&payload["content"]))),
        "user_decision_required" => Some(format!("asked {}", text(&payload["message"]))),
        "user_decision_received" => Some(format!("answered {}", text(&payload["decisionId"]))),
        "phase_transition" if payload["trigger"] != "user_input_received" => {
            Some(format!("{} {}", text(&event["workflowId"]), text(&payload["trigger"])))
        }
        "workflow_update" if payload["userInput"].is_string() => {
            Some(format!("{} input {}", text(&event["workflowId"]), text(&payload["userInput"])))
        }
        _ => None,
    }
}

/// How much was tried.
#[derive(Default)]
struct Counters {
    kills: AtomicU64,
    acknowledged: AtomicU64,
    /// Requests whose outcome was unknown.
    open: AtomicU64,
    events: AtomicU64,
    /// Events that were told to listeners.
    heard: AtomicU64,
    decided: AtomicU64,
}

/// A daemon that is killed again and again, and what it has to keep.
fn kill_again_and_again(mut chance: Chance, tried: &Counters) {
    let add = |counter: &AtomicU64, number: usize| counter.fetch_add(number as u64, Ordering::Relaxed);
    let place = Place::new();
    let log = Arc::new(Log::default());
    let mut told = EventNames::default();
    for round in 0..ROUNDS {
        let mut daemon = begin(&place);
        if round % 4 == 3 {
            // While it begins, as well.
            thread::sleep(Duration::from_millis(chance.below(40)));
        } else {
            ready(&mut daemon);
            let port = place.http_port();
            told.read(port);
            check_answers(port, &log.all());
            let stop = Arc::new(AtomicBool::new(false));
            let stream = web_socket(port);
            let listening = thread::spawn(move || listen(stream));
            let asking: Vec<_> = (0..ASKING)
                .map(|asker| {
                    let (log, stop) = (Arc::clone(&log), Arc::clone(&stop));
                    let asker = Asker { port, log, name: format!("{round}-{asker}"), chance: chance.other() };
                    thread::spawn(move || asker.run(&stop))
                })
                .collect();
            // By what has happened, which is as much on a machine that is slow: after so many requests, and within one.
            let moment = log.count() + usize::try_from(chance.below(MOST_REQUESTS)).unwrap();
            until_there_are(moment, &log);
            thread::sleep(Duration::from_micros(chance.below(5_000)));
            daemon.kill().unwrap();
            stop.store(true, Ordering::Relaxed);
            asking.into_iter().for_each(|asker| asker.join().unwrap());
            let heard = listening.join().unwrap();
            add(&tried.heard, heard.len());
            let numbers: Vec<u64> = heard.iter().map(|event| told.take(event)).collect();
            assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "not told in order: {numbers:?}");
        }
        let _ = daemon.kill();
        daemon.wait().unwrap();
        add(&tried.kills, 1);
    }
    let mut daemon = begin(&place);
    ready(&mut daemon);
    let port = place.http_port();
    told.read(port);
    let sent = log.all();
    check_answers(port, &sent);
    check_states(port, &sent);
    add(&tried.acknowledged, sent.iter().filter(|sent| sent.answer.is_some()).count());
    add(&tried.open, sent.iter().filter(|sent| sent.answer.is_none()).count());
    // Each request was done once, however often it is sent again; unanswered ones are done now, if they were not then.
    let mut done = sent.clone();
    for (one, before) in done.iter_mut().zip(&sent) {
        one.answer = send(port, one);
        let (status, answer) = one.answer.as_ref().unwrap();
        match &before.answer {
            Some((200, before)) => assert_eq!((*status, answer), (200, before), "{}", one.key),
            Some((refused, _)) => assert_eq!(status, refused, "{}", one.key),
            None => {}
        }
    }
    check_answers(port, &done);
    let answered: Vec<&str> = done
        .iter()
        .filter(|one| one.path.ends_with("/respond") && one.answer.as_ref().unwrap().0 == 200)
        .map(|one| &*one.path)
        .collect();
    assert_eq!(answered.len(), answered.iter().collect::<BTreeSet<_>>().len(), "two answers were the first");
    add(&tried.decided, answered.len());
    let events = told.read(port);
    add(&tried.events, events.len());
    let mut found: Vec<String> = events.iter().filter_map(about).collect();
    found.sort();
    // If a client got two answers, there is one event.
    let expected: BTreeSet<&String> = done.iter().map(|one| &one.told).collect();
    assert_eq!(
        found.iter().collect::<Vec<_>>(),
        expected.into_iter().collect::<Vec<_>>(),
        "done twice, or never"
    );
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

/// Each workflow is where its last acknowledged request or its unanswered one has brought it.
fn check_states(port: u16, sent: &[SentRequest]) {
    let listed = get(port, "/api/v1/workflows").json();
    let mut found = BTreeMap::new();
    for workflow in listed.as_array().unwrap() {
        let text = |name: &str| workflow[name].as_str().unwrap().to_owned();
        found.insert(text("workflowId"), (text("userTask"), text("fsmState")));
    }
    let mut possible: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in sent {
        if let Some((_, answer)) = one.answer.as_ref().filter(|_| one.path == "/api/v1/message") {
            let workflow = answer["workflowId"].as_str().unwrap();
            assert_eq!(found[workflow].0, one.key, "what was acknowledged is gone");
            possible.insert(workflow, vec!["semantic_understanding"]);
        }
        let Some((workflow, state)) = &one.state else { continue };
        let states = possible.get_mut(&**workflow).unwrap();
        if one.answer.is_some() {
            states.clear();
        }
        states.push(state);
    }
    for (workflow, states) in possible {
        let state = &found[workflow].1;
        assert!(states.contains(&&**state), "{workflow} is {state}, not one of {states:?}");
    }
}

#[test]
fn what_was_acknowledged_or_told_is_there_whenever_the_daemon_is_killed() {
    let places = u64::from(effort::factor());
    let mut chance = Chance::new();
    writeln!(std::io::stderr(), "seed {}", chance.0).unwrap();
    let chances: Vec<Chance> = (0..places).map(|_| chance.other()).collect();
    let (waiting, tried) = (Mutex::new(chances), Counters::default());
    thread::scope(|scope| {
        for _ in 0..places.min(AT_ONCE) {
            scope.spawn(|| {
                loop {
                    let Some(chance) = waiting.lock().unwrap().pop() else { return };
                    kill_again_and_again(chance, &tried);
                }
            });
        }
    });
    let Counters { kills, acknowledged, open, events, heard, decided } = &tried;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let told = format!(
        "{} kills: {} requests acknowledged, {} not answered, {} decided, {} events, {} heard",
        count(kills),
        count(acknowledged),
        count(open),
        count(decided),
        count(events),
        count(heard)
    );
    writeln!(std::io::stderr(), "{told}").unwrap();
    let is_enough = count(acknowledged) > 50 && count(decided) > 0 && count(heard) > 0;
    assert!(is_enough && count(open) > 0, "the daemon was hardly asked: {told}");
}
