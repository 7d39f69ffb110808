//! The table of endpoints, row by row: what it says is what is served.

use crate::support::plans::Plan;
use crate::support::{Fixture, ITEMS};
use app::ProjectRoom;
use axum::body::Body;
use http::{Method, Request, StatusCode};
use server::{Access, EndpointInfo, Key, endpoints};
use std::collections::BTreeMap;

const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "LOOK"];
const MEDIA_TYPES: [&str; 5] = [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/octet-stream",
];

/// What a project is called beside the one that the server was started in.
const ROOM: &str = "0123456789";

/// A task of the past.
const TASK: &str = "2025-01-14T10-00-00";

/// A server with a login, so that all endpoints are there.
struct Target {
    fixture: Fixture,
    key: Key,
}

impl Target {
    fn new() -> Self {
        let key = Key::generate().unwrap();
        let access = Access::guarded([127, 0, 0, 1].into(), 3721, "", key.clone());
        let fixture = Fixture::with_access(ITEMS, access);
        Plan::new(fixture.folder.path(), "plan_a");
        let logs = fixture.folder.path().join(".aide/logs");
        std::fs::create_dir_all(&logs).unwrap();
        let task = serde_json::json!({
            "task_id": TASK, "current_phase": "impl", "current_step": 1, "started_at": "2025-01-14T10:00:00+08:00",
            "history": [{
                "timestamp": "2025-01-14T10:00:00+08:00", "action": "start", "phase": "impl", "step": 1, "summary": "Begin",
            }],
        });
        std::fs::write(logs.join(format!("flow-status.{TASK}.json")), task.to_string()).unwrap();
        // The same project by another name: what is asked there is asked here as well.
        let (project, decisions) = (fixture.hall.project().unwrap(), fixture.hall.decisions().unwrap());
        assert!(fixture.hall.add_project(ProjectRoom { name: ROOM.to_owned(), project, decisions }));
        Self { fixture, key }
    }

    /// A path of this endpoint that leads somewhere.
    fn path(&self, pattern: &str) -> String {
        match pattern {
            "/t/{ticket}" => self.key.link("").unwrap(),
            pattern => {
                let path = pattern.replace("{session}", &self.fixture.session.to_string());
                let path = path.replace("{item}", "1").replace("{project}", ROOM).replace("{task}", TASK);
                path.replace("{plan}", "plan_a").replace("{agent}", "agent_a")
            }
        }
    }

    async fn ask(&self, method: &str, path: &str, media_type: Option<&str>) -> crate::support::Answer {
        let mut request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(path)
            .header("host", "localhost:3721")
            .header("authorization", format!("Bearer {}", self.key.to_hex()));
        if let Some(media_type) = media_type {
            request = request.header("content-type", media_type);
        }
        self.fixture.send(request.body(Body::empty()).unwrap()).await
    }
}

/// The rows of each path.
fn paths() -> BTreeMap<&'static str, Vec<EndpointInfo>> {
    let mut paths: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for endpoint in endpoints() {
        paths.entry(endpoint.path).or_default().push(endpoint);
    }
    paths
}

#[tokio::test]
async fn every_path_has_the_methods_of_its_rows_and_no_others() {
    for (pattern, rows) in paths() {
        let target = Target::new();
        let mut allowed = Vec::new();
        for row in &rows {
            allowed.push(row.method.as_str());
            allowed.extend(row.answers_head.then_some("HEAD"));
        }
        for method in METHODS {
            let media_type = rows.iter().find(|row| row.method == method).and_then(|row| row.media_type);
            let path = target.path(pattern);
            let answer = target.ask(method, &path, media_type).await;
            answer.assert_guarded(pattern);
            if allowed.contains(&method) {
                // It is routed: what is answered is what the handler says, whatever that makes of nothing at all.
                let refused = [
                    StatusCode::NOT_FOUND,
                    StatusCode::METHOD_NOT_ALLOWED,
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    StatusCode::INTERNAL_SERVER_ERROR,
                ];
                assert!(!refused.contains(&answer.status), "{method} {pattern}: {}", answer.status);
            } else {
                assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {pattern}");
                assert_eq!(answer.header("allow"), allowed.join(", "), "{method} {pattern}");
            }
        }
    }
}

#[tokio::test]
async fn every_row_refuses_what_its_form_does_not_allow() {
    let target = Target::new();
    for row in endpoints() {
        let Some(own) = row.media_type else { continue };
        for media_type in MEDIA_TYPES.map(Some).into_iter().chain([None]) {
            let answer = target.ask(row.method.as_str(), &target.path(row.path), media_type).await;
            let is_refused = answer.status == StatusCode::UNSUPPORTED_MEDIA_TYPE;
            // What stands behind it is a matter of the handler.
            let essence = media_type.and_then(|media_type| media_type.split(';').next());
            assert_eq!(is_refused, essence != Some(own), "{media_type:?} {}", row.path);
        }
    }
}

#[tokio::test]
async fn only_the_login_is_there_without_a_login() {
    let target = Target::new();
    for row in endpoints() {
        let request = Request::builder()
            .method(row.method.clone())
            .uri(target.path(row.path))
            .header("host", "localhost:3721")
            .header("content-type", row.media_type.unwrap_or_default());
        let answer = target.fixture.send(request.body(Body::empty()).unwrap()).await;
        let is_in = answer.status != StatusCode::UNAUTHORIZED;
        assert_eq!(is_in, row.is_login, "{} {}: {}", row.method, row.path, answer.status);
    }
    // Where no login is needed, none is possible.
    let open = Fixture::new(ITEMS);
    for row in endpoints().into_iter().filter(|row| row.is_login) {
        assert_eq!(open.get(&target.path(row.path)).await.status, StatusCode::NOT_FOUND);
    }
}

#[test]
fn what_the_contract_names_is_in_the_table() {
    let mut named = Vec::new();
    // contract/decide §7.2 and contract/plans §14.3.
    for document in ["decide.md", "plans.md"] {
        let path = format!("{}/../docs/contract/{document}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let rows =
            text.lines().filter(|line| ["| `GET /", "| `POST /"].iter().any(|row| line.starts_with(row)));
        for row in rows {
            let requests = row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2);
            named.extend(requests.map(|request| {
                let (method, path) = request.split_once(' ').unwrap();
                let path = path.split('?').next().unwrap().trim_end_matches(".md");
                let path = path.replace("SESSION", "{session}").replace("SET", "{session}");
                let path =
                    path.replace("ITEM", "{item}").replace("PLAN", "{plan}").replace("AGENT", "{agent}");
                (method.to_owned(), path)
            }));
        }
    }
    for (method, path) in &named {
        let is_this = |row: &EndpointInfo| row.method == method.as_str() && row.path == path;
        assert!(endpoints().iter().any(is_this), "not in the table: {method} {path}");
    }
    // And the table has none for scripts that it does not name.
    let is_for_scripts = |row: &EndpointInfo| row.path.contains("/api/") || row.path.contains("/files/");
    for row in endpoints().into_iter().filter(is_for_scripts) {
        let is_this = |(method, path): &(String, String)| row.method == method.as_str() && row.path == path;
        assert!(named.iter().any(is_this), "not in the contract: {} {}", row.method, row.path);
    }
}
