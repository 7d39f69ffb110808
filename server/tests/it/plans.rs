//! The pages of plans, what programs read of them (contract/plans §14), and a server that stays.

use crate::support::plans::{HOSTILE, Plan};
use crate::support::{Answer, Fixture, ITEMS, in_this_order, open};
use app::{Hall, PlanFolders};
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use model::{Ask, Origin, Questions, Via};
use serde_json::{Value, json};
use server::Access;
use std::fs;
use std::sync::Arc;
use tower::ServiceExt;

fn with_plan() -> (Fixture, Plan) {
    let fixture = Fixture::new(ITEMS);
    let plan = Plan::new(fixture.folder.path(), "plan_a");
    (fixture, plan)
}

async fn json_at(fixture: &Fixture, path: &str) -> Value {
    let answer = fixture.get(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8", "{path}");
    answer.assert_guarded(path);
    answer.json()
}

#[tokio::test]
async fn without_a_plan_it_says_so_and_no_other_page_leads_there() {
    let fixture = Fixture::new(ITEMS);
    assert!(fixture.page("/plans?lang=en").await.contains("No plans yet"));
    assert!(fixture.page("/plans").await.contains("还没有计划"));
    for path in ["/", "/history", "/flow"] {
        assert!(!fixture.page(path).await.contains("href=\"/plans"), "{path}");
    }
    let nothing = json!({ "total": 0, "offset": 0, "limit": 50, "items": [] });
    assert_eq!(json_at(&fixture, "/api/plans").await, nothing);
    assert_eq!(json_at(&fixture, "/api/agents").await, nothing);
    Plan::bare(fixture.folder.path(), "plan_a");
    for path in ["/", "/history", "/flow"] {
        assert!(fixture.page(path).await.contains("href=\"/plans?lang=zh\""), "{path}");
    }
}

#[tokio::test]
async fn all_plans_are_shown_and_those_that_wait_for_a_person_first() {
    let (fixture, _) = with_plan();
    let other = Plan::bare(fixture.folder.path(), "plan_0");
    let done = json!({ "task_id": "t", "assigned_agent_id": "b", "state": "COMPLETED",
        "updated_at": "2026-01-12T09:01:00Z", "attempts": { "reexecute_count": 0 }, "blocking": null });
    other.status(&[done]);
    let html = fixture.page("/plans?lang=en").await;
    in_this_order(
        &html,
        &[
            "<title>(1) Aide plans</title>",
            "1 blocked · 1 completed",
            "href=\"/plans/plan_a?lang=en\"",
            "blocked",
            "1 of 3 tasks done",
            "1 question waits for you",
            "1 message not delivered",
            "href=\"/plans/plan_0?lang=en\"",
            "completed",
            "1 of 1 task done",
            "agent_a",
            "healthy",
            "waiting",
            "works on: ",
            "task_two",
        ],
    );
    assert!(!html.contains(HOSTILE), "{html}");
}

#[tokio::test]
async fn a_plan_is_shown_with_its_tasks_and_what_has_happened() {
    let (fixture, _) = with_plan();
    let html = fixture.page("/plans/plan_a?lang=en").await;
    in_this_order(
        &html,
        &[
            "href=\"/plans/plan_a?lang=zh\"",
            "1 of 3 tasks done",
            "pending",
            "Waiting for you",
            "approval.md",
            "not asked yet",
            "task_one",
            "completed",
            "repeated once",
            "task_two",
            "waiting for the user",
            "missing inputs: approval.md",
            "task_three",
            "Not delivered",
            "ROUTING_NO_TARGET",
            "aide plan replay plan_a dead_1",
            "Alerts",
            "COMMAND_ACK_TIMEOUT",
            "Decisions",
            "DAG_REVIEW",
            "Deliveries",
            "task_three",
            "left out: came before",
            "task_one",
        ],
    );
    assert!(!html.contains(HOSTILE) && html.contains("&lt;script&gt;alert(1)"), "{html}");
    assert!(fixture.page("/plans/plan_a").await.contains("等待用户"));
}

#[tokio::test]
async fn a_plan_leads_to_the_questions_that_are_open_for_it() {
    let (fixture, _) = with_plan();
    let decisions = store::Project::at(fixture.folder.path()).unwrap().decisions().unwrap();
    let text = str::to_owned;
    let questions = Questions::parse(ITEMS.as_bytes()).unwrap();
    for (plan, request) in [("plan_b", "req_1"), ("plan_a", "req_1")] {
        let (task, agent) = (text("task_two"), text("agent_a"));
        let origin = Origin::Agent { plan: text(plan), task, agent, request: text(request) };
        let ask = Ask { questions: &questions, origin, deadline: None };
        let version = fixture.get("/version/plans/plan_a").await.text();
        let pending = decisions.put(ask, &format!("{plan}/{request}")).unwrap().pending();
        // The page is fetched anew for the link.
        let now = fixture.get("/version/plans/plan_a").await.text();
        assert_eq!(now != version, plan == "plan_a", "{plan}");
        assert!(fixture.page("/plans/plan_a").await.contains(&format!("data-version=\"{now}\"")), "{plan}");
        let link = format!("href=\"/d/{}?lang=en\"", pending.session);
        let html = fixture.page("/plans/plan_a?lang=en").await;
        assert_eq!(html.contains(&link), plan == "plan_a", "{plan}");
        assert_eq!(html.contains("not asked yet"), plan != "plan_a", "{plan}");
    }
}

#[tokio::test]
async fn the_version_changes_with_whatever_the_page_shows() {
    let (fixture, plan) = with_plan();
    let mut seen = Vec::new();
    let mut look = async |what: &str| {
        for (page, version) in [("/plans", "/version/plans"), ("/plans/plan_a", "/version/plans/plan_a")] {
            let version = fixture.get(version).await;
            assert_eq!(version.status, StatusCode::OK, "{page}");
            let version = version.text();
            assert!(fixture.page(page).await.contains(&format!("data-version=\"{version}\"")), "{page}");
            assert!(!seen.contains(&version), "{what}: {page}");
            seen.push(version);
        }
    };
    look("at first").await;
    plan.request("req_2");
    look("a request").await;
    plan.deliveries(&["FAILED"]);
    look("a delivery").await;
    plan.status(&[]);
    look("a status").await;
    fs::write(plan.path("../../alerts/plan_a/alert_2.json"), "{}").unwrap();
    look("an alert").await;
    fs::remove_file(plan.path("../../deadletter/plan_a/dead_1.json")).unwrap();
    look("a dead letter").await;
    let before = fixture.get("/version/plans").await.text();
    plan.agent("agent_b", "IDLE");
    assert_ne!(fixture.get("/version/plans").await.text(), before);
}

#[tokio::test]
async fn s14_documents_are_read_as_they_are() {
    let (fixture, plan) = with_plan();
    let on_disk =
        |name: &str| -> Value { serde_json::from_slice(&fs::read(plan.path(name)).unwrap()).unwrap() };
    for (path, file) in [
        ("/api/plans/plan_a/status", "plan_status.json"),
        ("/api/plans/plan_a/release_manifest", "release_manifest.json"),
        ("/api/agents/agent_a", "../../agent_status/agent_a.json"),
    ] {
        assert_eq!(json_at(&fixture, path).await, on_disk(file), "{path}");
    }
    for (path, file) in [
        ("/api/plans/plan_a/decisions", "decisions/decision_record_dec_1.json"),
        ("/api/plans/plan_a/acks", "acks/ack_msg_1.json"),
        ("/api/agents", "../../agent_status/agent_a.json"),
    ] {
        let list = json!({ "total": 1, "offset": 0, "limit": 50, "items": [on_disk(file)] });
        assert_eq!(json_at(&fixture, path).await, list, "{path}");
    }
    let plans = json_at(&fixture, "/api/plans").await;
    let one = json!({ "plan_id": "plan_a", "state": "BLOCKED", "updated_at": "2026-01-12T09:02:00Z",
        "summary": { "total_tasks": 3, "completed": 1 },
        "blocked_summary": { "INPUT": 0, "REVIEW": 0, "HUMAN": 1 }, "open_requests": 1 });
    assert_eq!(plans, json!({ "total": 1, "offset": 0, "limit": 50, "items": [one] }));
}

#[tokio::test]
async fn a_plan_that_cannot_be_read_hides_no_other() {
    let (fixture, plan) = with_plan();
    fs::write(plan.path("plan_status.json"), "{").unwrap();
    fs::remove_dir_all(plan.path("human_requests")).unwrap();
    fs::write(plan.path("human_requests"), "no folder").unwrap();
    Plan::bare(fixture.folder.path(), "plan_b");
    let plans = json_at(&fixture, "/api/plans").await;
    let state =
        |at: usize| (plans["items"][at]["state"].clone(), plans["items"][at]["open_requests"].clone());
    assert_eq!(state(0), (Value::Null, Value::Null), "{plans}");
    assert_eq!(state(1), (json!("OTHER"), json!(0)), "{plans}");
}

#[tokio::test]
async fn s14_lists_are_read_part_by_part_and_deliveries_by_what_they_are_about() {
    let (fixture, plan) = with_plan();
    let numbers = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap();
        items.iter().map(|item| item["message_id"].as_str().unwrap().replace("msg_", "")).collect()
    };
    for (query, total, items) in [
        ("", 3, &["1", "2", "3"][..]),
        ("?include_skipped=true", 3, &["1", "2", "3"]),
        ("?include_skipped=false", 2, &["1", "3"]),
        ("?include_skipped=false&offset=1", 2, &["3"]),
        ("?limit=1", 3, &["1"]),
        ("?offset=1&limit=1", 3, &["2"]),
        ("?offset=7", 3, &[]),
        ("?message_id=msg_2", 1, &["2"]),
        ("?message_id=msg_2&include_skipped=false", 0, &[]),
        ("?task_id=task_three", 1, &["3"]),
        ("?task_id=", 0, &[]),
        ("?other=1", 3, &["1", "2", "3"]),
    ] {
        let list = json_at(&fixture, &format!("/api/plans/plan_a/deliveries{query}")).await;
        assert_eq!(list["total"], total, "{query}");
        assert_eq!(numbers(&list), items, "{query}");
    }
    let many: Vec<_> = std::iter::repeat_n("DELIVERED", 70).collect();
    plan.deliveries(&many);
    // A writer may be about to write the last line.
    let mut text = fs::read_to_string(plan.path("deliveries.jsonl")).unwrap();
    text.push_str("{\"schema_version\":\"1.0\",\"deliv");
    fs::write(plan.path("deliveries.jsonl"), text).unwrap();
    for (query, limit, count) in [("", 50, 50), ("?limit=500", 500, 70), ("?offset=60", 50, 10)] {
        let list = json_at(&fixture, &format!("/api/plans/plan_a/deliveries{query}")).await;
        assert_eq!((&list["total"], &list["limit"]), (&json!(70), &json!(limit)), "{query}");
        assert_eq!(numbers(&list).len(), count, "{query}");
    }
    let html = fixture.page("/plans/plan_a?lang=en").await;
    assert!(html.contains("The latest 20 of 70"), "{html}");
}

#[tokio::test]
async fn s14_what_is_not_there_is_404_and_what_cannot_be_meant_400() {
    let (fixture, plan) = with_plan();
    Plan::bare(fixture.folder.path(), "plan_b");
    for (path, status) in [
        ("/api/plans/plan_b/status", 404),
        ("/api/plans/plan_b/release_manifest", 404),
        ("/api/plans/plan_b/deliveries", 200),
        ("/api/plans/plan_b/acks", 200),
        ("/api/plans/plan_c/status", 404),
        ("/api/plans/plan_c/deliveries", 404),
        ("/api/plans/../status", 404),
        ("/api/plans/..%2fplan_a/status", 404),
        ("/api/plans/%2e%2e/status", 404),
        ("/api/plans/plan_a%2f..%2fplan_a/status", 404),
        ("/api/plans/.hidden/status", 404),
        ("/api/plans/plan_a%00/status", 404),
        ("/api/agents/..%2fagent_a", 404),
        ("/api/agents/agent_b", 404),
        ("/plans/plan_c", 404),
        ("/plans/..%2fplan_a", 404),
        ("/version/plans/plan_c", 404),
        ("/api/plans?limit=0", 400),
        ("/api/plans?limit=501", 400),
        ("/api/plans?limit=x", 400),
        ("/api/plans?offset=-1", 400),
        ("/api/agents?limit=", 400),
        ("/api/plans/plan_a/acks?offset=1.5", 400),
        ("/api/plans/plan_a/decisions?limit=501", 400),
        ("/api/plans/plan_a/deliveries?include_skipped=maybe", 400),
    ] {
        let answer =
            fixture.get(&format!("{path}{}lang=en", if path.contains('?') { "&" } else { "?" })).await;
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text());
        answer.assert_guarded(path);
        if status != 200 && path.starts_with("/api") {
            let body = answer.json();
            assert!(body["error"].is_string() && body["detail"].is_string(), "{path}: {body}");
        }
    }
    let refused = fixture.get("/api/plans?limit=0").await.json();
    assert_eq!(refused, json!({ "error": "参数无效", "detail": "limit 应为 1 至 500 的整数" }));
    // What cannot be read is said, and hides nothing else.
    fs::write(plan.path("plan_status.json"), "{").unwrap();
    assert_eq!(fixture.get("/api/plans/plan_a/status").await.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(json_at(&fixture, "/api/plans").await["items"][0]["state"], Value::Null);
    assert!(fixture.page("/plans/plan_a?lang=en").await.contains("The state of plan_a cannot be read"));
}

/// Links in the folders lead nowhere.
#[cfg(unix)]
#[tokio::test]
async fn a_link_is_no_plan() {
    let (fixture, plan) = with_plan();
    let elsewhere = tempfile::TempDir::new().unwrap();
    fs::write(elsewhere.path().join("plan_status.json"), "{}").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), plan.path("../../plans/plan_link")).unwrap();
    assert_eq!(fixture.get("/api/plans/plan_link/status").await.status, StatusCode::NOT_FOUND);
    fs::remove_file(plan.path("release_manifest.json")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", plan.path("release_manifest.json")).unwrap();
    let answer = fixture.get("/api/plans/plan_a/release_manifest").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!answer.text().contains("root"), "{}", answer.text());
}

/// A server that was started for nothing in particular, in a project with nothing open.
struct IdleServer {
    _folder: tempfile::TempDir,
    hall: Arc<Hall>,
    router: axum::Router,
}

impl IdleServer {
    fn new() -> Self {
        let opened = open(ITEMS);
        let decisions = opened.hall.decisions().unwrap().clone();
        decide::cancel(&decisions, &opened.id, Via::Terminal).unwrap();
        let hall = Hall::resident(opened.hall.project().unwrap().clone(), decisions, Some(texts::Lang::En));
        let hall = Arc::new(hall);
        let router = server::router(Arc::clone(&hall), Access::open([127, 0, 0, 1].into(), 3721, ""));
        Self { _folder: opened.folder, hall, router }
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap()).await
    }
}

#[tokio::test]
async fn a_server_that_stays_shows_what_is_asked_while_it_is_there() {
    let stays = IdleServer::new();
    let html = stays.get("/").await.text();
    in_this_order(&html, &["<title>Aide inbox</title>", "Nothing to answer"]);
    assert_eq!(stays.get("/api/items").await.status, StatusCode::NOT_FOUND);
    assert_eq!(stays.hall.look(), None);
    for round in 0..2 {
        let questions = Questions::parse(ITEMS.as_bytes()).unwrap();
        let pending = stays.hall.decisions().unwrap().ask(&questions).unwrap().pending();
        assert!(stays.get("/").await.text().contains("测试任务"), "{round}");
        let answers = json!({ "decisions": [{ "id": 1, "chosen": "a" }, { "id": 2, "chosen": "b" }] });
        let request = Request::post(format!("/d/{}/api/submit", pending.session))
            .header("host", "localhost:3721")
            .header("content-type", "application/json");
        let answer = stays.send(request.body(Body::from(answers.to_string())).unwrap()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        assert_eq!(stays.hall.look(), None, "nothing that ends here ends the server");
        assert!(stays.get("/").await.text().contains("Nothing to answer"), "{round}");
        let shown = stays.get(&format!("/history/{}", pending.session)).await;
        assert_eq!(shown.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn plans_may_lie_elsewhere_than_in_the_project() {
    let opened = open(ITEMS);
    let elsewhere = tempfile::TempDir::new().unwrap();
    Plan::new(elsewhere.path(), "plan_far");
    let folder = elsewhere.path().join(".aide");
    let folders = PlanFolders { agents: folder.join("agents"), runtime: folder.join("system_runtime") };
    let hall = Arc::new(opened.hall.with_plans(folders));
    let router = server::router(hall, Access::open([127, 0, 0, 1].into(), 3721, ""));
    for (path, part) in [("/plans", "plan_far"), ("/api/plans", "plan_far"), ("/", "href=\"/plans?lang=zh\"")]
    {
        let request = Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap();
        let body = router.clone().oneshot(request).await.unwrap().into_body();
        let text = String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap();
        assert!(text.contains(part), "{path}");
    }
}

#[tokio::test]
async fn a_plan_has_its_graph_and_what_came_of_it() {
    let (fixture, plan) = with_plan();
    let before = fixture.page("/plans/plan_a?lang=en").await;
    // Without a DAG there is nothing to draw, and without results nothing to name.
    assert!(!before.contains("<svg class=\"graph\"") && !before.contains("Results"), "{before}");
    let node = |task: &str, before: &[&str]| {
        json!({ "task_id": task, "name": format!("Name of {task}{HOSTILE}"), "assigned_agent_id": "agent_a",
            "depends_on": before,
            "outputs": [{ "name": task, "deliver_to": ["agent_a"], "idempotency_key": "k" }] })
    };
    let nodes = [
        node("task_one", &[]),
        node("task_two", &["task_one"]),
        node("task_three", &["task_one", "task_two"]),
    ];
    plan.write("task_dag.json", &json!({ "schema_version": "1.1", "plan_id": "plan_a", "nodes": nodes }));
    let file = plan.path("../../artifacts/plan_a/task_one/<b>.md");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "made\n").unwrap();
    let html = fixture.page("/plans/plan_a?lang=en").await;
    in_this_order(
        &html,
        &[
            "<h2>Results</h2>",
            "<code>.aide/<wbr>system_runtime/<wbr>artifacts/<wbr>plan_a/<wbr>task_one/<wbr>&lt;b&gt;.md</code>",
            "5 bytes",
            "made by task_one",
            "<h2>Graph</h2>",
            "<svg class=\"graph\" role=\"img\" aria-labelledby=\"graph-title\"",
            "<title id=\"graph-title\">The graph of the tasks",
            "data-state=\"COMPLETED\"",
            ">task_one</text>",
            "<h2>Tasks</h2>",
            "Name of task_two",
            "after task_one<",
            "after task_one, task_two<",
        ],
    );
    // An edge for each dependency, and no other.
    assert_eq!(html.matches("class=\"edge\"").count(), 3, "{html}");
    assert_eq!(html.matches("class=\"node\"").count(), 3, "{html}");
    assert!(!html.contains(HOSTILE) && !html.contains("<b>.md"), "{html}");
    let chinese = fixture.page("/plans/plan_a?lang=zh").await;
    assert!(chinese.contains("<h2>依赖图</h2>") && chinese.contains("<h2>成果</h2>"), "{chinese}");
    // Tasks that depend on one another cannot be drawn; the rest is shown.
    let nodes = [node("task_one", &["task_two"]), node("task_two", &["task_one"])];
    plan.write("task_dag.json", &json!({ "schema_version": "1.1", "plan_id": "plan_a", "nodes": nodes }));
    let cyclic = fixture.page("/plans/plan_a?lang=en").await;
    assert!(!cyclic.contains("<svg class=\"graph\"") && cyclic.contains("<h2>Tasks</h2>"), "{cyclic}");
}
