//! The API as OpenAPI 3.1 and in words, made from the table of endpoints and the types, and held equal to both: what is
//! documented exists, what exists is documented, and what is answered has the form that is documented.
//!
//! `UPDATE_DOCS=1 cargo test -p server --test it openapi` writes both.

mod operations;
mod words;

use crate::support::Answer;
use crate::support::daemon::Daemon;
use crate::whole::WholeLists as _;
use http::{Method, StatusCode};
use jsonschema::Validator;
use operations::{Operation, all};
use protocol::workflow::{ErrorCode, EventGroup, EventType, Refusal};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::Path;

/// What is there, or with `UPDATE_DOCS` what should be.
#[track_caller]
fn hold(name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs").join(name);
    if fs::read_to_string(&path).is_ok_and(|found| found == wanted) {
        return;
    }
    let update = env::var_os("UPDATE_DOCS").is_some_and(|value| !value.is_empty());
    assert!(update, "docs/{name} is out of date: UPDATE_DOCS=1 cargo test -p server --test it openapi");
    fs::write(path, wanted).unwrap();
}

fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for operation in all() {
        let entry = paths.entry(operation.path).or_insert_with(|| json!({}));
        entry[operation.method.to_lowercase()] = described(&operation, &mut generator);
    }
    let event = event(&mut generator);
    let refusal = generator.subschema_for::<Refusal>();
    assert_eq!(refusal.get("$ref"), Some(&json!("#/components/schemas/Refusal")));
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Event".to_owned(), event);
    schemas.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "aide daemon",
            "version": "1",
            "description": "Workflows, tasks, decisions, sessions and events. A request that changes something can be sent again with \
                its Idempotency-Key; times are ISO 8601 in UTC.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "http://localhost:8080" }],
        "security": [{}, { "bearer": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": {
                "IdempotencyKey": {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "description": "A name of the caller's choice for this request. For seven days, the same request with the same name \
                        is executed only once and returns the first answer; a different request with the same name is \
                        refused (409).",
                    "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x20-\\x7e]+$" },
                },
            },
            "headers": {
                "NextCursor": {
                    "description": "With `limit`, where there is more: the `cursor` of the part that follows.",
                    "schema": { "type": "string" },
                },
            },
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The secret in daemon.json. Programs of the user that runs the daemon need none on loopback.",
                },
            },
        },
    })
}

/// The names in braces of a path.
fn names(path: &str) -> Vec<&str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}

fn described(operation: &Operation, generator: &mut SchemaGenerator) -> Value {
    let mut parameters: Vec<Value> = names(operation.path)
        .into_iter()
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(operation.query.iter().map(|query| {
        json!({ "name": query.name, "in": "query", "description": query.about, "schema": query.schema })
    }));
    if operation.method != "GET" {
        parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
    }
    let mut responses = Map::new();
    let schema = (operation.answer)(generator);
    let mut ok = json!({ "description": "Done.", "content": { operation.media_type: { "schema": schema } } });
    if operation.is_list {
        ok["headers"] = json!({ "Next-Cursor": { "$ref": "#/components/headers/NextCursor" } });
    }
    responses.insert(if operation.path == "/ws" { "101" } else { "200" }.to_owned(), ok);
    let refusal = json!({ "application/json": { "schema": generator.subschema_for::<Refusal>() } });
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in &operation.codes {
        by_status.entry(code.status()).or_default().push(code.name());
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), json!({ "description": codes.join(", "), "content": refusal }));
    }
    responses.insert("default".to_owned(), json!({ "description": "Refused.", "content": refusal }));
    let mut described = json!({
        "operationId": id(operation),
        "tags": [operation.group],
        "summary": operation.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some((body, required)) = &operation.body {
        let schema = body(generator);
        described["requestBody"] =
            json!({ "required": required, "content": { "application/json": { "schema": schema } } });
    }
    described
}

/// A name for programs that are made from this.
fn id(operation: &Operation) -> String {
    let parts = operation.path.trim_start_matches("/api/v1").split(['/', '.', '_', '{', '}']);
    let parts = parts.filter(|part| !part.is_empty());
    let words = parts.map(|part| part[..1].to_uppercase() + &part[1..]);
    operation.method.to_lowercase() + &words.collect::<String>()
}

/// The schema of an event as sent, each type with its payload.
fn event(generator: &mut SchemaGenerator) -> Value {
    let payloads = protocol::workflow::payload_schemas(generator);
    let variants: Vec<Value> = payloads
        .into_iter()
        .map(|(kind, payload)| json!({ "properties": { "type": { "const": kind.name() }, "payload": payload } }))
        .collect();
    json!({
        "type": "object",
        "description": "An event. Members other than those listed here are also in `payload`.",
        "properties": {
            "type": { "enum": EventType::NAMES },
            "sessionId": { "type": ["string", "null"] },
            "timestamp": { "type": "string", "format": "date-time" },
            "payload": { "type": "object" },
            "seq": { "type": "integer", "description": "Its sequence number; consecutive." },
            "eventId": { "type": "string" },
            "workflowId": { "type": "string" },
            "taskId": { "type": "string" },
            "agentId": { "type": "string" },
        },
        "required": ["type", "timestamp", "payload", "seq", "eventId"],
        "oneOf": variants,
    })
}

#[test]
fn the_document_is_what_is_made_from_table_and_types() {
    hold("openapi.json", &(serde_json::to_string_pretty(&document()).unwrap() + "\n"));
}

#[test]
fn the_words_are_what_is_made_from_the_document() {
    hold("API.md", &words::render(&document(), &all()));
}

#[test]
fn what_is_documented_exists_and_what_exists_is_documented() {
    let documented: Vec<(String, String)> =
        all().iter().map(|operation| (operation.method.to_owned(), operation.path.to_owned())).collect();
    let found: BTreeSet<(String, String)> = server::daemon_endpoints()
        .iter()
        .map(|endpoint| (endpoint.method.to_string(), endpoint.path.to_owned()))
        .collect();
    assert_eq!(documented.iter().cloned().collect::<BTreeSet<_>>(), found);
    assert_eq!(documented.len(), found.len(), "documented twice");
    let ids: BTreeSet<String> = all().iter().map(id).collect();
    assert_eq!(ids.len(), documented.len(), "two have the same name");
    for operation in all() {
        let takes_body = server::daemon_endpoints().iter().any(|endpoint| {
            endpoint.path == operation.path
                && endpoint.method == operation.method
                && endpoint.media_type.is_some()
        });
        assert!(operation.body.is_none() || takes_body, "{} takes no body", operation.path);
    }
}

#[test]
fn every_group_is_told_with_its_types() {
    let told = words::render(&document(), &all());
    for kind in EventType::ALL {
        assert!(told.contains(&format!("| `{kind}` | {} |", kind.group())), "{kind}");
    }
    for group in EventGroup::ALL {
        assert!(told.contains(&format!("`{group}`")), "{group}");
    }
    for code in ErrorCode::ALL {
        assert!(told.contains(&format!("`{code}`")), "{code}");
    }
}

/// Validates what is answered.
struct CheckedDaemon {
    daemon: Daemon,
    /// How many requests had a name.
    keys: usize,
    document: Value,
    /// What was asked successfully.
    asked: BTreeSet<(String, String)>,
}

impl CheckedDaemon {
    /// What has changed something is asked again under its name: it is answered the same, and nothing happens. Another
    /// request of that name is refused.
    async fn ask_again(
        &mut self,
        method: &Method,
        path: &str,
        body: Option<Value>,
        key: &[(&str, &str)],
        first: &Answer,
    ) {
        self.keys += 1;
        let state = async || {
            let (log, states) = (self.daemon.runtime.log().unwrap(), self.daemon.runtime.states().unwrap());
            (log.last, json!(states), self.daemon.get("/api/v1/mailbox?limit=1000").await)
        };
        let before = state().await;
        let again = self.daemon.request(method.clone(), path, body.clone(), key).await;
        assert_eq!((again.status, again.json()), (first.status, first.json()), "{method} {path} again");
        let mut other = body.unwrap_or_else(|| json!({}));
        other["other"] = json!(true);
        let other = self.daemon.request(method.clone(), path, Some(other), key).await;
        let code = other.json()["code"].clone();
        assert_eq!((other.status.as_u16(), code), (409, json!("IDEMPOTENCY_CONFLICT")), "{method} {path}");
        assert_eq!(state().await, before, "{method} {path} again");
    }

    fn validator(&self, schema: &Value) -> Validator {
        let mut schema = schema.clone();
        schema["components"] = self.document["components"].clone();
        jsonschema::draft202012::new(&schema).unwrap()
    }

    #[track_caller]
    fn check(&self, what: &str, schema: &Value, value: &Value) {
        let validator = self.validator(schema);
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{what}: {errors:#?} in {value:#}");
    }

    /// Asks, and holds question and answer against what is documented; the answer.
    async fn ask(
        &mut self,
        method: &str,
        path: &str,
        names: &[&str],
        query: &str,
        body: Option<Value>,
    ) -> Value {
        let described = self.document["paths"][path][method.to_lowercase()].clone();
        assert!(described.is_object(), "{method} {path}");
        let mut real = path.to_owned();
        for (name, value) in self::names(path).iter().zip(names) {
            real = real.replace(&format!("{{{name}}}"), value);
        }
        if let Some(body) = &body {
            let schema = &described["requestBody"]["content"]["application/json"]["schema"];
            self.check(&format!("the body of {method} {path}"), schema, body);
        }
        let name: Method = method.parse().unwrap();
        let key = format!("key-{}", self.keys);
        let key = [("idempotency-key", &*key)];
        let headers: &[_] = if name == Method::GET { &[] } else { &key };
        let answer =
            self.daemon.request(name.clone(), &format!("{real}{query}"), body.clone(), headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{method} {real}: {}", answer.text());
        if name != Method::GET {
            self.ask_again(&name, &real, body, &key, &answer).await;
        }
        let schema = &described["responses"]["200"]["content"]["application/json"]["schema"];
        self.check(&format!("{method} {path}"), schema, &answer.json());
        self.asked.insert((method.to_owned(), path.to_owned()));
        answer.json()
    }
}

#[tokio::test]
async fn what_is_answered_has_the_documented_form() {
    let mut api =
        CheckedDaemon { daemon: Daemon::new(), keys: 0, document: document(), asked: BTreeSet::new() };
    for path in [
        "/health",
        "/api/test",
        "/api/v1/openapi.json",
        "/api/v1/modules",
        "/api/v1/routes",
        "/api/v1/agents",
        "/api/v1/resources",
        "/api/v1/tools",
        "/api/v1/events/types",
        "/api/v1/events/groups",
        "/api/v1/workflows",
        "/api/v1/workflows/state",
        "/api/v1/sessions",
        "/api/v1/sessions/resumable",
        "/api/v1/decision",
    ] {
        api.ask("GET", path, &[], "", None).await;
    }
    let text = |value: &Value, name: &str| {
        value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned()
    };
    let session = api
        .ask("POST", "/api/v1/sessions", &[], "", Some(json!({ "name": "n", "projectPath": "/tmp" })))
        .await;
    let session = text(&session, "id");
    let of = [session.as_str()];
    api.ask("POST", "/api/v1/sessions/current", &[], "", Some(json!({ "sessionId": session }))).await;
    api.ask("GET", "/api/v1/sessions/current", &[], "", None).await;
    api.ask("GET", "/api/v1/sessions/{session}", &of, "", None).await;
    api.ask(
        "POST",
        "/api/v1/sessions/{session}/messages",
        &of,
        "",
        Some(json!({ "content": "hi", "role": "user" })),
    )
    .await;
    api.ask("GET", "/api/v1/sessions/{session}/messages", &of, "?limit=5", None).await;
    api.ask("GET", "/api/v1/sessions/{session}/context", &of, "", None).await;
    api.ask("POST", "/api/v1/sessions/{session}/pause", &of, "", None).await;
    api.ask("POST", "/api/v1/sessions/{session}/resume", &of, "", Some(json!({}))).await;
    api.ask("POST", "/api/v1/sessions/{session}/compress", &of, "", None).await;
    let progress = json!([{ "taskId": "t", "status": "pending" }, { "taskId": "u", "status": "completed", "result": { "success": true } }]);
    let checkpoint =
        json!({ "sessionId": session, "originalTask": "t", "taskProgress": progress, "context": {} });
    let checkpoint = api.ask("POST", "/api/v1/session/checkpoint", &[], "", Some(checkpoint)).await;
    api.ask(
        "GET",
        "/api/v1/session/checkpoint/{checkpoint}",
        &[&text(&checkpoint, "checkpointId")],
        "",
        None,
    )
    .await;

    let message = json!({ "content": "搜索 deepseek", "sessionId": session });
    let message = json!({ "target": "finger-orchestrator", "message": message, "blocking": false, "sender": "cli", "callbackId": "cli-1-a" });
    let begun = api.ask("POST", "/api/v1/message", &[], "", Some(message)).await;
    let workflow = text(&begun, "workflowId");
    let on = [workflow.as_str()];
    api.ask(
        "POST",
        "/api/v1/message",
        &[],
        "",
        Some(json!({ "target": "echo-input", "message": "m", "blocking": true })),
    )
    .await;
    api.ask("GET", "/api/v1/mailbox", &[], "?limit=5&status=completed", None).await;
    api.ask("GET", "/api/v1/mailbox/{message}", &[&text(&begun, "messageId")], "", None).await;
    api.ask("GET", "/api/v1/mailbox/callback/{callback}", &["cli-1-a"], "", None).await;
    api.ask("POST", "/api/v1/mailbox/clear", &[], "", None).await;
    let tasks = json!([{ "id": "task-1", "description": "a" }, { "id": "task-2", "description": "b", "dependencies": ["task-1"] }]);
    for (trigger, context) in [
        ("intent_analyzed", json!({ "intent": {} })),
        ("routing_decided", json!({ "route": "full_replan" })),
        ("plan_created", json!({ "tasks": tasks })),
        (
            "task_started",
            json!({ "tasks": [{ "id": "task-1", "status": "in_progress", "assignee": "executor-coding" }] }),
        ),
    ] {
        let body = json!({ "trigger": trigger, "context": context });
        api.ask("POST", "/api/v1/workflow/{workflow}/transition", &on, "", Some(body)).await;
    }
    let deploy = json!({ "resourceId": "executor-general", "sessionId": session, "workflowId": workflow });
    api.ask("POST", "/api/v1/resources/deploy", &[], "", Some(deploy)).await;
    api.ask("GET", "/api/v1/agent/{agent}/progress", &["executor-general"], "", None).await;
    api.ask("GET", "/api/v1/agents/{agent}/capabilities", &["executor-general"], "", None).await;
    api.ask("POST", "/api/v1/resources/release", &[], "", Some(json!({ "resourceId": "executor-general" })))
        .await;

    for policy in ["allow", "ask", "deny"] {
        let body = json!({ "policy": policy });
        api.ask("PUT", "/api/v1/tools/{tool}/policy", &["web_search"], "", Some(body)).await;
    }

    let asked = json!({ "message": "Go on?", "options": ["Y", "n"], "workflowId": workflow, "taskId": "task-1", "default": "Y", "timeoutMs": 60000, "multiSelect": false });
    let asked = api.ask("POST", "/api/v1/decision", &[], "", Some(asked)).await;
    let decision = text(&asked, "decisionId");
    for path in [
        "/api/v1/workflows/{workflow}",
        "/api/v1/workflows/{workflow}/state",
        "/api/v1/workflows/{workflow}/tasks",
    ] {
        api.ask("GET", path, &on, "", None).await;
    }
    api.ask("GET", "/api/v1/decision/{decision}", &[&decision], "?wait=1", None).await;
    api.ask("GET", "/api/v1/decision", &[], &format!("?status=pending&workflowId={workflow}"), None).await;
    api.ask(
        "POST",
        "/api/v1/decision/{decision}/respond",
        &[&decision],
        "",
        Some(json!({ "response": "Y" })),
    )
    .await;
    api.ask("GET", "/api/v1/decision/{decision}", &[&decision], "", None).await;
    api.ask(
        "POST",
        "/api/v1/workflow/input",
        &[],
        "",
        Some(json!({ "workflowId": workflow, "input": "shorter" })),
    )
    .await;
    api.ask("POST", "/api/v1/workflow/pause", &[], "", Some(json!({ "workflowId": workflow, "hard": true })))
        .await;
    api.ask("GET", "/api/v1/sessions/resumable", &[], "", None).await;
    api.ask("GET", "/api/v1/sessions/{session}/checkpoint/latest", &of, "", None).await;
    api.ask("GET", "/api/v1/session/{session}/checkpoint/latest", &of, "", None).await;
    api.ask("POST", "/api/v1/session/resume", &[], "", Some(json!({ "sessionId": session }))).await;
    api.ask("POST", "/api/v1/workflow/pause", &[], "", Some(json!({ "workflowId": workflow }))).await;
    api.ask("POST", "/api/v1/workflow/resume", &[], "", Some(json!({ "workflowId": workflow }))).await;
    for (trigger, context) in [
        (
            "task_completed",
            json!({ "tasks": [{ "id": "task-1", "status": "completed" }, { "id": "task-2", "status": "completed" }] }),
        ),
        ("review_passed", json!({ "output": { "path": "./r.md", "output": "r" } })),
    ] {
        let body = json!({ "trigger": trigger, "context": context });
        api.ask("POST", "/api/v1/workflow/{workflow}/transition", &on, "", Some(body)).await;
    }
    api.ask("GET", "/api/v1/workflows/{workflow}/output", &on, "", None).await;
    for by_path in [true, false] {
        let message = json!({ "target": "finger-orchestrator", "message": "another" });
        let begun = api.ask("POST", "/api/v1/message", &[], "", Some(message)).await;
        let workflow = text(&begun, "workflowId");
        if by_path {
            api.ask("POST", "/api/v1/workflows/{workflow}/cancel", &[&workflow], "", None).await;
            api.ask("DELETE", "/api/v1/workflows/{workflow}", &[&workflow], "", None).await;
        } else {
            api.ask("POST", "/api/v1/workflow/cancel", &[], "", Some(json!({ "workflowId": workflow })))
                .await;
        }
    }
    for (root, timeout) in [("/p", None), ("/q", Some(60_000))] {
        let mut body = json!({ "projectPath": root, "setId": "2026-02-23T03-00-00" });
        if let Some(timeout) = timeout {
            body["timeoutMs"] = json!(timeout);
        }
        api.ask("POST", "/api/v1/questions", &[], "", Some(body)).await;
    }
    api.ask("GET", "/api/v1/workflows", &[], "", None).await;
    api.ask("GET", "/api/v1/workflows/state", &[], "", None).await;
    // Events of all that, each with the payload of its type.
    api.ask("GET", "/api/v1/events/history", &[], "?limit=1000", None).await;
    let spare = api.ask("POST", "/api/v1/sessions", &[], "", None).await;
    api.ask("DELETE", "/api/v1/sessions/{session}", &[&text(&spare, "id")], "", None).await;

    // With a provider that answers for the agents.
    api.daemon = crate::stages::daemon();
    for (stage, body, _) in crate::stages::stages() {
        api.ask("POST", &format!("/api/v1/agent/{stage}"), &[], "", Some(body)).await;
    }
    let body = json!({ "task": "x", "watch": true, "projectPath": "/p" });
    api.ask("POST", "/api/v1/agent/orchestrate", &[], "", Some(body)).await;
    api.ask("GET", "/api/v1/events/history", &[], "?limit=1000", None).await;

    let not_asked: Vec<(String, String)> = all()
        .iter()
        .map(|operation| (operation.method.to_owned(), operation.path.to_owned()))
        .filter(|operation| !api.asked.contains(operation))
        .collect();
    // These answer otherwise; `sockets.rs` and `load.rs` have them.
    let elsewhere =
        ["/api/v1/events/stream", "/ws", "/metrics"].map(|path| ("GET".to_owned(), path.to_owned()));
    assert_eq!(not_asked, elsewhere);
}

#[tokio::test]
async fn refusals_have_the_documented_form() {
    let mut api =
        CheckedDaemon { daemon: Daemon::new(), keys: 0, document: document(), asked: BTreeSet::new() };
    let refusal = json!({ "$ref": "#/components/schemas/Refusal" });
    for operation in all() {
        let path = operation.path.replace(['{', '}'], "");
        let method: Method = operation.method.parse().unwrap();
        // With names that nothing has, and bodies that are none.
        for body in [
            None,
            Some(json!({})),
            Some(json!([])),
            Some(json!({ "workflowId": 7, "message": [], "sessionId": {} })),
        ] {
            if method == Method::GET && body.is_some() || operation.path.ends_with("stream") {
                continue;
            }
            let answer = api.daemon.request(method.clone(), &path, body.clone(), &[]).await;
            let status = answer.status.as_u16();
            assert!(status < 500, "{method} {path} {body:?}: {}", answer.text());
            if status != 200 {
                api.check(&format!("{method} {path} {body:?}"), &refusal, &answer.json());
                let code = answer.json()["code"].as_str().and_then(ErrorCode::named).unwrap();
                assert_eq!(code.status(), status, "{method} {path}");
                let general = [ErrorCode::InvalidJson, ErrorCode::InvalidRequest, ErrorCode::MissingField];
                let is_told =
                    operation.codes.contains(&code) || general.contains(&code) && operation.body.is_some();
                assert!(is_told || code == ErrorCode::InvalidRequest, "{method} {path} {body:?}: {code}");
            }
        }
    }
    api.asked.clear();
}
