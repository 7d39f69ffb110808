//! What programs say to a daemon.

use app::Hall;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use journal::Memory;
use model::respond::{self, Misread};
use model::workflow::{ClientFrame, ErrorCode, Refusal, Selection};
use model::{Questions, glob_matches};
use serde_json::json;
use server::{Access, Api, Feed, daemon_router};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::runtime::Builder;
use tower::ServiceExt;
use workflow::{Runtime, World};

/// The endpoints that take a body.
const POSTS: [&str; 9] = [
    "message",
    "workflow/input",
    "workflow/pause",
    "workflow/wf/transition",
    "decision",
    "decision/d/respond",
    "sessions",
    "session/checkpoint",
    "resources/deploy",
];
/// So many requests share a daemon: what they have left behind makes it slower.
const SHARED: u64 = 256;

#[derive(Default)]
struct Clock(AtomicU64);

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

fn daemon() -> Router {
    let (feed, listener) = Feed::start(0).unwrap();
    let runtime = Runtime::new(Arc::new(Memory::new(listener)), Arc::new(Clock::default()));
    let api = Api::new(Arc::new(runtime), feed);
    let access = Access::open(Ipv4Addr::LOCALHOST.into(), 8080, "");
    daemon_router(Arc::new(Hall::without_home(None)), access, api)
}

/// The first byte chooses the endpoint, the rest is the body: it is done, or refused in the form of the contract, and never the
/// daemon's fault.
pub(crate) fn api_body(data: &[u8]) {
    static DAEMON: Mutex<(u64, Option<Router>)> = Mutex::new((0, None));
    let Some((chosen, body)) = data.split_first() else { return };
    let path = POSTS[usize::from(*chosen) % POSTS.len()];
    let router = {
        let mut daemon = DAEMON.lock().unwrap();
        daemon.0 += 1;
        if daemon.0 % SHARED == 1 {
            daemon.1 = Some(self::daemon());
        }
        daemon.1.clone().unwrap()
    };
    let request = Request::post(format!("/api/v1/{path}")).header("host", "localhost:8080");
    let request = request.header("content-type", "application/json").body(Body::from(body.to_vec())).unwrap();
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (status, answer) = runtime.block_on(async {
        let answer = router.oneshot(request).await.unwrap();
        (answer.status(), to_bytes(answer.into_body(), usize::MAX).await.unwrap())
    });
    if status == StatusCode::OK {
        serde_json::from_slice::<serde_json::Value>(&answer).unwrap();
        return;
    }
    // Whoever waits for the end of a workflow waits in vain here.
    assert!(
        !status.is_server_error() || status == StatusCode::GATEWAY_TIMEOUT,
        "{path}: {status} {answer:?}"
    );
    let refusal: Refusal = serde_json::from_slice(&answer).unwrap();
    assert!(refusal.code.status() == status.as_u16() || refusal.code == ErrorCode::AgentFailed, "{refusal}");
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
                assert!(!selection.has(model::workflow::EventType::TaskStarted));
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

/// The first line is what is typed, the others are options: what it says is among them, and can be typed again.
pub(crate) fn typed_answer(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let typed = lines.next().unwrap_or_default();
    let options = lines
        .take(50)
        .enumerate()
        .map(|(number, label)| json!({ "value": format!("{number}"), "label": label }));
    let item = json!({ "id": 1, "title": "one", "multiple": true, "options": options.collect::<Vec<_>>() });
    let document = json!({ "task": "t", "source": "s", "items": [item] });
    // Not every text is a label.
    let Ok(questions) = Questions::parse(document.to_string().as_bytes()) else { return };
    let item = &questions.input().items[0];
    match respond::parse(item, typed, None) {
        Ok(response) => {
            let labels: Vec<&str> = item.options.iter().map(|option| option.label.as_str()).collect();
            assert!(response.selected.iter().all(|label| labels.contains(&label.as_str())), "{response:?}");
            // What is not said is the option in capital letters.
            assert!(response.text == typed.trim() || model::is_blank(typed), "{response:?}");
        }
        Err(misread) => {
            assert!(misread != Misread::Empty || typed.trim().is_empty() || model::is_blank(typed))
        }
    }
}
