//! Every call to the system fails once, or is the last one before a kill. Afterwards, a repetition reaches the same end,
//! repeats no answered request, and never publishes anything half.

use crate::support::{Agent, PLAN, message, numbered};
use agent::Finish;
use agent::heartbeat::Heartbeat;
use files::fault::{self, Fault};
use rustix::io::Errno;
use serde_json::json;

/// Lets each call fail, until there are no more.
fn each_call(fault: Fault, mut attempt: impl FnMut(u64, Fault) -> bool) {
    let mut turn = 0;
    while attempt(turn, fault) {
        turn += 1;
    }
    assert!(turn > 50, "only {turn} calls");
}

const FAILS: Fault = Fault::Fails(Errno::IO);
const FAILS_DONE: Fault = Fault::FailsDone(Errno::IO);
const FULL: Fault = Fault::Fails(Errno::NOSPC);

#[test]
fn a_command_survives_every_call_that_fails() {
    a_command(FAILS);
}

#[test]
fn a_command_survives_every_call_that_fails_although_it_was_done() {
    a_command(FAILS_DONE);
}

#[test]
fn a_command_survives_a_kill_before_every_call() {
    a_command(Fault::Killed);
}

fn a_command(fault: Fault) {
    each_call(fault, |turn, fault| {
        let agent = Agent::with(|prompt| {
            // The second answer is the good one.
            let good = json!({"result": "r", "score": 70, "files": {"a.md": "A", "d/b.md": "B"}});
            Ok(if prompt.contains("# Correction") { good.to_string().into() } else { b"bad".to_vec() })
        });
        agent.input("x.md", "x");
        let document = message(json!({
            "required_inputs": ["x.md"], "score_required": true, "score_criteria": "c", "idempotency_key": "k",
            "produces": [
                {"output_name": "o", "files": [{"path": "a.md"}, {"path": "d/b.md"}]},
                {"output_name": "q", "files": [{"path": "q.json"}], "when": {"min_score": 90}},
            ],
        }));
        fault::fail(turn, fault);
        let first = agent.try_exec(&document);
        let came = fault::fail_no_more();
        agent.published_is_whole();
        if let Ok(Finish::Ended(ended)) = &first {
            assert_eq!(ended.failure, None, "call {turn}, {fault:?}");
        }
        let ended = agent.ended(&document);
        assert_eq!(ended.failure, None, "call {turn}, {fault:?}: {first:?}");
        let artifacts = agent.in_outbox("artifact_");
        assert_eq!(artifacts.len(), 1, "call {turn}, {fault:?}: {:?}", agent.outbox());
        agent.published_is_whole();
        let ack = agent.json(&format!("outbox/{PLAN}/ack_msg_command.json"));
        assert_eq!((&ack["status"], &agent.state()["state"]), (&json!("SUCCEEDED"), &json!("COMPLETED")));
        assert_eq!(
            agent.list(&format!("inbox/{PLAN}/.pending")),
            Vec::<String>::new(),
            "call {turn}, {fault:?}"
        );
        came
    });
}

#[test]
fn what_arrives_survives_every_call_that_fails() {
    what_arrives(FAILS);
}

#[test]
fn what_arrives_survives_every_call_that_fails_although_it_was_done() {
    what_arrives(FAILS_DONE);
}

#[test]
fn what_arrives_survives_a_kill_before_every_call() {
    what_arrives(Fault::Killed);
}

fn what_arrives(fault: Fault) {
    each_call(fault, |turn, fault| {
        let agent = Agent::answering("r");
        agent.arrives("msg_1", "task_b", &[("a.md", "A"), ("d/b.md", "B")]);
        fault::fail(turn, fault);
        let first = agent.file_arrived();
        let came = fault::fail_no_more();
        agent.file_arrived().unwrap();
        let told = format!("call {turn}, {fault:?}: {first:?}");
        assert_eq!(agent.in_outbox("alert_").len(), 0, "{told}");
        let index = agent.json(&format!("workspace/{PLAN}/inputs/input_index.json"));
        assert_eq!(index["entries"].as_array().unwrap().len(), 1, "{told}");
        assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_1.json"))["status"], "SUCCEEDED", "{told}");
        assert_eq!(agent.list(&format!("inbox/{PLAN}")), Vec::<String>::new(), "{told}");
        assert_eq!(agent.list(&format!("inbox/{PLAN}/.pending")), Vec::<String>::new(), "{told}");
        let folder = format!("workspace/{PLAN}/inputs/task_b/out");
        assert_eq!(
            (agent.list(&folder), agent.list(&format!("{folder}/d"))),
            (vec!["a.md".into()], vec!["b.md".into()]),
            "{told}"
        );
        came
    });
}

#[test]
fn a_wait_that_runs_out_survives_every_call_that_fails() {
    a_wait_that_runs_out(FAILS);
}

#[test]
fn a_wait_that_runs_out_survives_every_call_that_fails_although_it_was_done() {
    a_wait_that_runs_out(FAILS_DONE);
}

#[test]
fn a_wait_that_runs_out_survives_a_kill_before_every_call() {
    a_wait_that_runs_out(Fault::Killed);
}

fn a_wait_that_runs_out(fault: Fault) {
    each_call(fault, |turn, fault| {
        let agent = Agent::answering("r");
        let document = message(json!({"required_inputs": ["x.md"], "timeout": 1}));
        assert!(matches!(agent.exec(&document), Finish::Missing(_)));
        agent.clock.seconds.set(agent.clock.seconds.get() + 5);
        fault::fail(turn, fault);
        let first = agent.try_exec(&document);
        let came = fault::fail_no_more();
        agent.clock.seconds.set(agent.clock.seconds.get() + 5);
        assert!(matches!(agent.exec(&document), Finish::Missing(_)));
        let told = format!("call {turn}, {fault:?}: {first:?}");
        assert_eq!(agent.in_outbox("human_intervention_request_").len(), 1, "{told}");
        assert_eq!(agent.in_outbox("alert_").len(), 1, "{told}");
        assert_eq!(agent.state()["state"], "BLOCKED_WAITING_HUMAN", "{told}");
        came
    });
}

#[test]
fn a_tick_survives_every_call_that_fails() {
    a_tick(FAILS);
}

#[test]
fn a_tick_survives_every_call_that_fails_although_it_was_done() {
    a_tick(FAILS_DONE);
}

#[test]
fn a_tick_survives_a_kill_before_every_call() {
    a_tick(Fault::Killed);
}

#[test]
fn a_tick_survives_a_disk_that_is_full_at_every_call() {
    a_tick(FULL);
}

/// An artifact, a command that waits for it, and something that is no message.
fn a_tick(fault: Fault) {
    each_call(fault, |turn, fault| {
        let agent = Agent::answering("r");
        agent.arrives("msg_1", "task_b", &[("d/a.md", "A")]);
        agent.drop("c.msg.json", &numbered("msg_c", "task_c", 1, json!({"required_inputs": ["d/a.md"]})));
        agent.write(&format!("inbox/{PLAN}/e.msg.json"), "{half");
        fault::fail(turn, fault);
        let first = agent.try_tick().map(|(_, events)| events);
        let came = fault::fail_no_more();
        agent.published_is_whole();
        let told = format!("call {turn}, {fault:?}: {first:?}");
        // What could not be done by one tick is done by the next.
        agent.tick();
        let acks = ["msg_1", "msg_c"].map(|message| agent.ack(message)["status"].clone());
        assert_eq!(acks, ["SUCCEEDED", "SUCCEEDED"], "{told}");
        let state = agent.json(&format!("outbox/{PLAN}/task_state_task_c.json"));
        assert_eq!((&state["state"], agent.in_outbox("artifact_").len()), (&json!("COMPLETED"), 1), "{told}");
        // An answer that could not be stored is asked for again, no other: the provider looks.
        assert!((1..=2).contains(&agent.asked()), "{told}");
        agent.published_is_whole();
        is_cleared(&agent, &[], &["e.msg.json"], &told);
        came
    });
}

#[test]
fn an_answer_that_cannot_be_stored_is_not_paid_for_again_while_the_agent_runs() {
    each_call(FULL, |turn, fault| {
        let agent = Agent::answering("r");
        agent.drop("a.msg.json", &numbered("msg_1", "task_a", 1, json!({})));
        let came = agent.run(|executor| {
            let mut heartbeat = Heartbeat::new(*executor);
            fault::fail(turn, fault);
            let first = heartbeat.tick(&mut |_| {});
            let came = fault::fail_no_more();
            assert!(came || first.is_ok(), "call {turn}: {first:?}");
            for _ in 0..2 {
                heartbeat.tick(&mut |_| {})?;
            }
            Ok(came)
        });
        assert_eq!((agent.asked(), &agent.ack("msg_1")["status"]), (1, &json!("SUCCEEDED")), "call {turn}");
        came.unwrap()
    });
}

#[test]
fn an_overtaken_command_survives_every_call_that_fails() {
    an_overtaken_command(FAILS);
}

#[test]
fn an_overtaken_command_survives_a_kill_before_every_call() {
    an_overtaken_command(Fault::Killed);
}

#[test]
fn an_overtaken_command_survives_a_disk_that_is_full_at_every_call() {
    an_overtaken_command(FULL);
}

/// A command, a later one of its task that waits, and that once more.
fn an_overtaken_command(fault: Fault) {
    each_call(fault, |turn, fault| {
        let agent = Agent::answering("r");
        let needing = json!({"required_inputs": ["never.md"], "timeout": 3600});
        agent.drop("a.msg.json", &numbered("msg_1", "task_a", 1, json!({})));
        agent.drop("b.msg.json", &numbered("msg_2", "task_a", 2, needing.clone()));
        agent.drop("c.msg.json", &numbered("msg_2", "task_a", 2, needing));
        fault::fail(turn, fault);
        let first = agent.try_tick().map(|(_, events)| events);
        let came = fault::fail_no_more();
        let told = format!("call {turn}, {fault:?}: {first:?}");
        for _ in 0..2 {
            agent.tick();
        }
        // Only where the later one could not be read was nothing known of it.
        let is_executed = agent.ack("msg_1")["status"] == "SUCCEEDED";
        assert!(!is_executed || told.contains(r#"Skipped { name: "b.msg.json""#), "{told}");
        assert_eq!(agent.asked(), usize::from(is_executed), "{told}");
        assert_eq!(agent.ack("msg_2")["status"], "CONSUMED", "{told}");
        assert_eq!(
            (&agent.state()["state"], &agent.state()["command_seq"]),
            (&json!("BLOCKED_WAITING_INPUT"), &json!(2))
        );
        assert_eq!(agent.json("status_heartbeat.json")["current_task_ids"], json!(["task_a"]), "{told}");
        let pending = agent.pending();
        is_cleared(&agent, &[&pending[0]], &[], &told);
        assert!(pending[0].starts_with("msg_2__"), "{told}");
        came
    });
}

/// The inbox is empty, and no alert was raised twice.
fn is_cleared(agent: &Agent, pending: &[&str], aside: &[&str], told: &str) {
    assert_eq!(agent.list(&format!("inbox/{PLAN}")), Vec::<String>::new(), "{told}");
    assert_eq!(agent.pending(), pending, "{told}");
    assert_eq!(agent.list(&format!("inbox/{PLAN}/.deadletter")), aside, "{told}");
    let alerts = agent.in_outbox("alert_");
    let of_type = |kind: &str| alerts.iter().filter(|alert| alert["type"] == kind).count();
    assert_eq!(of_type("ENVELOPE_PARSE_ERROR"), aside.len(), "{told}");
    assert_eq!(of_type("UNHANDLED_EXCEPTION") + aside.len(), alerts.len(), "{told}");
}
