//! The heartbeat (contract/plans §6): what one tick does, and what the next one does after a restart.

use crate::support::{Agent, PLAN, START, artifact, message, numbered};
use agent::heartbeat::{Event, EventKind, Heartbeat, Tick};
use agent::{ExecutionError, sha256};
use files::fault::{self, Fault};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::Duration;

fn inbox(path: &str) -> String {
    format!("inbox/{PLAN}/{path}")
}

fn needing(name: &str) -> Value {
    message(json!({"required_inputs": [name]}))
}

/// In one word each.
fn words(events: &[Event]) -> Vec<String> {
    let word = |event: &Event| match &event.what {
        EventKind::Taken(about) => format!("taken {}", about.task_id),
        EventKind::Filed { message_id, .. } => format!("filed {message_id}"),
        EventKind::Waits { about, asked: None, .. } => format!("waits {}", about.task_id),
        EventKind::Waits { about, asked: Some(_), .. } => format!("asked {}", about.task_id),
        EventKind::Ended { about, ended } => {
            let how = if ended.failure.is_some() { "failed" } else { "succeeded" };
            format!("{how} {}", about.task_id)
        }
        EventKind::Superseded { about, .. } => format!("superseded {}", about.command_id),
        EventKind::Parked(about) => format!("parked {}", about.task_id),
        EventKind::Duplicate { message_id } => format!("duplicate {message_id}"),
        EventKind::PutAside { name, code, .. } => format!("{code} {name}"),
        EventKind::Skipped { name, .. } => format!("skipped {name}"),
    };
    events.iter().map(word).collect()
}

fn configure(agent: &Agent, further: Value) {
    let mut config = json!({"schema_version": "1.0", "agent_id": "agent_a", "poll_interval_seconds": 10});
    config.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    agent.write("heartbeat_config.json", config.to_string());
}

/// Several ticks of one heartbeat; `between` is called after each.
fn ticks(agent: &Agent, count: usize, mut between: impl FnMut(usize, &mut Heartbeat<'_>, Tick, Vec<Event>)) {
    agent
        .run(|executor| {
            let mut heartbeat = Heartbeat::new(*executor);
            for number in 0..count {
                let mut events = Vec::new();
                let tick = heartbeat.tick(&mut |event| events.push(event))?;
                between(number, &mut heartbeat, tick, events);
            }
            Ok::<_, ExecutionError>(())
        })
        .unwrap();
}

#[test]
fn e_a_a_command_from_the_inbox_is_executed_and_put_away() {
    let agent = Agent::answering(r#"{"result":"r","score":85,"score_explanation":"why"}"#);
    agent.drop("cmd_task_a_001.msg.json", &message(json!({"score_required": true, "score_criteria": "c"})));
    let events = agent.tick();
    assert_eq!(words(&events), ["taken task_a", "succeeded task_a"]);
    let EventKind::Ended { ended, .. } = &events[1].what else { panic!("{events:?}") };
    assert_eq!(ended.document.as_ref().unwrap().score.as_ref().unwrap().to_string(), "85");
    assert_eq!(ended.spent.answers, 1);
    assert_eq!(agent.ack("msg_command")["status"], "SUCCEEDED");
    assert_eq!(agent.state()["state"], "COMPLETED");
    assert_eq!(agent.list(&inbox("")), Vec::<String>::new());
    assert_eq!(agent.list(&inbox(".processed")), ["msg_command__cmd_task_a_001.msg.json"]);
    agent.published_is_whole();
    // contract/plans §5.2: without a number, as it is run directly.
    assert_eq!(words(&agent.tick()), Vec::<String>::new());
}

#[test]
fn e_b_a_command_waits_is_acknowledged_and_goes_on_after_a_restart() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &needing("requirements.md"));
    assert_eq!(words(&agent.tick()), ["taken task_a", "waits task_a"]);
    // contract/plans §8.1: before the inputs are looked for.
    assert_eq!(agent.ack("msg_command")["status"], "CONSUMED");
    assert_eq!(agent.state()["state"], "BLOCKED_WAITING_INPUT");
    assert_eq!(agent.pending(), ["msg_command__a.msg.json"]);
    // contract/plans §6.4: the message is an hour old, and its timeout 60 s.
    agent.clock.seconds.set(START + 59);
    assert_eq!(words(&agent.tick()), ["waits task_a"]);
    assert_eq!(agent.state()["blocking"]["started_at"], "2026-01-12T09:00:00Z");
    agent.arrives("msg_1", "task_b", &[("requirements.md", "x")]);
    assert_eq!(words(&agent.tick()), ["filed msg_1", "succeeded task_a"]);
    let ack = agent.ack("msg_command");
    assert_eq!((&ack["status"], &ack["consumed_at"]), (&json!("SUCCEEDED"), &json!("2026-01-12T09:00:00Z")));
    assert_eq!(agent.asked(), 1);
}

#[test]
fn e_b_a_timeout_asks_a_person_exactly_once() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &needing("requirements.md"));
    agent.tick();
    for seconds in [60, 65, 5000] {
        agent.clock.seconds.set(START + seconds);
        assert_eq!(words(&agent.tick()), ["asked task_a"], "{seconds}");
    }
    assert_eq!(agent.in_outbox("human_intervention_request_").len(), 1);
    assert_eq!(agent.in_outbox("alert_").len(), 1);
    assert_eq!(agent.state()["state"], "BLOCKED_WAITING_HUMAN");
    // contract/plans §13.6: what the person provides is an artifact like any other.
    agent.arrives("msg_human", "human_gateway", &[("requirements.md", "x")]);
    assert_eq!(words(&agent.tick()), ["filed msg_human", "succeeded task_a"]);
}

#[test]
fn s6_4_what_waits_is_told_once_and_when_its_time_is_up() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &needing("x.md"));
    ticks(&agent, 4, |number, _, tick, events| match number {
        0 => {
            assert_eq!(words(&events), ["taken task_a", "waits task_a"]);
            assert_eq!(tick.next, Some(Duration::from_secs(60)));
            agent.clock.seconds.set(START + 20);
        }
        1 => {
            assert_eq!((words(&events), tick.next), (vec![], Some(Duration::from_secs(40))));
            agent.clock.seconds.set(START + 60);
        }
        2 => assert_eq!((words(&events), tick.next), (vec!["asked task_a".to_owned()], None)),
        _ => assert_eq!(words(&events), Vec::<String>::new()),
    });
}

#[test]
fn s6_3_a_message_that_comes_again_is_executed_once() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &message(json!({})));
    agent.drop("b.msg.json", &message(json!({})));
    assert_eq!(words(&agent.tick()), ["taken task_a", "succeeded task_a", "duplicate msg_command"]);
    agent.drop("a.msg.json", &message(json!({})));
    assert_eq!(words(&agent.tick()), ["duplicate msg_command"]);
    assert_eq!((agent.asked(), agent.in_outbox("artifact_").len()), (1, 1));
    assert_eq!((agent.pending().len(), agent.in_outbox("alert_").len()), (0, 0));
    // Also while it waits.
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &needing("x.md"));
    agent.tick();
    for name in ["a.msg.json", "0.msg.json"] {
        agent.drop(name, &needing("x.md"));
        agent.tick();
        assert_eq!(agent.pending().len(), 1, "{name}");
    }
    agent.input("x.md", "x");
    agent.tick();
    assert_eq!((agent.asked(), agent.pending().len()), (1, 0));
}

#[test]
fn s6_3_an_acknowledgement_that_was_collected_still_counts() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &message(json!({})));
    agent.tick();
    let (from, sent) =
        (agent.path.join(format!("outbox/{PLAN}")), agent.path.join(format!("outbox/{PLAN}/.sent")));
    fs::create_dir(&sent).unwrap();
    fs::rename(from.join("ack_msg_command.json"), sent.join("ack_msg_command.json")).unwrap();
    agent.drop("b.msg.json", &message(json!({})));
    assert_eq!(words(&agent.tick()), ["duplicate msg_command"]);
    assert_eq!(agent.asked(), 1);
}

#[test]
fn s6_3_the_same_id_with_another_content_is_put_aside_once() {
    for (first, waits) in [(message(json!({})), false), (needing("x.md"), true)] {
        let agent = Agent::answering("r");
        agent.drop("a.msg.json", &first);
        agent.tick();
        let before = agent.ack("msg_command");
        agent.drop("b.msg.json", &message(json!({"prompt": "Something else."})));
        let expected = "MESSAGE_ID_REUSED_WITH_DIFFERENT_PAYLOAD msg_command__b.msg.json";
        assert!(words(&agent.tick()).contains(&expected.to_owned()), "{waits}");
        agent.tick();
        let alerts = agent.in_outbox("alert_");
        assert_eq!(alerts.len(), 1, "{waits}");
        assert_eq!(alerts[0]["type"], "MESSAGE_ID_REUSED_WITH_DIFFERENT_PAYLOAD");
        assert_eq!(agent.list(&inbox(".deadletter")), ["msg_command__b.msg.json"]);
        // The first one is as it was.
        assert_eq!(agent.ack("msg_command"), before);
        assert_eq!(agent.pending().len(), usize::from(waits));
    }
    // An artifact, too.
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("a.md", "A")]);
    agent.tick();
    agent.arrives("msg_1", "task_b", &[("b.md", "B")]);
    assert_eq!(
        words(&agent.tick()),
        ["MESSAGE_ID_REUSED_WITH_DIFFERENT_PAYLOAD msg_1__artifact_msg_1.msg.json"]
    );
}

#[test]
fn s6_2_new_messages_come_before_those_that_wait() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &numbered("msg_a", "task_a", 1, json!({"required_inputs": ["x.md"]})));
    agent.tick();
    agent.input("x.md", "x");
    agent.drop("b.msg.json", &numbered("msg_b", "task_b", 1, json!({})));
    agent.drop("0.msg.json", &numbered("msg_c", "task_c", 1, json!({})));
    assert_eq!(
        words(&agent.tick()),
        ["taken task_c", "succeeded task_c", "taken task_b", "succeeded task_b", "succeeded task_a"]
    );
}

#[test]
fn s6_2_a_tick_takes_fifty_unless_it_is_configured() {
    for (config, expected) in [
        (None, 50),
        (Some(json!({"max_new_messages_per_tick": null})), 50),
        (Some(json!({"max_new_messages_per_tick": 3})), 3),
    ] {
        let agent = Agent::answering("r");
        if let Some(config) = config {
            configure(&agent, config);
        }
        for number in 0..60 {
            agent.arrives(&format!("msg_{number:02}"), "task_b", &[(&format!("{number}.md"), "x")]);
        }
        let (tick, events) = agent.try_tick().unwrap();
        assert_eq!((events.len(), tick.again), (expected, true));
        // In the order of their names.
        assert_eq!(words(&events)[..2], ["filed msg_00", "filed msg_01"]);
        while agent.try_tick().unwrap().0.again {}
        assert_eq!(agent.in_outbox("ack_").len(), 60);
    }
}

#[test]
fn s6_2_ten_that_wait_are_looked_at_and_none_starves() {
    let agent = Agent::answering("r");
    for number in 0..25 {
        let command = numbered(
            &format!("msg_{number:02}"),
            &format!("task_{number:02}"),
            1,
            json!({"required_inputs": [format!("{number:02}.md")], "timeout": 3600}),
        );
        agent.drop(&format!("{number:02}.msg.json"), &command);
    }
    ticks(&agent, 10, |number, _, tick, events| match number {
        // 25 are taken; the first look after a start has three parts.
        0 => assert_eq!((words(&events).len(), tick.again), (50, true)),
        1 => assert!(tick.again),
        2 => {
            assert!(!tick.again);
            // The last two files are there, and no event has reported them.
            agent.input("24.md", "x");
            agent.input("23.md", "x");
        }
        // A rescan is enough, in three parts.
        3..=5 => assert!(!tick.again),
        6 => {
            assert_eq!(agent.asked(), 2);
            agent.arrives("msg_x", "task_z", &[("22.md", "x")]);
        }
        // Something was filed: everything is looked at, at once.
        7 | 8 => assert!(tick.again),
        _ => assert_eq!((tick.again, agent.asked(), agent.pending().len()), (false, 3, 22)),
    });
}

#[test]
fn s6_2_sweeping_what_has_ended_takes_no_budget() {
    let agent = Agent::answering("r");
    configure(&agent, json!({"max_resume_messages_per_tick": 1}));
    for number in 0..5 {
        let id = format!("msg_{number}");
        agent.drop(&format!("{number}.msg.json"), &numbered(&id, &format!("task_{number}"), 1, json!({})));
    }
    agent.tick();
    // As after a kill behind the acknowledgement.
    for name in agent.list(&inbox(".processed")) {
        fs::rename(
            agent.path.join(inbox(&format!(".processed/{name}"))),
            agent.path.join(inbox(&format!(".pending/{name}"))),
        )
        .unwrap();
    }
    agent.drop("z.msg.json", &numbered("msg_z", "task_z", 1, json!({"required_inputs": ["x.md"]})));
    agent.tick();
    assert_eq!(agent.pending(), ["msg_z__z.msg.json"]);
    assert_eq!((agent.list(&inbox(".processed")).len(), agent.asked()), (5, 5));
}

#[test]
fn b10_what_was_taken_before_a_kill_is_gone_on_with() {
    let agent = Agent::answering("r");
    agent.write(&inbox("a.md"), "A");
    let file = json!({"path": "a.md", "sha256": sha256(b"A")});
    agent.write(
        &inbox(".pending/msg_1__artifact_1.msg.json"),
        artifact("msg_1", "task_b", &[file]).to_string(),
    );
    agent.write(&inbox(".pending/msg_command__c.msg.json"), needing("a.md").to_string());
    assert_eq!(words(&agent.tick()), ["filed msg_1", "taken task_a", "succeeded task_a"]);
    assert_eq!(agent.pending(), Vec::<String>::new());
}

#[test]
fn b9_one_bad_message_stops_nothing_and_is_put_aside_with_its_code() {
    let agent = Agent::answering("r");
    let unsupported = |key: &str, value: Value| {
        let mut changed = message(json!({}));
        changed[key] = value;
        changed
    };
    agent.write(&inbox("a_half.msg.json"), "{half");
    agent.write(&inbox("b_twice.msg.json"), r#"{"message_id":"a","message_id":"b"}"#);
    agent.drop("c_schema.msg.json", &json!({"schema_version": "1.0"}));
    agent.drop("d_type.msg.json", &unsupported("type", json!("rumour")));
    agent.drop("e_version.msg.json", &unsupported("schema_version", json!("2.0")));
    agent.drop("f_plan.msg.json", &artifact_of("plan_other"));
    agent.drop("g_task.msg.json", &unsupported("task_id", json!("task_other")));
    agent.drop("h_null.msg.json", &unsupported("payload", json!({"command": null})));
    File::create(agent.path.join(inbox("i_large.msg.json"))).unwrap().set_len(1 << 30).unwrap();
    agent.drop("z.msg.json", &message(json!({})));
    let events = agent.tick();
    assert_eq!(
        words(&events),
        [
            "ENVELOPE_PARSE_ERROR a_half.msg.json",
            "ENVELOPE_PARSE_ERROR b_twice.msg.json",
            "SCHEMA_INVALID c_schema.msg.json",
            "UNKNOWN_MESSAGE_TYPE d_type.msg.json",
            "SCHEMA_VERSION_UNSUPPORTED e_version.msg.json",
            "ENVELOPE_INVALID f_plan.msg.json",
            "COMMAND_ENVELOPE_MISMATCH g_task.msg.json",
            "SCHEMA_INVALID h_null.msg.json",
            "ENVELOPE_INVALID i_large.msg.json",
            "taken task_a",
            "succeeded task_a",
        ]
    );
    let alerts = agent.in_outbox("alert_");
    assert_eq!(alerts.len(), 9);
    let severity =
        |code: &str| alerts.iter().find(|alert| alert["type"] == code).unwrap()["severity"].clone();
    assert_eq!(
        (severity("UNKNOWN_MESSAGE_TYPE"), severity("SCHEMA_INVALID")),
        (json!("MEDIUM"), json!("HIGH"))
    );
    assert_eq!(agent.list(&inbox(".deadletter")).len(), 9);
    let status = agent.json("status_heartbeat.json");
    assert_eq!(status["health"], "WARNING");
    assert!(status["last_error"].as_str().unwrap().contains("i_large.msg.json"), "{status}");
    agent.tick();
    assert_eq!(agent.in_outbox("alert_").len(), 9);
    // One of the same name takes the place of no other.
    agent.write(&inbox("a_half.msg.json"), "{other half");
    agent.tick();
    assert_eq!(fs::read(agent.path.join(inbox(".deadletter/a_half.msg.json"))).unwrap(), b"{half");
    assert_eq!((agent.list(&inbox(".deadletter")).len(), agent.in_outbox("alert_").len()), (10, 10));
}

fn artifact_of(plan: &str) -> Value {
    let mut other = artifact("msg_other", "task_b", &[json!({"path": "x", "sha256": sha256(b"x")})]);
    other["plan_id"] = json!(plan);
    other
}

#[test]
fn b9_a_bad_message_that_was_taken_stops_nothing_either() {
    let agent = Agent::answering("r");
    agent.write(&inbox(".pending/msg_0__half.msg.json"), "{half");
    agent.write(&inbox(".pending/msg_1__c.msg.json"), message(json!({})).to_string());
    assert_eq!(
        words(&agent.tick()),
        ["ENVELOPE_PARSE_ERROR msg_0__half.msg.json", "taken task_a", "succeeded task_a"]
    );
    assert_eq!(agent.list(&inbox(".deadletter")), ["msg_0__half.msg.json"]);
}

#[test]
fn what_is_no_file_is_skipped_told_once_and_stops_nothing() {
    let agent = Agent::answering("r");
    fs::create_dir_all(agent.path.join(inbox("a_folder.msg.json"))).unwrap();
    mknodat(CWD, agent.path.join(inbox("b_pipe.msg.json")), FileType::Fifo, Mode::from_raw_mode(0o600), 0)
        .unwrap();
    symlink("/etc/passwd", agent.path.join(inbox("c_link.msg.json"))).unwrap();
    fs::create_dir(agent.path.join("inbox/not a plan")).unwrap();
    symlink("/etc", agent.path.join("inbox/plan_link")).unwrap();
    agent.drop("z.msg.json", &message(json!({})));
    ticks(&agent, 3, |number, _, _, events| match number {
        0 => assert_eq!(
            words(&events),
            [
                "skipped inbox/not a plan",
                "skipped inbox/plan_link",
                "skipped a_folder.msg.json",
                "skipped b_pipe.msg.json",
                "skipped c_link.msg.json",
                "taken task_a",
                "succeeded task_a",
            ]
        ),
        _ => assert_eq!(words(&events), Vec::<String>::new()),
    });
    let types: Vec<Value> = agent.in_outbox("alert_").iter().map(|alert| alert["type"].clone()).collect();
    assert_eq!(types, ["UNSAFE_PATH", "UNSAFE_PATH", "UNSAFE_PATH"]);
    assert_eq!(agent.json("status_heartbeat.json")["health"], "WARNING");
    // Once they are gone, all is well.
    fs::remove_dir(agent.path.join(inbox("a_folder.msg.json"))).unwrap();
    fs::remove_file(agent.path.join(inbox("b_pipe.msg.json"))).unwrap();
    fs::remove_file(agent.path.join(inbox("c_link.msg.json"))).unwrap();
    agent.tick();
    assert_eq!(agent.json("status_heartbeat.json")["health"], "HEALTHY");
}

#[test]
fn a_command_whose_execution_errs_stays_is_told_once_and_stops_nothing() {
    let agent = Agent::answering("r");
    agent.write(&format!("workspace/{PLAN}/trace/msg_command"), "no folder");
    agent.drop("a.msg.json", &message(json!({})));
    agent.drop("b.msg.json", &numbered("msg_b", "task_b", 1, json!({})));
    ticks(&agent, 2, |number, _, _, events| match number {
        0 => assert_eq!(
            words(&events),
            ["taken task_a", "skipped msg_command__a.msg.json", "taken task_b", "succeeded task_b"]
        ),
        _ => assert_eq!(words(&events), Vec::<String>::new()),
    });
    let alerts = agent.in_outbox("alert_");
    assert_eq!((alerts.len(), &alerts[0]["type"]), (1, &json!("UNHANDLED_EXCEPTION")));
    assert_eq!(agent.pending(), ["msg_command__a.msg.json"]);
    // It continues when the obstacle is gone.
    fs::remove_file(agent.path.join(format!("workspace/{PLAN}/trace/msg_command"))).unwrap();
    assert_eq!(words(&agent.tick()), ["succeeded task_a"]);
}

#[test]
fn a_command_that_fails_is_put_away_like_one_that_succeeds() {
    let agent = Agent::answering("no score");
    agent.drop("a.msg.json", &message(json!({"score_required": true, "score_criteria": "c"})));
    assert_eq!(words(&agent.tick()), ["taken task_a", "failed task_a"]);
    let ack = agent.ack("msg_command");
    assert_eq!((&ack["status"], &ack["result"]["ok"]), (&json!("FAILED"), &json!(false)));
    assert_eq!((agent.pending().len(), agent.list(&inbox(".processed")).len()), (0, 1));
    assert_eq!(agent.list(&inbox(".deadletter")), Vec::<String>::new());
}

#[test]
fn c10_an_older_command_is_refused_once_a_newer_one_is_pending_or_done() {
    // In one tick, whatever their names.
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &numbered("msg_1", "task_a", 1, json!({})));
    agent.drop("b.msg.json", &numbered("msg_2", "task_a", 2, json!({})));
    assert_eq!(words(&agent.tick()), ["superseded cmd_task_a_001", "taken task_a", "succeeded task_a"]);
    let ack = agent.ack("msg_1");
    assert_eq!(
        (&ack["status"], &ack["result"]["details"]["error"], &ack["result"]["details"]["superseded_by"]),
        (
            &json!("FAILED"),
            &json!("superseded by cmd_task_a_002 (command_seq 2)"),
            &json!({"command_id": "cmd_task_a_002", "command_seq": 2})
        )
    );
    assert_eq!((&agent.state()["state"], &agent.state()["command_seq"]), (&json!("COMPLETED"), &json!(2)));
    // contract/plans §6.3: it comes later than the newer one.
    agent.drop("c.msg.json", &numbered("msg_3", "task_a", 0, json!({})));
    assert_eq!(words(&agent.tick()), ["superseded cmd_task_a_000"]);
    assert_eq!((agent.asked(), agent.state()["command_seq"].as_u64()), (1, Some(2)));
    // Of the same number, both are executed: only a later one supersedes.
    agent.drop("d.msg.json", &numbered("msg_4", "task_a", 2, json!({"prompt": "Again."})));
    assert_eq!(words(&agent.tick()), ["taken task_a", "succeeded task_a"]);
    // A duplicate of the older one changes nothing.
    agent.drop("a.msg.json", &numbered("msg_1", "task_a", 1, json!({})));
    assert_eq!(words(&agent.tick()), ["duplicate msg_1"]);
    assert_eq!(agent.state()["message_id"], "msg_4");
}

#[test]
fn c10_one_that_waits_is_overtaken_as_well() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &numbered("msg_1", "task_a", 1, json!({"required_inputs": ["x.md"]})));
    agent.tick();
    agent.drop("b.msg.json", &numbered("msg_2", "task_a", 2, json!({"required_inputs": ["x.md"]})));
    assert_eq!(words(&agent.tick()), ["taken task_a", "waits task_a", "superseded cmd_task_a_001"]);
    agent.input("x.md", "x");
    assert_eq!(words(&agent.tick()), ["succeeded task_a"]);
    assert_eq!((agent.asked(), &agent.ack("msg_1")["status"]), (1, &json!("FAILED")));
    // Both were taken before a kill, and nothing was noted of either.
    let agent = Agent::answering("r");
    for seq in [1, 2] {
        let command = numbered(&format!("msg_{seq}"), "task_a", seq, json!({}));
        agent.write(&inbox(&format!(".pending/msg_{seq}__c.msg.json")), command.to_string());
    }
    assert_eq!(words(&agent.tick()), ["superseded cmd_task_a_001", "taken task_a", "succeeded task_a"]);
}

#[test]
fn c16_an_invalid_newer_command_does_not_supersede_a_valid_one() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &numbered("msg_1", "task_a", 1, json!({})));
    agent.drop("b.msg.json", &numbered("msg_2", "task_a", 2, json!({"timeout": 0})));
    assert_eq!(words(&agent.tick()), ["taken task_a", "succeeded task_a", "SCHEMA_INVALID b.msg.json"]);
}

#[test]
fn s2_4_the_plans_are_those_whose_folders_are_there_or_those_that_are_listed() {
    let in_plan = |plan: &str, task: &str| {
        let mut inner = numbered(&format!("msg_{plan}"), task, 1, json!({}));
        inner["plan_id"] = json!(plan);
        inner["payload"]["command"]["plan_id"] = json!(plan);
        inner.to_string()
    };
    let plans = |config: Option<Value>| {
        let agent = Agent::answering("r");
        if let Some(config) = config {
            configure(&agent, json!({"plans": config}));
        }
        for plan in ["plan_b", "plan_a", ".plan_c", "plan_c"] {
            let inside = plan.trim_start_matches('.');
            agent.write(&format!("inbox/{plan}/a.msg.json"), in_plan(inside, &format!("task_{inside}")));
        }
        let events = agent.tick();
        let taken =
            words(&events).into_iter().filter_map(|word| word.strip_prefix("taken ").map(str::to_owned));
        let status = agent.json("status_heartbeat.json")["current_plan_ids"].clone();
        (taken.collect::<Vec<_>>(), status)
    };
    let all = vec!["task_plan_a".to_owned(), "task_plan_b".to_owned(), "task_plan_c".to_owned()];
    for config in
        [None, Some(json!({"scan_mode": "auto", "allowlist": ["plan_a"]})), Some(json!({"scan_mode": null}))]
    {
        assert_eq!(plans(config), (all.clone(), json!(["plan_a", "plan_b", "plan_c"])));
    }
    // In the order of the list, once each; one that is not there yet is made room for.
    let listed =
        json!({"scan_mode": "allowlist_only", "allowlist": ["plan_c", "plan_new", "plan_a", "plan_c"]});
    assert_eq!(
        plans(Some(listed)),
        (vec!["task_plan_c".into(), "task_plan_a".into()], json!(["plan_c", "plan_new", "plan_a"]))
    );
    assert_eq!(plans(Some(json!({"scan_mode": "allowlist_only", "allowlist": null}))), (vec![], json!([])));
}

#[test]
fn s6_2_the_status_says_how_the_agent_is_and_changes_only_when_that_does() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &needing("x.md"));
    let mut first = Value::Null;
    ticks(&agent, 4, |number, heartbeat, _, _| {
        let status = agent.json("status_heartbeat.json");
        match number {
            0 => {
                assert_eq!(heartbeat.interval(), Duration::from_secs(10));
                assert_eq!(
                    status,
                    json!({
                        "schema_version": "1.0", "agent_id": "agent_a", "last_heartbeat": "2026-01-12T09:00:00Z",
                        "health": "HEALTHY", "status": "WAITING", "uptime_seconds": 0,
                        "current_plan_ids": [PLAN], "current_task_ids": ["task_a"],
                    })
                );
                first = status;
                agent.clock.seconds.set(START + 9);
            }
            1 => {
                assert_eq!(status, first);
                agent.clock.seconds.set(START + 10);
            }
            2 => {
                assert_eq!(
                    (&status["last_heartbeat"], &status["uptime_seconds"]),
                    (&json!("2026-01-12T09:00:10Z"), &json!(10))
                );
                agent.input("x.md", "x");
            }
            _ => {
                assert_eq!((&status["status"], &status["current_task_ids"]), (&json!("IDLE"), &json!([])));
                heartbeat.stop();
                assert_eq!(agent.json("status_heartbeat.json")["status"], "STOPPED");
            }
        }
    });
}

#[test]
fn an_interrupted_tick_parks_its_command_takes_nothing_more_and_goes_on_later() {
    let agent = Agent::answering("r");
    agent.drop("a.msg.json", &numbered("msg_a", "task_a", 1, json!({})));
    agent.drop("b.msg.json", &numbered("msg_b", "task_b", 1, json!({})));
    let mut number = 0;
    let tick = agent.run(|executor| {
        Heartbeat::new(*executor).tick(&mut |_| {
            number += 1;
            agent.cancellation.cancel();
        })
    });
    assert!(tick.unwrap().interrupted);
    assert_eq!((number, agent.asked(), agent.state()["state"].as_str()), (2, 0, Some("READY")));
    assert_eq!(agent.list(&inbox("")), ["b.msg.json"]);
    let again = Agent { cancellation: Default::default(), ..agent };
    assert_eq!(words(&again.tick()), ["taken task_b", "succeeded task_b", "succeeded task_a"]);
}

/// In calls of the system, which do not depend on the machine.
#[test]
fn a_command_costs_the_same_among_few_and_among_many() {
    let calls = |commands: u64| {
        let agent = Agent::answering("r");
        configure(&agent, json!({"max_new_messages_per_tick": 1000}));
        for number in 0..commands {
            let (message, task) = (format!("msg_{number:03}"), format!("task_{number:03}"));
            agent.drop(&format!("{message}.msg.json"), &numbered(&message, &task, 1, json!({})));
        }
        fault::fail(u64::MAX, Fault::Killed);
        let events = agent.tick();
        let calls = fault::calls().len() as u64;
        fault::fail_no_more();
        assert_eq!(events.len() as u64, 2 * commands);
        calls
    };
    let (one, few, many) = (calls(1), calls(11), calls(101));
    assert_eq!(10 * (few - one), many - one, "{one} {few} {many}");
}

#[test]
fn a_command_that_was_run_directly_and_interrupted_goes_on() {
    let agent = Agent::answering("r");
    agent.exec(&json!({
        "schema_version": "1.0", "command_id": "cmd_x", "plan_id": PLAN, "task_id": "task_a", "prompt": "Do it.",
        "required_inputs": ["x.md"], "wait_for_inputs": true, "score_required": false, "timeout": 60,
    }));
    agent.input("x.md", "x");
    assert_eq!(words(&agent.tick()), ["succeeded task_a"]);
}

/// Gives a file the time at which it was written.
fn written(agent: &Agent, path: &str, ago: Duration) {
    let file = File::options().write(true).open(agent.path.join(path)).unwrap();
    file.set_modified(std::time::SystemTime::now() - ago).unwrap();
}

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn what_is_still_being_written_is_left_until_it_is_still_or_whole() {
    let agent = Agent { settle: HOUR, ..Agent::answering("r") };
    let whole = message(json!({})).to_string();
    let (name, half) = (inbox("a.msg.json"), &whole[..whole.len() / 2]);
    agent.write(&name, half);
    ticks(&agent, 4, |number, _, tick, events| match number {
        0 => {
            // It is looked at again when it could be still, even if nothing comes.
            assert_eq!(words(&events), Vec::<String>::new());
            assert!(tick.next.is_some_and(|next| next <= HOUR + Duration::from_secs(1)), "{tick:?}");
            written(&agent, &name, 2 * HOUR);
        }
        1 => {
            assert_eq!(words(&events), ["ENVELOPE_PARSE_ERROR a.msg.json"]);
            assert_eq!(tick.next, None);
            // The writer continues, where the file was put.
            agent.write(&inbox(".deadletter/a.msg.json"), &whole);
        }
        2 => assert_eq!(words(&events), ["taken task_a", "succeeded task_a"]),
        _ => assert_eq!(words(&events), Vec::<String>::new()),
    });
    assert_eq!(agent.list(&inbox(".deadletter")), Vec::<String>::new());
    // What is whole at the second look is taken at once, and what is whole and wrong is not waited for.
    let agent = Agent { settle: HOUR, ..Agent::answering("r") };
    agent.write(&name, half);
    agent.write(&inbox("b.msg.json"), "{\"schema_version\":\"1.0\"}");
    ticks(&agent, 2, |number, _, _, events| match number {
        0 => {
            assert_eq!(words(&events), ["SCHEMA_INVALID b.msg.json"]);
            agent.write(&name, &whole);
        }
        _ => assert_eq!(words(&events), ["taken task_a", "succeeded task_a"]),
    });
}

#[test]
fn a_file_of_an_artifact_that_is_still_being_written_is_waited_for() {
    let agent = Agent { settle: HOUR, ..Agent::answering("r") };
    agent.arrives("msg_1", "task_b", &[("a.md", "whole")]);
    agent.write(&inbox("a.md"), "wh");
    ticks(&agent, 2, |number, _, tick, events| match number {
        0 => {
            assert_eq!(words(&events), Vec::<String>::new());
            assert!(tick.next.is_some(), "{tick:?}");
            agent.write(&inbox("a.md"), "whole");
        }
        _ => assert_eq!(words(&events), ["filed msg_1"]),
    });
    // One that stays half is put aside once it is still.
    let agent = Agent { settle: HOUR, ..Agent::answering("r") };
    agent.arrives("msg_1", "task_b", &[("a.md", "whole")]);
    agent.write(&inbox("a.md"), "wh");
    assert_eq!(words(&agent.tick()), Vec::<String>::new());
    written(&agent, &inbox("a.md"), 2 * HOUR);
    let pending = agent.pending().remove(0);
    written(&agent, &inbox(&format!(".pending/{pending}")), 2 * HOUR);
    let words = words(&agent.tick());
    assert!(words[0].starts_with("PAYLOAD_SHA_MISMATCH "), "{words:?}");
}
