//! What programs drive, without a process of its own.

use super::{Answer, ITEMS, OpenQuestions, collect, open};
use app::Hall;
use axum::Router;
use axum::body::{Body, to_bytes};
use files::Dir;
use http::{Method, Request, StatusCode};
use journal::{Journal, Listener, NewEvent, Sqlite};
use llm::Provider;
use model::SessionId;
use protocol::agent::Timestamp;
use protocol::workflow::EventType;
use serde_json::{Value, json};
use server::{Access, Api, Feed, HostError, QuestionHost, daemon_router, socket_router};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tower::ServiceExt;
use workflow::{Couriers, DaemonTools, Engine, EngineLimits, PoolAgent, Providers, Runtime, Waker, World};

#[derive(Default)]
pub struct Clock {
    pub passed: AtomicI64,
    random: AtomicU64,
}

impl World for Clock {
    fn now(&self) -> i64 {
        1_771_815_600_000 + self.passed.load(Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        self.random.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn local_second(&self, _: i64) -> String {
        "2026-02-23T03-00-00".to_owned()
    }

    fn local_time(&self, at: i64) -> String {
        Timestamp::from_unix(at.div_euclid(1000)).as_str().replace('Z', "+00:00")
    }
}

#[derive(Clone)]
pub struct Daemon {
    pub router: Router,
    pub sockets: Router,
    pub runtime: Arc<Runtime>,
    pub clock: Arc<Clock>,
    api: Api,
    hall: Arc<Hall>,
    /// Drives as long as it lives.
    #[expect(dead_code, reason = "it is there to live")]
    engine: Option<Arc<Engine>>,
    /// Must live as long as the router.
    place: Arc<TempDir>,
}

/// Who does something.
enum Agents {
    /// No provider answers for them: clients drive.
    Unanswered,
    /// A provider answers for them, and no engine drives.
    Idle,
    /// This answers for all of them, and an engine drives.
    Driven(Arc<dyn Provider>),
}

/// Shows all questions but those of one project, which another server shows, and of one that has none.
struct Host;

impl QuestionHost for Host {
    fn host(&self, root: &Path, session: &SessionId, _: Option<Duration>) -> Result<String, HostError> {
        match root.to_str() {
            Some("/elsewhere") => Err(HostError::Elsewhere("http://localhost:3722".to_owned())),
            Some("/none") => Err(HostError::Missing),
            Some("/unusable") => Err(HostError::Unusable("no such folder".to_owned())),
            _ => Ok(format!("http://localhost:3721/d/0123456789.{session}")),
        }
    }
}

fn in_memory(listener: Listener) -> Arc<dyn Journal> {
    Arc::new(Sqlite::in_memory(listener).unwrap())
}

impl Daemon {
    pub fn new() -> Self {
        Self::with_sockets_at(3721)
    }

    /// The same, its sockets on another port.
    pub fn with_sockets_at(port: u16) -> Self {
        let access = |port| Access::open([127, 0, 0, 1].into(), port, "");
        Self::with_access(access(3721), access(port))
    }

    pub fn with_access(access: Access, of_sockets: Access) -> Self {
        Self::with_journal(access, of_sockets, |_, listener| in_memory(listener))
    }

    /// The same, its journal in a file; sockets on this port.
    pub fn on_disk(port: u16) -> Self {
        let access = |port| Access::open([127, 0, 0, 1].into(), port, "");
        Self::with_journal(access(3721), access(port), |folder, listener| {
            let place = folder.join("daemon");
            std::fs::create_dir(&place).unwrap();
            Arc::new(Sqlite::open(&Dir::open(&place).unwrap(), listener).unwrap())
        })
    }

    pub fn with_journal(
        access: Access,
        of_sockets: Access,
        journal: impl FnOnce(&Path, Listener) -> Arc<dyn Journal>,
    ) -> Self {
        Self::built(access, of_sockets, journal, Agents::Unanswered)
    }

    /// The same; phases can be begun, but no engine executes them.
    pub fn without_engine(access: Access, of_sockets: Access) -> Self {
        Self::built(access, of_sockets, |_, listener| in_memory(listener), Agents::Idle)
    }

    /// The same, driven by an engine; this answers for every agent of the pool.
    pub fn with_mind(mind: Arc<dyn Provider>) -> Self {
        let access = || Access::open([127, 0, 0, 1].into(), 3721, "");
        Self::built(access(), access(), |_, listener| in_memory(listener), Agents::Driven(mind))
    }

    fn built(
        access: Access,
        of_sockets: Access,
        journal: impl FnOnce(&Path, Listener) -> Arc<dyn Journal>,
        agents: Agents,
    ) -> Self {
        let OpenQuestions { folder, hall, .. } = open(ITEMS);
        let hall: Arc<Hall> = Arc::new(hall.with_workflows());
        let (feed, listener) = Feed::start(0).unwrap();
        let clock = Arc::new(Clock::default());
        let waker = Waker::default();
        let woken = waker.clone();
        let listener: Listener = Box::new(move |events| {
            listener(events);
            woken.wake(events.iter().filter_map(|event| event.workflow.as_deref()));
        });
        let pool = PoolAgent::usual();
        let answered: &[PoolAgent] = if matches!(agents, Agents::Unanswered) { &[] } else { &pool };
        let runtime = Runtime::new(journal(folder.path(), listener), clock.clone());
        let runtime = runtime.with_answered(answered.iter().map(|agent| agent.id.clone()));
        runtime.set_pool(&pool).unwrap();
        let runtime = Arc::new(runtime);
        let mind = if let Agents::Driven(mind) = agents { Some(mind) } else { None };
        let engine = mind.map(|mind| {
            let providers: Providers =
                pool.iter().map(|agent| (agent.id.clone(), Arc::clone(&mind))).collect();
            let tools = Arc::new(DaemonTools::new(Arc::clone(&runtime)));
            let agents = (providers, Couriers::new());
            let engine = Engine::start(Arc::clone(&runtime), agents, tools, EngineLimits::default(), waker);
            Arc::new(engine.unwrap())
        });
        let api = Api::new(Arc::clone(&runtime), feed).with_host(Arc::new(Host));
        let router = daemon_router(Arc::clone(&hall), access, api.clone(), None);
        let sockets = socket_router(Arc::clone(&hall), of_sockets, api.clone());
        Self { router, sockets, runtime, clock, api, hall, engine, place: Arc::new(folder) }
    }

    /// The same with other pages.
    pub fn with_hall(self, hall: Arc<Hall>) -> Self {
        let access = Access::open([127, 0, 0, 1].into(), 3721, "");
        Self { router: daemon_router(hall, access, self.api.clone(), None), ..self }
    }

    /// The same with `/metrics`.
    pub fn with_metrics(mut self, access: Access) -> Self {
        self.api = self.api.with_metrics(true);
        Self { router: daemon_router(Arc::clone(&self.hall), access, self.api.clone(), None), ..self }
    }

    /// Every file of the project with its content.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.place.path(), &mut files);
        files
    }

    /// What is answered to a browser.
    pub async fn page(&self, path: &str) -> Answer {
        self.send(Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap()).await
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost:3721");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let answer = self.send(request.body(body).unwrap()).await;
        assert_eq!(
            answer.header("content-type"),
            "application/json; charset=utf-8",
            "{path}: {}",
            answer.text()
        );
        answer.assert_guarded(path);
        answer
    }

    /// The answer to a question, which must be one.
    pub async fn get(&self, path: &str) -> Value {
        let answer = self.request(Method::GET, path, None, &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.json()
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.request(Method::POST, path, Some(body), &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.json()
    }

    /// Why something is refused: status, code, words and details.
    pub async fn refused(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> (u16, String, String, Value) {
        let answer = self.request(method, path, body, &[]).await;
        let body = answer.json();
        let text = |key: &str| body[key].as_str().unwrap_or_else(|| panic!("{path}: {body}")).to_owned();
        assert!(body["details"].is_object(), "{path}: {body}");
        (answer.status.as_u16(), text("code"), text("error"), body["details"].clone())
    }

    pub async fn begin(&self) -> (String, String) {
        let message = json!({ "target": "finger-orchestrator", "message": { "content": "搜索 deepseek" }, "blocking": false });
        let said = self.post("/api/v1/message", message).await;
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        (text("workflowId"), text("sessionId"))
    }

    pub async fn step(&self, workflow: &str, trigger: &str, context: Value) -> Value {
        let path = format!("/api/v1/workflow/{workflow}/transition");
        self.post(&path, json!({ "trigger": trigger, "context": context })).await
    }

    pub async fn executing(&self) -> (String, String) {
        let (workflow, session) = self.begin().await;
        self.step(&workflow, "intent_analyzed", json!({})).await;
        self.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).await;
        let tasks = json!([{ "id": "task-1", "description": "搜索 deepseek" }]);
        self.step(&workflow, "plan_created", json!({ "tasks": tasks })).await;
        (workflow, session)
    }
}

/// Lets all of these happen together; returns the number of the last.
pub fn happen(journal: &dyn Journal, names: impl IntoIterator<Item = String>) -> i64 {
    let event = |name: String| NewEvent {
        payload: json!({ "error": name, "component": "test", "recoverable": true }).to_string(),
        id: name,
        at: 0,
        kind: EventType::SystemError,
        session: None,
        workflow: None,
        task: None,
        agent: None,
    };
    let events: Vec<_> = names.into_iter().map(event).collect();
    let numbered = journal.run(&mut |tx| {
        events.iter().cloned().for_each(|event| tx.publish(event));
        Ok(())
    });
    numbered.unwrap().last().unwrap().seq
}
