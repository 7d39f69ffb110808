//! Files and answers from an attacker.

use crate::support::{Agent, PLAN, artifact, message};
use agent::{AgentFolder, Finish, sha256};
use protocol::agent::Order;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use std::fs::{self, File};
use std::os::unix::fs::symlink;

fn pipe(path: &std::path::Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

#[test]
fn pipes_and_symlinks_are_no_inputs_and_block_nobody() {
    let agent = Agent::answering("r");
    let inputs = agent.path.join(format!("workspace/{PLAN}/inputs"));
    pipe(&inputs.join("pipe.md"));
    symlink("/etc/passwd", inputs.join("link.md")).unwrap();
    symlink("/dev/zero", inputs.join("zero.md")).unwrap();
    symlink("/etc", inputs.join("etc")).unwrap();
    fs::create_dir(inputs.join("folder.md")).unwrap();
    for name in
        ["pipe.md", "link.md", "zero.md", "etc/passwd", "folder.md", "*.md", "etc/*", "input_index.json"]
    {
        let finish = agent.exec(&message(json!({"required_inputs": [name]})));
        assert!(matches!(finish, Finish::Missing(_)), "{name}: {finish:?}");
        fs::remove_dir_all(agent.path.join("outbox")).unwrap();
        fs::remove_dir_all(agent.path.join(format!("inbox/{PLAN}"))).unwrap();
    }
}

#[test]
fn an_indexed_file_elsewhere_is_not_there() {
    let agent = Agent::answering("r");
    for stored_at in [
        "/etc/passwd",
        "../../etc/passwd",
        &format!("workspace/{PLAN}/../../../etc/passwd"),
        "workspace/other/x",
    ] {
        let index = json!({
            "schema_version": "1.0", "plan_id": PLAN, "agent_id": "agent_a", "updated_at": "2026-01-12T09:00:00Z",
            "entries": [{"message_id": "m", "task_id": "t", "output_name": "o", "received_at": "2026-01-12T09:00:00Z",
                "files": [{"path": "x.md", "sha256": sha256(b""), "stored_at": stored_at}]}],
        });
        agent.input("input_index.json", &index.to_string());
        let finish = agent.exec(&message(json!({"required_inputs": ["x.md"]})));
        assert!(matches!(finish, Finish::Missing(_)), "{stored_at}: {finish:?}");
    }
}

#[test]
fn pipes_in_the_inbox_block_nobody() {
    let agent = Agent::answering("r");
    pipe(&agent.path.join(format!("inbox/{PLAN}/pipe.msg.json")));
    pipe(&agent.path.join(format!("inbox/{PLAN}/payload.md")));
    let file = json!({"path": "payload.md", "sha256": sha256(b"")});
    agent.write(&format!("inbox/{PLAN}/a.msg.json"), artifact("msg_1", "task_b", &[file]).to_string());
    agent.file_arrived().unwrap();
    let alerts = agent.in_outbox("alert_");
    assert_eq!(alerts.iter().map(|alert| &alert["type"]).collect::<Vec<_>>(), ["UNSAFE_PATH"]);
}

#[test]
fn a_gibibyte_is_hashed_and_not_read_into_memory() {
    let agent = Agent::answering("r");
    agent.input("x.md", "x");
    let large = File::create(agent.path.join(format!("workspace/{PLAN}/inputs/large.bin"))).unwrap();
    large.set_len(1 << 30).unwrap();
    let before = peak();
    let ended = agent.ended(&message(json!({"required_inputs": ["large.bin"]})));
    let input = ended.document.unwrap().inputs.remove(0);
    assert_eq!(input.extra["size_bytes"], json!(1_u64 << 30));
    assert_eq!(input.sha256.hex(), "49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14");
    assert!(peak() - before < 64 << 10, "{} KiB more", peak() - before);
    let prompt = agent.provider.prompts.lock().unwrap()[0].clone();
    assert!(prompt.contains("(too large): file \"large.bin\"") && prompt.len() < 4096);
}

/// The most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_answer_cannot_forge_what_agents_are_controlled_by() {
    // In a command, such a name is refused.
    for path in [
        "ack_msg_command.json",
        "x.msg.json",
        "task_state_task_b.json",
        "../x",
        "/etc/x",
        ".pending/x",
        "a.tmp",
    ] {
        let forged = message(json!({"produces": [{"output_name": "o", "files": [{"path": path}]}]}));
        assert!(Order::parse(forged.to_string().as_bytes()).is_err(), "{path}");
    }
    // In an answer, it is no file that was asked for.
    let agent = Agent::answering(json!({"result": "r", "files": {
        "a.md": "A", "b.md": "B", "ack_msg_x.json": "{}", "../../evil": "x", "x.msg.json": "{}",
    }}));
    let produces = json!({"produces": [{"output_name": "o", "files": [{"path": "a.md"}, {"path": "b.md"}]}]});
    agent.ended(&message(produces));
    let outbox = agent.outbox();
    let expected: Vec<&String> =
        outbox.iter().filter(|name| !name.starts_with("artifact_task_a_o_msg_")).collect();
    assert_eq!(expected, ["a.md", "ack_msg_command.json", "b.md", "task_state_task_a.json"]);
    assert!(!agent.path.join("evil").exists());
}

#[test]
fn nothing_is_published_through_a_symlink() {
    let elsewhere = tempfile::tempdir().unwrap();
    for (at, path) in [("d", "d/a.md"), ("a.md", "a.md")] {
        let agent = Agent::answering("r");
        drop(AgentFolder::open(&agent.path, "x").unwrap().plan(&PLAN.parse().unwrap()).unwrap());
        let target = elsewhere.path().join(at);
        if at == "d" {
            fs::create_dir(&target).unwrap();
        } else {
            fs::write(&target, "theirs").unwrap();
        }
        symlink(&target, agent.path.join(format!("outbox/{PLAN}/{at}"))).unwrap();
        let produces = json!({"produces": [{"output_name": "o", "files": [{"path": path}]}]});
        assert_eq!(agent.fails(&message(produces)), "OUTPUT_COLLISION", "{at}");
    }
    assert_eq!(fs::read(elsewhere.path().join("a.md")).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(elsewhere.path().join("d")).unwrap().count(), 0);
}
