//! What programs drive a daemon by, endpoint by endpoint, as the document has it.

use crate::support::daemon::Daemon;
use axum::body::Body;
use http::{Method, Request, StatusCode};
use proptest::prelude::*;
use serde_json::{Value, json};
use server::{Access, Key, daemon_endpoints};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// contract/workflows §3.1.
#[tokio::test]
async fn a_message_begins_a_workflow() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.begin().await;
    assert!(workflow.starts_with("wf-") && session.starts_with("session-"));
    let list = daemon.get("/api/v1/workflows").await;
    assert_eq!(list[0]["id"], workflow);
    assert_eq!(
        (&list[0]["status"], &list[0]["fsmState"]),
        (&json!("planning"), &json!("semantic_understanding"))
    );
    assert_eq!(daemon.get("/api/v1/workflows/state").await["snapshots"][0]["workflowId"], workflow);
    assert_eq!(daemon.get(&format!("/api/v1/workflows/{workflow}")).await, list[0]);
    assert_eq!(daemon.get(&format!("/api/v1/workflows/{workflow}/tasks")).await, json!([]));
    let history = daemon.get("/api/v1/events/history?type=phase_transition").await;
    let event = &history["events"][0];
    assert_eq!(event["payload"]["from"], "idle");
    assert_eq!(event["timestamp"], "2026-02-23T03:00:00.000Z");
    assert_eq!((&event["sessionId"], &event["workflowId"]), (&json!(session), &json!(workflow)));
    assert_eq!(event["seq"], 3);
}

/// contract/workflows §5.3, row by row.
#[tokio::test]
async fn a_client_drives_a_workflow_to_its_end() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    daemon.step(&workflow, "task_started", json!({ "taskId": "task-1", "agentId": "executor-1" })).await;
    let tasks = daemon.get(&format!("/api/v1/workflows/{workflow}/tasks")).await;
    assert_eq!((&tasks[0]["status"], &tasks[0]["assignee"]), (&json!("in_progress"), &json!("executor-1")));
    let paused = daemon.post("/api/v1/workflow/pause", json!({ "workflowId": workflow })).await;
    assert_eq!(paused, json!({ "success": true, "workflowId": workflow, "status": "paused" }));
    let again = Some(json!({ "workflowId": workflow }));
    let (status, code, _, details) = daemon.refused(Method::POST, "/api/v1/workflow/pause", again).await;
    assert_eq!(
        (status, code.as_str(), &details["currentState"]),
        (409, "WORKFLOW_ALREADY_PAUSED", &json!("paused"))
    );
    let resumed = daemon.post("/api/v1/workflow/resume", json!({ "workflowId": workflow })).await;
    assert_eq!((&resumed["status"], &resumed["state"]), (&json!("executing"), &json!("execution")));
    let done = daemon.step(&workflow, "task_completed", json!({ "taskId": "task-1" })).await;
    assert_eq!(done["currentState"], "review");
    daemon.step(&workflow, "review_rejected", json!({})).await;
    daemon.step(&workflow, "task_completed", json!({ "taskId": "task-1" })).await;
    let missing = daemon.refused(Method::GET, &format!("/api/v1/workflows/{workflow}/output"), None).await;
    assert_eq!((missing.0, missing.1.as_str()), (404, "OUTPUT_NOT_FOUND"));
    let output = json!({ "output": { "path": "./deepseek/report.md", "output": "…" } });
    assert_eq!(daemon.step(&workflow, "review_passed", output).await["currentState"], "completed");
    let output = daemon.get(&format!("/api/v1/workflows/{workflow}/output")).await;
    assert_eq!(output, json!({ "workflowId": workflow, "output": "…", "path": "./deepseek/report.md" }));
    let path = format!("/api/v1/workflow/{workflow}/transition");
    let refused = daemon.refused(Method::POST, &path, Some(json!({ "trigger": "plan_created" }))).await;
    assert_eq!((refused.0, refused.1.as_str()), (409, "WORKFLOW_TERMINAL"));
    let cancel = daemon.refused(Method::POST, &format!("/api/v1/workflows/{workflow}/cancel"), None).await;
    assert_eq!(cancel.0, 409);
}

/// contract/workflows §3.0: words that clients may know.
#[tokio::test]
async fn what_is_wrong_is_said_in_the_words_of_the_contract() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.begin().await;
    let transition = format!("/api/v1/workflow/{workflow}/transition");
    for (path, body, status, code, words) in [
        ("/api/v1/message", json!({}), 400, "MISSING_FIELD", "Missing target or message"),
        ("/api/v1/message", json!({ "target": "x" }), 400, "MISSING_FIELD", "Missing target or message"),
        (
            "/api/v1/message",
            json!({ "target": 7, "message": 1 }),
            400,
            "INVALID_REQUEST",
            "target must be a string",
        ),
        (
            "/api/v1/message",
            json!({ "target": "x", "message": 1 }),
            404,
            "MODULE_NOT_FOUND",
            "Module x not registered as input or output",
        ),
        (
            "/api/v1/workflow/input",
            json!({ "workflowId": "x" }),
            400,
            "MISSING_FIELD",
            "Missing workflowId or input",
        ),
        (
            "/api/v1/workflow/input",
            json!({ "workflowId": "x", "input": 1 }),
            404,
            "WORKFLOW_NOT_FOUND",
            "Workflow not found",
        ),
        ("/api/v1/workflow/pause", json!({}), 400, "MISSING_FIELD", "Missing workflowId"),
        (
            "/api/v1/workflow/pause",
            json!({ "workflowId": "x" }),
            404,
            "WORKFLOW_NOT_FOUND",
            "Workflow not found",
        ),
        (
            "/api/v1/workflow/resume",
            json!({ "workflowId": workflow }),
            409,
            "WORKFLOW_NOT_PAUSED",
            "Workflow is not paused",
        ),
        (&transition, json!({}), 400, "MISSING_FIELD", "Missing trigger"),
        (&transition, json!({ "trigger": "jump" }), 400, "INVALID_TRIGGER", "Unknown trigger: jump"),
        (&transition, json!({ "trigger": "plan_created" }), 409, "INVALID_TRANSITION", "Transition failed"),
        (
            &transition,
            json!({ "trigger": "plan_created", "context": [] }),
            400,
            "INVALID_REQUEST",
            "context must be an object",
        ),
        ("/api/v1/decision", json!({}), 400, "MISSING_FIELD", "Missing message"),
        (
            "/api/v1/decision",
            json!({ "message": "?", "options": "Y" }),
            400,
            "INVALID_REQUEST",
            "options must be an array of strings",
        ),
        (
            "/api/v1/decision/d/respond",
            json!({ "response": "x" }),
            404,
            "DECISION_NOT_FOUND",
            "Decision not found",
        ),
        ("/api/v1/decision/d/respond", json!({}), 400, "MISSING_FIELD", "Missing response"),
        ("/api/v1/sessions/s/resume", json!({}), 404, "SESSION_NOT_FOUND", "Session not found"),
        ("/api/v1/session/checkpoint", json!({}), 400, "MISSING_FIELD", "Missing required fields"),
        (
            "/api/v1/resources/deploy",
            json!({}),
            400,
            "MISSING_FIELD",
            "Missing resourceId, sessionId or workflowId",
        ),
        (
            "/api/v1/resources/release",
            json!({ "resourceId": "x" }),
            404,
            "AGENT_NOT_FOUND",
            "Agent not found",
        ),
        ("/api/v1/sessions", json!([]), 400, "INVALID_REQUEST", "The body must be a JSON object"),
    ] {
        let (found, name, error, _) = daemon.refused(Method::POST, path, Some(body.clone())).await;
        assert_eq!((found, name.as_str(), error.as_str()), (status, code, words), "{path} {body}");
    }
    for (path, status, code) in [
        ("/api/v1/workflows/x", 404, "WORKFLOW_NOT_FOUND"),
        ("/api/v1/workflows/x/state", 404, "WORKFLOW_NOT_FOUND"),
        ("/api/v1/workflows/x/tasks", 404, "WORKFLOW_NOT_FOUND"),
        ("/api/v1/decision/x", 404, "DECISION_NOT_FOUND"),
        ("/api/v1/decision/x?wait=0", 400, "INVALID_REQUEST"),
        ("/api/v1/decision?status=asleep", 400, "INVALID_REQUEST"),
        ("/api/v1/sessions/x", 404, "SESSION_NOT_FOUND"),
        ("/api/v1/sessions/x/checkpoint/latest", 404, "SESSION_NOT_FOUND"),
        ("/api/v1/session/checkpoint/x", 404, "CHECKPOINT_NOT_FOUND"),
        ("/api/v1/agents/x/capabilities", 404, "AGENT_NOT_FOUND"),
        ("/api/v1/mailbox/x", 404, "MESSAGE_NOT_FOUND"),
        ("/api/v1/mailbox/callback/x", 404, "MESSAGE_NOT_FOUND"),
        ("/api/v1/events/history?limit=0", 400, "INVALID_LIMIT"),
        ("/api/v1/events/history?limit=1001", 400, "INVALID_LIMIT"),
        ("/api/v1/events/history?since=-1", 400, "INVALID_REQUEST"),
        ("/api/v1/nothing", 404, "NOT_FOUND"),
    ] {
        let (found, name, ..) = daemon.refused(Method::GET, path, None).await;
        assert_eq!((found, name.as_str()), (status, code), "{path}");
    }
    let busy = daemon.refused(Method::DELETE, &format!("/api/v1/sessions/{session}"), None).await;
    assert_eq!((busy.0, busy.1.as_str()), (409, "SESSION_BUSY"));
    let broken = Request::post("/api/v1/sessions").header("host", "localhost:3721");
    let broken = broken.header("content-type", "application/json").body(Body::from("{")).unwrap();
    let answer = daemon.send(broken).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (400, &json!("INVALID_JSON")));
    for path in [
        "/api/v1/decision?status=&workflowId=",
        "/api/v1/events/history?limit=&since=&type=&group=",
        "/api/v1/mailbox?limit=&target=",
    ] {
        let all = daemon.get(path).await;
        assert_eq!(
            all,
            daemon.get(path.split('?').next().unwrap()).await,
            "{path}: nothing is as good as not said"
        );
    }
    // Any JSON is a message.
    let nothing = daemon.post("/api/v1/message", json!({ "target": "echo-input", "message": null })).await;
    let mail = daemon.get(&format!("/api/v1/mailbox/{}", nothing["messageId"].as_str().unwrap())).await;
    assert_eq!(mail["result"], json!({ "handler": "echo-input", "received": null }));
    let unknown = json!({ "target": "x", "message": 1 });
    let answer = daemon.request(Method::POST, "/api/v1/message", Some(unknown), &[]).await;
    assert_eq!(answer.json()["status"], "failed", "also where nobody waits");
}

#[tokio::test]
async fn questions_that_cannot_be_shown_are_refused_and_say_why() {
    let daemon = Daemon::new();
    let set = "2026-02-23T03-00-00";
    for (body, status, code) in [
        (json!({}), 400, "MISSING_FIELD"),
        (json!({ "projectPath": "/p" }), 400, "MISSING_FIELD"),
        (json!({ "projectPath": "p", "setId": set }), 400, "INVALID_REQUEST"),
        (json!({ "projectPath": "/p", "setId": "../x" }), 400, "INVALID_REQUEST"),
        (json!({ "projectPath": "/p", "setId": set, "timeoutMs": 0 }), 400, "INVALID_REQUEST"),
        (json!({ "projectPath": "/p", "setId": set, "timeoutMs": "1" }), 400, "INVALID_REQUEST"),
        (json!({ "projectPath": "/none", "setId": set }), 404, "NOT_FOUND"),
        (json!({ "projectPath": "/unusable", "setId": set }), 400, "INVALID_REQUEST"),
        (json!({ "projectPath": "/elsewhere", "setId": set }), 409, "SERVED_ELSEWHERE"),
    ] {
        let answer = daemon.request(Method::POST, "/api/v1/questions", Some(body.clone()), &[]).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (status, &json!(code)), "{body}");
        // What another server shows is shown here as well, by every daemon that comes.
        let known: &[&str] = if code == "SERVED_ELSEWHERE" { &["/elsewhere"] } else { &[] };
        let projects = daemon.runtime.projects().unwrap();
        assert_eq!(projects, known.iter().map(std::path::PathBuf::from).collect::<Vec<_>>(), "{body}");
    }
    let daemon = Daemon::new();
    let body = json!({ "projectPath": "/p", "setId": set, "timeoutMs": 1 });
    let key = [("idempotency-key", "k")];
    for _ in 0..2 {
        let answer = daemon.request(Method::POST, "/api/v1/questions", Some(body.clone()), &key).await;
        let url = format!("http://localhost:3721/d/0123456789.{set}");
        assert_eq!(answer.json(), json!({ "success": true, "setId": set, "url": url }));
    }
    let other = json!({ "projectPath": "/q", "setId": set });
    let answer = daemon.request(Method::POST, "/api/v1/questions", Some(other), &key).await;
    assert_eq!(answer.json()["code"], "IDEMPOTENCY_CONFLICT");
    assert_eq!(daemon.runtime.projects().unwrap(), [std::path::PathBuf::from("/p")]);
}

#[tokio::test]
async fn what_the_gate_refuses_is_said_in_the_same_form() {
    let key = Key::generate().unwrap();
    let access = || Access::guarded([127, 0, 0, 1].into(), 3721, "", key.clone());
    let guarded = Daemon::with_access(access(), access());
    let daemon = Daemon::new();
    let body = || Some(json!({}));
    for (answer, status, code) in [
        (daemon.request(Method::PUT, "/api/v1/workflows", None, &[]).await, 405, "METHOD_NOT_ALLOWED"),
        (daemon.request(Method::POST, "/api/v1/workflows", body(), &[]).await, 405, "METHOD_NOT_ALLOWED"),
        (
            daemon.request(Method::GET, "/api/v1/workflows", None, &[("origin", "http://evil.test")]).await,
            403,
            "FORBIDDEN",
        ),
        (
            daemon.request(Method::GET, "/api/v1/workflows", None, &[("sec-fetch-site", "same-site")]).await,
            403,
            "FORBIDDEN",
        ),
        (
            daemon.request(Method::GET, "/api/v1/x", None, &[("host", "localhost:1")]).await,
            400,
            "INVALID_REQUEST",
        ),
        (
            daemon.request(Method::POST, "/api/v1/sessions", None, &[("content-type", "text/plain")]).await,
            415,
            "UNSUPPORTED_MEDIA_TYPE",
        ),
        (guarded.request(Method::GET, "/api/v1/workflows", None, &[]).await, 401, "UNAUTHORIZED"),
        (guarded.request(Method::GET, "/health", None, &[]).await, 401, "UNAUTHORIZED"),
    ] {
        let body = answer.json();
        assert_eq!((answer.status.as_u16(), body["code"].as_str()), (status, Some(code)), "{body}");
        assert!(body["error"].as_str().is_some_and(|words| !words.is_empty()) && body["details"].is_object());
    }
    let other =
        Request::get("/api/v1/workflows").header("host", "evil.test:3721").body(Body::empty()).unwrap();
    let answer = daemon.send(other).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (421, &json!("MISDIRECTED_REQUEST")));
    let bearer = format!("Bearer {}", key.to_hex());
    let answer = guarded.request(Method::GET, "/api/v1/workflows", None, &[("authorization", &bearer)]).await;
    assert_eq!(answer.status, StatusCode::OK);
    let large = Request::post("/api/v1/sessions").header("host", "localhost:3721");
    let large =
        large.header("content-type", "application/json").body(Body::from(vec![b' '; (1 << 20) + 1])).unwrap();
    let answer = daemon.send(large).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (413, &json!("PAYLOAD_TOO_LARGE")));
}

#[tokio::test]
async fn a_body_that_is_not_there_needs_no_content_type() {
    let daemon = Daemon::new();
    let (_, session) = daemon.begin().await;
    let paused = daemon.request(Method::POST, &format!("/api/v1/sessions/{session}/pause"), None, &[]).await;
    assert_eq!((paused.status, paused.json()), (StatusCode::OK, json!({ "success": true })));
    let path = format!("/api/v1/sessions/{session}/resume");
    let resumed = daemon.request(Method::POST, &path, None, &[]).await;
    assert_eq!(
        (resumed.status, resumed.json()),
        (StatusCode::OK, json!({ "success": true, "sessionId": session }))
    );
    let resumed = daemon.refused(Method::POST, &path, None).await;
    assert_eq!(resumed.1, "SESSION_BUSY", "its workflow is running");
}

/// contract/workflows §3.3 and §7.
#[tokio::test]
async fn a_decision_is_waited_for() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    let ask = json!({ "workflowId": workflow, "message": "是否继续执行？", "options": ["Y", "n"] });
    let created = daemon.post("/api/v1/decision", ask).await;
    let id = created["decisionId"].as_str().unwrap().to_owned();
    assert_eq!(created, json!({ "decisionId": id, "status": "pending" }));
    let list = daemon.get(&format!("/api/v1/decision?workflowId={workflow}&status=pending")).await;
    assert_eq!(list["decisions"][0]["decisionId"], id);
    let path = format!("/api/v1/decision/{id}?wait=60");
    let waiting = {
        let daemon = daemon.clone();
        tokio::spawn(async move { daemon.get(&path).await })
    };
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    assert!(!waiting.is_finished());
    let answered = daemon.post(&format!("/api/v1/decision/{id}/respond"), json!({ "response": "Y" })).await;
    let expected = json!({ "success": true, "decisionId": id, "response": "Y", "selected": ["Y"], "workflowId": workflow });
    assert_eq!(answered, expected);
    assert_eq!(waiting.await.unwrap()["response"], "Y");
    let late = Some(json!({ "response": "n" }));
    let (status, code, _, details) =
        daemon.refused(Method::POST, &format!("/api/v1/decision/{id}/respond"), late).await;
    assert_eq!(
        (status, code.as_str(), &details["response"]),
        (409, "DECISION_ALREADY_RESOLVED", &json!("Y"))
    );
    let wrong = daemon
        .post("/api/v1/decision", json!({ "message": "?", "options": ["a", "b"], "timeoutMs": 5000 }))
        .await;
    assert_eq!(wrong["expiresAt"], "2026-02-23T03:00:05.000Z");
    let respond = format!("/api/v1/decision/{}/respond", wrong["decisionId"].as_str().unwrap());
    let refused = daemon.refused(Method::POST, &respond, Some(json!({ "response": "c" }))).await;
    assert_eq!((refused.0, refused.1.as_str()), (400, "INVALID_RESPONSE"));
    daemon.clock.passed.fetch_add(5000, Ordering::Relaxed);
    let refused = daemon.refused(Method::POST, &respond, Some(json!({ "response": "a" }))).await;
    assert_eq!((refused.0, refused.1.as_str()), (409, "DECISION_EXPIRED"));
}

#[tokio::test]
async fn whoever_sends_a_message_can_wait_for_its_end() {
    let daemon = Daemon::new();
    let echo = json!({ "target": "echo-input", "message": { "a": 1 }, "blocking": true });
    let said = daemon.post("/api/v1/message", echo).await;
    assert_eq!(said["status"], "completed");
    assert_eq!(said["result"], json!({ "handler": "echo-input", "received": { "a": 1 } }));
    for (trigger, context, status) in [
        ("cancel_requested", json!({}), StatusCode::BAD_REQUEST),
        ("review_passed", json!({ "output": "done" }), StatusCode::OK),
    ] {
        let message = json!({ "target": "finger-orchestrator", "message": "x", "blocking": true });
        let waiting = {
            let daemon = daemon.clone();
            tokio::spawn(
                async move { daemon.request(Method::POST, "/api/v1/message", Some(message), &[]).await },
            )
        };
        let workflow = loop {
            let list = daemon.get("/api/v1/workflows").await;
            let open =
                list.as_array().unwrap().iter().find(|row| row["fsmState"] == "semantic_understanding");
            if let Some(open) = open {
                break open["id"].as_str().unwrap().to_owned();
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        if trigger == "review_passed" {
            for trigger in ["intent_analyzed", "routing_decided", "plan_created", "task_completed"] {
                daemon.step(&workflow, trigger, json!({})).await;
            }
        }
        daemon.step(&workflow, trigger, context).await;
        let answer = waiting.await.unwrap();
        let body = answer.json();
        assert_eq!((answer.status, &body["workflowId"]), (status, &json!(workflow)), "{body}");
        if status == StatusCode::OK {
            assert_eq!((&body["status"], &body["result"]), (&json!("completed"), &json!("done")));
        } else {
            assert_eq!(
                (&body["status"], &body["error"], &body["code"]),
                (&json!("failed"), &json!("cancelled"), &json!("AGENT_FAILED"))
            );
        }
    }
    assert_eq!(daemon.get("/api/v1/workflows").await.as_array().unwrap().len(), 2, "nothing ran twice");
}

#[tokio::test]
async fn a_request_with_a_key_is_done_once() {
    let daemon = Daemon::new();
    let message = |text: &str| Some(json!({ "target": "finger-orchestrator", "message": text }));
    let key = [("idempotency-key", "k-1")];
    let first = daemon.request(Method::POST, "/api/v1/message", message("x"), &key).await;
    let again = daemon.request(Method::POST, "/api/v1/message", message("x"), &key).await;
    assert_eq!(first.json(), again.json());
    let other = daemon.request(Method::POST, "/api/v1/message", message("y"), &key).await;
    assert_eq!((other.status.as_u16(), &other.json()["code"]), (409, &json!("IDEMPOTENCY_CONFLICT")));
    let elsewhere = daemon.request(Method::POST, "/api/v1/sessions", Some(json!({})), &key).await;
    assert_eq!(elsewhere.status, StatusCode::OK, "another endpoint is another request");
    assert_eq!(daemon.get("/api/v1/workflows").await.as_array().unwrap().len(), 1);
    let unknown = |text: &str| Some(json!({ "target": "nobody", "message": text }));
    let key = [("idempotency-key", "k-2")];
    let refused = daemon.request(Method::POST, "/api/v1/message", unknown("x"), &key).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["status"]), (404, &json!("failed")));
    let again = daemon.request(Method::POST, "/api/v1/message", unknown("x"), &key).await;
    assert_eq!((again.status, again.json()), (refused.status, refused.json()));
    let other = daemon.request(Method::POST, "/api/v1/message", message("x"), &key).await;
    assert_eq!((other.status.as_u16(), &other.json()["code"]), (409, &json!("IDEMPOTENCY_CONFLICT")));
    let long = "k".repeat(256);
    for bad in ["", long.as_str()] {
        let answer = daemon
            .request(Method::POST, "/api/v1/sessions", Some(json!({})), &[("idempotency-key", bad)])
            .await;
        assert_eq!(answer.status.as_u16(), 400);
    }
}

/// contract/workflows §3.4 to §3.6, and what stands beside them.
#[tokio::test]
async fn sessions_agents_and_events_are_listed() {
    let daemon = Daemon::new();
    let (workflow, session) = daemon.executing().await;
    assert_eq!(daemon.get("/api/v1/sessions/current").await["id"], session);
    assert_eq!(daemon.get("/api/v1/sessions").await[0]["activeWorkflows"], json!([workflow]));
    assert_eq!(daemon.get("/api/v1/sessions/resumable").await, json!({ "sessions": [] }));
    let messages = daemon.get(&format!("/api/v1/sessions/{session}/messages")).await;
    assert_eq!(messages["messages"][0]["content"], "搜索 deepseek");
    let said = json!({ "content": "hm", "role": "assistant" });
    assert_eq!(daemon.post(&format!("/api/v1/sessions/{session}/messages"), said).await["role"], "assistant");
    let latest = daemon.get(&format!("/api/v1/sessions/{session}/checkpoint/latest")).await;
    assert_eq!(latest, daemon.get(&format!("/api/v1/session/{session}/checkpoint/latest")).await);
    assert_eq!(latest["checkpoint"]["originalTask"], "搜索 deepseek");
    let id = latest["checkpoint"]["checkpointId"].as_str().unwrap();
    assert_eq!(daemon.get(&format!("/api/v1/session/checkpoint/{id}")).await, latest);
    let own = daemon.post("/api/v1/sessions", json!({ "projectPath": "/home/me/论文" })).await;
    let own = own["id"].as_str().unwrap();
    let progress = json!([{ "taskId": "a", "status": "completed" }, { "taskId": "b", "status": "pending" }]);
    let checkpoint = json!({ "sessionId": own, "originalTask": "x", "taskProgress": progress });
    let made = daemon.post("/api/v1/session/checkpoint", checkpoint).await;
    assert!(made["checkpointId"].as_str().unwrap().starts_with(&format!("chk-{own}-")));
    let resumable = daemon.get("/api/v1/sessions/resumable").await;
    assert_eq!(
        (&resumable["sessions"][0]["id"], &resumable["sessions"][0]["progress"]),
        (&json!(own), &json!(50))
    );
    for number in 0..25 {
        daemon
            .post(&format!("/api/v1/sessions/{own}/messages"), json!({ "content": format!("m{number}") }))
            .await;
    }
    let compressed = daemon.post(&format!("/api/v1/sessions/{own}/compress"), json!({})).await;
    assert_eq!((&compressed["originalSize"], &compressed["compressedSize"]), (&json!(25), &json!(20)));
    let context = daemon.get(&format!("/api/v1/sessions/{own}/context")).await;
    assert_eq!(context["context"]["summary"], "user: m0\nuser: m1\nuser: m2\nuser: m3\nuser: m4\n");
    let removed = daemon.request(Method::DELETE, &format!("/api/v1/sessions/{own}"), None, &[]).await;
    assert_eq!(removed.json(), json!({ "success": true }));
    assert_eq!(daemon.refused(Method::GET, &format!("/api/v1/sessions/{own}"), None).await.0, 404);

    let agents = daemon.get("/api/v1/agents").await;
    assert_eq!(agents.as_array().unwrap().len(), 5);
    assert_eq!(agents[0]["capabilities"], json!(["code_generation", "file_ops", "shell_exec"]));
    let able = daemon.get("/api/v1/agents/executor-general/capabilities").await;
    assert_eq!(able["details"][0], json!({ "type": "web_search", "level": 8 }));
    let deploy = json!({ "resourceId": "executor-general", "sessionId": session, "workflowId": workflow });
    assert_eq!(daemon.post("/api/v1/resources/deploy", deploy.clone()).await["success"], true);
    assert_eq!(daemon.get("/api/v1/resources").await["count"], 4);
    assert_eq!(daemon.refused(Method::POST, "/api/v1/resources/deploy", Some(deploy)).await.0, 409);
    daemon.post("/api/v1/resources/release", json!({ "resourceId": "executor-general" })).await;
    assert_eq!(daemon.get("/api/v1/agent/executor-general/progress").await["agent"]["status"], "available");

    let types = daemon.get("/api/v1/events/types").await;
    assert_eq!(types["types"].as_array().unwrap().len(), 29);
    let groups = daemon.get("/api/v1/events/groups").await;
    assert_eq!(groups["groups"].as_array().unwrap().len(), 10);
    assert!(
        groups["groupTypes"]["HUMAN_IN_LOOP"].as_array().unwrap().contains(&json!("user_decision_required"))
    );
    let seqs = |events: &Value| {
        events["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["seq"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    let last = daemon.get("/api/v1/events/history?limit=3").await;
    let after = daemon.get("/api/v1/events/history?limit=3&since=2").await;
    assert_eq!(seqs(&after), [3, 4, 5]);
    assert!(seqs(&last).is_sorted() && seqs(&last)[0] > 5, "the last ones, the oldest of them first");
    let phases = daemon.get("/api/v1/events/history?group=PHASE").await;
    assert!(phases["events"].as_array().unwrap().iter().all(|event| event["type"] == "phase_transition"));
    assert_eq!(daemon.get("/api/v1/events/history?type=no_such").await["events"], json!([]));
    let unknown = daemon.refused(Method::GET, "/api/v1/events/history?group=WORKFLOW", None).await;
    assert_eq!((unknown.0, &*unknown.1), (400, "INVALID_GROUP"));
    assert_eq!(daemon.get("/health").await["status"], "healthy");
    assert_eq!(daemon.get("/api/test").await["ok"], true);
    assert_eq!(daemon.get("/api/v1/modules").await["modules"][0]["id"], "finger-orchestrator");
    assert_eq!(daemon.get("/api/v1/mailbox?limit=1").await["messages"].as_array().unwrap().len(), 1);
}

/// Literal path segments are not taken for names.
#[tokio::test]
async fn no_route_hides_another() {
    let endpoints = daemon_endpoints();
    let mut seen = BTreeSet::new();
    for endpoint in &endpoints {
        assert!(seen.insert((endpoint.method.to_string(), endpoint.path)), "{} twice", endpoint.path);
    }
    let daemon = Daemon::new();
    daemon.begin().await;
    for path in ["/api/v1/workflows/state", "/api/v1/sessions/current", "/api/v1/sessions/resumable"] {
        daemon.get(path).await;
    }
    // One who is called so is found all the same, by other paths.
    let refused = daemon.refused(Method::GET, "/api/v1/workflows/state/tasks", None).await;
    assert_eq!(refused.1, "WORKFLOW_NOT_FOUND");
}

/// Every method of every path that only a daemon has: what is not in the table is refused, and nothing is written by asking.
#[tokio::test]
async fn every_row_of_the_table_is_served_and_nothing_else() {
    let daemon = Daemon::new();
    daemon.begin().await;
    let before = daemon.get("/api/v1/events/history?limit=1").await;
    for endpoint in daemon_endpoints() {
        let path = endpoint.path.replace(['{', '}'], "");
        for method in ["GET", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE"] {
            if path.ends_with("/stream") && matches!(method, "GET" | "HEAD") {
                // Without an end; another test reads it.
                continue;
            }
            let request = Request::builder().method(method).uri(&path).header("host", "localhost:3721");
            let answer = daemon.send(request.body(Body::empty()).unwrap()).await;
            let is_meant = |method: &Method, wanted: &str| match wanted {
                "HEAD" => *method == Method::GET && endpoint.path != "/ws",
                wanted => method.as_str() == wanted,
            };
            let is_served = daemon_endpoints()
                .iter()
                .any(|other| other.path == endpoint.path && is_meant(&other.method, method));
            assert_eq!(answer.status == StatusCode::METHOD_NOT_ALLOWED, !is_served, "{method} {path}");
            assert!(answer.status.as_u16() < 500, "{method} {path}");
            answer.assert_guarded(&path);
        }
    }
    assert_eq!(daemon.get("/api/v1/events/history?limit=1").await, before, "asking changes nothing");
    let mut paths: Vec<_> =
        daemon_endpoints().iter().map(|endpoint| format!("{} {}", endpoint.method, endpoint.path)).collect();
    paths.sort();
    assert_eq!(paths.len(), 66, "{paths:#?}");
}

/// A body that is made of what bodies are made of.
fn body() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<i64>().prop_map(|number| json!(number)),
        "\\PC{0,12}".prop_map(|text| json!(text)),
        proptest::sample::select(vec![
            "finger-orchestrator",
            "echo-input",
            "completed",
            "Y",
            "1,3",
            "plan_created"
        ])
        .prop_map(|text| json!(text)),
    ];
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,8}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    });
    let name = proptest::sample::select(vec![
        "target",
        "message",
        "blocking",
        "workflowId",
        "input",
        "hard",
        "trigger",
        "context",
        "options",
        "default",
        "multiSelect",
        "timeoutMs",
        "response",
        "sessionId",
        "projectPath",
        "name",
        "checkpointId",
        "taskProgress",
        "originalTask",
        "agentStates",
        "resourceId",
        "content",
        "role",
        "callbackId",
        "sender",
        "taskId",
        "intentAnalysis",
        "task",
        "agent",
        "proposal",
        "watch",
    ]);
    proptest::collection::vec((name, value), 0..6).prop_map(|members| {
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever is sent, it is answered or refused in the form of the contract, and nothing breaks.
    #[test]
    fn any_body_is_answered_or_refused(body in body(), at in any::<proptest::sample::Index>()) {
        let posts: Vec<_> = daemon_endpoints().into_iter().filter(|endpoint| endpoint.method == Method::POST).collect();
        let path = at.get(&posts).path.replace(['{', '}'], "");
        let mut body = body;
        // Nothing here would ever end the wait.
        for name in ["blocking", "watch"] {
            if body.get(name) == Some(&json!(true)) {
                body[name] = json!(false);
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let daemon = Daemon::new();
            let answer = daemon.request(Method::POST, &path, Some(body), &[]).await;
            assert!(answer.status.as_u16() < 500, "{path}: {}", answer.text());
            if answer.status != StatusCode::OK {
                let refusal = answer.json();
                assert!(refusal["code"].is_string() && refusal["error"].is_string() && refusal["details"].is_object());
            }
        });
    }
}
