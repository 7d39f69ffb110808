//! Envelopes: what each type of message needs, and how they agree with their commands.

use super::commands::routed;
use protocol::agent::{Envelope, Format, MessageType, Mode, Order};
use serde_json::{Value, json};

fn command() -> Value {
    json!({
        "schema_version": "1.0",
        "message_id": "msg_20260112T090000Z_1a2b3c4d",
        "plan_id": "plan_7f3e91ab",
        "task_id": "task_consensus",
        "command_id": "cmd_task_consensus_001",
        "producer_agent_id": "agent_general_manager",
        "type": "command",
        "created_at": "2026-01-12T09:00:00Z",
        "payload": { "command": routed() }
    })
}

fn artifact() -> Value {
    json!({
        "schema_version": "1.0",
        "message_id": "msg_20260112T090130Z_9f8e7d6c",
        "plan_id": "plan_7f3e91ab",
        "task_id": "task_consensus",
        "output_name": "report",
        "producer_agent_id": "agent_review_coordinator",
        "type": "artifact",
        "created_at": "2026-01-12T09:01:30Z",
        "payload": { "files": [{ "path": "a/report.json", "sha256": format!("sha256:{}", "ab".repeat(32)) }] },
        "correlation": { "parent_command_id": "cmd_task_consensus_001" },
        "notes": { "kept": true }
    })
}

fn problems(value: &Value, mode: Mode) -> Vec<String> {
    let problems = Envelope::from_value_for(value, mode).err().unwrap_or_default();
    problems.iter().map(|problem| format!("{} {}", problem.path, problem.code())).collect()
}

/// With members set, or removed where the value is `null`.
fn changed(mut value: Value, changes: &[(&str, Value)]) -> Value {
    for (path, new) in changes {
        let (parent, key) = path.rsplit_once('/').unwrap();
        let parent = value.pointer_mut(parent).unwrap();
        parent[key] = new.clone();
    }
    value
}

#[test]
fn a_message_comes_back_as_it_was() {
    for value in [command(), artifact()] {
        let envelope = Envelope::from_value(&value).unwrap();
        assert_eq!(serde_json::to_value(&envelope).unwrap(), value);
    }
    let envelope = Envelope::from_value(&artifact()).unwrap();
    assert_eq!(envelope.kind, MessageType::Artifact);
    assert_eq!(envelope.files()[0].path, "a/report.json");
    assert_eq!(envelope.files()[0].path.file_name(), "report.json");
    assert_eq!(Envelope::from_value(&command()).unwrap().command().unwrap().seq(), 1);
}

#[test]
fn each_type_needs_what_it_carries() {
    for (value, changes, expected) in [
        (command(), vec![("/task_id", Value::Null)], vec!["task_id SCHEMA_INVALID"]),
        (command(), vec![("/command_id", Value::Null)], vec!["command_id SCHEMA_INVALID"]),
        (command(), vec![("/payload/command", Value::Null)], vec!["payload.command SCHEMA_INVALID"]),
        (artifact(), vec![("/payload/files", Value::Null)], vec!["payload.files SCHEMA_INVALID"]),
        (artifact(), vec![("/payload/files", json!([]))], vec!["payload.files SCHEMA_INVALID"]),
        (artifact(), vec![("/output_name", Value::Null)], vec!["output_name SCHEMA_INVALID"]),
        (artifact(), vec![("/task_id", Value::Null)], vec!["task_id SCHEMA_INVALID"]),
        (artifact(), vec![("/payload", Value::Null)], vec!["payload SCHEMA_INVALID"]),
        (artifact(), vec![("/type", json!("note"))], vec!["type UNSUPPORTED_MESSAGE_TYPE"]),
        (artifact(), vec![("/type", Value::Null)], vec!["type SCHEMA_INVALID"]),
        (artifact(), vec![("/message_id", json!("../x"))], vec!["message_id SCHEMA_INVALID"]),
        (artifact(), vec![("/created_at", json!("yesterday"))], vec!["created_at SCHEMA_INVALID"]),
        (
            artifact(),
            vec![("/payload/files/0/path", json!("../a"))],
            vec!["payload.files[0].path UNSAFE_PATH"],
        ),
        (
            artifact(),
            vec![("/payload/files/0/sha256", json!("ab"))],
            vec!["payload.files[0].sha256 SCHEMA_INVALID"],
        ),
        (
            artifact(),
            vec![("/payload/files/0/size_bytes", json!(-1))],
            vec!["payload.files[0].size_bytes SCHEMA_INVALID"],
        ),
        (
            command(),
            vec![("/plan_id", json!("plan_other"))],
            vec!["payload.command.plan_id COMMAND_ENVELOPE_MISMATCH"],
        ),
        (
            command(),
            vec![("/task_id", json!("task_other"))],
            vec!["payload.command.task_id COMMAND_ENVELOPE_MISMATCH"],
        ),
        (
            command(),
            vec![("/command_id", json!("cmd_other_001"))],
            vec!["payload.command.command_id COMMAND_ENVELOPE_MISMATCH"],
        ),
        (
            command(),
            vec![("/payload/command/command_seq", json!(2))],
            vec!["payload.command.command_seq COMMAND_SEQ_MISMATCH"],
        ),
        (
            command(),
            vec![("/payload/command/schema_version", json!("2.0"))],
            vec!["payload.command.schema_version SCHEMA_VERSION_UNSUPPORTED"],
        ),
    ] {
        assert_eq!(problems(&changed(value, &changes), Mode::Routed), expected, "{changes:?}");
    }
    let file = artifact()["payload"]["files"][0].clone();
    let twice = changed(artifact(), &[("/payload/files", json!([file, file]))]);
    assert_eq!(problems(&twice, Mode::Routed), ["payload.files[1].path SCHEMA_INVALID"]);
}

#[test]
fn a_command_is_given_with_or_without_an_envelope() {
    let bare = routed();
    assert!(matches!(Order::from_value(&bare), Ok(Order::Bare(_))));
    let lenient = changed(command(), &[("/payload/command/dag_ref", Value::Null)]);
    let Ok(order @ Order::Envelope(_)) = Order::from_value(&lenient) else { panic!() };
    assert_eq!(order.command().unwrap().task_id, "task_consensus");
    assert!(Envelope::from_value(&lenient).is_err());
    let paths = |value: &Value| -> Vec<String> {
        Order::from_value(value).unwrap_err().into_iter().map(|problem| problem.path).collect()
    };
    assert_eq!(paths(&artifact()), ["type"]);
    assert_eq!(paths(&json!([])), [""]);
}
