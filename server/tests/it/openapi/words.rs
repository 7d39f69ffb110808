//! The API in words, for readers rather than code generators: `docs/API.md`.

use super::operations::Operation;
use aide_core::{Guard, RULES, RuleTarget, SourcePhases};
use protocol::workflow::{AGENT_RULES, ErrorCode, EventGroup, EventType, TASK_RULES, Trigger, WorkflowState};
use serde_json::Value;
use std::fmt::Write;

const BEGINNING: &str = "\
# API

[Overview](README.md) · [Workflows](guide/workflows.md) · as [OpenAPI 3.1](openapi.json), which a daemon serves at
`/api/v1/openapi.json`

The API by which programs drive a [daemon](guide/workflows.md). This page is generated from the source and tested against it.

- **Where.** `http://localhost:8080`, and WebSockets at `ws://localhost:8081` or `/ws`; other ports are in `daemon.json`.
- **Who.** On loopback, programs of the user that runs the daemon need no login. All others send the secret in its
  `daemon.json` as `Authorization: Bearer …`. `Host` and `Origin` must be the daemon's own.
- **Form.** JSON in UTF-8, at most 1 MiB. A POST without a body needs no content type. Creation also returns 200. Times
  are ISO 8601 in UTC, with milliseconds.
- **Once.** Every request that changes something takes `Idempotency-Key: NAME`. For seven days, the same request with the
  same name is executed only once and returns the first answer; a different request with the same name is refused.
- **Busy.** A request that only reads is answered within 30 seconds, or refused with `UNAVAILABLE` (503): retry later. A request
  that changes something is refused in the same way if it cannot begin within 30 seconds: nothing has changed, and the same
  request with the same `Idempotency-Key` can be sent again. Once begun, it is answered when it is complete.
- **Refusals** are `{\"error\": words, \"code\": code, \"details\": {…}}`. The words are part of the contract.
";

const SOCKET: &str = "\
## WebSocket

A text frame is one JSON object. A client receives all events until it first subscribes.

| the client sends | |
|---|---|
| `{\"type\": \"subscribe\", \"events\": [\"task_*\"], \"groups\": [\"PHASE\"], \"workflowId\": …, \"sessionId\": …, \"since\": …}` | subscribes to these types (`*` matches any characters) and groups, in addition to earlier subscriptions. All members except `type` are optional. `since` first sends the events after that number. |
| `{\"type\": \"unsubscribe\", \"events\": […], \"groups\": […]}` | removes these entries; before the first subscription there are none. Without entries: removes all |
| `{\"type\": \"ping\"}` | is answered with `pong` |

| the daemon sends | |
|---|---|
| `client_id_assigned` | once, at the start |
| `subscribe_confirmed`, `unsubscribe_confirmed`, `pong` | the subscriptions in effect |
| an event | as below: `type`, `sessionId`, `timestamp`, `payload`, `seq`, `eventId`, and `workflowId`, `taskId`, `agentId` |
| `replay_gap` | some events after `since` are no longer kept; the kept ones begin with `oldestSeq` |
| `error` | a frame that could not be understood, with `code`; the connection stays open |

A client with 256 unsent events is closed with 1013 and the reason `{\"seq\": …}`: it reconnects with `since`. A daemon that
stops closes with 1001. It sends a ping every 20 seconds, and closes after two without an answer.
";

pub(super) fn render(document: &Value, operations: &[Operation]) -> String {
    let mut text = BEGINNING.to_owned();
    let mut group = "";
    for operation in operations {
        if operation.group != group {
            group = operation.group;
            write!(text, "\n## {group}\n").unwrap();
        }
        endpoint(&mut text, document, operation);
    }
    text.push('\n');
    text.push_str(SOCKET);
    events(&mut text, document);
    machines(&mut text);
    codes(&mut text);
    text
}

fn endpoint(text: &mut String, document: &Value, operation: &Operation) {
    let described = &document["paths"][operation.path][operation.method.to_lowercase()];
    let (method, path) = (operation.method, operation.path);
    write!(text, "\n### {method} {path}\n\n{}\n", operation.summary).unwrap();
    if !operation.query.is_empty() {
        text.push_str("\n| parameter | |\n|---|---|\n");
        for query in &operation.query {
            writeln!(text, "| `{}` | {} |", query.name, query.about).unwrap();
        }
    }
    if operation.body.is_some() {
        text.push_str("\n| body | type | |\n|---|---|---|\n");
        members(text, document, &described["requestBody"]["content"]["application/json"]["schema"]);
    }
    let status = if path == "/ws" { "101" } else { "200" };
    let answer = &described["responses"][status]["content"][operation.media_type]["schema"];
    if operation.media_type == "application/json" && answer != &serde_json::json!({}) {
        write!(text, "\nAnswer: {}.\n", kind(answer)).unwrap();
    }
    if !operation.codes.is_empty() {
        let codes: Vec<String> =
            operation.codes.iter().map(|code| format!("`{code}` ({})", code.status())).collect();
        write!(text, "\nRefused: {}.\n", codes.join(", ")).unwrap();
    }
}

/// The schema that a reference means.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
    name.map_or(schema, |name| &document["components"]["schemas"][name])
}

fn members(text: &mut String, document: &Value, schema: &Value) {
    let schema = resolved(document, schema);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let about = member["description"].as_str().unwrap_or_default().replace('\n', " ");
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        writeln!(text, "| `{name}`{optional} | {} | {about} |", kind(member)).unwrap();
    }
}

/// A type in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let kinds: Vec<String> = any.iter().filter(|one| one["type"] != "null").map(kind).collect();
        return kinds.join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    if let Some(properties) = schema["properties"].as_object() {
        let members: Vec<String> =
            properties.iter().map(|(name, member)| format!("`{name}`: {}", kind(member))).collect();
        return format!("{{ {} }}", members.join(", "));
    }
    let word = |kind: &str| match kind {
        "array" => format!("list of {}", self::kind(&schema["items"])),
        "integer" => "number".to_owned(),
        "boolean" => "true or false".to_owned(),
        other => other.to_owned(),
    };
    match &schema["type"] {
        Value::String(kind) => word(kind),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.map(word).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

fn events(text: &mut String, document: &Value) {
    text.push_str("\n## Event\n\nEvery event belongs to one group and to `ALL`.\n\n| type | group | payload |\n|---|---|---|\n");
    let variants =
        document["components"]["schemas"]["Event"]["oneOf"].as_array().cloned().unwrap_or_default();
    for (kind, variant) in EventType::ALL.iter().zip(&variants) {
        let payload = resolved(document, &variant["properties"]["payload"]);
        let required: Vec<&str> =
            payload["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let members: Vec<String> =
            payload["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| {
                    if required.contains(&name.as_str()) { format!("`{name}`") } else { format!("`{name}`?") }
                })
                .collect();
        writeln!(text, "| `{kind}` | {} | {} |", kind.group(), members.join(", ")).unwrap();
    }
    let groups: Vec<String> = EventGroup::ALL.iter().map(|group| format!("`{group}`")).collect();
    write!(text, "\nGroups: {}.\n", groups.join(", ")).unwrap();
    text.push_str(
        "\n`tool_*`, `assistant_complete` and `decision_tree_node` are sent while the daemon drives a workflow itself, with its own agents.\n\
         `assistant_chunk` belongs to the contract and is never sent: the answer of a model arrives whole.\n\
         `session_resumed` comes before what follows from it, `user_decision_required` before `waiting_for_user`.\n",
    );
    text.push_str("\n## Types\n");
    let schemas = document["components"]["schemas"].as_object().into_iter().flatten();
    for (name, schema) in schemas.filter(|(name, _)| *name != "Event") {
        let is_payload = variants.iter().any(|variant| {
            variant["properties"]["payload"]["$ref"]
                .as_str()
                .is_some_and(|reference| reference.ends_with(&format!("/{name}")))
        });
        if is_payload || is_body(document, name) {
            continue;
        }
        let about = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
        write!(text, "\n### {name}\n\n{about}\n").unwrap();
        if schema["properties"].is_object() {
            text.push_str("\n| member | type | |\n|---|---|---|\n");
            members(text, document, schema);
        } else {
            let values: Vec<String> = names_of(schema).iter().map(|value| format!("`{value}`")).collect();
            if !values.is_empty() {
                write!(text, "\nOne of {}.\n", values.join(", ")).unwrap();
            }
        }
    }
}

/// Whether a type is shown where it is the body of a request.
fn is_body(document: &Value, name: &str) -> bool {
    let paths = document["paths"].as_object().into_iter().flatten();
    let mut methods = paths.flat_map(|(_, methods)| methods.as_object().into_iter().flatten());
    methods.any(|(_, described)| {
        let reference = described["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
        reference.is_some_and(|reference| reference.ends_with(&format!("/{name}")))
    })
}

/// The values of a type that is one of a few names.
fn names_of(schema: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let simple = schema["enum"].as_array().into_iter().flatten().filter_map(text);
    let told = schema["oneOf"].as_array().into_iter().flatten();
    let told = told.flat_map(|one| {
        text(&one["const"]).into_iter().chain(one["enum"].as_array().into_iter().flatten().filter_map(text))
    });
    simple.chain(told).collect()
}

fn machines(text: &mut String) {
    text.push_str(
        "\n## Machines\n\nThe permitted transitions; the first matching row applies. A trigger without a matching row is refused (409).\n\
         \n### Of a workflow\n\n| in | when | if | then |\n|---|---|---|---|\n",
    );
    for rule in RULES {
        let from = match rule.from {
            SourcePhases::State(state) => format!("`{state}`"),
            SourcePhases::Active => "any state that has not ended and is not paused".to_owned(),
            SourcePhases::Open => "any state that has not ended".to_owned(),
        };
        let guard = rule.guard.map(guard).unwrap_or_default();
        let to = match rule.to {
            RuleTarget::State(state) => format!("`{state}`"),
            RuleTarget::Same => "the same".to_owned(),
            RuleTarget::BeforePause => "the one before the pause".to_owned(),
        };
        writeln!(text, "| {from} | `{}` | {guard} | {to} |", rule.trigger).unwrap();
    }
    let states: Vec<String> =
        WorkflowState::ALL.iter().map(|state| format!("`{state}` ({})", state.simple())).collect();
    write!(text, "\nPhases, each in one word: {}.\n", states.join(", ")).unwrap();
    let triggers: Vec<String> = Trigger::ALL.iter().map(|trigger| format!("`{trigger}`")).collect();
    write!(text, "\nTriggers: {}.\n", triggers.join(", ")).unwrap();
    text.push_str("\n### Of a task\n\n| in | when | then |\n|---|---|---|\n");
    for rule in TASK_RULES {
        let triggers: Vec<String> = rule.triggers.iter().map(|trigger| format!("`{trigger}`")).collect();
        writeln!(text, "| `{}` | {} | `{}` |", rule.from, triggers.join(", "), rule.to).unwrap();
    }
    text.push_str("\n### Of an agent\n\n| in | when | then |\n|---|---|---|\n");
    for rule in AGENT_RULES {
        writeln!(text, "| `{}` | `{}` | `{}` |", rule.from, rule.trigger, rule.to).unwrap();
    }
}

fn guard(guard: Guard) -> String {
    let names =
        |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match guard {
        Guard::Route(routes) => {
            format!("`route` is {}", names(routes.iter().map(|route| route.name()).collect()))
        }
        Guard::RouteOrNone(routes) => {
            format!("`route` is {} or absent", names(routes.iter().map(|route| route.name()).collect()))
        }
        Guard::Decision(answers) => {
            format!("`decision` is {}", names(answers.iter().map(|answer| answer.name()).collect()))
        }
        Guard::TasksEnded => "all `tasks` have ended, or there are none".to_owned(),
        Guard::Stage(stages) => {
            format!("`stage` is {}", names(stages.iter().map(|stage| stage.name()).collect()))
        }
        Guard::StageTasksEnded => "`stage` is `execute`, and all `tasks` have ended".to_owned(),
        Guard::CannotRecover => "`retriesExhausted`, and not `replannable`".to_owned(),
        Guard::LastErrorGiven => "`lastError` is given".to_owned(),
    }
}

fn codes(text: &mut String) {
    text.push_str("\n## Codes\n\n| code | status |\n|---|---|\n");
    for code in ErrorCode::ALL {
        writeln!(text, "| `{code}` | {} |", code.status()).unwrap();
    }
    text.push_str(
        "\n`AGENT_FAILED` is 400 if the client waited for the end of a message. A refusal with 409 has\n\
         `details.currentState` if a state forbids the request.\n",
    );
}
