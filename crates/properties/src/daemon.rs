//! What programs say to a daemon.

use app::Hall;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use http::{Method, Request, StatusCode};
use journal::Sqlite;
use model::respond::{self, ResponseError};
use model::{DecideItem, Questions, SessionId, glob_matches};
use protocol::workflow::{ClientFrame, ErrorCode, Refusal, Selection, Trigger};
use serde_json::{Map, Value, json};
use server::{Access, Api, Feed, HostError, QuestionHost, daemon_endpoints, daemon_router};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Builder;
use tower::ServiceExt;
use workflow::{NewDecision, NewMessage, PoolAgent, Runtime, Transition, World};

/// So many requests share a daemon: what they have left behind makes it slower.
const SHARED: u64 = 32;

#[derive(Default)]
pub(crate) struct Clock(AtomicU64);

impl World for Clock {
    fn now(&self) -> i64 {
        1_771_815_600_000
    }

    fn random(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn local_second(&self, _: i64) -> String {
        "2026-02-23T03-00-00".to_owned()
    }

    fn local_time(&self, _: i64) -> String {
        "2026-02-23T03:00:00+00:00".to_owned()
    }
}

/// How far a workflow has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing is known of it yet.
    Begun,
    /// It executes a task.
    Executing,
    /// It was paused while it did.
    Paused,
}

/// Accepts all questions, and shows them to no user.
struct NullQuestionHost;

impl QuestionHost for NullQuestionHost {
    fn host(&self, _: &Path, session: &SessionId, _: Option<Duration>) -> Result<String, HostError> {
        Ok(format!("http://localhost/d/{session}"))
    }
}

/// A daemon, and what there is to be asked about.
struct Daemon {
    asked: u64,
    router: Router,
    runtime: Arc<Runtime>,
    /// Its threads stay: most of the time would go to them.
    threads: tokio::runtime::Runtime,
    /// How far the workflow that there is has come.
    stage: Stage,
    /// For each name in a path or a body, what there is of that name; nothing once something has happened to it.
    names: Option<[(&'static str, String); 5]>,
}

impl Daemon {
    fn new() -> Self {
        let (feed, listener) = Feed::start(0).unwrap();
        let runtime =
            Runtime::new(Arc::new(Sqlite::in_memory(listener).unwrap()), Arc::new(Clock::default()));
        let pool = PoolAgent::usual();
        // Single phases can be started; no agent executes them.
        let runtime = runtime.with_answered(pool.iter().map(|agent| agent.id.clone()));
        runtime.set_pool(&pool).unwrap();
        let runtime = Arc::new(runtime);
        let api = Api::new(Arc::clone(&runtime), feed).with_host(Arc::new(NullQuestionHost));
        let access = Access::open(Ipv4Addr::LOCALHOST.into(), 8080, "");
        let router = daemon_router(Arc::new(Hall::without_home(None)), access, api, None);
        let threads = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        Self { asked: 0, router, runtime, threads, stage: Stage::Begun, names: None }
    }

    /// Begins a workflow with a decision.
    fn begin(&self, stage: Stage) -> [(&'static str, String); 5] {
        let said = |answer: Result<String, workflow::Failure>, name: &str| {
            let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
            answer[name].as_str().unwrap_or_default().to_owned()
        };
        let message = NewMessage {
            target: "finger-orchestrator".to_owned(),
            message: json!("x"),
            sender: None,
            is_awaited: false,
            callback_id: None,
        };
        let begun = self.runtime.send(None, &message);
        let (workflow, session) = (said(begun.clone(), "workflowId"), said(begun, "sessionId"));
        if stage != Stage::Begun {
            for trigger in [Trigger::IntentAnalyzed, Trigger::RoutingDecided, Trigger::PlanCreated] {
                let mut context = Map::new();
                context.insert("route".to_owned(), json!("full_replan"));
                if trigger == Trigger::PlanCreated {
                    context.insert("tasks".to_owned(), json!([{ "id": "t", "description": "x" }]));
                }
                self.runtime.transition(None, &workflow, &Transition { trigger, context }).unwrap();
            }
        }
        if stage == Stage::Paused {
            self.runtime.pause(None, &workflow, true).unwrap();
        }
        let checkpoint = self.runtime.latest_checkpoint(&session).unwrap().checkpoint.checkpoint_id;
        let decision = NewDecision {
            workflow_id: Some(workflow.clone()),
            message: "Go on?".to_owned(),
            options: ["Y", "n"].map(str::to_owned).to_vec(),
            ..NewDecision::default()
        };
        let decision = said(self.runtime.create_decision(None, &decision), "decisionId");
        [
            ("{workflow}", workflow),
            ("{session}", session),
            ("{decision}", decision),
            ("{checkpoint}", checkpoint),
            ("{agent}", "executor-coding".to_owned()),
        ]
    }
}

/// The first byte chooses the endpoint, of all that take a body, and how far the workflow that there is has come; the rest is
/// the body, in which names in braces are what they are called. It is done, or refused in the form of the contract,
/// and never the daemon's fault.
pub(crate) fn api_body(data: &[u8]) {
    let Some((path, status, answer)) = answered(data) else { return };
    if status == StatusCode::OK {
        serde_json::from_slice::<Value>(&answer).unwrap();
        return;
    }
    assert!(
        !status.is_server_error() || status == StatusCode::GATEWAY_TIMEOUT,
        "{path}: {status} {answer:?}"
    );
    let refusal: Refusal = serde_json::from_slice(&answer).unwrap();
    assert!(refusal.code.status() == status.as_u16() || refusal.code == ErrorCode::AgentFailed, "{refusal}");
}

/// The endpoints that take a body, in the order of the table.
static POSTS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let rows = daemon_endpoints().into_iter().filter(|row| row.method == Method::POST);
    rows.map(|row| row.path).collect()
});

/// The endpoint that was asked, and what it has answered.
fn answered(data: &[u8]) -> Option<(&'static str, StatusCode, Bytes)> {
    static DAEMON: Mutex<Option<Daemon>> = Mutex::new(None);
    let (chosen, body) = data.split_first()?;
    let chosen = usize::from(*chosen);
    let stage = [Stage::Begun, Stage::Executing, Stage::Paused][chosen / POSTS.len() % 3];
    let pattern = POSTS[chosen % POSTS.len()];
    let mut shared = DAEMON.lock().unwrap_or_else(PoisonError::into_inner);
    let daemon = shared.take().filter(|daemon| daemon.asked < SHARED).unwrap_or_else(Daemon::new);
    let names = match &daemon.names {
        Some(names) if stage == daemon.stage => names.clone(),
        _ => daemon.begin(stage),
    };
    let named = |text: &str| names.iter().fold(text.to_owned(), |text, (name, is)| text.replace(name, is));
    let path = named(pattern);
    let body = match std::str::from_utf8(body) {
        Ok(text) => named(text).into_bytes(),
        Err(_) => body.to_vec(),
    };
    let request = Request::post(&path).header("host", "localhost:8080");
    let request = request.header("content-type", "application/json").body(Body::from(body)).unwrap();
    let (status, answer) = daemon.threads.block_on(async {
        let answer = daemon.router.clone().oneshot(request).await.unwrap();
        (answer.status(), to_bytes(answer.into_body(), usize::MAX).await.unwrap())
    });
    // A request that waits for the end of a workflow times out here; the workflow was started all the same.
    let is_done = matches!(status, StatusCode::OK | StatusCode::GATEWAY_TIMEOUT);
    let names = (!is_done).then_some(names);
    *shared = Some(Daemon { asked: daemon.asked + 1, names, stage, ..daemon });
    Some((pattern, status, answer))
}

/// A frame is understood, or refused with a code; what it means can be sent again.
pub(crate) fn client_frame(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match ClientFrame::parse(text) {
        Err(bad) => assert!(bad.to_json()["code"].is_string()),
        Ok(frame) => {
            assert_eq!(ClientFrame::parse(&frame.to_json().to_string()), Ok(frame.clone()));
            let ClientFrame::Subscribe { types, groups, .. } = frame else { return };
            let mut selection = Selection::default();
            if selection.add(&types, &groups).is_ok() {
                let before = selection.clone();
                // What is there already changes nothing, and what is removed is gone.
                selection.add(&types, &groups).unwrap();
                assert_eq!(selection, before);
                selection.remove(&types, &groups);
                assert!(!selection.has(protocol::workflow::EventType::TaskStarted));
            }
        }
    }
}

/// The first line is a pattern, the second a text: they match as a search that tries everything says.
pub(crate) fn event_glob(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (pattern, text) = text.split_once('\n').unwrap_or((text, ""));
    let (pattern_chars, text_chars): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    // For each length of the pattern's beginning, which beginnings of the text it matches.
    let mut row = vec![false; text_chars.len() + 1];
    row[0] = true;
    for wanted in &pattern_chars {
        let mut next = vec![false; row.len()];
        for length in 0..row.len() {
            next[length] = match wanted {
                '*' => row[length] || length > 0 && next[length - 1],
                wanted => length > 0 && row[length - 1] && text_chars[length - 1] == *wanted,
            };
        }
        row = next;
    }
    assert_eq!(glob_matches(pattern, text), row[text_chars.len()], "{pattern:?} {text:?}");
}

/// The first line is what is typed, the others are options, with several to be chosen or one, and with each of some texts as the
/// default: what it says is among them, and is what was typed, or the default in its place.
pub(crate) fn typed_answer(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let typed = lines.next().unwrap_or_default();
    let labels: Vec<&str> = lines.take(50).collect();
    let options = labels.iter().enumerate();
    let options = options.map(|(number, label)| json!({ "value": format!("{number}"), "label": label }));
    let options: Vec<_> = options.collect();
    for multiple in [true, false] {
        let item = json!({ "id": 1, "title": "one", "multiple": multiple, "options": options });
        let document = json!({ "task": "t", "source": "s", "items": [item] });
        // Not every text is a label.
        let Ok(questions) = Questions::parse(document.to_string().as_bytes()) else { return };
        let item = &questions.input().items[0];
        for fallback in [None, labels.first().copied(), labels.last().copied(), Some("1"), Some(" ")] {
            typed_at(item, typed, fallback);
        }
    }
}

fn typed_at(item: &DecideItem, typed: &str, fallback: Option<&str>) {
    let said = respond::parse(item, typed, fallback);
    let has_default = fallback.is_some_and(|text| !model::is_blank(text));
    if !model::is_blank(typed) {
        assert_eq!(said, respond::parse(item, typed, None), "the default is of no interest");
    } else if let Some(text) = fallback.filter(|_| has_default) {
        assert_eq!(said, respond::parse(item, text, None), "the default stands for it");
    }
    match said {
        Ok(response) => {
            let labels: Vec<&str> = item.options.iter().map(|option| option.label.as_str()).collect();
            assert!(response.selected.iter().all(|label| labels.contains(&label.as_str())), "{response:?}");
            assert!(item.multiple || response.selected.len() <= 1, "{response:?}");
            // What is not said, and has no default, is the option in capital letters.
            assert!(response.text == typed.trim() || model::is_blank(typed), "{response:?}");
        }
        Err(misread) => assert!(misread != ResponseError::Empty || model::is_blank(typed) && !has_default),
    }
}

#[cfg(test)]
mod tests {
    use super::{POSTS, answered};
    use http::StatusCode;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// What a fuzzer begins with is not refused for the endpoint that it is for, and there is something for each.
    #[test]
    fn every_endpoint_does_something_from_the_corpus() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/api_body");
        let mut done = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let (endpoint, status, answer) = answered(&fs::read(&path).unwrap()).unwrap();
            let is_done = matches!(status, StatusCode::OK | StatusCode::GATEWAY_TIMEOUT);
            assert!(is_done, "{} to {endpoint}: {status} {answer:?}", path.display());
            done.insert(endpoint);
        }
        let missing: Vec<_> =
            POSTS.iter().enumerate().filter(|(_, endpoint)| !done.contains(*endpoint)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
