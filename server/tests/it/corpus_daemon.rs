//! Every route that only a daemon has, and its sockets, attacked as `corpus.rs` attacks the others: in every way, in every
//! mode, with requests that would be done if they were let through.

use crate::corpus::{Aim, Login, MODES, Mode, Plain, attacks, cookie_of, methods_of};
use crate::support::Answer;
use crate::support::daemon::Daemon;
use crate::whole::WholeLists as _;
use axum::Router;
use axum::body::to_bytes;
use http::Method;
use protocol::workflow::{ErrorCode, Refusal, Trigger};
use serde_json::{Map, Value, json};
use server::{EndpointInfo, Key, daemon_endpoints, daemon_pages};
use std::collections::BTreeSet;
use tower::ServiceExt;
use workflow::{NewCheckpoint, NewDecision, NewMessage, NewSession, Runtime, Transition};

/// Answer of a socket route to a client that is let through without a socket.
const NO_UPGRADE: &str = "an upgrade is needed";

/// What the workflows are to do, which only a page that is shown says.
const TASK: &str = "a task that nobody else may see";

/// Every row that only a daemon has.
fn all() -> Vec<EndpointInfo> {
    daemon_endpoints().into_iter().chain(daemon_pages()).collect()
}

/// What there is to be asked about.
struct Names {
    workflow: String,
    /// Its session.
    busy: String,
    paused: String,
    completed: String,
    /// A session of which nothing is running.
    session: String,
    checkpoint: String,
    decision: String,
    message: String,
    callback: String,
}

/// What a runtime has answered.
fn said(answer: Result<String, workflow::Failure>) -> Value {
    serde_json::from_str(&answer.unwrap_or_else(|failure| panic!("{failure:?}"))).unwrap()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned()
}

impl Names {
    /// Creates one of everything. It bypasses the gate, which lets no client in by itself.
    fn new(runtime: &Runtime) -> Self {
        let callback = format!("cli-{:x}", runtime.unguessable());
        let begin = |callback_id: Option<String>| {
            let (target, sender) = ("finger-orchestrator".to_owned(), None);
            said(runtime.send(
                None,
                &NewMessage { target, message: json!(TASK), sender, is_awaited: false, callback_id },
            ))
        };
        let step = |workflow: &str, trigger, context: Value| {
            let Value::Object(context) = context else { panic!("{context}") };
            said(runtime.transition(None, workflow, &Transition { trigger, context }));
        };
        let begun = begin(Some(callback.clone()));
        let paused = text(&begin(None), "workflowId");
        said(runtime.pause(None, &paused, false));
        let completed = text(&begin(None), "workflowId");
        for trigger in
            [Trigger::IntentAnalyzed, Trigger::RoutingDecided, Trigger::PlanCreated, Trigger::TaskCompleted]
        {
            step(&completed, trigger, json!({ "route": "full_replan" }));
        }
        step(&completed, Trigger::ReviewPassed, json!({ "output": "done" }));
        let session = text(&said(runtime.create_session(None, &NewSession::default())), "id");
        let checkpoint = NewCheckpoint {
            session_id: session.clone(),
            original_task: "x".to_owned(),
            task_progress: Vec::new(),
            agent_states: Map::new(),
            context: Map::new(),
        };
        let decision = NewDecision {
            message: "?".to_owned(),
            options: ["Y", "n"].map(str::to_owned).to_vec(),
            ..NewDecision::default()
        };
        Self {
            workflow: text(&begun, "workflowId"),
            busy: text(&begun, "sessionId"),
            message: text(&begun, "messageId"),
            checkpoint: text(&said(runtime.create_checkpoint(None, &checkpoint)), "checkpointId"),
            decision: text(&said(runtime.create_decision(None, &decision)), "decisionId"),
            paused,
            completed,
            session,
            callback,
        }
    }

    /// The path of a row, with names that there are.
    fn path(&self, pattern: &str) -> String {
        let workflow = if pattern.ends_with("/output") { &self.completed } else { &self.workflow };
        pattern
            .replace("{workflow}", workflow)
            // The beginning of the first workflow.
            .replace("{event}", "3")
            .replace("{session}", &self.session)
            .replace("{checkpoint}", &self.checkpoint)
            .replace("{decision}", &self.decision)
            .replace("{message}", &self.message)
            .replace("{callback}", &self.callback)
            .replace("{agent}", "executor-general")
            .replace("{tool}", "fetch_url")
    }

    /// What is sent there, and done.
    fn body(&self, pattern: &str) -> Value {
        match pattern.strip_prefix("/api/v1/").unwrap_or(pattern) {
            "message" => json!({ "target": "finger-orchestrator", "message": "x" }),
            "workflow/input" => json!({ "workflowId": self.workflow, "input": "x" }),
            "workflow/pause" | "workflow/cancel" => json!({ "workflowId": self.workflow }),
            "workflow/resume" => json!({ "workflowId": self.paused }),
            "workflow/{workflow}/transition" => json!({ "trigger": "intent_analyzed" }),
            "decision" => json!({ "message": "?", "workflowId": self.workflow }),
            "decision/{decision}/respond" => json!({ "response": "Y" }),
            "sessions/current" | "session/resume" => json!({ "sessionId": self.session }),
            "sessions/{session}/messages" => json!({ "content": "x" }),
            "session/checkpoint" => {
                json!({ "sessionId": self.session, "originalTask": "x", "taskProgress": [] })
            }
            "resources/deploy" => {
                json!({ "resourceId": "executor-coding", "sessionId": self.busy, "workflowId": self.workflow })
            }
            "questions" => json!({ "projectPath": "/p", "setId": "2026-02-23T03-00-00" }),
            "tools/{tool}/policy" => json!({ "policy": "deny" }),
            // Nothing here would ever end the wait.
            "agent/understand" => json!({ "input": "x", "blocking": false }),
            "agent/route" => json!({ "intentAnalysis": {}, "blocking": false }),
            "agent/plan" => json!({ "task": "x", "blocking": false }),
            "agent/execute" | "agent/orchestrate" => json!({ "task": "x" }),
            "agent/review" => json!({ "proposal": "x", "blocking": false }),
            "resources/release" => json!({ "resourceId": "executor-coding" }),
            _ => json!({}),
        }
    }
}

/// A daemon, and what lets in.
struct Target {
    mode: Mode,
    daemon: Daemon,
    login: Login,
}

impl Target {
    async fn new(mode: Mode) -> Self {
        let key = Key::generate().unwrap();
        let daemon = Daemon::without_engine(mode.access(&key), mode.access(&key));
        let daemon = daemon.with_metrics(mode.access(&key));
        let login = if mode.has_token() {
            Some(("authorization", format!("Bearer {}", key.to_hex())))
        } else if mode.has_cookie() {
            let door = Plain::door(mode, key.link("").unwrap());
            Some(cookie_of(&daemon.send(door.request(mode)).await))
        } else {
            None
        };
        Self { mode, daemon, login }
    }

    /// A request as a page of this server would send it, or a program.
    fn usual(&self, row: &EndpointInfo, names: &Names) -> Plain {
        let method = if row.method == Method::GET {
            "GET"
        } else if row.method == Method::POST {
            "POST"
        } else if row.method == Method::PUT {
            "PUT"
        } else {
            assert_eq!(row.method, Method::DELETE, "{}", row.path);
            "DELETE"
        };
        let mut plain = Plain { method, target: names.path(row.path), ..Plain::first_page(self.mode) };
        plain.headers.extend(self.login.clone());
        if is_socket(row.path) || method != "GET" {
            plain.headers.push(("origin", format!("http://{}", self.mode.authority())));
        }
        if let Some(media_type) = row.media_type {
            plain.body = match media_type {
                "application/json" => names.body(row.path).to_string(),
                _ => "action=input&input=x".to_owned(),
            };
            plain.headers.push(("content-type", media_type.to_owned()));
            // Without a length there would be no body on a connection.
            plain.headers.push(("content-length", plain.body.len().to_string()));
        }
        plain
    }

    /// Everything that a request could change.
    fn state(&self) -> String {
        let runtime = &self.daemon.runtime;
        let sessions = serde_json::to_string(&runtime.sessions().unwrap()).unwrap();
        let states = serde_json::to_string(&runtime.states().unwrap()).unwrap();
        let tools = serde_json::to_string(&runtime.tools().unwrap()).unwrap();
        format!("{:?} {states} {sessions} {tools} {:?}", runtime.log().unwrap().last, self.daemon.files())
    }

    async fn send(&self, router: &Router, plain: &Plain) -> Answer {
        let response = router.clone().oneshot(plain.request(self.mode)).await.unwrap();
        let (parts, body) = response.into_parts();
        let answer = Answer { status: parts.status, headers: parts.headers, body: Vec::new() };
        // That goes on for ever.
        if answer.header("content-type") == "text/event-stream" {
            return answer;
        }
        Answer { body: to_bytes(body, usize::MAX).await.unwrap().to_vec(), ..answer }
    }

    /// Attacks a request in every way; returns how often. Fails if any attack is let through.
    async fn attack(&self, router: &Router, aim: &Aim) -> usize {
        let all = attacks(self.mode, &self.login, aim);
        for (attack, expected) in &all {
            let answer = self.send(router, attack).await;
            let name = format!("{:?} {attack:?}", self.mode);
            assert_eq!(answer.status.as_u16(), *expected, "{name}: {}", answer.text());
            answer.assert_guarded(&name);
            assert!(answer.header("set-cookie").is_empty(), "{name}");
            if attack.method == "HEAD" {
                assert!(answer.body.is_empty(), "{name}");
                continue;
            }
            if aim.usual.target.starts_with("/workflows") {
                // Pages say it in words, except where no page is meant to be seen.
                assert!(!answer.text().contains(TASK), "{name}: {}", answer.text());
                continue;
            }
            let refusal: Refusal = serde_json::from_slice(&answer.body)
                .unwrap_or_else(|error| panic!("{name}: {error}: {}", answer.text()));
            let code = match expected {
                400 => ErrorCode::InvalidRequest,
                401 => ErrorCode::Unauthorized,
                403 => ErrorCode::Forbidden,
                405 => ErrorCode::MethodNotAllowed,
                415 => ErrorCode::UnsupportedMediaType,
                421 => ErrorCode::Misdirected,
                other => panic!("{other}"),
            };
            assert_eq!((refusal.code, refusal.details.len()), (code, 0), "{name}");
            assert!(!refusal.error.is_empty() && !refusal.error.contains(NO_UPGRADE), "{name}: {refusal}");
        }
        all.len()
    }
}

fn is_socket(path: &str) -> bool {
    matches!(path, "/" | "/ws")
}

/// Attacks all routes in this mode; then asks as it should be asked, and is answered.
async fn s13_in(mode: Mode) {
    let rows = all();
    let target = Target::new(mode).await;
    let router = &target.daemon.router;
    let names = Names::new(&target.daemon.runtime);
    let before = target.state();
    let mut sent = 0;
    for row in &rows {
        let of_path = rows.iter().filter(|other| other.path == row.path);
        let aim = Aim {
            usual: target.usual(row, &names),
            methods: of_path.flat_map(methods_of).collect::<BTreeSet<_>>().into_iter().collect(),
        };
        sent += target.attack(router, &aim).await;
        assert!(target.state() == before, "{mode:?} {} {} has changed something", row.method, row.path);
    }
    for path in ["/", "/ws"] {
        let socket = EndpointInfo {
            method: Method::GET,
            path,
            answers_head: false,
            media_type: None,
            is_login: false,
        };
        let aim = Aim { usual: target.usual(&socket, &names), methods: methods_of(&socket) };
        sent += target.attack(&target.daemon.sockets, &aim).await;
        let usual = target.send(&target.daemon.sockets, &aim.usual).await;
        assert!(usual.text().contains(NO_UPGRADE), "{mode:?} {path}: {}", usual.text());
    }
    assert!(sent > rows.len() * 70, "{sent}");

    // S23: no question changes anything.
    for row in rows.iter().filter(|row| row.method == Method::GET) {
        let usual = target.usual(row, &names);
        let methods: &[_] = if row.answers_head { &["GET", "HEAD"] } else { &["GET"] };
        for &method in methods {
            let answer = target.send(router, &Plain { method, ..usual.clone() }).await;
            let expected = if is_socket(row.path) { 400 } else { 200 };
            assert_eq!(answer.status.as_u16(), expected, "{mode:?} {method} {}: {}", row.path, answer.text());
            answer.assert_guarded(row.path);
            assert!(!is_socket(row.path) || answer.text().contains(NO_UPGRADE));
        }
    }
    assert!(target.state() == before, "{mode:?}: asking changes something");
    // What was refused above is what would have been done.
    for row in rows.iter().filter(|row| row.method != Method::GET) {
        let mut names = Names::new(&target.daemon.runtime);
        if row.method == Method::DELETE {
            // One that goes on is not removed.
            names.workflow.clone_from(&names.completed);
        }
        let answer = target.send(router, &target.usual(row, &names)).await;
        // A form leads back to its page.
        let expected = if row.path.starts_with("/workflows") { 303 } else { 200 };
        let (status, text) = (answer.status.as_u16(), answer.text());
        assert_eq!(status, expected, "{mode:?} {} {}: {text}", row.method, row.path);
        answer.assert_guarded(row.path);
    }
}

/// S01 to S11, S13, S20 to S25, S27, S40.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s13_no_attack_on_any_route_or_socket_of_a_daemon_in_any_mode_is_let_through() {
    let tasks: Vec<_> = MODES.into_iter().map(|mode| tokio::spawn(s13_in(mode))).collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// A refusal does not reveal what exists: missing items are refused alike.
#[tokio::test]
async fn s40_who_is_not_logged_in_does_not_learn_what_there_is() {
    for mode in [Mode::Public, Mode::DaemonStranger, Mode::DaemonUnknown] {
        let target = Target::new(mode).await;
        let names = Names::new(&target.daemon.runtime);
        for row in daemon_endpoints() {
            let login = target.login.as_ref().unwrap().0;
            let known = target.usual(&row, &names).without(login);
            let unknown = Plain { target: row.path.replace(['{', '}'], ""), ..known.clone() };
            let (known, unknown) = (
                target.send(&target.daemon.router, &known).await,
                target.send(&target.daemon.router, &unknown).await,
            );
            assert_eq!((known.status.as_u16(), &known.body), (401, &unknown.body), "{mode:?} {}", row.path);
            assert_eq!(unknown.status.as_u16(), 401, "{mode:?} {}", row.path);
            assert_eq!(known.header("www-authenticate"), "Bearer");
        }
    }
}
