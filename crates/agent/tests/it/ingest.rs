//! Files that arrive become inputs (contract/plans §6.5).

use crate::support::{Agent, PLAN, artifact, by_name};
use agent::sha256;
use serde_json::json;
use std::fs;
use std::path::Path;

fn inbox(path: &str) -> String {
    format!("inbox/{PLAN}/{path}")
}

/// The types of alerts, and the names that were put aside.
fn refused(agent: &Agent) -> (Vec<String>, Vec<String>) {
    let mut alerts: Vec<String> =
        agent.in_outbox("alert_").iter().map(|alert| alert["type"].as_str().unwrap().to_owned()).collect();
    alerts.sort();
    (alerts, agent.list(&inbox(".deadletter")))
}

#[test]
fn s6_5_an_artifact_is_filed_indexed_and_acknowledged() {
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("a.md", "A"), ("d/b.md", "B")]);
    agent.file_arrived().unwrap();
    let stored = format!("workspace/{PLAN}/inputs/task_b/out");
    assert_eq!(fs::read(agent.path.join(format!("{stored}/d/b.md"))).unwrap(), b"B");
    let index = agent.json(&format!("workspace/{PLAN}/inputs/input_index.json"));
    let entry = &index["entries"][0];
    assert_eq!(
        (&entry["message_id"], &entry["task_id"], &entry["output_name"]),
        (&json!("msg_1"), &json!("task_b"), &json!("out"))
    );
    assert_eq!(
        entry["files"][0],
        json!({"path": "a.md", "sha256": sha256(b"A"), "stored_at": format!("{stored}/a.md")})
    );
    let ack = agent.json(&format!("outbox/{PLAN}/ack_msg_1.json"));
    assert_eq!((&ack["status"], &ack["consumed_at"]), (&json!("SUCCEEDED"), &ack["finished_at"]));
    assert_eq!(ack["result"]["details"]["ingested_files"].as_array().unwrap().len(), 2);
    // The inbox is clear.
    assert_eq!(agent.list(&inbox("")), Vec::<String>::new());
    assert_eq!(fs::read(agent.path.join(inbox(".processed/_payload/msg_1/d/b.md"))).unwrap(), b"B");
    assert_eq!(agent.list(&inbox(".processed")), ["msg_1__artifact_msg_1.msg.json"]);
}

/// Two implementations agree on which message is which (contract/plans §4): `null`, numbers and escapes are written alike.
#[test]
fn s4_the_content_hash_is_that_of_the_contract() {
    let agent = Agent::answering("r");
    agent.write(&inbox("a.md"), "A");
    let sha = sha256(b"A");
    let sent = format!(
        r#"{{"type": "artifact", "x": null, "subtype": null, "schema_version": "1.0", "message_id": "msg_1",
        "plan_id": "{PLAN}", "task_id": "task_b", "output_name": "out", "producer_agent_id": "agent_b",
        "created_at": "2026-01-12T08:00:00Z", "note": "é\u0001\"\/", "weights": [80, 80.0, 1e2, 1e16, 1.5e-7],
        "correlation": {{"b": null, "a": 1}}, "payload": {{"command": null, "files": [
        {{"size_bytes": 1.0, "sha256": "{sha}", "path": "a.md", "content_type": null}}]}}}}"#
    );
    agent.write(&inbox("artifact_msg_1.msg.json"), sent);
    agent.file_arrived().unwrap();
    let hashed = format!(
        r#"{{"correlation":{{"a":1,"b":null}},"created_at":"2026-01-12T08:00:00Z","message_id":"msg_1",
        "note":"é\u0001\"/","output_name":"out","payload":{{"files":[
        {{"path":"a.md","sha256":"{sha}","size_bytes":1}}]}},"plan_id":"{PLAN}","producer_agent_id":"agent_b",
        "schema_version":"1.0","task_id":"task_b","type":"artifact",
        "weights":[80,80.0,100.0,1e+16,1.5e-7],"x":null}}"#
    );
    let hashed: String = hashed.lines().map(str::trim).collect();
    let ack = agent.json(&format!("outbox/{PLAN}/ack_msg_1.json"));
    assert_eq!(ack["content_sha256"], json!(sha256(hashed.as_bytes())));
}

#[test]
fn s6_5_a_message_that_comes_twice_is_filed_once() {
    let agent = Agent::answering("r");
    for _ in 0..2 {
        agent.arrives("msg_1", "task_b", &[("a.md", "A")]);
        agent.file_arrived().unwrap();
    }
    let index = agent.json(&format!("workspace/{PLAN}/inputs/input_index.json"));
    assert_eq!(index["entries"].as_array().unwrap().len(), 1);
    assert_eq!(refused(&agent), (vec![], vec![]));
    assert_eq!(agent.list(&inbox("")), Vec::<String>::new());
    assert_eq!(agent.list(&inbox(".pending")), Vec::<String>::new());
}

#[test]
fn s6_5_no_file_is_copied_before_all_are_right() {
    for (broken, code) in
        [("gone", "MISSING_PAYLOAD"), ("changed", "PAYLOAD_SHA_MISMATCH"), ("link", "UNSAFE_PATH")]
    {
        let agent = Agent::answering("r");
        agent.arrives("msg_1", "task_b", &[("a.md", "A"), ("b.md", "B")]);
        let path = agent.path.join(inbox("b.md"));
        match broken {
            "gone" => fs::remove_file(&path).unwrap(),
            "changed" => fs::write(&path, "C").unwrap(),
            _ => {
                fs::remove_file(&path).unwrap();
                std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
            }
        }
        agent.file_arrived().unwrap();
        assert_eq!(
            refused(&agent),
            (vec![code.to_owned()], vec!["msg_1__artifact_msg_1.msg.json".to_owned()]),
            "{broken}"
        );
        assert!(!agent.path.join(format!("workspace/{PLAN}/inputs/task_b")).exists(), "{broken}");
        assert_eq!(agent.in_outbox("ack_").len(), 0);
        // Once.
        agent.file_arrived().unwrap();
        assert_eq!(refused(&agent).0.len(), 1);
    }
}

#[test]
fn s6_5_another_content_under_the_same_name_is_a_conflict_where_versions_are_refused() {
    let agent = Agent::answering("r");
    let config = json!({"schema_version": "1.0", "agent_id": "agent_a", "poll_interval_seconds": 1,
        "inputs": {"keep_versions": false}});
    agent.write("heartbeat_config.json", config.to_string());
    agent.arrives("msg_1", "task_b", &[("a.md", "A")]);
    agent.file_arrived().unwrap();
    agent.arrives("msg_2", "task_b", &[("a.md", "other")]);
    agent.file_arrived().unwrap();
    assert_eq!(refused(&agent).0, ["INPUT_CONFLICT"]);
    let alerts = by_name(agent.in_outbox("alert_"), "type");
    let details = &alerts["INPUT_CONFLICT"]["details"];
    assert_eq!((&details["path"], &details["actual"]), (&json!("a.md"), &json!(sha256(b"A"))));
    assert_eq!(fs::read(agent.path.join(format!("workspace/{PLAN}/inputs/task_b/out/a.md"))).unwrap(), b"A");
    // The same content is none.
    fs::remove_file(agent.path.join(inbox("a.md"))).unwrap();
    agent.arrives("msg_3", "task_b", &[("a.md", "A")]);
    agent.file_arrived().unwrap();
    assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_3.json"))["status"], "SUCCEEDED");
}

#[test]
fn s6_5_what_was_put_away_before_is_a_conflict_of_its_own() {
    let agent = Agent::answering("r");
    agent.write(&inbox(".processed/_payload/msg_1/a.md"), "something else");
    agent.arrives("msg_1", "task_b", &[("a.md", "A")]);
    agent.file_arrived().unwrap();
    assert_eq!(refused(&agent).0, ["PAYLOAD_FINALIZE_CONFLICT"]);
    assert_eq!(fs::read(agent.path.join(inbox(".deadletter/_payload_conflict/msg_1/a.md"))).unwrap(), b"A");
    assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_1.json"))["status"], "SUCCEEDED");
}

#[test]
fn s6_5_one_that_was_taken_before_a_kill_is_resumed() {
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("a.md", "A")]);
    fs::create_dir_all(agent.path.join(inbox(".pending"))).unwrap();
    let taken = agent.path.join(inbox(".pending/msg_1__artifact_msg_1.msg.json"));
    fs::rename(agent.path.join(inbox("artifact_msg_1.msg.json")), taken).unwrap();
    agent.file_arrived().unwrap();
    assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_1.json"))["status"], "SUCCEEDED");
}

#[test]
fn one_bad_message_stops_no_other_and_commands_are_left_alone() {
    let agent = Agent::answering("r");
    let file = json!({"path": "../../../evil", "sha256": sha256(b"x")});
    agent.write(&inbox("a_evil.msg.json"), artifact("msg_evil", "task_b", &[file]).to_string());
    agent.write(&inbox("b_half.msg.json"), "{half");
    agent.write(&inbox("c_cmd.msg.json"), crate::support::message(json!({})).to_string());
    let mut other = artifact("msg_other", "task_b", &[json!({"path": "x", "sha256": sha256(b"x")})]);
    other["plan_id"] = json!("plan_other");
    agent.write(&inbox("d_other.msg.json"), other.to_string());
    agent.arrives("msg_1", "task_b", &[("z.md", "Z")]);
    agent.file_arrived().unwrap();
    assert_eq!(refused(&agent).0, ["ENVELOPE_INVALID", "UNSAFE_PATH"]);
    assert_eq!(agent.list(&inbox("")), ["b_half.msg.json", "c_cmd.msg.json"]);
    assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_1.json"))["status"], "SUCCEEDED");
    assert!(!Path::new("/evil").exists());
}
