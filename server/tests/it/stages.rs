//! One phase alone with one request (contract/workflows §3.8).

use crate::support::daemon::Daemon;
use http::{Method, StatusCode};
use llm::{
    Cancellation, Format, Ledger, LlmError, Provider, RecordedAnswer, RecordedRequest, Reply, Request,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A model that answers by what it is asked to be.
#[derive(Debug)]
struct ScriptedModel;

impl Provider for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn format(&self) -> Format {
        Format::Plain
    }

    fn ask(&self, request: &Request, ledger: &dyn Ledger, _: &Cancellation) -> Result<Reply, LlmError> {
        let recorded = RecordedRequest {
            attempt: 1,
            provider: "scripted",
            format: Format::Plain,
            target: "script",
            model: None,
            prompt: &request.prompt,
            wants_json: request.wants_json,
            idempotency_key: request.idempotency_key.as_deref(),
        };
        ledger.request(&recorded).unwrap();
        if request.prompt.contains("no such model") {
            return Err(LlmError::NotFound { program: "think".to_owned() });
        }
        let text = answer(&request.prompt);
        let (raw, took) = (text.as_bytes(), Duration::ZERO);
        ledger.answer(&RecordedAnswer { attempt: 1, format: Format::Plain, raw, took }).unwrap();
        Ok(Reply { answer: llm::read(Format::Plain, raw)?, raw: raw.to_vec(), took, attempts: 1 })
    }
}

fn answer(prompt: &str) -> String {
    let (action, params) = match prompt {
        prompt if prompt.contains("hopeless") => ("FAIL", json!({ "reason": "no way" })),
        prompt if prompt.starts_with("You understand") => {
            ("INTENT_ANALYSIS", json!({ "normalizedIntent": { "goal": "a report" } }))
        }
        prompt if prompt.starts_with("You decide") => ("ROUTE_DECISION", json!({ "route": "full_replan" })),
        prompt if prompt.starts_with("You plan") => {
            ("TASK_PLAN", json!({ "tasks": [{ "id": "task-1", "description": "Write" }] }))
        }
        prompt if prompt.starts_with("You review") => {
            ("REVIEW_APPROVE", json!({ "approved": true, "score": 90, "riskLevel": "low" }))
        }
        prompt if prompt.contains("ask me") && !prompt.contains("\"observation\":") => {
            ("USER_ESCALATE", json!({ "message": "Which?", "options": ["A", "B"] }))
        }
        _ => ("COMPLETE", json!({ "output": "done" })),
    };
    json!({
        "thought": "so", "action": action, "params": params, "expectedOutcome": "so",
        "risk": { "level": "low" }, "confidence": 90,
    })
    .to_string()
}

/// A daemon whose agents all have this model.
pub(crate) fn daemon() -> Daemon {
    Daemon::with_mind(Arc::new(ScriptedModel))
}

/// The requests of the five phases, and what comes of them.
pub(crate) fn stages() -> [(&'static str, Value, Value); 5] {
    let plan = json!({ "tasks": [{
        "id": "task-1", "description": "Write", "dependencies": [], "requiredCapabilities": [], "status": "pending",
    }] });
    [
        (
            "understand",
            json!({ "input": "x" }),
            json!({ "normalizedIntent": { "goal": "a report" }, "confidence": 90.0 }),
        ),
        (
            "route",
            json!({ "intentAnalysis": { "normalizedIntent": { "goal": "a report" } } }),
            json!({ "route": "full_replan", "confidence": 90.0, "payload": null, "requiresConfirmation": false }),
        ),
        ("plan", json!({ "task": "x" }), plan),
        ("execute", json!({ "task": "x", "blocking": true }), json!({ "output": "done" })),
        (
            "review",
            json!({ "proposal": { "task": "x" } }),
            json!({ "approved": true, "score": 90, "riskLevel": "low" }),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_phase_answers_with_its_result() {
    let daemon = daemon();
    for (stage, body, result) in stages() {
        let said = daemon.post(&format!("/api/v1/agent/{stage}"), body).await;
        assert_eq!((&said["success"], &said["result"]), (&json!(true), &result), "{stage}");
        let workflow = said["workflowId"].as_str().unwrap();
        let output = daemon.get(&format!("/api/v1/workflows/{workflow}/output")).await;
        assert_eq!(output["output"], result, "{stage}");
        let message = daemon.get(&format!("/api/v1/mailbox/{}", said["messageId"].as_str().unwrap())).await;
        assert_eq!((&message["status"], &message["result"]), (&json!("completed"), &result), "{stage}");
        let session = said["sessionId"].as_str().unwrap();
        assert!(daemon.get(&format!("/api/v1/sessions/{session}")).await["id"].is_string(), "{stage}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phase_can_be_begun_in_a_session_of_a_folder() {
    let daemon = daemon();
    let plan = |more: Value| {
        let mut body = json!({ "task": "x", "blocking": false });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let said = daemon.post("/api/v1/agent/plan", plan(json!({ "projectPath": "/p" }))).await;
    assert_eq!(said["result"]["status"], "queued");
    for name in ["messageId", "workflowId", "sessionId"] {
        assert_eq!(said["result"][name], said[name], "{name}");
    }
    let session = said["sessionId"].as_str().unwrap();
    assert_eq!(daemon.get(&format!("/api/v1/sessions/{session}")).await["projectPath"], "/p");
    let again = daemon.post("/api/v1/agent/plan", plan(json!({ "sessionId": session }))).await;
    assert_eq!(again["sessionId"], session);
    let refused =
        daemon.refused(Method::POST, "/api/v1/agent/plan", Some(plan(json!({ "sessionId": "no" })))).await;
    assert_eq!((refused.0, &*refused.1), (404, "SESSION_NOT_FOUND"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_not_waited_for_and_asks_a_person() {
    let daemon = daemon();
    let said =
        daemon.post("/api/v1/agent/execute", json!({ "task": "ask me", "agent": "executor-coding" })).await;
    let (workflow, message) = (said["workflowId"].as_str().unwrap(), said["messageId"].as_str().unwrap());
    assert_eq!(said["result"]["status"], "queued", "{said}");
    let pending = format!("/api/v1/decision?workflowId={workflow}&status=pending");
    let decision = loop {
        let asked = daemon.get(&pending).await;
        if let Some(decision) = asked["decisions"][0]["decisionId"].as_str() {
            break decision.to_owned();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(daemon.get(&format!("/api/v1/mailbox/{message}")).await["status"], "processing");
    daemon.post(&format!("/api/v1/decision/{decision}/respond"), json!({ "response": "B" })).await;
    loop {
        let mail = daemon.get(&format!("/api/v1/mailbox/{message}")).await;
        if mail["status"] == "completed" {
            assert_eq!(mail["result"], json!({ "output": "done" }));
            break;
        }
        tokio::task::yield_now().await;
    }
    let tasks = daemon.get(&format!("/api/v1/workflows/{workflow}/tasks")).await;
    assert_eq!(tasks[0]["assignee"], "executor-coding");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_workflow_is_begun_and_waited_for_if_that_is_wanted() {
    let daemon = daemon();
    let begun = daemon.post("/api/v1/agent/orchestrate", json!({ "task": "x" })).await;
    assert_eq!(begun["result"]["workflowId"], begun["workflowId"]);
    let ended = daemon.post("/api/v1/agent/orchestrate", json!({ "task": "x", "watch": true })).await;
    assert_eq!(ended["result"], json!({ "output": "done" }));
    assert_ne!(begun["workflowId"], ended["workflowId"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phase_that_fails_is_a_server_error_with_the_workflow() {
    let daemon = daemon();
    for (task, code, error) in [
        ("hopeless", "AGENT_FAILED", "no way"),
        (
            "no such model",
            "LLM_ERROR",
            "LLM_ERROR: program not found: think (install it, or change the provider's command)",
        ),
    ] {
        for stage in ["plan", "execute"] {
            let body = json!({ "task": task, "blocking": true });
            let path = format!("/api/v1/agent/{stage}");
            let refused = daemon.refused(Method::POST, &path, Some(body)).await;
            assert_eq!((refused.0, &*refused.1, &*refused.2), (500, code, error), "{stage}");
            let workflow = refused.3["workflowId"].as_str().unwrap();
            assert_eq!(
                daemon.get(&format!("/api/v1/workflows/{workflow}/state")).await["fsmState"],
                "failed"
            );
        }
    }
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let daemon = Daemon::new();
    for (stage, field) in [
        ("understand", "input"),
        ("route", "intentAnalysis"),
        ("plan", "task"),
        ("execute", "task"),
        ("review", "proposal"),
        ("orchestrate", "task"),
    ] {
        let path = format!("/api/v1/agent/{stage}");
        for body in [None, Some(json!({ field: null })), Some(json!({ "blocking": false, field: null }))] {
            let refused = daemon.refused(Method::POST, &path, body).await;
            let words = format!("Missing {field}");
            assert_eq!((refused.0, &*refused.1, &*refused.2), (400, "MISSING_FIELD", &*words), "{stage}");
            assert_eq!(refused.3, json!({ "field": field }), "{stage}");
        }
        for name in ["sessionId", "projectPath"] {
            let body = json!({ field: "x", name: 1 });
            let refused = daemon.refused(Method::POST, &path, Some(body)).await;
            assert_eq!((refused.0, &refused.3["field"]), (400, &json!(name)), "{stage}");
        }
        let waits = if stage == "orchestrate" { "watch" } else { "blocking" };
        let refused = daemon.refused(Method::POST, &path, Some(json!({ field: "x", waits: "yes" }))).await;
        assert_eq!((refused.0, &refused.3["field"]), (400, &json!(waits)), "{stage}");
    }
    assert_eq!(daemon.get("/api/v1/workflows").await, json!([]));
}

#[tokio::test]
async fn without_a_provider_a_phase_is_refused_and_says_why() {
    let daemon = Daemon::new();
    for (stage, body, _) in stages() {
        let kind = match stage {
            "execute" => "executor",
            "review" => "reviewer",
            _ => "orchestrator",
        };
        let refused = daemon.refused(Method::POST, &format!("/api/v1/agent/{stage}"), Some(body)).await;
        let words = format!("No provider answers for an agent of type {kind}");
        assert_eq!((refused.0, &*refused.1, &*refused.2), (409, "PROVIDER_MISSING", &*words), "{stage}");
        assert_eq!(refused.3, json!({ "type": kind, "setting": "daemon.provider" }), "{stage}");
    }
    assert_eq!(daemon.get("/api/v1/workflows").await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_a_key_begins_a_phase_once() {
    let daemon = daemon();
    let mut answers = Vec::new();
    for _ in 0..2 {
        let key = [("idempotency-key", "k")];
        let body = json!({ "task": "x" });
        let answer = daemon.request(Method::POST, "/api/v1/agent/plan", Some(body), &key).await;
        assert_eq!(answer.status, StatusCode::OK);
        answers.push(answer.json());
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(daemon.get("/api/v1/workflows").await.as_array().unwrap().len(), 1);
}
