//! `aide plan`, with agents that are moved by hand.

use crate::support::plan::{NOW, PLAN, Scene, command, node};
use crate::support::terminal::Terminal;
use crate::support::{CommandOutput, begin, until};
use agent::sha256;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

impl Scene {
    fn en(&self, arguments: &[&str]) -> CommandOutput {
        self.0.aide(["--lang", "en", "plan"].iter().chain(arguments))
    }

    /// Every file with its bytes and when it was written, but for the locks: who takes one says so in it.
    fn tree(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut tree = BTreeMap::new();
        walk(self.0.path(), &mut tree);
        tree.retain(|path, _| path.extension().is_none_or(|it| it != "lock") && !path.ends_with(".lock"));
        tree
    }
}

fn walk(dir: &Path, tree: &mut BTreeMap<PathBuf, (Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, tree);
        } else {
            let written = fs::metadata(&path).unwrap().modified().unwrap();
            tree.insert(path.clone(), (fs::read(&path).unwrap(), written));
        }
    }
}

#[test]
fn s11_a_good_plan_is_valid_and_nothing_is_written() {
    let scene = Scene::two_tasks();
    let before = scene.tree();
    let chinese = scene.plan(&["lint", "plan"]);
    assert_eq!((chinese.code, &*chinese.stderr), (Some(0), ""));
    assert!(chinese.stdout.starts_with("⚠ 没有配置提供者，智能体无法工作\n  建议: "), "{}", chinese.stdout);
    assert!(
        chinese.stdout.ends_with("\n✓ 计划 plan_p 有效（2 个任务），另有 1 处提醒\n"),
        "{}",
        chinese.stdout
    );
    let english = scene.en(&["lint", "plan"]);
    assert!(
        english.stdout.ends_with("\n✓ The plan plan_p is valid (2 tasks), with 1 warning\n"),
        "{}",
        english.stdout
    );
    let told = scene.json(&["lint", "plan", "--json"]);
    assert_eq!((&told["plan_id"], &told["valid"]), (&json!(PLAN), &json!(true)));
    assert_eq!(
        (told["findings"].as_array().unwrap().len(), &told["findings"][0]["fatal"]),
        (1, &json!(false))
    );
    assert_eq!(scene.tree(), before);
    assert!(!scene.0.join(".aide/system_runtime").exists());
}

#[test]
fn s11_a_broken_plan_is_told_in_both_languages() {
    let scene = Scene::two_tasks();
    scene.author(&[node("a", &["x"], &[]), node("c", &[], &["agent_b"])]);
    let chinese = scene.plan(&["lint", "plan"]);
    assert_eq!((chinese.code, &*chinese.stderr), (Some(1), ""));
    assert_eq!(
        chinese.stdout,
        "\
✗ task_dag.json: nodes[0].depends_on[0]: 依赖的任务 x 不存在 [DAG_UNKNOWN_DEPENDENCY]
⚠ task_dag.json: nodes[0].outputs[0].deliver_to: 输出 a_out 没有接收者 [ROUTING_NO_TARGET]
✗ task_dag.json: nodes[1].assigned_agent_id: 没有智能体 agent_c 的文件夹 [TARGET_AGENT_NOT_FOUND]
✗ commands: b.task_id: 任务 b 不存在 [DAG_TASK_NOT_FOUND]
✗ 计划有 3 个错误，另有 1 处提醒
"
    );
    let english = scene.en(&["lint", "plan"]);
    assert_eq!(
        english.stdout,
        "\
✗ task_dag.json: nodes[0].depends_on[0]: there is no task x to depend on [DAG_UNKNOWN_DEPENDENCY]
⚠ task_dag.json: nodes[0].outputs[0].deliver_to: no agent receives the output a_out [ROUTING_NO_TARGET]
✗ task_dag.json: nodes[1].assigned_agent_id: there is no folder for the agent agent_c [TARGET_AGENT_NOT_FOUND]
✗ commands: b.task_id: there is no task b [DAG_TASK_NOT_FOUND]
✗ The plan has 3 errors and 1 warning
"
    );
    let findings = scene.json(&["lint", "plan", "--json"]);
    assert_eq!((&findings["valid"], findings["findings"].as_array().unwrap().len()), (&json!(false), 4));
    assert_eq!(findings["findings"][1]["fatal"], false);
    // It is not installed either.
    let refused = scene.en(&["activate", "plan"]);
    refused.failed_with(1, "✗ the plan has 3 errors and was not activated\n  hint: ");
    assert!(refused.stderr.contains("no task x to depend on") && !refused.stderr.contains("a_out"));
    assert!(!scene.0.join(".aide/system_runtime").exists());
}

#[test]
fn each_file_of_a_plan_is_checked_for_its_format() {
    let scene = Scene::two_tasks();
    scene.0.write("plan/commands/second.json", command("a").to_string());
    scene.0.write("plan/commands/z.json", "{");
    scene.0.write("plan/plan_manifest.json", r#"{"schema_version":"1.0","plan_id":"plan_p","created_at":"2026-01-12T09:00:00Z","agents":[],"deliverables":[]}"#);
    let linted = scene.en(&["lint", "plan"]);
    assert_eq!(linted.code, Some(1));
    let lines: Vec<&str> = linted.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "✗ plan_manifest.json: deliverables must be an array with at least 1 element, but is [] [SCHEMA_INVALID]"
    );
    assert_eq!(
        lines[1],
        "✗ commands/second.json: task_id must be unique, but repeats \"a\" [SCHEMA_INVALID]"
    );
    assert!(lines[2].starts_with("✗ commands/z.json: cannot parse the JSON: "), "{}", lines[2]);
    assert_eq!(lines[3..], ["✗ The plan has 3 errors"]);
}

#[test]
fn what_is_no_plan_or_has_no_agents_is_told_what_is_needed() {
    let scene = Scene::two_tasks();
    fs::remove_file(scene.0.join("plan/task_dag.json")).unwrap();
    scene.plan(&["lint", "plan"]).failed(
        1,
        "✗ plan 中没有 task_dag.json\n  建议: 计划的文件夹包含 task_dag.json，可选的 plan_manifest.json，以及 commands/ 中每个任务一个命令文件\n",
    );
    scene.en(&["activate", "nowhere"]).failed_with(1, "✗ no such folder: nowhere\n  hint: ");
    let none = Scene::new(&[]);
    for arguments in [&["lint", "plan"][..], &["activate", "plan"], &["tick"], &["status"]] {
        let refused = none.plan(arguments);
        refused.failed_with(1, "✗ 没有智能体的文件夹: ");
        assert!(refused.stderr.contains("--agents"));
    }
}

#[test]
fn a_plan_in_a_folder_of_a_folder_is_found_from_the_root() {
    let scene = Scene::two_tasks();
    fs::create_dir_all(scene.0.join("books/one")).unwrap();
    fs::rename(scene.0.join("plan"), scene.0.join("books/one/plan")).unwrap();
    // Where none is active, the hint names the one that there is.
    for command in ["run", "result"] {
        scene
            .en(&[command])
            .failed(1, "✗ There are no plans\n  hint: run aide plan activate books/one/plan\n");
    }
    let activated = scene.en(&["activate"]);
    assert_eq!(activated.code, Some(0), "{}", activated.stderr);
    assert!(activated.stderr.contains("books/one/plan"), "{}", activated.stderr);
    // Folders of other programs are not looked through.
    fs::create_dir_all(scene.0.join("node_modules/one/plan")).unwrap();
    fs::copy(
        scene.0.join("books/one/plan/task_dag.json"),
        scene.0.join("node_modules/one/plan/task_dag.json"),
    )
    .unwrap();
    assert_eq!(scene.en(&["activate"]).code, Some(0));
}

#[test]
fn s10_4_a_plan_is_activated_once() {
    let scene = Scene::two_tasks();
    let first = scene.plan(&["activate", "plan"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.stdout.starts_with("✓ 计划 plan_p 已激活（版本 1，DAG sha256:"), "{}", first.stdout);
    assert!(first.stdout.ends_with("，2 个任务）\n→ 下一步: aide plan run\n"), "{}", first.stdout);
    let reference = scene.0.join(".aide/system_runtime/plans/plan_p/active_dag_ref.json");
    let before = fs::read(&reference).unwrap();
    let again = scene.en(&["activate", "plan"]);
    assert!(
        again.stdout.starts_with("✓ The plan plan_p was active already (revision 1, "),
        "{}",
        again.stdout
    );
    assert_eq!(fs::read(&reference).unwrap(), before);
    let dag = fs::read(scene.0.join("plan/task_dag.json")).unwrap();
    assert_eq!(
        scene.json(&["activate", "plan", "--kind", "meta", "--json"]),
        json!({ "plan_id": PLAN, "revision": 1, "task_dag_sha256": sha256(&dag), "dag_kind": "meta", "tasks": 2,
            "was_active": true })
    );
    let wrong = scene.plan(&["activate", "plan", "--kind", "other"]);
    assert_eq!((wrong.code, &*wrong.stdout), (Some(2), ""));
}

#[test]
fn s10_1_a_pass_issues_the_first_command_and_another_writes_nothing() {
    let scene = Scene::two_tasks();
    scene.activate();
    let ticked = scene.plan(&["tick"]);
    assert_eq!((ticked.code, &*ticked.stderr), (Some(0), ""));
    let lines: Vec<&str> = ticked.stdout.lines().collect();
    assert_eq!(lines[0], "→ plan_p: 已下发 a 的命令 cmd_a_001");
    assert!(lines[1].starts_with("→ plan_p: a 的命令已投递: agent_issuer → agent_a（msg_"), "{}", lines[1]);
    assert_eq!((lines.len(), scene.inbox("agent_a")), (2, vec!["cmd_a_001.msg.json".to_owned()]));
    let before = scene.tree();
    scene.plan(&["tick"]).succeeded("→ 没有需要处理的内容\n");
    scene.en(&["tick", PLAN]).succeeded("→ There is nothing to do\n");
    assert_eq!(
        scene.json(&["tick", "--json"]),
        json!({ "happened": [], "plans": [{ "plan_id": PLAN, "is_over": false, "has_succeeded": false }],
            "paused": [], "trouble": [] })
    );
    assert_eq!(scene.tree(), before);
}

#[test]
fn s12_parts_of_a_pass_can_be_done_alone() {
    let scene = Scene::two_tasks();
    scene.activate();
    scene.plan(&["tick", "--only", "monitor"]).succeeded("→ 没有需要处理的内容\n");
    assert_eq!(scene.inbox("agent_a"), Vec::<String>::new());
    let status = ".aide/system_runtime/plans/plan_p/plan_status.json";
    let before = fs::read(scene.0.join(status)).unwrap();
    let events = scene.json(&["tick", "--only", "router", "--json"]);
    assert_eq!(
        (&events["happened"][0]["event"], &events["happened"][0]["task_id"]),
        (&json!("issued"), &json!("a"))
    );
    assert_eq!(scene.inbox("agent_a"), ["cmd_a_001.msg.json"]);
    assert_eq!(fs::read(scene.0.join(status)).unwrap(), before);
    assert_eq!(scene.plan(&["tick", "--only", "both"]).code, Some(2));
    scene.plan(&["tick", "plan_x"]).failed(1, "✗ 没有此计划: plan_x\n  建议: 已有的计划: plan_p\n");
}

#[test]
fn s10_4_a_plan_whose_dag_is_wrong_is_told_and_no_other_waits_for_it() {
    let scene = Scene::two_tasks();
    scene.activate();
    scene.0.write(".aide/system_runtime/plans/plan_broken/task_dag.json", "{");
    let ticked = scene.en(&["tick"]);
    assert_eq!(ticked.code, Some(1));
    assert_eq!(
        ticked.stderr,
        "⚠ plan_broken: the DAG of the plan is not valid; activate it again to continue [DAG_INVALID]\n"
    );
    assert_eq!(scene.inbox("agent_a"), ["cmd_a_001.msg.json"]);
}

#[test]
fn s10_4_a_dag_that_stays_another_than_the_one_that_is_named_leaves_an_alert() {
    let scene = Scene::two_tasks();
    scene.activate();
    let dag = format!(".aide/system_runtime/plans/{PLAN}/task_dag.json");
    let text = fs::read_to_string(scene.0.join(&dag)).unwrap();
    scene.0.write(&dag, format!("{text}\n"));
    // For a moment that is so whenever another DAG becomes active.
    let none: [&str; 0] = [];
    assert_eq!(scene.alerts_of_a_tick(), none);
    assert_eq!(scene.alerts_of_a_tick(), ["ACTIVE_DAG_REF_MISMATCH"]);
    assert_eq!(scene.alerts_of_a_tick(), none);
    scene.0.write(&dag, &text);
    assert_eq!(scene.alerts_of_a_tick(), none);
    assert_eq!(scene.inbox("agent_a"), ["cmd_a_001.msg.json"]);
    // It is another one, and new again.
    scene.0.write(&dag, format!("{text}\n\n"));
    assert_eq!(scene.alerts_of_a_tick(), none);
    assert_eq!(scene.alerts_of_a_tick(), ["ACTIVE_DAG_REF_MISMATCH"]);
}

#[test]
fn s12_a_status_that_cannot_be_written_leaves_an_alert_and_no_other_plan_waits_for_it() {
    let scene = Scene::two_tasks();
    scene.activate();
    fs::create_dir_all(scene.0.join(&format!(".aide/system_runtime/plans/{PLAN}/plan_status.json/x")))
        .unwrap();
    assert_eq!(scene.alerts_of_a_tick(), ["PLAN_STATUS_AGGREGATION_FAILED"]);
    let none: [&str; 0] = [];
    assert_eq!(scene.alerts_of_a_tick(), none);
}

#[test]
fn s10_4_a_dag_with_a_task_that_has_no_agent_leaves_an_alert() {
    let scene = Scene::two_tasks();
    scene.activate();
    let dag = scene.0.join(&format!(".aide/system_runtime/plans/{PLAN}/task_dag.json"));
    let mut changed: Value = serde_json::from_slice(&fs::read(&dag).unwrap()).unwrap();
    changed["nodes"][1].as_object_mut().unwrap().remove("assigned_agent_id");
    fs::write(&dag, changed.to_string()).unwrap();
    assert_eq!(scene.alerts_of_a_tick(), ["DAG_TASK_NO_ASSIGNEE"]);
}

#[test]
fn s12_1_an_archived_command_that_contradicts_itself_leaves_an_alert() {
    let scene = Scene::two_tasks();
    scene.activate();
    assert_eq!(scene.plan(&["tick"]).code, Some(0));
    let commands = format!(".aide/system_runtime/plans/{PLAN}/commands");
    let name = scene.names(&commands).remove(0);
    let path = scene.0.join(&format!("{commands}/{name}"));
    let mut message: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    message["payload"]["command"]["command_id"] = json!("cmd_a_009");
    fs::write(&path, message.to_string()).unwrap();
    assert_eq!(scene.alerts_of_a_tick(), ["COMMAND_ARCHIVE_INCONSISTENT"]);
    let none: [&str; 0] = [];
    assert_eq!(scene.alerts_of_a_tick(), none);
}

#[test]
fn s12_4_the_status_is_a_table_or_the_document_itself() {
    let scene = Scene::two_tasks();
    scene.plan(&["status"]).succeeded("→ 没有计划\n");
    assert!(!scene.0.join(".aide/system_runtime").exists(), "looking makes nothing");
    scene.activate();
    assert_eq!(scene.json(&["status", PLAN, "--json"]), Value::Null);
    scene.plan(&["tick"]);
    scene.0.write(
        ".aide/agents/agent_a/outbox/plan_p/task_state_a.json",
        json!({ "schema_version": "1.0", "plan_id": PLAN, "task_id": "a", "agent_id": "agent_a",
            "state": "BLOCKED_WAITING_INPUT", "updated_at": NOW, "command_id": "cmd_a_001", "command_seq": 1,
            "blocking": { "reason": "MISSING_INPUTS", "missing": [{ "name": "x\u{1b}.md" }] } })
        .to_string(),
    );
    scene.plan(&["tick"]);
    let before = scene.tree();
    let shown = scene.en(&["status"]);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert!(lines[0].starts_with("→ Plan plan_p ("), "{}", lines[0]);
    let words = |line: &str| {
        line.split("  ")
            .filter(|word| !word.is_empty())
            .map(|word| word.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(words(lines[1]), ["task", "state", "agent", "since", "repeated", "waits for"]);
    let mut first = words(lines[2]);
    // Of this place, to the second.
    let since = first.remove(3);
    assert_eq!((since.len(), &since[..8]), ("2026-01-12T09:00:00+08:00".len(), &NOW[..8]), "{since}");
    assert_eq!(first, ["a", "waiting for input", "agent_a", "0", "missing inputs: x\\u{1b}.md"]);
    assert_eq!(words(lines[3])[..3], ["b", "pending", "agent_b"]);
    assert_eq!(
        lines[4],
        "→ 2 tasks: 0 completed, 0 running, 1 waiting for input, 0 for review, 0 for the user, 0 failed, 0 skipped"
    );
    // The columns stand below one another, also with characters that are two columns wide.
    let chinese = scene.plan(&["status", PLAN]);
    assert!(chinese.stdout.contains(&format!("a     等待输入  agent_a  {since}")), "{}", chinese.stdout);
    let document = fs::read(scene.0.join(".aide/system_runtime/plans/plan_p/plan_status.json")).unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(scene.json(&["status", "--json"]), document);
    scene.0.write("status.json", scene.plan(&["status", PLAN, "--json"]).stdout);
    let checked = scene.0.aide(["schema", "plan_status", "--check", "status.json"]);
    checked.succeeded("✓ status.json: 有效（plan_status）\n");
    fs::remove_file(scene.0.join("status.json")).unwrap();
    assert_eq!(scene.tree(), before, "looking writes nothing");
    scene.plan(&["status", "plan_x"]).failed(1, "✗ 没有此计划: plan_x\n  建议: 已有的计划: plan_p\n");
    // Several plans are a list.
    let dag = fs::read_to_string(scene.0.join("plan/task_dag.json")).unwrap().replace(PLAN, "plan_q");
    scene.0.write("plan/task_dag.json", dag);
    for task in ["a", "b"] {
        let other = command(task).to_string().replace(PLAN, "plan_q");
        scene.0.write(&format!("plan/commands/{task}.json"), other);
    }
    scene.activate();
    scene.plan(&["tick"]);
    let all = scene.json(&["status", "--json"]);
    let plans: Vec<&str> =
        all["plans"].as_array().unwrap().iter().map(|plan| plan["plan_id"].as_str().unwrap()).collect();
    assert_eq!(plans, [PLAN, "plan_q"]);
}

/// What the agents have not done yet is left out.
fn over() -> Value {
    json!({
        "schema_version": "1.0", "plan_id": PLAN, "active_task_dag_sha256": "sha256:0f1e", "updated_at": NOW,
        "blocked_summary": { "INPUT": 0, "REVIEW": 0, "HUMAN": 0 },
        "tasks": [{ "task_id": "a", "assigned_agent_id": "agent_a", "state": "RUNNING", "updated_at": NOW,
            "attempts": { "reexecute_count": 0 } }],
    })
}

#[test]
fn the_status_is_watched_until_the_plan_is_over() {
    let scene = Scene::two_tasks();
    let path = scene.0.join(".aide/system_runtime/plans/plan_p/plan_status.json");
    let mut document = over();
    scene.0.write(".aide/system_runtime/plans/plan_p/plan_status.json", document.to_string());
    let out = scene.0.join("out");
    let mut command = scene.0.command(["plan", "status", "--watch", "--json"]);
    let mut child = command.stdout(fs::File::create(&out).unwrap()).spawn().unwrap();
    let lines = || fs::read_to_string(&out).unwrap().lines().count();
    until("the first status", || lines() == 1);
    document["tasks"][0]["state"] = json!("COMPLETED");
    document["updated_at"] = json!("2026-01-12T09:00:01Z");
    fs::write(path.with_extension("tmp"), document.to_string()).unwrap();
    fs::rename(path.with_extension("tmp"), &path).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let last: Value =
        serde_json::from_str(fs::read_to_string(&out).unwrap().lines().last().unwrap()).unwrap();
    assert_eq!((lines(), last), (2, document));
}

#[test]
fn watching_ends_with_a_signal() {
    let scene = Scene::two_tasks();
    scene.0.write(".aide/system_runtime/plans/plan_p/plan_status.json", over().to_string());
    let out = scene.0.join("out");
    let mut command = scene.0.command(["plan", "status", "--watch"]);
    let mut child = command.stdout(fs::File::create(&out).unwrap()).spawn().unwrap();
    until("the first status", || fs::read_to_string(&out).unwrap().contains("agent_a"));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn on_a_terminal_the_status_stays_in_its_place_whatever_happens_to_the_terminal() {
    let scene = Scene::two_tasks();
    let file = ".aide/system_runtime/plans/plan_p/plan_status.json";
    let mut document = over();
    scene.0.write(file, document.to_string());
    let mut terminal = Terminal::start(
        &scene.0,
        &["plan", "status", "--watch", "--lang", "en"],
        &[("TERM", "xterm-256color")],
    );
    terminal.until("agent_a");
    assert!(terminal.has_colour() && terminal.is_given_back());
    terminal.resize(24, 26);
    terminal.until("+00:00\n0\n");
    // A shell writes between a stop and its end.
    terminal.overwrite("\u{1b}[H\u{1b}[2Jshell");
    terminal.signal(Signal::CONT);
    terminal.until("agent_a");
    assert!(!terminal.screen().contains("shell"), "{}", terminal.screen());
    terminal.resize(24, 80);
    document["tasks"][0]["state"] = json!("COMPLETED");
    let path = scene.0.join(file);
    fs::write(path.with_extension("tmp"), document.to_string()).unwrap();
    fs::rename(path.with_extension("tmp"), &path).unwrap();
    let (code, terminal) = terminal.finish();
    let screen = terminal.screen();
    assert_eq!((code, screen.matches("agent_a").count()), (Some(0), 1), "{screen}");
    assert!(terminal.is_given_back() && !screen.contains("  running"), "{screen}");
}

#[test]
fn s10_4_what_was_given_up_is_delivered_once_somebody_asks() {
    let scene = Scene::two_tasks();
    scene.activate();
    scene.plan(&["tick"]);
    scene.plan(&["replay", PLAN, "--list"]).succeeded("→ 没有放弃投递的消息\n");
    scene.sends("agent_a", "msg_early", "a_out", "a.md", None);
    let ticked = scene.en(&["tick"]);
    assert!(ticked.stdout.contains("[MISSING_PAYLOAD]"), "{}", ticked.stdout);
    let letters = scene.json(&["replay", PLAN, "--list", "--json"]);
    let letter = letters["deadletters"][0].clone();
    assert_eq!(
        (&letter["reason"]["code"], &letter["original"]["message_id"]),
        (&json!("MISSING_PAYLOAD"), &json!("msg_early"))
    );
    let listed = scene.en(&["replay", PLAN, "--list"]).stdout;
    assert!(listed.contains("  MISSING_PAYLOAD  msg_early.msg.json  msg_early  "), "{listed}");
    assert!(scene.en(&["status"]).stdout.contains("1 message was given up"));
    scene.0.write(".aide/agents/agent_a/outbox/plan_p/a.md", "text");
    scene.plan(&["tick"]);
    assert!(!scene.inbox("agent_b").contains(&"a.md".to_owned()), "nobody has asked");
    scene.plan(&["replay", PLAN, "msg_other"]).failed_with(1, "✗ 没有可重新投递的消息: msg_other\n");
    let mut command = scene.0.command(["plan", "replay", PLAN, letter["deadletter_id"].as_str().unwrap()]);
    command.args(["--reason", "the file is there now"]).env("USER", "ann");
    let asked = CommandOutput::new(command.output().unwrap());
    assert!(asked.stdout.starts_with("✓ 已请求重新投递 msg_early\n→ "), "{asked:?}");
    let requests =
        fs::read_to_string(scene.0.join(".aide/system_runtime/plans/plan_p/replay_requests.jsonl"));
    let request: Value = serde_json::from_str(requests.unwrap().trim_end()).unwrap();
    assert_eq!((&request["operator"], &request["reason"]), (&json!("ann"), &json!("the file is there now")));
    scene.plan(&["tick"]);
    assert!(scene.inbox("agent_b").contains(&"a.md".to_owned()));
    assert_eq!(scene.plan(&["replay", PLAN]).code, Some(2));
}

#[test]
fn s10_4_with_a_mended_dag_a_message_is_delivered_once() {
    let scene = Scene::new(&["agent_a", "agent_b"]);
    scene.author(&[node("a", &[], &[])]);
    scene.activate();
    scene.plan(&["tick"]);
    scene.sends("agent_a", "msg_1", "a_out", "a.md", Some("text"));
    assert!(scene.plan(&["tick"]).stdout.contains("[ROUTING_NO_TARGET]"));
    scene.author(&[node("a", &[], &["agent_b"])]);
    scene.activate();
    let asked = scene.json(&["replay", PLAN, "msg_1", "--json"]);
    assert_eq!(asked["message_id"], "msg_1");
    let delivered = scene.json(&["tick", "--json"]);
    let to: Vec<&Value> = delivered["happened"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["event"] == "delivered" && it["message_id"] == "msg_1")
        .map(|it| &it["to_agent_id"])
        .collect();
    assert_eq!(to, [&json!("agent_b")]);
    assert!(scene.inbox("agent_b").contains(&"a.md".to_owned()));
    scene.plan(&["tick"]).succeeded("→ 没有需要处理的内容\n");
}

#[test]
fn s14_a_release_is_decided_by_its_evidence() {
    let scene = Scene::new(&["agent_a", "agent_rel"]);
    scene.author(&[node("a", &[], &["agent_rel"])]);
    scene.activate();
    let release = ["release", PLAN, "--agent", "agent_rel"];
    scene.en(&release).failed_with(1, "✗ the plan plan_p has no plan_manifest.json\n");
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": NOW, "agents": [],
        "deliverables": [{ "name": "a_out" }],
        "policies": { "release_gates_required": ["smoke_test_result.json"] } });
    // Who makes the evidence is no task of the plan, so it is installed by hand.
    scene.0.write(".aide/system_runtime/plans/plan_p/plan_manifest.json", manifest.to_string());
    let rejected = scene.en(&release);
    assert_eq!(rejected.code, Some(1));
    assert!(rejected.stdout.starts_with("✗ REJECT: it may not be released ("), "{rejected:?}");
    assert!(rejected.stdout.ends_with(")\n  missing evidence: smoke_test_result.json\n"), "{rejected:?}");
    let evidence = |decision: &str| {
        let smoke = json!({ "schema_version": "1.0", "plan_id": PLAN, "validation_id": "val_1",
            "validator_agent_id": "agent_q", "validated_at": NOW, "decision": decision });
        let inputs = ".aide/agents/agent_rel/workspace/plan_p/inputs";
        scene.0.write(&format!("{inputs}/t/o/smoke_test_result.json"), smoke.to_string());
        let index = json!({ "schema_version": "1.0", "plan_id": PLAN, "agent_id": "agent_rel", "updated_at": NOW,
            "entries": [{ "message_id": "m", "task_id": "t", "output_name": "o", "received_at": NOW,
                "files": [{ "path": "smoke_test_result.json", "sha256": sha256(smoke.to_string().as_bytes()),
                    "stored_at": "workspace/plan_p/inputs/t/o/smoke_test_result.json" }] }] });
        scene.0.write(&format!("{inputs}/input_index.json"), index.to_string());
    };
    evidence("FAIL");
    let json = scene.plan(&["release", PLAN, "--agent", "agent_rel", "--json"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, &document["decision"]), (Some(1), &json!("REJECT")));
    assert_eq!(document["rejected"][0]["name"], "smoke_test_result.json");
    evidence("PASS");
    let approved = scene.plan(&release);
    assert_eq!((approved.code, &*approved.stderr), (Some(0), ""));
    assert!(approved.stdout.starts_with("✓ APPROVE: 可以发布（"), "{approved:?}");
    assert_eq!(scene.plan(&["tick"]).code, Some(0));
    let archived = fs::read(scene.0.join(".aide/system_runtime/plans/plan_p/release_manifest.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&archived).unwrap()["decision"], "APPROVE");
    let unknown = scene.en(&["release", PLAN, "--agent", "agent_x"]);
    unknown.failed_with(1, "✗ no such agent: agent_x\n  hint: agents: agent_a, ");
    assert!(!scene.0.join(".aide/agents/agent_x").exists());
}

#[test]
fn eight_passes_at_once_do_what_one_does() {
    let scene = Scene::two_tasks();
    scene.activate();
    let children: Vec<_> = (0..8).map(|_| begin(scene.0.command(["plan", "tick", "--lang", "en"]))).collect();
    let finished: Vec<CommandOutput> =
        children.into_iter().map(|child| CommandOutput::new(child.wait_with_output().unwrap())).collect();
    for one in &finished {
        match one.code {
            Some(0) => assert_eq!(one.stderr, "", "{one:?}"),
            _ => {
                assert_eq!((one.code, &*one.stdout), (Some(1), ""), "{one:?}");
                assert!(one.stderr.contains("is in use by "), "{one:?}");
            }
        }
    }
    let done: Vec<_> = finished.iter().filter(|one| one.stdout.contains("cmd_a_001 of a issued")).collect();
    assert_eq!(done.len(), 1, "{finished:?}");
    assert_eq!(scene.inbox("agent_a"), ["cmd_a_001.msg.json"]);
    let log = fs::read_to_string(scene.0.join(".aide/system_runtime/plans/plan_p/deliveries.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 1);
    scene.plan(&["tick"]).succeeded("→ 没有需要处理的内容\n");
}
