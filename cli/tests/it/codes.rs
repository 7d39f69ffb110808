//! Each error code that agents receive, provoked by a run of the program and looked for where it must be reported.

use crate::support::plan::{self, NOW, PLAN, node};
use crate::support::worker;
use crate::support::{CommandOutput, Folder};
use agent::sha256;
use protocol::agent::Code;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

/// A code, and how the scene is prepared so that the next run must tell it.
type Row<Scene> = (Code, fn(&Scene));

/// Told by `aide plan lint`, and `aide plan activate` refuses the plan.
const LINTED: &[Row<plan::Scene>] = &[
    (Code::DagDuplicateTask, |scene| {
        scene.author(&[node("a", &[], &["agent_b"]), node("a", &[], &["agent_b"])])
    }),
    (Code::DagUnknownDependency, |scene| scene.author(&[node("a", &["z"], &["agent_b"])])),
    (Code::DagCycle, |scene| {
        scene.author(&[node("a", &["b"], &["agent_b"]), node("b", &["a"], &["agent_a"])])
    }),
    (Code::DagDuplicateOutput, |scene| {
        let mut twice = node("a", &[], &["agent_b"]);
        twice["outputs"] = json!([twice["outputs"][0], twice["outputs"][0]]);
        scene.author(&[twice]);
    }),
    (Code::DagUnknownFallback, |scene| {
        let mut falls_back = node("b", &["a"], &["agent_a"]);
        falls_back["failure_policy"] = json!({ "on_dependency_failed": "FALLBACK", "fallback_task_id": "z" });
        scene.author(&[node("a", &[], &["agent_b"]), falls_back]);
    }),
];

/// Told by `aide plan tick` about a message in an outbox: a dead letter and an alert.
const UNDELIVERABLE: &[Row<plan::Scene>] = &[
    (Code::EnvelopeParseError, |scene| scene.puts("agent_a", "x.msg.json", "{ no JSON")),
    (Code::SchemaInvalid, |scene| artifact_with(scene, &[("/created_at", json!(1))])),
    (Code::SchemaVersionUnsupported, |scene| artifact_with(scene, &[("/schema_version", json!("2.0"))])),
    (Code::UnsupportedMessageType, |scene| artifact_with(scene, &[("/type", json!("rumour"))])),
    (Code::RoutingNoTarget, |scene| {
        scene.author(&[node("a", &[], &[]), node("b", &["a"], &["agent_a"])]);
        scene.activate();
        artifact_with(scene, &[]);
    }),
    (Code::TargetAgentNotFound, |scene| {
        fs::remove_dir_all(scene.0.join(".aide/agents/agent_b")).unwrap();
        artifact_with(scene, &[]);
    }),
    (Code::MessageIdReusedWithDifferentPayload, |scene| {
        artifact_with(scene, &[]);
        assert_eq!(scene.plan(&["tick"]).code, Some(0));
        artifact_with(scene, &[("/created_at", json!("2026-01-12T09:00:01Z"))]);
    }),
    (Code::MissingPayload, |scene| {
        artifact_with(scene, &[]);
        fs::remove_file(scene.0.join(&outbox("agent_a", "a.md"))).unwrap();
    }),
    (Code::PayloadShaMismatch, |scene| {
        artifact_with(scene, &[]);
        scene.puts("agent_a", "a.md", "another text");
    }),
    (Code::UnsafePath, |scene| {
        artifact_with(scene, &[]);
        let file = scene.0.join(&outbox("agent_a", "a.md"));
        fs::remove_file(&file).unwrap();
        symlink("/etc/hostname", file).unwrap();
    }),
    (Code::DagTaskNotFound, |scene| artifact_with(scene, &[("/task_id", json!("z"))])),
    (Code::DagOutputNotFound, |scene| artifact_with(scene, &[("/output_name", json!("z"))])),
    // Something else has the name of the file where it is delivered, each time that this is tried.
    (Code::UnhandledException, |scene| {
        fs::create_dir_all(scene.0.join(&format!(".aide/agents/agent_b/inbox/{PLAN}/a.md/x"))).unwrap();
        artifact_with(scene, &[]);
        for tried in 1..=3 {
            assert_eq!(scene.plan(&["tick"]).code, Some(0));
            let log = scene.0.join(&system("deliveries.jsonl"));
            let lines = fs::read_to_string(&log).unwrap();
            let mut lines: Vec<Value> =
                lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(lines.iter().filter(|line| line["status"] == "FAILED").count(), tried);
            // Long ago, so that it is tried again at once.
            lines.iter_mut().for_each(|line| line["delivered_at"] = json!(NOW));
            fs::write(log, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        }
    }),
];

/// The same about a message with a command.
const COMMANDS: &[Row<plan::Scene>] = &[
    (Code::CommandEnvelopeMismatch, |scene| command_with(scene, &[("/task_id", json!("b"))])),
    (Code::CommandSeqMissing, |scene| command_with(scene, &[("/payload/command/command_seq", Value::Null)])),
    (Code::CommandSeqInvalidFormat, |scene| {
        command_with(
            scene,
            &[("/command_id", json!("cmd_a")), ("/payload/command/command_id", json!("cmd_a"))],
        );
    }),
    (Code::CommandSeqMismatch, |scene| command_with(scene, &[("/payload/command/command_seq", json!(8))])),
    (Code::CommandTaskMismatch, |scene| {
        let other = json!("cmd_b_009");
        command_with(scene, &[("/command_id", other.clone()), ("/payload/command/command_id", other)]);
    }),
    (Code::CommandDagMismatch, |scene| {
        command_with(scene, &[("/payload/command/dag_ref/sha256", json!(sha256(b"another DAG")))]);
    }),
];

/// Told by `aide plan tick` about another document in an outbox: a dead letter and an alert.
const REFUSED: &[Row<plan::Scene>] = &[
    (Code::AckSchemaInvalid, |scene| scene.puts("agent_a", "ack_m.json", "{}")),
    (Code::AckIdReusedWithDifferentContent, |scene| {
        let ack = |status: &str| {
            json!({ "schema_version": "1.0", "plan_id": PLAN, "message_id": "m", "consumer_agent_id": "agent_a",
                "status": status, "consumed_at": NOW, "finished_at": NOW })
        };
        twice(scene, "ack_m.json", &ack("SUCCEEDED"), &ack("FAILED"));
    }),
    (Code::HumanRequestSchemaInvalid, |scene| {
        scene.puts("agent_a", "human_intervention_request_r.json", "{}");
    }),
    (Code::HumanRequestIdReusedWithDifferentContent, |scene| {
        twice(scene, "human_intervention_request_r.json", &request("CLARIFY"), &request("MISSING_FILE"));
    }),
    (Code::HumanResponseSchemaInvalid, |scene| {
        scene.puts("agent_human_gateway", "human_intervention_response_r.json", "{}");
    }),
    (Code::HumanResponseMissingDeliverTo, |scene| {
        asks(scene);
        let mut provides = response("PROVIDE");
        provides["provided_files"] = json!([{ "name": "x.md" }]);
        responds(scene, &provides);
    }),
    (Code::HumanResponseIdReusedWithDifferentContent, |scene| {
        asks(scene);
        responds(scene, &response("APPROVE"));
        assert_eq!(scene.plan(&["tick"]).code, Some(0));
        responds(scene, &response("REJECT"));
    }),
    (Code::DecisionSchemaInvalid, |scene| scene.puts("agent_a", "decision_record_d.json", "{}")),
    (Code::DecisionIdReusedWithDifferentContent, |scene| {
        let subject = json!({ "kind": "proposal" });
        twice(scene, "decision_record_d.json", &decision("APPROVE", &subject), &decision("REJECT", &subject));
    }),
    (Code::ReleaseManifestSchemaInvalid, |scene| scene.puts("agent_a", "release_manifest_r.json", "{}")),
    (Code::ReleaseIdReusedWithDifferentContent, |scene| {
        twice(scene, "release_manifest_r.json", &release("APPROVE"), &release("REJECT"));
    }),
];

/// Told by `aide plan tick` about the plan itself, which does not go on: an alert.
const PAUSED: &[Row<plan::Scene>] = &[
    (Code::DagMissing, |scene| fs::remove_file(scene.0.join(&system("task_dag.json"))).unwrap()),
    (Code::DagSchemaVersionUnsupported, |scene| {
        change(&scene.0, &system("task_dag.json"), &[("/schema_version", json!("2.0"))]);
    }),
    (Code::DagInvalid, |scene| change(&scene.0, &system("task_dag.json"), &[("/nodes", json!([]))])),
    (Code::DagTaskNoAssignee, |scene| {
        change(&scene.0, &system("task_dag.json"), &[("/nodes/0/assigned_agent_id", Value::Null)]);
    }),
    (Code::ActiveDagRefInvalid, |scene| scene.0.write(&system("active_dag_ref.json"), "{}")),
    (Code::ActiveDagRefMismatch, |scene| {
        let dag = fs::read_to_string(scene.0.join(&system("task_dag.json"))).unwrap();
        scene.0.write(&system("task_dag.json"), format!("{dag}\n"));
        // For a moment that is so whenever another DAG becomes active.
        assert_eq!(scene.alerts_of_a_tick(), [""; 0]);
    }),
];

/// Told by `aide plan tick` about what is going on: an alert.
const ALERTED: &[Row<plan::Scene>] = &[
    (Code::HumanGatewayAgentMissing, |scene| {
        fs::remove_dir_all(scene.0.join(".aide/agents/agent_human_gateway")).unwrap();
        scene.0.write(".aide/agents/agent_human_gateway", "not a folder");
        scene.puts("agent_a", "human_intervention_request_r.json", request("CLARIFY").to_string());
    }),
    (Code::TaskFailed, |scene| acknowledges(scene, "FAILED")),
    (Code::CommandAckTimeout, |scene| acknowledges(scene, "CONSUMED")),
    (Code::CommandArchiveInconsistent, |scene| {
        let name = scene.names(&system("commands")).remove(0);
        let changes = [("/payload/command/command_id", json!("cmd_a_009"))];
        change(&scene.0, &system(&format!("commands/{name}")), &changes);
    }),
    (Code::PlanStatusAggregationFailed, |scene| {
        fs::remove_file(scene.0.join(&system("plan_status.json"))).unwrap();
        fs::create_dir_all(scene.0.join(&system("plan_status.json/x"))).unwrap();
    }),
    // The judgement that the gate of `a` needs does not come in time, and is taken as given.
    (Code::Timeout, |scene| {
        let evidence = "artifact_validation_result.json";
        let mut gated = node("a", &[], &["agent_b"]);
        gated["gates"] = json!({ "required": true, "evidence_required": [evidence] });
        scene.author(&[gated, node("b", &["a"], &["agent_a"])]);
        let mut judges = plan::command("b");
        judges["produces"][0]["files"][0]["path"] = json!(evidence);
        scene.0.write("plan/commands/b.json", judges.to_string());
        let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": NOW, "agents": [],
            "deliverables": [{ "name": "a_out" }], "policies": { "timeouts": {
                "artifact_validation": { "timeout_seconds": 1, "default_decision": "APPROVE" } } } });
        scene.0.write("plan/plan_manifest.json", manifest.to_string());
        scene.activate();
        assert_eq!(scene.plan(&["tick"]).code, Some(0));
        acknowledges(scene, "SUCCEEDED");
    }),
    (Code::HeartbeatTimeout, |scene| {
        let status = json!({ "schema_version": "1.0", "agent_id": "agent_a", "last_heartbeat": NOW,
            "health": "HEALTHY", "status": "RUNNING" });
        scene.0.write(".aide/agents/agent_a/status_heartbeat.json", status.to_string());
    }),
    (Code::ReleaseDecisionMismatch, |scene| {
        let released = release("APPROVE").to_string();
        scene.puts("agent_a", "release_manifest_r.json", &released);
        let subject = json!({ "kind": "release", "ref_sha256": sha256(released.as_bytes()) });
        scene.puts("agent_a", "decision_record_d.json", decision("REJECT", &subject).to_string());
    }),
];

/// Told by `aide agent run` about a message that it puts aside: it lies in `.deadletter/`, with an alert.
const PUT_ASIDE: &[Row<worker::Scene>] = &[
    (Code::EnvelopeInvalid, |scene| arrives(scene, &[("/plan_id", json!("plan_other"))])),
    (Code::UnknownMessageType, |scene| arrives(scene, &[("/type", json!("rumour"))])),
    (Code::InputConflict, |scene| {
        // Otherwise the latest counts.
        let config = r#"{"schema_version":"1.0","agent_id":"worker","poll_interval_seconds":10,"inputs":{"keep_versions":false}}"#;
        scene.0.write(&format!("{}/heartbeat_config.json", worker::AGENT), config);
        scene.artifact("msg_1", "x.md", "one");
        assert_eq!(scene.once(&[]).code, Some(0));
        scene.artifact("msg_2", "x.md", "two");
    }),
];

/// The same for codes that the router has as well (contract/plans §14).
const PUT_ASIDE_TOO: &[Row<worker::Scene>] = &[
    (Code::EnvelopeParseError, |scene| scene.deliver("x.msg.json", "{ no JSON")),
    (Code::SchemaInvalid, |scene| arrives(scene, &[("/created_at", json!(1))])),
    (Code::SchemaVersionUnsupported, |scene| arrives(scene, &[("/schema_version", json!("2.0"))])),
    (Code::CommandEnvelopeMismatch, |scene| {
        scene.deliver("1.msg.json", worker::command(1, json!({ "task_id": "task_2" })));
    }),
    (Code::MessageIdReusedWithDifferentPayload, |scene| {
        scene.artifact("msg_x", "x.md", "content");
        assert_eq!(scene.once(&[]).code, Some(0));
        scene.artifact("msg_x", "x.md", "another content");
    }),
    (Code::MissingPayload, |scene| {
        is_given_up_at_once(scene);
        scene.artifact("msg_x", "x.md", "content");
        fs::remove_file(scene.0.join(&inbox("x.md"))).unwrap();
    }),
    (Code::PayloadShaMismatch, |scene| {
        is_given_up_at_once(scene);
        scene.artifact("msg_x", "x.md", "content");
        scene.deliver("x.md", "another content");
    }),
    (Code::UnsafePath, |scene| arrives(scene, &[("/payload/files/0/path", json!("../x.md"))])),
];

/// Told by `aide agent run` in an alert of the agent.
const TOLD_BY_AGENT: &[Row<worker::Scene>] = &[
    (Code::PayloadFinalizeConflict, |scene| {
        scene.0.write(&inbox(".processed/_payload/msg_x/x.md"), "another text");
        scene.artifact("msg_x", "x.md", "content");
    }),
    (Code::WaitForInputsTimeout, waits_for_long),
    (Code::TaskStateCorruptFallback, |scene| {
        let needs = json!({ "required_inputs": ["x.md"] });
        scene.deliver("1.msg.json", worker::command(1, needs));
        assert_eq!(scene.once(&[]).code, Some(0));
        scene.0.write(&state(1), "{");
    }),
];

/// The same for a code that commands fail with as well.
const TOLD_BY_AGENT_TOO: &[Row<worker::Scene>] = &[(Code::InputAmbiguous, |scene| {
    made_by_two_tasks(scene);
    scene.deliver("1.msg.json", worker::command(1, needing_an_input()));
})];

/// Told by `aide agent exec`: its message and exit code, and the acknowledgement of the command.
const FAILED: &[Row<worker::Scene>] = &[
    (Code::LlmFailed, |scene| {
        scene.0.write("fake.sh", "cat > /dev/null; echo broken >&2; exit 3");
        given(scene, json!({}));
    }),
    (Code::LlmOutputInvalid, |scene| {
        answers(scene, "no JSON");
        given(scene, json!({ "score_required": true, "score_criteria": "c" }));
    }),
    (Code::ScoreMissing, |scene| {
        answers(scene, r#"{"result":"r"}"#);
        given(scene, json!({ "score_required": true, "score_criteria": "c" }));
    }),
    (Code::ScoreOutOfRange, |scene| {
        answers(scene, r#"{"result":"r","score":101}"#);
        given(scene, json!({ "score_required": true, "score_criteria": "c" }));
    }),
    (Code::OutputMissing, |scene| {
        answers(scene, r#"{"result":"r"}"#);
        let files = json!([{ "path": "x.md" }, { "path": "y.md" }]);
        given(scene, json!({ "produces": [{ "output_name": "o", "files": files }] }));
    }),
    (Code::OutputCollision, |scene| {
        let produces = json!({ "produces": [{ "output_name": "o", "files": [{ "path": "x.md" }] }] });
        answers(scene, "theirs");
        scene.0.write("2.json", worker::command(2, produces.clone()));
        assert_eq!(exec(scene, "2.json").code, Some(0));
        answers(scene, "ours");
        given(scene, produces);
    }),
    (Code::IdempotencyKeyReused, |scene| {
        let keyed = |prompt: &str| json!({ "idempotency_key": "k", "prompt": prompt });
        scene.0.write("2.json", worker::command(2, keyed("This.")));
        assert_eq!(exec(scene, "2.json").code, Some(0));
        given(scene, keyed("That."));
    }),
    (Code::InputAmbiguous, |scene| {
        made_by_two_tasks(scene);
        given(scene, json!({ "required_inputs": ["x.md"], "wait_for_inputs": false }));
    }),
    (Code::HumanRejected, |scene| {
        asks_person(scene);
        let listed: Value = serde_json::from_str(&scene.0.aide(["decide", "list", "--json"]).stdout).unwrap();
        let session = listed[0]["session_id"].as_str().unwrap();
        assert_eq!(scene.0.aide(["decide", "cancel", session]).code, Some(0));
    }),
    (Code::HumanTimeout, |scene| {
        assert_eq!(scene.0.aide(["config", "set", "agent.human_timeout", "1"]).code, Some(0));
        asks_person(scene);
        change(&scene.0, &state(1), &[("/blocking/asked_at", json!(NOW))]);
    }),
];

/// The same for a code that the monitor has as well (contract/plans §14).
const FAILED_TOO: &[Row<worker::Scene>] = &[(Code::Timeout, |scene| {
    let config = fs::read_to_string(scene.0.join("home/.config/aide/config.toml")).unwrap();
    scene.0.write("home/.config/aide/config.toml", config + "timeout = 1\n");
    scene.0.write("fake.sh", "exec sleep 60");
    given(scene, json!({}));
})];

fn outbox(agent: &str, name: &str) -> String {
    format!(".aide/agents/{agent}/outbox/{PLAN}/{name}")
}

/// A file of the plan among those of the system.
fn system(name: &str) -> String {
    format!(".aide/system_runtime/plans/{PLAN}/{name}")
}

impl plan::Scene {
    /// A document in an agent's outbox.
    fn puts(&self, agent: &str, name: &str, content: impl AsRef<[u8]>) {
        self.0.write(&outbox(agent, name), content);
    }
}

fn changed(mut document: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        *document.pointer_mut(pointer).unwrap() = value.clone();
    }
    document
}

/// Changes a JSON file.
fn change(folder: &Folder, path: &str, changes: &[(&str, Value)]) {
    let document = serde_json::from_slice(&fs::read(folder.join(path)).unwrap()).unwrap();
    folder.write(path, changed(document, changes).to_string());
}

/// The output of `a` in the outbox of its agent, whole but for these changes.
fn artifact_with(scene: &plan::Scene, changes: &[(&str, Value)]) {
    scene.sends("agent_a", "msg_x", "a_out", "a.md", Some("text"));
    change(&scene.0, &outbox("agent_a", "msg_x.msg.json"), changes);
}

/// A command for `a` in the outbox of another agent, right but for these changes.
fn command_with(scene: &plan::Scene, changes: &[(&str, Value)]) {
    let dag = fs::read(scene.0.join(&system("task_dag.json"))).unwrap();
    let mut command = plan::command("a");
    command["command_id"] = json!("cmd_a_009");
    command["command_seq"] = json!(9);
    command["dag_ref"] = json!({ "sha256": sha256(&dag) });
    let message = json!({
        "schema_version": "1.0", "message_id": "msg_c", "plan_id": PLAN, "task_id": "a", "command_id": "cmd_a_009",
        "producer_agent_id": "agent_b", "type": "command", "created_at": NOW, "payload": { "command": command },
    });
    scene.puts("agent_b", "cmd_a_009.msg.json", changed(message, changes).to_string());
}

/// A document that is archived, and then another one of the same id.
fn twice(scene: &plan::Scene, name: &str, first: &Value, second: &Value) {
    scene.puts("agent_a", name, first.to_string());
    assert_eq!(scene.plan(&["tick"]).code, Some(0));
    scene.puts("agent_a", name, second.to_string());
}

fn request(kind: &str) -> Value {
    json!({ "schema_version": "1.0", "request_id": "r", "plan_id": PLAN, "created_at": NOW, "severity": "HIGH",
        "type": kind, "needed": {} })
}

fn asks(scene: &plan::Scene) {
    scene.puts("agent_a", "human_intervention_request_r.json", request("CLARIFY").to_string());
    assert_eq!(scene.plan(&["tick"]).code, Some(0));
}

fn response(decision: &str) -> Value {
    json!({ "schema_version": "1.0", "request_id": "r", "plan_id": PLAN, "responded_at": NOW, "decision": decision })
}

fn responds(scene: &plan::Scene, response: &Value) {
    scene.puts("agent_human_gateway", "human_intervention_response_r.json", response.to_string());
}

fn release(decision: &str) -> Value {
    json!({ "schema_version": "1.0", "release_id": "r", "plan_id": PLAN, "created_at": NOW,
        "release_manager_agent_id": "agent_a", "decision": decision })
}

fn decision(decision: &str, subject: &Value) -> Value {
    let kind = if subject["kind"] == "release" { "RELEASE" } else { "PROPOSAL_REVIEW" };
    json!({ "schema_version": "1.0", "decision_id": "d", "plan_id": PLAN, "decision_type": kind,
        "decision": decision, "decided_by_agent_id": "agent_a", "created_at": NOW, "subject": subject })
}

/// `agent_a` says that of the command that it has got, and that it did so long ago.
fn acknowledges(scene: &plan::Scene, status: &str) {
    let inbox = format!(".aide/agents/agent_a/inbox/{PLAN}");
    let name = scene.names(&inbox).pop().unwrap();
    let command: Value =
        serde_json::from_slice(&fs::read(scene.0.join(&format!("{inbox}/{name}"))).unwrap()).unwrap();
    let message = command["message_id"].as_str().unwrap();
    let mut ack = json!({ "schema_version": "1.0", "plan_id": PLAN, "message_id": message, "task_id": "a",
        "command_id": command["command_id"], "consumer_agent_id": "agent_a", "status": status, "consumed_at": NOW });
    if status != "CONSUMED" {
        ack["finished_at"] = json!(NOW);
    }
    scene.puts("agent_a", &format!("ack_{message}.json"), ack.to_string());
}

/// An artifact in the inbox of the agent, whole but for these changes.
fn arrives(scene: &worker::Scene, changes: &[(&str, Value)]) {
    scene.artifact("msg_x", "x.md", "content");
    change(&scene.0, &inbox("artifact_msg_x.msg.json"), changes);
}

fn inbox(name: &str) -> String {
    format!("{}/inbox/{}/{name}", worker::AGENT, worker::PLAN)
}

fn state(task: u64) -> String {
    format!("{}/outbox/{}/task_state_task_{task}.json", worker::AGENT, worker::PLAN)
}

/// What a command says that waits for `x.md`.
fn needing_an_input() -> Value {
    json!({ "required_inputs": ["x.md"], "timeout": 60 })
}

/// What is not whole is not waited for.
fn is_given_up_at_once(scene: &worker::Scene) {
    assert_eq!(scene.0.aide(["config", "set", "agent.settle_time", "0"]).code, Some(0));
}

/// A command that waits for its input, as if for long.
fn waits_for_long(scene: &worker::Scene) {
    scene.deliver("1.msg.json", worker::command(1, needing_an_input()));
    assert_eq!(scene.once(&[]).code, Some(0));
    change(&scene.0, &state(1), &[("/blocking/started_at", json!(NOW))]);
}

/// An input of the same name from each of two tasks.
fn made_by_two_tasks(scene: &worker::Scene) {
    for task in ["task_b", "task_c"] {
        let message = format!("msg_{task}");
        scene.artifact(&message, "x.md", &format!("by {task}"));
        change(&scene.0, &inbox(&format!("artifact_{message}.msg.json")), &[("/task_id", json!(task))]);
        assert_eq!(scene.once(&[]).code, Some(0));
    }
}

/// The command `1.json`.
fn given(scene: &worker::Scene, further: Value) {
    scene.0.write("1.json", worker::command(1, further));
}

fn answers(scene: &worker::Scene, answer: &str) {
    scene.0.write("fake.sh", format!("cat > /dev/null\ncat <<'END'\n{answer}\nEND\n"));
}

fn exec(scene: &worker::Scene, file: &str) -> CommandOutput {
    let mut command = scene.0.command(["agent", "exec", "--agent", "worker", "--no-wait", file]);
    command.env("HOME", scene.0.join("home")).env("PATH", "/usr/bin:/bin");
    CommandOutput::new(command.output().unwrap())
}

/// The command `1.json` has waited for its input for so long that a person is asked.
fn asks_person(scene: &worker::Scene) {
    given(scene, needing_an_input());
    assert_eq!(exec(scene, "1.json").code, Some(75));
    change(&scene.0, &state(1), &[("/blocking/started_at", json!(NOW))]);
    assert_eq!(exec(scene, "1.json").code, Some(75));
    let state = scene.json(&format!("outbox/{}/task_state_task_1.json", worker::PLAN)).unwrap();
    assert_eq!(state["state"], "BLOCKED_WAITING_HUMAN");
}

/// The JSON files in a folder.
fn documents(folder: &Folder, path: &str) -> Vec<Value> {
    let entries = fs::read_dir(folder.join(path)).into_iter().flatten().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|it| it == "json"));
    files.map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect()
}

fn dead_letters(scene: &plan::Scene, code: Code) -> usize {
    let letters = documents(&scene.0, &format!(".aide/system_runtime/deadletter/{PLAN}"));
    letters.iter().filter(|letter| letter["reason"]["code"] == code.name()).count()
}

/// How many alerts of a plan have this code.
fn alerts(folder: &Folder, plan: &str, code: Code) -> usize {
    let alerts = documents(folder, &format!(".aide/system_runtime/alerts/{plan}"));
    alerts.iter().filter(|alert| alert["type"] == code.name() && alert["plan_id"] == plan).count()
}

/// A plan of two tasks. The command of the first has been delivered.
fn under_way() -> plan::Scene {
    let scene = plan::Scene::two_tasks();
    scene.activate();
    assert_eq!(scene.plan(&["tick"]).code, Some(0));
    scene
}

fn worker_scene() -> worker::Scene {
    worker::Scene::new("cat > /dev/null; echo r")
}

/// A pass tells the code in `event`, once, and its alert is there; the next pass tells nothing again.
#[track_caller]
fn told_once(scene: &plan::Scene, code: Code, event: &str) -> Value {
    assert_eq!(alerts(&scene.0, PLAN, code), 0, "{code}");
    let count = |tick: &Value, event: &str| {
        let happened = tick["happened"].as_array().unwrap().iter();
        happened.filter(|it| it["event"] == event && it["code"] == code.name()).count()
    };
    let tick = scene.json(&["tick", "--json"]);
    assert_eq!(count(&tick, event), 1, "{code}: {tick}");
    assert_eq!((count(&tick, "alerted"), alerts(&scene.0, PLAN, code)), (1, 1), "{code}: {tick}");
    let again = scene.json(&["tick", "--json"]);
    assert_eq!((count(&again, "alerted"), count(&again, event)), (0, 0), "{code}: {again}");
    tick
}

#[test]
fn what_is_wrong_with_a_dag_is_told_before_it_becomes_active() {
    let prepared = plan::Scene::two_tasks();
    for (code, provoke) in LINTED {
        let scene = plan::Scene(prepared.0.copied());
        provoke(&scene);
        let linted = scene.plan(&["lint", "plan", "--json"]);
        let found: Value = serde_json::from_str(&linted.stdout).unwrap();
        let is_told = found["findings"].as_array().unwrap().iter().any(|it| it["code"] == code.name());
        assert_eq!((linted.code, is_told), (Some(1), true), "{code}: {linted:?}");
        let refused = scene.plan(&["activate", "plan"]);
        assert_eq!(refused.code, Some(1), "{code}: {refused:?}");
        assert!(refused.stderr.contains(code.name()), "{code}: {refused:?}");
    }
}

#[test]
fn what_the_changed_messages_were_changed_from_is_delivered() {
    let scene = under_way();
    artifact_with(&scene, &[]);
    command_with(&scene, &[]);
    let tick = scene.json(&["tick", "--json"]);
    let delivered = tick["happened"].as_array().unwrap().iter().filter(|it| it["event"] == "delivered");
    assert_eq!((delivered.count(), tick["happened"].as_array().unwrap().len()), (2, 2), "{tick}");
}

#[track_caller]
fn are_dead_letters(rows: &[Row<plan::Scene>], lines_of_log: usize) {
    let prepared = under_way();
    for (code, provoke) in rows {
        let scene = plan::Scene(prepared.0.copied());
        provoke(&scene);
        told_once(&scene, *code, "given_up");
        assert_eq!(dead_letters(&scene, *code), 1, "{code}");
        assert_eq!(logged(&scene), vec![code.name(); lines_of_log], "{code}");
    }
}

/// Of a message, the log of deliveries tells it as well.
fn logged(scene: &plan::Scene) -> Vec<String> {
    let log = fs::read_to_string(scene.0.join(&system("deliveries.jsonl"))).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let dead = lines.filter(|line| line["status"] == "DEADLETTERED");
    dead.map(|line| line["error"]["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_message_that_cannot_be_delivered_is_a_dead_letter() {
    are_dead_letters(UNDELIVERABLE, 1);
}

#[test]
fn a_command_that_cannot_be_delivered_is_a_dead_letter() {
    are_dead_letters(COMMANDS, 1);
}

#[test]
fn another_document_that_is_refused_is_a_dead_letter() {
    are_dead_letters(REFUSED, 0);
}

#[test]
fn a_plan_that_does_not_go_on_is_told() {
    let prepared = under_way();
    for (code, provoke) in PAUSED {
        let scene = plan::Scene(prepared.0.copied());
        provoke(&scene);
        let tick = told_once(&scene, *code, "alerted");
        assert_eq!(tick["paused"], json!([{ "plan_id": PLAN, "code": code.name() }]), "{code}");
        assert_eq!(scene.plan(&["tick"]).code, Some(1), "{code}");
    }
}

#[test]
fn what_goes_wrong_with_a_plan_leaves_an_alert() {
    let prepared = under_way();
    for (code, provoke) in ALERTED {
        let scene = plan::Scene(prepared.0.copied());
        provoke(&scene);
        told_once(&scene, *code, "alerted");
    }
}

/// What the agent has told comes to the alerts of its plan.
#[track_caller]
fn collected(scene: &worker::Scene, code: Code) {
    let alerts_of_agent = documents(&scene.0, &format!("{}/outbox/{}", worker::AGENT, worker::PLAN));
    assert_eq!(alerts_of_agent.iter().filter(|it| it["type"] == code.name()).count(), 1, "{code}");
    let tick: Value = serde_json::from_str(&scene.0.aide(["plan", "tick", "--json"]).stdout).unwrap();
    let happened = tick["happened"].as_array().unwrap();
    assert!(
        happened.iter().any(|it| it["event"] == "alerted" && it["code"] == code.name()),
        "{code}: {tick}"
    );
    assert_eq!(alerts(&scene.0, worker::PLAN, code), 1, "{code}");
}

#[test]
fn a_message_that_an_agent_cannot_take_is_put_aside() {
    for (code, provoke) in PUT_ASIDE.iter().chain(PUT_ASIDE_TOO) {
        let scene = worker_scene();
        provoke(&scene);
        let aside = format!("inbox/{}/.deadletter", worker::PLAN);
        assert_eq!(scene.list(&aside, ""), [""; 0], "{code}");
        let ran = scene.once(&["--json"]);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{code}");
        let mut lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        assert!(lines.any(|it| it["event"] == "put_aside" && it["code"] == code.name()), "{code}: {ran:?}");
        assert_eq!(scene.list(&aside, "").len(), 1, "{code}");
        collected(&scene, *code);
    }
}

#[test]
fn what_an_agent_meets_leaves_an_alert() {
    for (code, provoke) in TOLD_BY_AGENT.iter().chain(TOLD_BY_AGENT_TOO) {
        let scene = worker_scene();
        provoke(&scene);
        assert_eq!(scene.once(&["--json"]).code, Some(0), "{code}");
        collected(&scene, *code);
    }
}

#[test]
fn why_a_command_has_failed_is_told_and_acknowledged() {
    for (code, provoke) in FAILED.iter().chain(FAILED_TOO) {
        let scene = worker_scene();
        provoke(&scene);
        assert_ne!(scene.ack("msg_1"), "FAILED", "{code}");
        let failed = exec(&scene, "1.json");
        assert_eq!((failed.code, &*failed.stdout), (Some(1), ""), "{code}: {failed:?}");
        assert!(failed.stderr.starts_with(&format!("✗ {code}: ")), "{code}: {failed:?}");
        let ack = scene.json(&format!("outbox/{}/ack_msg_1.json", worker::PLAN)).unwrap();
        assert_eq!(
            (&ack["status"], &ack["result"]["details"]["code"]),
            (&json!("FAILED"), &json!(code.name()))
        );
    }
}

#[test]
fn each_code_has_a_row() {
    let of_plans = [LINTED, UNDELIVERABLE, COMMANDS, REFUSED, PAUSED, ALERTED].concat();
    let of_agents = [PUT_ASIDE, TOLD_BY_AGENT, FAILED].concat();
    let rows = of_plans.iter().map(|(code, _)| *code).chain(of_agents.iter().map(|(code, _)| *code));
    let mut seen = BTreeSet::new();
    let twice: Vec<Code> = rows.filter(|code| !seen.insert(*code)).collect();
    let missing: Vec<&Code> = Code::ALL.iter().filter(|code| !seen.contains(code)).collect();
    assert_eq!((twice, missing), (Vec::new(), Vec::new()));
}
