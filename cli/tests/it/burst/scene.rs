//! What all threads of a burst share: the daemon, what has begun, and the first thing that went wrong.

use super::kinds::Task;
use crate::support::daemon::Place;
use crate::support::http::{Response, exchange, head};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// For how long a burst may go on. Far longer than it takes: it fails rather than hangs, and before nextest ends it.
const LIMIT: Duration = Duration::from_secs(240);

/// For how long a request may be without an answer, so that a daemon that has stopped is found before [`LIMIT`].
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// How many lines of the daemon's log are shown with a failure.
const LOG_LINES: usize = 20;

/// How many events of some kinds a listener was told.
#[derive(Default)]
struct Progress {
    /// Of all kinds.
    events: AtomicUsize,
    /// Decisions that were asked for.
    asked: AtomicUsize,
    /// Workflows that have ended.
    ended: AtomicUsize,
}

/// A burst while it goes on.
pub(super) struct Scene<'p> {
    place: &'p Place,
    /// The port of pages and API.
    pub(super) http: u16,
    /// The port of nothing but WebSockets.
    pub(super) ws: u16,
    /// The names of the workflows, in the order in which they were begun.
    begun: Mutex<Vec<(Task, String)>>,
    /// The progress so far, by the events that one listener has received.
    progress: Progress,
    /// The number of the last event, once nothing more happens; 0 until then.
    last: AtomicI64,
    /// What is asked of the daemon at the moment, and since when.
    asked: Mutex<BTreeMap<usize, (String, Instant)>>,
    next: AtomicUsize,
    failure: Mutex<Option<String>>,
    is_over: AtomicBool,
    deadline: Instant,
}

impl<'p> Scene<'p> {
    /// One with a daemon that runs.
    pub(super) fn new(place: &'p Place) -> Self {
        let ws = place.told()["ws_port"].as_u64().unwrap();
        Self {
            place,
            http: place.http_port(),
            ws: u16::try_from(ws).unwrap(),
            begun: Mutex::default(),
            progress: Progress::default(),
            last: AtomicI64::new(0),
            asked: Mutex::default(),
            next: AtomicUsize::new(0),
            failure: Mutex::default(),
            is_over: AtomicBool::new(false),
            deadline: Instant::now() + LIMIT,
        }
    }

    /// Does a part of the burst. What goes wrong with it, a panic as well, ends all the others; then `None`.
    pub(super) fn part<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Option<T> {
        match panic::catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(done)) => return Some(done),
            Ok(Err(words)) => self.fail(words),
            Err(_) => self.fail("a thread of the test has panicked, see above".to_owned()),
        }
        None
    }

    /// Whether the burst goes on.
    ///
    /// # Errors
    ///
    /// When it does not: something went wrong, or it takes too long.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.is_over.load(Ordering::Acquire) {
            return Err("the burst is over".to_owned());
        }
        if Instant::now() > self.deadline {
            return Err(format!("not done within {} s", LIMIT.as_secs()));
        }
        Ok(())
    }

    /// Keeps the first failure with all that is known then, and ends the daemon, so that no thread waits for it.
    fn fail(&self, words: String) {
        let mut failure = lock(&self.failure);
        if failure.is_none() {
            *failure = Some(self.report(&words));
            self.is_over.store(true, Ordering::Release);
            self.place.kill();
        }
    }

    /// The first failure.
    pub(super) fn failure(self) -> Option<String> {
        self.failure.into_inner().unwrap()
    }

    /// A failure with what has not ended, what has no answer, and what the daemon has to say.
    pub(super) fn report(&self, words: &str) -> String {
        let (begun, [events, asked, ended]) = (self.begun().len(), self.progress());
        let mut report = format!(
            "{words}\n{begun} workflows have begun, {ended} have ended, {asked} decisions were asked for, {events} events"
        );
        for (request, since) in lock(&self.asked).values() {
            report += &format!("\nwithout an answer for {:.1} s: {request}", since.elapsed().as_secs_f64());
        }
        let log = fs::read_to_string(self.place.state().join("daemon.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let tail = &lines[lines.len().saturating_sub(LOG_LINES)..];
        format!("{report}\nthe last lines of daemon.log:\n{}", tail.join("\n"))
    }

    /// Notes that a workflow was begun.
    pub(super) fn has_begun(&self, task: Task, workflow: String) {
        lock(&self.begun).push((task, workflow));
    }

    /// The workflows that were begun.
    pub(super) fn begun(&self) -> Vec<(Task, String)> {
        lock(&self.begun).clone()
    }

    /// What has happened so far: how many events, how many decisions that were asked for, how many ends of workflows.
    pub(super) fn progress(&self) -> [usize; 3] {
        [&self.progress.events, &self.progress.asked, &self.progress.ended]
            .map(|count| count.load(Ordering::Acquire))
    }

    /// Notes what has happened.
    pub(super) fn saw(&self, event: &Value) {
        self.progress.events.fetch_add(1, Ordering::AcqRel);
        let to = event["payload"]["to"].as_str();
        match event["type"].as_str() {
            Some("user_decision_required") => drop(self.progress.asked.fetch_add(1, Ordering::AcqRel)),
            Some("phase_transition") if matches!(to, Some("completed" | "failed")) => {
                self.progress.ended.fetch_add(1, Ordering::AcqRel);
            }
            _ => {}
        }
    }

    /// Notes that nothing more happens after the event of this number.
    pub(super) fn end_at(&self, last: i64) {
        self.last.store(last, Ordering::Release);
    }

    /// The number of the last event, once nothing more happens.
    pub(super) fn last(&self) -> Option<i64> {
        Some(self.last.load(Ordering::Acquire)).filter(|last| *last > 0)
    }

    /// Asks, and must be answered with 200.
    pub(super) fn get(&self, path: &str) -> Result<Response, String> {
        self.ask("GET", path, "")
    }

    /// The same for what is JSON.
    pub(super) fn get_json(&self, path: &str) -> Result<Value, String> {
        json(path, &self.get(path)?)
    }

    /// Posts JSON, and must be answered with 200.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        json(path, &self.ask("POST", path, &body.to_string())?)
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Result<Response, String> {
        let what = format!("{method} {path} {body}");
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.asked).insert(number, (what.clone(), Instant::now()));
        let headers = match body.len() {
            0 => "Connection: close\r\n".to_owned(),
            length => {
                format!("Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n")
            }
        };
        let request = head(method, path, self.http, &headers) + body;
        let answer = exchange(self.http, &request, ANSWER_LIMIT);
        if let Err(why) = &answer {
            // While it still says since when.
            self.fail(format!("no answer to {what}: {why}"));
        }
        lock(&self.asked).remove(&number);
        match answer? {
            answer if answer.status == 200 => Ok(answer),
            answer => Err(format!("{} to {what}: {}", answer.status, String::from_utf8_lossy(&answer.body))),
        }
    }
}

fn json(path: &str, answer: &Response) -> Result<Value, String> {
    serde_json::from_slice(&answer.body).map_err(|error| format!("no JSON from {path}: {error}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}
