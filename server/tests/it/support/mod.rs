//! A session in a temporary project, and requests to its router without a socket.
#![allow(unreachable_pub, reason = "the tests are a program of their own")]

pub mod daemon;
pub mod plans;
pub mod wire;

use app::{BlankForm, Hall};
use axum::Router;
use axum::body::{Body, to_bytes};
use decide::SearchCache;
use http::{HeaderMap, Request, StatusCode};
use model::{Ending, Questions, SessionId};
use proptest::prelude::{ProptestConfig, Strategy};
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use serde_json::Value;
use server::Access;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::Project;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tower::ServiceExt;

/// Whatever else there is, these parts are, one after the other.
#[track_caller]
pub fn in_this_order(html: &str, parts: &[&str]) {
    let mut rest = html;
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is missing in {rest}")).1;
    }
}

/// Two items; the first recommends its second option.
pub const ITEMS: &str = r#"{"task":"测试任务","source":"test.md","extra":{"kept":true},"items":[
  {"id":1,"title":"测试问题","context":"选择 **一个**","recommend":"b","options":[
    {"value":"a","label":"选项A","score":80,"pros":["快"],"cons":["贵"]},{"value":"b","label":"选项B"}]},
  {"id":2,"title":"第二个","location":{"file":"test.md","start":2,"end":3},"options":[
    {"value":"a","label":"A"},{"value":"b","label":"B"}]}]}"#;

pub struct Fixture {
    pub folder: TempDir,
    pub session: SessionId,
    pub decided: std::sync::Mutex<oneshot::Receiver<Ending>>,
    pub hall: Arc<Hall>,
    router: Router,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// Questions that are open in a temporary project.
pub struct OpenQuestions {
    pub folder: TempDir,
    pub id: SessionId,
    pub hall: Hall,
    pub decided: oneshot::Receiver<Ending>,
}

pub fn open(items: &str) -> OpenQuestions {
    // In memory, where that can be had: nothing here waits for a disk.
    let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    std::fs::write(folder.path().join("test.md"), "第一行\n第二行\n第三行 <script>\n第四行\n").unwrap();
    store::init(folder.path()).unwrap();
    let project = Project::at(folder.path()).unwrap();
    let decisions = project.decisions().unwrap();
    let questions = Questions::parse(items.as_bytes()).unwrap();
    let pending = decisions.ask(&questions).unwrap().pending();
    let id = pending.session.clone();
    let form = BlankForm::prepare(questions, texts::Lang::Zh);
    let (hall, decided) = Hall::new(project, decisions, pending, form, Some(texts::Lang::Zh));
    // Files are younger here than the times of most file systems are fine.
    let cache = SearchCache::below(&folder.path().join("state")).with_grain(Duration::ZERO);
    OpenQuestions { folder, id, hall: hall.with_search(Some(cache)), decided }
}

/// Runs `check` on `count` random sequences of `ops`, on two threads; one that fails is kept in the file `regressions`.
pub fn check_sequences<S: Strategy>(
    ops: impl Fn() -> S + Sync,
    count: u32,
    regressions: &'static str,
    check: impl Fn(S::Value) + Sync,
) {
    const THREADS: u32 = 2;
    let cases = count / THREADS * effort::factor();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let failure_persistence =
                    Some(Box::new(FileFailurePersistence::Direct(regressions)) as Box<_>);
                let config = ProptestConfig { cases, failure_persistence, ..ProptestConfig::default() };
                let checked = TestRunner::new(config).run(&ops(), |ops| {
                    check(ops);
                    Ok(())
                });
                if let Err(error) = checked {
                    panic!("{error}");
                }
            });
        }
    });
}

/// The record of the session `id` in `folder`, once there is one.
pub fn record(folder: &Path, id: &SessionId) -> Option<Value> {
    let path = folder.join(format!(".aide/decisions/{id}.json"));
    std::fs::read(path).ok().map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

impl Fixture {
    pub fn new(items: &str) -> Self {
        Self::with_access(items, Access::open([127, 0, 0, 1].into(), 3721, ""))
    }

    pub fn with_access(items: &str, access: Access) -> Self {
        let OpenQuestions { folder, id, hall, decided } = open(items);
        let hall = Arc::new(hall);
        let router = server::router(Arc::clone(&hall), access);
        Self { folder, session: id, decided: std::sync::Mutex::new(decided), hall, router }
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap()).await
    }

    /// The page at `path`, as it must be.
    pub async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{path}");
        answer.assert_guarded(path);
        answer.text()
    }

    pub async fn post(&self, path: &str, content_type: &str, body: impl Into<Body>) -> Answer {
        let request = Request::post(path)
            .header("host", "localhost:3721")
            .header("origin", "http://localhost:3721")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", content_type);
        self.send(request.body(body.into()).unwrap()).await
    }

    pub async fn post_json(&self, path: &str, body: impl Into<Body>) -> Answer {
        self.post(path, "application/json", body).await
    }

    pub async fn post_form(&self, body: impl Into<Body>) -> Answer {
        self.post("/submit", "application/x-www-form-urlencoded", body).await
    }

    pub fn is_decided(&self) -> bool {
        self.decided.lock().unwrap().try_recv().is_ok()
    }

    pub fn record(&self) -> Option<Value> {
        record(self.folder.path(), &self.session)
    }

    /// Every file of the project with its content.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.folder.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
}

impl Answer {
    /// What was answered, without what stands in a style sheet: that names everything a page may have.
    pub fn text(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        if !self.header("content-type").starts_with("text/html") {
            return body.into_owned();
        }
        let mut parts = body.split("<style");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (_, after) = part.split_once("</style>").expect("a style sheet has an end");
            text.push_str("<style></style>");
            text.push_str(after);
        }
        text
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    /// The headers that no response may lack, and those that none may have.
    pub fn assert_guarded(&self, name: &str) {
        assert!(self.header("content-security-policy").contains("default-src 'none'"), "{name}");
        assert!(self.header("content-security-policy").contains("frame-ancestors 'none'"), "{name}");
        assert_eq!(self.header("x-content-type-options"), "nosniff", "{name}");
        assert_eq!(self.header("x-frame-options"), "DENY", "{name}");
        assert_eq!(self.header("referrer-policy"), "same-origin", "{name}");
        assert_eq!(self.header("cross-origin-resource-policy"), "same-origin", "{name}");
        assert!(!self.header("cache-control").is_empty(), "{name}");
        for forbidden in
            ["access-control-allow-origin", "access-control-allow-methods", "server", "x-powered-by"]
        {
            assert!(!self.headers.contains_key(forbidden), "{name}: {forbidden}");
        }
    }
}
