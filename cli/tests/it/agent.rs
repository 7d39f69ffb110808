//! `aide agent exec`, with programs that answer instead of an LLM.

use crate::support::{CommandOutput, Folder, begin, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const AGENT: &str = ".aide/agents/manager";
const SCORED: &str = r#"{"result":"fine","score":85,"score_explanation":"why"}"#;

/// Complete direct commands (contract/plans §5.2), each with its plan.
const DOCUMENT: [(&str, &str); 4] = [
    ("plan_a3f5b2c8", include_str!("../../../crates/protocol/tests/it/agent/document/minimal.json")),
    (
        "plan_project_approval",
        include_str!("../../../crates/protocol/tests/it/agent/document/consensus.json"),
    ),
    (
        "plan_feature_development",
        include_str!("../../../crates/protocol/tests/it/agent/document/delivery.json"),
    ),
    ("plan_weekly_report", include_str!("../../../crates/protocol/tests/it/agent/document/summary.json")),
];

/// A project with an agent, and a provider that runs a script.
struct Scene(Folder);

impl Scene {
    fn new(script: &str) -> Self {
        let folder = Folder::project();
        folder.write(".aide/agents/manager/agent_profile.json", r#"{"prompt":"You are the manager."}"#);
        let scene = Self(folder);
        scene.providers(&[("fake", script)]);
        scene
    }

    fn providers(&self, providers: &[(&str, &str)]) {
        let mut config = String::new();
        for (name, script) in providers {
            self.0.write(&format!("{name}.sh"), script);
            let script = self.0.join(&format!("{name}.sh"));
            config.push_str(&format!(
                "[[agent.providers]]\nname = {name:?}\nkind = \"command\"\ncommand = \"sh\"\nargs = [{:?}]\n",
                script.display().to_string()
            ));
        }
        self.0.write("home/.config/aide/config.toml", config);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let arguments = ["agent", "exec", "--agent", "manager"].iter().chain(arguments);
        let mut command = self.0.command(arguments);
        command.env("HOME", self.0.join("home")).env("PATH", "/usr/bin:/bin");
        command
    }

    fn exec(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    fn input(&self, plan: &str, name: &str) {
        self.0.write(&format!("{AGENT}/workspace/{plan}/inputs/{name}"), format!("content of {name}"));
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&fs::read(self.0.join(path)).unwrap()).unwrap()
    }

    fn outbox(&self, plan: &str, beginning: &str) -> Vec<Value> {
        let folder = self.0.join(&format!("{AGENT}/outbox/{plan}"));
        let names = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap());
        let names = names.filter(|entry| {
            let name = entry.file_name().into_string().unwrap();
            name.starts_with(beginning) && name.ends_with(".json")
        });
        names.map(|entry| serde_json::from_slice(&fs::read(entry.path()).unwrap()).unwrap()).collect()
    }
}

fn answering(answer: &str) -> String {
    format!("cat > prompt.txt\ncat <<'END'\n{answer}\nEND\n")
}

fn needing_nothing(further: Value) -> String {
    let mut command = json!({
        "schema_version": "1.0", "command_id": "cmd_a", "plan_id": "plan_a", "task_id": "task_a", "prompt": "Do it.",
        "required_inputs": [], "wait_for_inputs": true, "score_required": false, "timeout": 3600,
    });
    command.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    command.to_string()
}

#[test]
fn the_four_commands_of_the_document_run_unchanged() {
    let scene = Scene::new(&answering(SCORED));
    let inputs = [
        "feedback_agent_a.json",
        "feedback_agent_b.json",
        "delivery_package.zip",
        "test_spec.json",
        "weekly_report_1.json",
    ];
    let expected = [
        "评估已完成，结果: fine, 分数: 85\n",
        "共识检查完成，结果: fine, 共识度: 85分\n",
        "测试完成，通过率: fine, 质量评分: 85分\n",
        "团队周报已生成: fine\n",
    ];
    for ((plan, command), expected) in DOCUMENT.into_iter().zip(expected) {
        scene.0.write("command.json", command);
        let missing = scene.exec(&["command.json", "--no-wait"]);
        missing.failed_with(75, "✗ 缺少输入: ");
        for name in inputs {
            scene.input(plan, name);
        }
        scene.exec(&["command.json"]).succeeded(expected);
        let envelopes = scene.outbox(plan, "artifact_");
        assert_eq!((envelopes.len(), &envelopes[0]["type"]), (1, &json!("artifact")));
        assert_eq!(scene.outbox(plan, "ack_")[0]["status"], "SUCCEEDED");
    }
    let prompt = format!("{AGENT}/workspace/plan_project_approval/tasks/task_review_consensus/prompt.txt");
    let prompt = fs::read_to_string(scene.0.join(&prompt)).unwrap();
    for part in ["You are the manager.", "content of feedback_agent_a.json", "共识度低于70分"] {
        assert!(prompt.contains(part), "{part}");
    }
}

#[test]
fn standard_output_has_the_message_or_the_document() {
    let scene = Scene::new(&answering("plain\ntext"));
    scene.0.write("a.json", needing_nothing(json!({})));
    scene.exec(&["a.json"]).succeeded("plain\ntext\n");
    let printed = scene.exec(&["a.json", "--json"]);
    let document: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(
        (printed.code, &document["result"], &document["agent_id"]),
        (Some(0), &json!("plain\ntext"), &json!("manager"))
    );
    // From standard input, to a folder that is named by its path.
    let mut command = scene.0.command(["agent", "exec", "-", "--agent", AGENT]);
    command.env("HOME", scene.0.join("home")).env("PATH", "/usr/bin:/bin").stdin(Stdio::piped());
    let mut child = begin(command);
    child.stdin.take().unwrap().write_all(needing_nothing(json!({})).as_bytes()).unwrap();
    CommandOutput::new(child.wait_with_output().unwrap()).succeeded("plain\ntext\n");
}

#[test]
fn a_failure_has_its_code_and_what_to_do() {
    let scene = Scene::new(&answering("no score"));
    scene.0.write("a.json", needing_nothing(json!({"score_required": true, "score_criteria": "x"})));
    scene.exec(&["a.json"]).failed(
        1,
        "✗ LLM_OUTPUT_INVALID: LLM 的回答不符合要求的格式，纠正一次后仍不符合\n  \
         建议: 修改提示词或换一个提供者，以新的命令重新执行\n  the answer has no JSON object\n",
    );
    scene.providers(&[("fake", "cat > /dev/null; echo broken >&2; exit 3")]);
    scene.0.write("a.json", needing_nothing(json!({})));
    let failed = scene.exec(&["a.json", "--lang", "en"]);
    failed.failed_with(1, "✗ LLM_FAILED: the LLM did not answer\n  hint: ");
    assert!(failed.stderr.contains("broken"), "{}", failed.stderr);
}

#[test]
fn an_endpoint_that_refuses_is_named_with_what_to_do() {
    let scene = Scene::new("");
    scene.0.write("a.json", needing_nothing(json!({})));
    for (status, hint) in
        [(401, "check the provider's key"), (404, "check the provider's base_url and model")]
    {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut heard = Vec::new();
            // The body is an object.
            while !heard.ends_with(b"}") {
                let mut buffer = [0; 4096];
                let length = stream.read(&mut buffer).unwrap();
                heard.extend_from_slice(&buffer[..length]);
            }
            let body = "{\"error\":\"no\"}";
            write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        });
        scene.0.write(
            "home/.config/aide/config.toml",
            format!(
                "[[agent.providers]]\nname = \"e\"\nkind = \"openai\"\nbase_url = \"http://{address}/v1\"\nmodel = \"m\"\n"
            ),
        );
        scene.exec(&["a.json", "--lang", "en"]).failed(
            1,
            &format!(
                "✗ LLM_FAILED: the LLM did not answer\n  hint: check the provider's configuration, then try again\n  \
                 http://{address}/v1/chat/completions answered {status}: no ({hint})\n"
            ),
        );
        server.join().unwrap();
    }
}

#[test]
fn half_an_answer_is_corrected_once_and_never_a_result() {
    let scene = Scene::new(&answering("{\"result\":\"The text is so"));
    scene.0.write("a.json", needing_nothing(json!({})));
    let failed = scene.exec(&["a.json", "--lang", "en"]);
    failed.failed_with(1, "✗ LLM_OUTPUT_INVALID: ");
    assert!(failed.stderr.ends_with("(max_tokens)\n") && failed.stdout.is_empty(), "{failed:?}");
}

#[test]
fn gemini_trusts_the_folder_of_a_project_that_the_person_trusts() {
    let scene = Scene::new("");
    scene.0.write(
        "gemini",
        "#!/bin/sh\ncat >/dev/null\nprintf '{\"response\":\"trust: %s\"}' \"$GEMINI_CLI_TRUST_WORKSPACE\"\n",
    );
    let script = scene.0.join("gemini").display().to_string();
    scene.0.write(
        "home/.config/aide/config.toml",
        format!("[[agent.providers]]\nname = \"g\"\nkind = \"command\"\npreset = \"gemini\"\ncommand = {script:?}\n"),
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let ask = |number: u32| {
        scene.0.write("a.json", needing_nothing(json!({"command_id": format!("cmd_{number}")})));
        scene.exec(&["a.json"])
    };
    ask(1).succeeded("trust:\n");
    let mut trust = scene.0.command(["trust"]);
    trust.env("HOME", scene.0.join("home"));
    assert!(trust.output().unwrap().status.success());
    ask(2).succeeded("trust: true\n");
}

#[test]
fn what_cannot_be_executed_is_refused_before_anything_is_written() {
    let scene = Scene::new(&answering("r"));
    let before = scene.0.tree();
    scene.exec(&["nowhere.json"]).failed_with(1, "✗ 文件不存在: nowhere.json\n");
    for (document, told) in [
        ("{", "JSON"),
        ("{}", "schema_version"),
        ("{\"prompt\": \"检查\", \"score_required\": true}", "task_id"),
        (&needing_nothing(json!({"on_complete": {"send_to": "x"}})), "send_to"),
        (&needing_nothing(json!({"required_inputs": ["../../x"]})), "required_inputs[0]"),
        (
            &needing_nothing(json!({"produces": [{"output_name": "o", "files": [{"path": "ack_x.json"}]}]})),
            "path",
        ),
    ] {
        let mut command = scene.command(&["-"]);
        let mut child = begin({
            command.stdin(Stdio::piped());
            command
        });
        child.stdin.take().unwrap().write_all(document.as_bytes()).unwrap();
        let refused = CommandOutput::new(child.wait_with_output().unwrap());
        refused.failed_with(1, "✗ ");
        assert!(refused.stderr.contains(told), "{document}: {}", refused.stderr);
    }
    assert_eq!(scene.0.tree(), before);
    let usage = scene.0.aide(["agent", "exec", "x.json"]);
    usage.failed_with(2, "✗ ");
    scene.0.write("a.json", needing_nothing(json!({})));
    let nobody = scene
        .0
        .command(["agent", "exec", "a.json", "--agent", "nobody"])
        .env("HOME", scene.0.join("home"))
        .output();
    CommandOutput::new(nobody.unwrap()).failed_with(1, "✗ 没有此智能体的文件夹: nobody\n");
}

#[test]
fn the_provider_is_the_one_that_is_named_nearest() {
    let scene = Scene::new("");
    scene.providers(&[("one", &answering("from one")), ("two", &answering("from two"))]);
    scene.0.write("a.json", needing_nothing(json!({})));
    scene.exec(&["a.json"]).failed_with(1, "✗ 有多个提供者: one, two\n");
    scene.exec(&["a.json", "--provider", "two"]).succeeded("from two\n");
    scene
        .exec(&["a.json", "--provider", "three"])
        .failed_with(1, "✗ 没有此提供者: three\n  建议: 可用的提供者: one, two\n");
    scene.0.write(".aide/config.toml", "[agent]\nprovider = \"two\"\n");
    scene.exec(&["a.json"]).succeeded("from two\n");
    scene.0.write(".aide/agents/manager/agent_profile.json", r#"{"provider":"one"}"#);
    scene.exec(&["a.json"]).succeeded("from one\n");
    scene.exec(&["a.json", "--provider", "two"]).succeeded("from two\n");
}

#[test]
fn a_projects_provider_waits_for_trust() {
    let scene = Scene::new("");
    let config = fs::read_to_string(scene.0.join("home/.config/aide/config.toml")).unwrap();
    scene.0.write("fake.sh", answering("trusted"));
    fs::remove_file(scene.0.join("home/.config/aide/config.toml")).unwrap();
    scene.0.write(".aide/config.toml", config);
    scene.0.write("a.json", needing_nothing(json!({})));
    let refused = scene.exec(&["a.json"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("agent.providers") && refused.stderr.contains("aide trust"),
        "{}",
        refused.stderr
    );
    let trusted = scene.0.command(["trust"]).env("HOME", scene.0.join("home")).output().unwrap();
    assert!(trusted.status.success());
    scene.exec(&["a.json"]).succeeded("trusted\n");
}

#[test]
fn it_waits_until_files_arrive_and_wakes_by_itself() {
    let scene = Scene::new(&answering("r"));
    scene.0.write("a.json", needing_nothing(json!({"required_inputs": ["x.md"]})));
    let waiting = begin(scene.command(&["a.json"]));
    until("it does not wait", || !scene.outbox("plan_a", "task_state_").is_empty());
    assert_eq!(scene.outbox("plan_a", "task_state_")[0]["state"], "BLOCKED_WAITING_INPUT");
    // Another runtime gets an error that names the owner of the folder.
    scene.exec(&["a.json"]).failed_with(1, "✗ ");
    let payload = "content";
    scene.0.write(&format!("{AGENT}/inbox/plan_a/x.md"), payload);
    let envelope = json!({
        "schema_version": "1.0", "message_id": "msg_1", "plan_id": "plan_a", "task_id": "task_b", "output_name": "o",
        "producer_agent_id": "agent_b", "type": "artifact", "created_at": "2026-01-12T09:00:00Z",
        "payload": {"files": [{"path": "x.md", "sha256": agent::sha256(payload.as_bytes())}]},
    });
    let name = format!("{AGENT}/inbox/plan_a/artifact_1");
    scene.0.write(&format!("{name}.tmp"), envelope.to_string());
    fs::rename(scene.0.join(&format!("{name}.tmp")), scene.0.join(&format!("{name}.msg.json"))).unwrap();
    let finished = CommandOutput::new(waiting.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stdout, &*finished.stderr), (Some(0), "r\n", "→ 等待输入: x.md\n"));
    let document = scene.json(&format!("{AGENT}/outbox/plan_a/result_cmd_a.json"));
    assert_eq!(document["inputs"][0]["message_id"], "msg_1");
}

#[test]
fn an_interrupted_command_is_parked_also_while_the_llm_answers() {
    const PROVIDER: &str = "  当时正在等待: 提供方 fake 的回答\n";
    for (further, script, awaited) in [
        (json!({"required_inputs": ["x.md"]}), answering("r"), "  当时正在等待: 输入 x.md\n"),
        (json!({}), "cat > /dev/null; touch begun; sleep 600".to_owned(), PROVIDER),
        (json!({}), "cat > /dev/null; trap '' TERM; touch begun; sleep 600".to_owned(), PROVIDER),
    ] {
        let scene = Scene::new(&script);
        scene.0.write("a.json", needing_nothing(further));
        for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
            let begun = scene.0.join(&format!("{AGENT}/workspace/plan_a/tasks/task_a/begun"));
            let _ = fs::remove_file(&begun);
            let child = begin(scene.command(&["a.json"]));
            until("it does not begin", || {
                begun.exists()
                    || scene
                        .outbox("plan_a", "task_state_")
                        .iter()
                        .any(|state| state["state"] == "BLOCKED_WAITING_INPUT")
            });
            // The state may be that of the round before.
            thread::sleep(Duration::from_millis(300));
            kill_process(Pid::from_child(&child), signal).unwrap();
            let finished = CommandOutput::new(child.wait_with_output().unwrap());
            assert_eq!((finished.code, &*finished.stdout), (Some(code), ""), "{}", finished.stderr);
            assert!(finished.stderr.contains("✗ 已中断，命令没有结束\n  建议: "), "{}", finished.stderr);
            assert!(finished.stderr.ends_with(awaited), "{}", finished.stderr);
            assert_eq!(scene.outbox("plan_a", "ack_")[0]["status"], "CONSUMED");
        }
        scene.providers(&[("fake", &answering("at last"))]);
        scene.input("plan_a", "x.md");
        let finished = scene.exec(&["a.json"]);
        assert_eq!((finished.code, &*finished.stdout), (Some(0), "at last\n"));
        assert_eq!(scene.outbox("plan_a", "ack_").len(), 1);
    }
}

#[test]
fn what_a_model_does_is_told_while_it_works() {
    let scene = Scene::new(&format!("while [ ! -e {{go}} ]; do sleep 0.05; done\n{}", answering("r")));
    let script = fs::read_to_string(scene.0.join("fake.sh")).unwrap();
    scene.0.write("fake.sh", script.replace("{go}", &scene.0.join("go").display().to_string()));
    scene.0.write("a.json", needing_nothing(json!({})));
    let mut running = begin(scene.command(&["a.json", "--lang", "en"]));
    let mut errors = BufReader::new(running.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let seconds = line
        .strip_prefix("→ plan_a/task_a: manager is waiting for fake, ")
        .unwrap_or_else(|| panic!("{line}"));
    assert!(seconds.ends_with(" s\n"), "{line}");
    scene.0.write("go", "");
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stdout), (Some(0), "r\n"));
}

#[test]
fn a_wait_that_runs_out_asks_and_ends_by_human_timeout() {
    let scene = Scene::new(&answering("r"));
    scene.0.write(".aide/config.toml", "[agent]\nhuman_timeout = 1\n");
    scene.0.write("a.json", needing_nothing(json!({"required_inputs": ["x.md"], "timeout": 1})));
    let finished = scene.exec(&["a.json"]);
    assert_eq!((finished.code, &*finished.stdout), (Some(1), ""));
    for part in ["→ 等待输入: x.md\n", "→ 已请求用户提供输入: x.md（human_req_", "✗ HUMAN_TIMEOUT: "]
    {
        assert!(finished.stderr.contains(part), "{part} is not in {}", finished.stderr);
    }
    assert_eq!(scene.outbox("plan_a", "human_intervention_request_").len(), 1);
    assert_eq!(scene.outbox("plan_a", "alert_").len(), 1);
}

/// The questions that `aide decide list` shows.
fn open_questions(scene: &Scene) -> Vec<Value> {
    let listed = CommandOutput::new(scene.0.command(["decide", "list", "--json"]).output().unwrap());
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let is_open = |it: &&Value| it["status"] == "unserved" || it["status"] == "pending";
    listed.as_array().unwrap().iter().filter(is_open).cloned().collect()
}

#[test]
fn a_person_is_asked_without_a_gateway_and_the_answer_lets_the_command_go_on() {
    let scene = Scene::new(&answering("at last"));
    scene.0.write("a.json", needing_nothing(json!({"required_inputs": ["x.md"], "timeout": 1})));
    let running = begin(scene.command(&["a.json", "--lang", "en"]));
    until("a person is asked", || !open_questions(&scene).is_empty());
    let open = open_questions(&scene);
    let session = open[0]["session_id"].as_str().unwrap().to_owned();
    scene.0.write("given.md", "what was missing\n");
    let answer = ["decide", "answer", &session, "--provide", "given.md"];
    let answered = CommandOutput::new(scene.0.command(answer).output().unwrap());
    assert_eq!(answered.code, Some(0), "{}", answered.stderr);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stdout), (Some(0), "at last\n"), "{}", finished.stderr);
    let how = format!("Answer with aide decide open, or aide decide answer {session}");
    assert!(finished.stderr.contains(&how), "{}", finished.stderr);
    assert!(
        fs::read_to_string(scene.0.join(&format!("{AGENT}/workspace/plan_a/tasks/task_a/prompt.txt")))
            .unwrap()
            .contains("what was missing")
    );
    assert_eq!(open_questions(&scene), Vec::<Value>::new());
    assert!(!scene.0.join(".aide/agents/agent_human_gateway").exists());
}

#[test]
fn what_a_person_refuses_ends_the_command_without_a_gateway() {
    let scene = Scene::new(&answering("r"));
    scene.0.write("a.json", needing_nothing(json!({"required_inputs": ["x.md"], "timeout": 1})));
    let running = begin(scene.command(&["a.json"]));
    until("a person is asked", || !open_questions(&scene).is_empty());
    let session = open_questions(&scene)[0]["session_id"].as_str().unwrap().to_owned();
    let cancelled = CommandOutput::new(scene.0.command(["decide", "cancel", &session]).output().unwrap());
    assert_eq!(cancelled.code, Some(0), "{}", cancelled.stderr);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(1));
    assert!(finished.stderr.contains("✗ HUMAN_REJECTED"), "{}", finished.stderr);
}

#[test]
fn a_key_that_has_ended_is_told_from_its_record() {
    let scene = Scene::new("cat > /dev/null; echo x >> asked; echo once");
    scene.0.write("a.json", needing_nothing(json!({"idempotency_key": "k"})));
    scene.exec(&["a.json"]).succeeded("once\n");
    let again = scene.exec(&["a.json"]);
    assert_eq!((again.code, &*again.stdout), (Some(0), "once\n"));
    assert_eq!(again.stderr, "→ 此命令此前已经结束，结果取自记录\n");
    let asked = scene.0.join(&format!("{AGENT}/workspace/plan_a/tasks/task_a/asked"));
    assert_eq!(fs::read_to_string(asked).unwrap(), "x\n");
    scene.0.write("a.json", needing_nothing(json!({"idempotency_key": "k", "prompt": "Other."})));
    scene.exec(&["a.json"]).failed_with(1, "✗ IDEMPOTENCY_KEY_REUSED: ");
}

#[test]
fn kills_at_any_moment_ask_nobody_twice_and_publish_nothing_half() {
    /// Kills in all.
    const ROUNDS: u64 = 60;
    let rounds = ROUNDS * u64::from(effort::factor());
    let mut killed = 0;
    let mut number: u64 = 0;
    while killed < rounds {
        number += 1;
        let scene = Scene::new(
            "cat > /dev/null; echo x >> asked; echo '{\"result\":\"r\",\"files\":{\"a.md\":\"A\",\"b.md\":\"B\"}}'",
        );
        scene.input("plan_a", "x.md");
        let command: Value = serde_json::from_str(&needing_nothing(json!({
            "required_inputs": ["x.md"], "idempotency_key": "k",
            "produces": [{"output_name": "o", "files": [{"path": "a.md"}, {"path": "b.md"}]}],
        })))
        .unwrap();
        let message = json!({
            "schema_version": "1.0", "message_id": "msg_c", "plan_id": "plan_a", "task_id": "task_a", "command_id": "cmd_a",
            "producer_agent_id": "agent_gm", "type": "command", "created_at": "2026-01-12T09:00:00Z",
            "payload": {"command": command},
        });
        scene.0.write("a.json", message.to_string());
        let asked = || {
            let path = scene.0.join(&format!("{AGENT}/workspace/plan_a/tasks/task_a/asked"));
            fs::read_to_string(path).map_or(0, |text| text.lines().count())
        };
        let stored = || scene.0.join(&format!("{AGENT}/workspace/plan_a/trace/msg_c/answer_1")).exists();
        let mut asked_when_stored = None;
        let mut round: u64 = 0;
        let finished = loop {
            round += 1;
            let mut child = begin(scene.command(&["a.json"]));
            // Another moment each time.
            thread::sleep(Duration::from_micros((number * 7919 + round * 104_729) % 25_000));
            let has_ended = child.try_wait().unwrap().is_some();
            if !has_ended {
                child.kill().unwrap();
                killed += 1;
            }
            let output = child.wait_with_output().unwrap();
            whole(&scene);
            if let Some(before) = asked_when_stored {
                assert_eq!(asked(), before, "asked again for an answer that is there");
            } else if stored() {
                asked_when_stored = Some(asked());
            }
            if output.status.success() {
                break CommandOutput::new(output);
            }
            assert!(!has_ended || output.status.code().is_none(), "{:?}", CommandOutput::new(output));
            if round > 20 {
                break scene.exec(&["a.json"]);
            }
        };
        assert_eq!((finished.code, &*finished.stdout), (Some(0), "r\n"));
        assert_eq!(scene.outbox("plan_a", "artifact_").len(), 1);
        assert_eq!(scene.outbox("plan_a", "ack_")[0]["status"], "SUCCEEDED");
        assert_eq!(scene.outbox("plan_a", "task_state_")[0]["state"], "COMPLETED");
    }
}

/// Every artifact has its files.
fn whole(scene: &Scene) {
    for envelope in scene.outbox("plan_a", "artifact_") {
        for file in envelope["payload"]["files"].as_array().unwrap() {
            let path = format!("{AGENT}/outbox/plan_a/{}", file["path"].as_str().unwrap());
            let found = fs::read(scene.0.join(&path)).unwrap();
            assert_eq!(json!(agent::sha256(&found)), file["sha256"]);
        }
    }
}
