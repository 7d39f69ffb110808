//! `/mcp`: the gate in front of it, and what it answers to each generation of clients.

use axum::Router;
use axum::body::Body;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use mcp::{Backend, CommandOutput, Http, Options, PageState, ToolFailure, UnannouncedQuestions};
use model::SessionId;
use serde_json::{Value, json};
use server::{Access, Key, mcp_router};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{Decisions, Project};
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A program whose pages are served elsewhere.
struct RemoteBackend;

impl Backend for RemoteBackend {
    fn serve(
        &self,
        _: &Project,
        _: &Decisions,
        session: &SessionId,
        _: Option<&UnannouncedQuestions>,
    ) -> Result<PageState, ToolFailure> {
        Ok(PageState::At(format!("http://localhost:1/d/{session}")))
    }

    fn init(&self, _: &Path) -> Result<(), ToolFailure> {
        Err(ToolFailure { what: "no project is made here".to_owned(), hint: None })
    }

    fn remembered(&self) -> String {
        String::new()
    }

    fn remember(&self, _: &str) {}

    fn run(&self, _: &Path, _: &[String]) -> CommandOutput {
        CommandOutput { code: 0, output: "null".to_owned(), notes: String::new() }
    }
}

/// A server that belongs to a project.
struct Fixture {
    folder: TempDir,
    router: Router,
}

fn access() -> Access {
    Access::open([127, 0, 0, 1].into(), 3720, "")
}

impl Fixture {
    fn new() -> Self {
        Self::with(access())
    }

    fn with(access: Access) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join(".aide")).unwrap();
        let project = Some(folder.path().to_owned());
        let options = Options { project, hold: Some(Duration::from_secs(1)), ..Options::default() };
        let http = Arc::new(Http::start(Arc::new(RemoteBackend), options).unwrap());
        Self { folder, router: mcp_router(&http, access) }
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// The status, and the last message of the answer.
    async fn message(&self, request: Request<Body>) -> (StatusCode, Value) {
        let response = self.send(request).await;
        (response.status(), last_message(response).await)
    }

    fn has_asked(&self) -> bool {
        self.folder.path().join(".aide/decisions/open").exists()
    }
}

async fn last_message(response: Response<Body>) -> Value {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(body.to_vec()).unwrap();
    let mut data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let last = data.rfind(|data| !data.is_empty()).unwrap_or(&text).to_owned();
    serde_json::from_str(&last).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const USUAL: [(&str, &str); 3] = [
    ("host", "localhost:3720"),
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

fn post(headers: &[(&str, &str)], message: &Value) -> Request<Body> {
    let mut request = Request::post("/mcp");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(message.to_string())).unwrap()
}

fn usual_but(name: &str, value: Option<&'static str>) -> Vec<(&'static str, &'static str)> {
    let others = USUAL.into_iter().filter(|(other, _)| *other != name);
    let name: &'static str = Box::leak(name.to_owned().into());
    others.chain(value.map(|value| (name, value))).collect()
}

/// A request of the newest revision, with the headers that it needs.
fn modern(method: &str, mut params: Value, name: Option<&str>) -> Request<Body> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers = USUAL.to_vec();
    headers.extend([("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)]);
    headers.extend(name.map(|name| ("mcp-name", name)));
    post(&headers, &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

fn initialize() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

#[tokio::test]
async fn nothing_comes_in_that_is_not_this_machine_s() {
    let fixture = Fixture::new();
    for (name, headers, status) in [
        ("the address itself", USUAL.to_vec(), 200),
        ("the other address", usual_but("host", Some("127.0.0.1:3720")), 200),
        ("its own origin", usual_but("origin", Some("http://localhost:3720")), 200),
        ("no host", usual_but("host", None), 400),
        ("another name", usual_but("host", Some("evil.test:3720")), 421),
        ("another port", usual_but("host", Some("localhost:3721")), 421),
        ("another site", usual_but("origin", Some("http://evil.test")), 403),
        ("a site of this machine", usual_but("origin", Some("http://localhost:3721")), 403),
        ("no site at all", usual_but("origin", Some("null")), 403),
        ("a page elsewhere", usual_but("sec-fetch-site", Some("cross-site")), 403),
        ("a form", usual_but("content-type", Some("text/plain")), 415),
        ("nothing in particular", usual_but("content-type", None), 415),
        ("who takes no stream", usual_but("accept", Some("application/json")), 406),
        ("who takes nothing", usual_but("accept", None), 406),
    ] {
        let response = fixture.send(post(&headers, &initialize())).await;
        assert_eq!(response.status(), status, "{name}");
        assert!(response.headers().get("access-control-allow-origin").is_none(), "{name}");
    }
    for (method, status) in [("PUT", 405), ("PATCH", 405), ("OPTIONS", 405), ("GET", 406), ("DELETE", 400)] {
        let request = Request::builder().method(method).uri("/mcp").header("host", "localhost:3720");
        let response = fixture.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), status, "{method}");
    }
    for path in ["/", "/mcp/", "/api/items"] {
        let request = Request::get(path).header("host", "localhost:3720").body(Body::empty()).unwrap();
        assert_eq!(fixture.send(request).await.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn where_a_login_is_needed_the_key_lets_in() {
    let key = Key::generate().unwrap();
    let fixture = Fixture::with(Access::guarded([127, 0, 0, 1].into(), 3720, "", key.clone()));
    let response = fixture.send(post(&USUAL, &initialize())).await;
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(response.headers()["www-authenticate"], "Bearer");
    let bearer = format!("Bearer {}", key.to_hex());
    let mut headers = USUAL.to_vec();
    headers.push(("authorization", &bearer));
    assert_eq!(fixture.send(post(&headers, &initialize())).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let fixture = Fixture::new();
    let large = Value::String("x".repeat(mcp::MAX_BODY));
    assert_eq!(fixture.send(post(&USUAL, &large)).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_session_is_begun_used_and_ended() {
    let fixture = Fixture::new();
    let begun = fixture.send(post(&USUAL, &initialize())).await;
    let id = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert!(id.len() >= 32, "{id}");
    assert_eq!(last_message(begun).await["result"]["protocolVersion"], "2025-11-25");
    let of_session = |message: &Value, id: &str| {
        let mut headers = USUAL.to_vec();
        headers.extend([("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", id)]);
        post(&headers, message)
    };
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(fixture.send(of_session(&initialized, &id)).await.status(), StatusCode::ACCEPTED);
    let (status, listed) = fixture.message(of_session(&list, &id)).await;
    assert_eq!((status, listed["result"]["tools"].as_array().unwrap().len()), (StatusCode::OK, 8));
    // Neither that of another client nor none.
    assert_eq!(fixture.send(of_session(&list, "other")).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(fixture.send(post(&USUAL, &list)).await.status(), StatusCode::BAD_REQUEST);
    let end = || {
        let request = Request::delete("/mcp").header("host", "localhost:3720").header("mcp-session-id", &id);
        request.body(Body::empty()).unwrap()
    };
    assert!(fixture.send(end()).await.status().is_success());
    assert_eq!(fixture.send(of_session(&list, &id)).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_request_of_the_newest_revision_has_the_headers_that_fit() {
    let fixture = Fixture::new();
    let (status, found) = fixture.message(modern("server/discover", json!({}), None)).await;
    assert_eq!((status, &found["result"]["resultType"]), (StatusCode::OK, &json!("complete")), "{found}");
    let call = json!({ "name": "decide_list", "arguments": {} });
    let (status, listed) = fixture.message(modern("tools/call", call.clone(), Some("decide_list"))).await;
    assert_eq!(status, StatusCode::OK, "{listed}");
    assert_eq!(listed["result"]["structuredContent"]["status"], "none", "{listed}");
    for name in [None, Some("decide_submit")] {
        let (status, refused) = fixture.message(modern("tools/call", call.clone(), name)).await;
        assert_eq!(
            (status, &refused["error"]["code"]),
            (StatusCode::BAD_REQUEST, &json!(-32020)),
            "{refused}"
        );
    }
    let (status, unknown) = fixture.message(modern("explode", json!({}), None)).await;
    assert_eq!((status, &unknown["error"]["code"]), (StatusCode::NOT_FOUND, &json!(-32601)), "{unknown}");
}

#[tokio::test]
async fn questions_are_asked_and_held_as_on_standard_input() {
    let fixture = Fixture::new();
    let questions = json!({
        "task": "t", "source": "s",
        "items": [{ "id": 1, "title": "x", "options": [
            { "value": "a", "label": "A" }, { "value": "b", "label": "B" },
        ] }],
    });
    let call = |arguments: &Value| json!({ "name": "decide_submit", "arguments": arguments });
    let mut wrong = questions.clone();
    wrong["items"][0]["options"] = json!([]);
    let (_, refused) = fixture.message(modern("tools/call", call(&wrong), Some("decide_submit"))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(!fixture.has_asked());
    let (_, told) = fixture.message(modern("tools/call", call(&questions), Some("decide_submit"))).await;
    let told = &told["result"]["structuredContent"];
    assert_eq!((&told["status"], &told["waited_seconds"]), (&json!("pending"), &json!(1)), "{told}");
    assert!(fixture.has_asked());
}
