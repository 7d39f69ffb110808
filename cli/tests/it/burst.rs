//! A hundred workflows at once, with agents that answer at once, take their time, fail and ask, while lists, pages and
//! WebSockets are read. Whatever waits in the daemon for what another thread holds has to show here.
//!
//!   AIDE_UNDER_TEST    the program, for example the released one (default: the one that these tests are built with)
//!   AIDE_BURST_ROUNDS  how many bursts, one after the other, each with a daemon of its own (default 1)

mod kinds;
mod listener;
mod scene;

use crate::support::daemon::Place;
use kinds::{Fate, Task, history};
use listener::{Listener, SentEvent};
use scene::Scene;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

const WORKFLOWS: usize = 100;

/// How many clients begin them, each as many as every other.
const STARTERS: usize = 10;

/// How many clients read lists and pages.
const READERS: usize = 6;

/// How many clients listen from the beginning; as many more connect when half of the workflows have begun.
const LISTENERS: usize = 3;

/// Of how many events each reader reads something once, so that reading is as much work on any machine.
const EVENTS_A_READ: usize = 12;

/// For how long a reader waits for them: where nothing happens any more it finds out why.
const PAUSE: Duration = Duration::from_millis(500);

/// How often it is looked how far the burst has come.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What is read, over and over; `{}` stands for a workflow.
const READ: [&str; 10] = [
    "/workflows",
    "/api/v1/workflows",
    "/workflows/{}",
    "/api/v1/agents",
    "/",
    "/api/v1/events/history?limit=100",
    "/api/v1/workflows/{}/state",
    "/api/v1/tools",
    "/api/v1/workflows/{}/tasks",
    "/api/v1/sessions",
];

#[test]
fn a_hundred_workflows_at_once_come_to_their_ends_while_everything_is_read() {
    let program = env::var_os("AIDE_UNDER_TEST").map(PathBuf::from);
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_aide").into());
    let rounds: usize = env::var("AIDE_BURST_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let mut durations = Vec::new();
    for round in 1..=rounds {
        let began = Instant::now();
        let reads = burst(&program);
        durations.push(began.elapsed());
        let seconds = began.elapsed().as_secs_f64();
        print(&format!("burst {round} of {rounds}: {seconds:.1} s, {reads} pages and lists read"));
    }
    durations.sort();
    print(&format!("median of {rounds}: {:.1} s", durations[rounds / 2].as_secs_f64()));
}

/// Tells the person who runs many bursts how they go.
fn print(line: &str) {
    // Nothing depends on it.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// One burst; returns how many pages and lists were read meanwhile.
fn burst(program: &Path) -> usize {
    let place = Place::with(program);
    kinds::configure(&place.folder);
    place.start();
    let scene = Scene::new(&place);
    let done = scene.part(|| run(&scene));
    if let Some(failure) = scene.failure() {
        panic!("{failure}");
    }
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    done.unwrap()
}

/// Runs all parts of it at the same time, and then compares what each has seen.
fn run(scene: &Scene<'_>) -> Result<usize, String> {
    let seen = thread::scope(|scope| scene.part(|| run_parts(scene, scope)));
    let BurstReport { told, reads } = seen.ok_or("not all parts have come to their ends")?;
    let events = events(scene)?;
    compare_order(&told, &events)?;
    compare_fates(scene, &events)?;
    Ok(reads.into_iter().sum())
}

/// What the parts of a burst have seen.
struct BurstReport {
    /// What each listener was told.
    told: Vec<Vec<SentEvent>>,
    /// How much each reader has read.
    reads: Vec<usize>,
}

fn run_parts<'s>(scene: &'s Scene<'_>, scope: &'s Scope<'s, '_>) -> Result<BurstReport, String> {
    let mut listeners = Vec::new();
    for number in 0..LISTENERS {
        let listener = Listener::from_now(scene, port(scene, number))?;
        let listener = if number == 0 { listener.counting() } else { listener };
        listeners.push(scope.spawn(move || scene.part(|| listener.listen(scene))));
    }
    let readers = (0..READERS).map(|number| scope.spawn(move || scene.part(|| read(scene, number))));
    let readers: Vec<_> = readers.collect();
    for number in 0..STARTERS {
        scope.spawn(move || scene.part(|| begin(scene, number)));
    }
    scope.spawn(move || scene.part(|| answer(scene)));
    until(scene, "half of the workflows have begun", || scene.begun().len() >= WORKFLOWS / 2)?;
    for number in 0..LISTENERS {
        let late = move || Listener::since(scene, port(scene, number), 0)?.listen(scene);
        listeners.push(scope.spawn(move || scene.part(late)));
    }
    until(scene, "all workflows have ended", || scene.progress()[2] == WORKFLOWS)?;
    let newest = scene.get_json("/api/v1/events/history?limit=1")?;
    scene.end_at(newest["events"][0]["seq"].as_i64().ok_or("there are no events")?);
    let told = joined(listeners).ok_or("not all were told")?;
    let reads = joined(readers).ok_or("not all have read")?;
    Ok(BurstReport { told, reads })
}

fn joined<T>(threads: Vec<ScopedJoinHandle<'_, Option<T>>>) -> Option<Vec<T>> {
    threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
}

/// WebSockets are served at both ports.
fn port(scene: &Scene<'_>, number: usize) -> u16 {
    if number.is_multiple_of(2) { scene.ws } else { scene.http }
}

/// Waits, for as long as the burst goes on.
fn until(scene: &Scene<'_>, what: &str, is_so: impl Fn() -> bool) -> Result<(), String> {
    while !is_so() {
        scene.check().map_err(|why| format!("{why}: not yet that {what}"))?;
        thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Begins the share of one client, one after the other.
fn begin(scene: &Scene<'_>, starter: usize) -> Result<(), String> {
    for number in (starter..WORKFLOWS).step_by(STARTERS) {
        let task = Task(number);
        let body = json!({ "target": "finger-orchestrator", "message": { "content": task.words() } });
        let begun = scene.post("/api/v1/message", &body)?;
        let workflow = begun["workflowId"].as_str().ok_or("a message has begun no workflow")?;
        scene.has_begun(task, workflow.to_owned());
    }
    Ok(())
}

/// Reads everything over and over until nothing more happens, and all of it once at least. Returns how much that was.
fn read(scene: &Scene<'_>, reader: usize) -> Result<usize, String> {
    let mut count = 0;
    while scene.last().is_none() || count < READ.len() {
        scene.check()?;
        let mut path = READ[(reader + count) % READ.len()].to_owned();
        if path.contains("{}") {
            let begun = scene.begun();
            let workflow = begun.get(count * READERS % begun.len().max(1)).map(|(_, workflow)| &**workflow);
            path = workflow.map_or("/health".to_owned(), |workflow| path.replace("{}", workflow));
        }
        let answer = scene.get(&path)?;
        let is_page = answer.header("content-type").starts_with("text/html");
        if is_page && !answer.text().ends_with("</html>") {
            return Err(format!("{path} breaks off"));
        }
        count += 1;
        pause(scene);
    }
    Ok(count)
}

/// Waits for [`EVENTS_A_READ`] events.
fn pause(scene: &Scene<'_>) {
    let [before, ..] = scene.progress();
    let end = Instant::now() + PAUSE;
    while scene.progress()[0] < before + EVENTS_A_READ && Instant::now() < end && scene.last().is_none() {
        thread::sleep(POLL_INTERVAL);
    }
}

/// The person: answers whatever is asked, as it comes.
fn answer(scene: &Scene<'_>) -> Result<(), String> {
    let mut asked: HashMap<(usize, String), usize> = HashMap::new();
    let mut answered = 0;
    while scene.last().is_none() {
        scene.check()?;
        // A decision is in the list before its event is sent.
        if scene.progress()[1] <= answered {
            thread::sleep(POLL_INTERVAL);
            continue;
        }
        let pending = scene.get_json("/api/v1/decision?status=pending")?;
        for decision in pending["decisions"].as_array().ok_or("no list of decisions")? {
            let question = decision["message"].as_str().unwrap_or_default();
            let task = Task::named_in(decision).ok_or_else(|| format!("of no workflow: {decision}"))?;
            let before = asked.entry((task.0, question.to_owned())).or_default();
            let response = task.answer(question, *before);
            let response = response.ok_or_else(|| format!("not expected from {task:?}: {decision}"))?;
            *before += 1;
            answered += 1;
            let id = decision["decisionId"].as_str().unwrap_or_default();
            scene.post(&format!("/api/v1/decision/{id}/respond"), &json!({ "response": response }))?;
        }
    }
    Ok(())
}

/// All events, page by page.
fn events(scene: &Scene<'_>) -> Result<Vec<Value>, String> {
    let mut events: Vec<Value> = Vec::new();
    loop {
        let last = events.last().map_or(0, |event| event["seq"].as_i64().unwrap_or_default());
        let page = scene.get_json(&format!("/api/v1/events/history?since={last}&limit=1000"))?;
        match page["events"].as_array() {
            Some(page) if !page.is_empty() => events.extend(page.iter().cloned()),
            _ => return Ok(events),
        }
    }
}

/// Every listener was told each event of the log, once, in its order.
fn compare_order(told: &[Vec<SentEvent>], events: &[Value]) -> Result<(), String> {
    for (event, seq) in events.iter().zip(1..) {
        if event["seq"] != seq {
            return Err(format!("{event} is the event after {}", seq - 1));
        }
    }
    for (number, told) in told.iter().enumerate() {
        let heard = told.len();
        if heard != events.len() {
            return Err(format!("listener {number} was told {heard} of {} events", events.len()));
        }
        for ((_, text), event) in told.iter().zip(events) {
            if serde_json::from_str::<Value>(text).ok().as_ref() != Some(event) {
                return Err(format!("listener {number} was told {text}, and not {event}"));
            }
        }
    }
    Ok(())
}

/// Every workflow has ended as its agents and the user decided.
fn compare_fates(scene: &Scene<'_>, events: &[Value]) -> Result<(), String> {
    let mut histories = history(events);
    let mut begun = scene.begun();
    begun.sort_by_key(|(task, _)| task.0);
    let mut wrong = Vec::new();
    for (task, workflow) in begun {
        let (phases, events) = histories.remove(&*workflow).unwrap_or_default();
        let state = scene.get_json(&format!("/api/v1/workflows/{workflow}/state"))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (output, error) = (text(&state["output"]["output"]), text(&state["error"]));
        let fate = Fate { output, error, phases, events };
        if fate != task.fate() || state["userTask"] != task.words() {
            wrong.push(format!("{} has come to {fate:?}, and not to {:?}", task.words(), task.fate()));
        }
    }
    wrong.extend(histories.keys().map(|workflow| format!("{workflow} was begun by no client")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
