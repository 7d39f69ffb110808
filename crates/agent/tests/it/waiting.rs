//! Waiting for inputs, and for a person (contract/plans §6.4).

use crate::support::{Agent, PLAN, START, command, message};
use agent::{CommandAdmission, Finish, Waker};
use protocol::agent::Order;
use serde_json::{Value, json};
use std::time::Duration;

fn needing() -> Value {
    message(json!({"required_inputs": ["requirements.md"]}))
}

#[test]
fn s6_4_the_clock_of_a_wait_survives_a_restart() {
    let agent = Agent::answering("r");
    assert!(matches!(agent.exec(&needing()), Finish::Missing(_)));
    let state = agent.state();
    assert_eq!(
        (&state["state"], &state["blocking"]["reason"]),
        (&json!("BLOCKED_WAITING_INPUT"), &json!("MISSING_INPUTS"))
    );
    assert_eq!(state["blocking"]["missing"][0]["name"], "requirements.md");
    // contract/plans §6.4: not the time at which the command was made.
    assert_eq!(state["blocking"]["started_at"], "2026-01-12T09:00:00Z");
    agent.clock.seconds.set(START + 59);
    let Finish::Missing(blocked) = agent.exec(&needing()) else { panic!("not blocked") };
    assert_eq!((blocked.until, blocked.human.is_none()), (Some(Duration::from_secs(1)), true));
    assert_eq!(agent.state()["blocking"]["started_at"], "2026-01-12T09:00:00Z");
    // contract/plans §8.1: it is acknowledged from the beginning.
    assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_command.json"))["status"], "CONSUMED");
    agent.input("requirements.md", "x");
    assert!(agent.ended(&needing()).failure.is_none());
    let ack = agent.json(&format!("outbox/{PLAN}/ack_msg_command.json"));
    assert_eq!((&ack["status"], &ack["consumed_at"]), (&json!("SUCCEEDED"), &json!("2026-01-12T09:00:00Z")));
}

#[test]
fn s6_4_a_wait_that_runs_out_asks_a_person_once_and_goes_on() {
    let agent = Agent::answering("r");
    agent.exec(&needing());
    for seconds in [60, 61, 5000] {
        agent.clock.seconds.set(START + seconds);
        let Finish::Missing(blocked) = agent.exec(&needing()) else { panic!("not blocked") };
        assert!(blocked.human.is_some());
    }
    let requests = agent.in_outbox("human_intervention_request_human_req_");
    let [request] = requests.as_slice() else { panic!("{:?}", agent.outbox()) };
    assert_eq!((&request["type"], &request["severity"]), (&json!("MISSING_FILE"), &json!("HIGH")));
    assert_eq!(
        request["needed"]["files"],
        json!([{"name": "requirements.md", "description": "Required input file", "sensitivity": "UNKNOWN",
            "deliver_to_agent_id": "agent_a"}])
    );
    assert_eq!(
        request["blocking"],
        json!({"status": "BLOCKED_WAITING_HUMAN", "reason": "WAIT_FOR_INPUTS_TIMEOUT"})
    );
    let alerts = agent.in_outbox("alert_");
    assert_eq!((alerts.len(), &alerts[0]["type"]), (1, &json!("WAIT_FOR_INPUTS_TIMEOUT")));
    let state = agent.state();
    assert_eq!(
        (&state["state"], &state["blocking"]["request_id"]),
        (&json!("BLOCKED_WAITING_HUMAN"), &request["request_id"])
    );
    assert_eq!(state["blocking"]["started_at"], "2026-01-12T09:00:00Z");
    assert_eq!(agent.lines("error_chains.jsonl").len(), 1);
    // What comes later is used.
    agent.arrives("msg_1", "human_gateway", &[("requirements.md", "late")]);
    assert!(agent.ended(&needing()).failure.is_none());
}

#[test]
fn s6_4_resolved_inputs_are_described_to_the_person() {
    let agent = Agent::answering("r");
    let needing = message(json!({"resolved_inputs": [
        {"input_name": "a", "required": true, "paths": ["a.md", "b.md"]},
        {"input_name": "c", "required": true, "paths": ["c.md"], "description": "The C", "sensitivity": "SECRET"},
        {"input_name": "d", "required": false, "paths": ["d.md"]},
    ]}));
    agent.exec(&needing);
    agent.clock.seconds.set(START + 60);
    agent.exec(&needing);
    let files = agent.in_outbox("human_intervention_request_")[0]["needed"]["files"].clone();
    assert_eq!(
        files,
        json!([
            {"name": "a.md", "description": "Required input: a", "sensitivity": "UNKNOWN", "deliver_to_agent_id": "agent_a"},
            {"name": "c.md", "description": "The C", "sensitivity": "SECRET", "deliver_to_agent_id": "agent_a"},
        ])
    );
}

#[test]
fn a_person_who_does_not_answer_in_time_ends_it() {
    let agent = Agent::answering("r");
    let agent = Agent { human_timeout: Some(Duration::from_secs(100)), ..agent };
    agent.exec(&needing());
    agent.clock.seconds.set(START + 500);
    assert!(matches!(agent.exec(&needing()), Finish::Missing(_)));
    // From the moment that the person was asked.
    agent.clock.seconds.set(START + 599);
    let Finish::Missing(blocked) = agent.exec(&needing()) else { panic!("not blocked") };
    assert_eq!(blocked.until, Some(Duration::from_secs(1)));
    agent.clock.seconds.set(START + 600);
    assert_eq!(agent.fails(&needing()), "HUMAN_TIMEOUT");
    assert_eq!(agent.asked(), 0);
}

#[test]
fn s6_4_a_state_that_cannot_be_read_falls_back_to_the_message() {
    let agent = Agent::answering("r");
    agent.exec(&needing());
    agent.write(&format!("outbox/{PLAN}/task_state_task_a.json"), "{half");
    agent.exec(&needing());
    let alerts = agent.in_outbox("alert_");
    assert!(alerts.iter().any(|alert| alert["type"] == "TASK_STATE_CORRUPT_FALLBACK"), "{alerts:?}");
    // The command is an hour old: its time is up.
    assert_eq!(agent.state()["state"], "BLOCKED_WAITING_HUMAN");
    assert_eq!(agent.state()["blocking"]["started_at"], "2026-01-12T08:00:00Z");
}

#[test]
fn a_bare_command_that_waits_is_taken_up_again() {
    let agent = Agent::answering("r");
    let needing = command(json!({"required_inputs": ["x.md"]}));
    agent.exec(&needing);
    agent.exec(&needing);
    assert_eq!(agent.list(&format!("inbox/{PLAN}/.pending")).len(), 1);
    agent.input("x.md", "x");
    agent.ended(&needing);
    assert_eq!((agent.in_outbox("ack_").len(), agent.asked()), (1, 1));
}

/// Lets something happen when it is time to sleep.
struct ScriptedWaker<F: FnMut(usize, Duration)>(usize, F);

impl<F: FnMut(usize, Duration)> Waker for ScriptedWaker<F> {
    fn sleep(&mut self, at_most: Duration) {
        (self.1)(self.0, at_most);
        self.0 += 1;
    }
}

#[test]
fn s6_5_what_arrives_during_a_wait_is_filed_and_used() {
    let agent = Agent::answering("r");
    let bytes = needing().to_string().into_bytes();
    let mut told = 0;
    let finish = agent.run(|executor| {
        let CommandAdmission::Work(work) = executor.accept(Order::parse(&bytes).unwrap(), &bytes)? else {
            panic!("ended")
        };
        let mut naps = ScriptedWaker(0, |nap, at_most| {
            assert!(at_most <= Duration::from_secs(10));
            match nap {
                0 => agent.arrives("msg_0", "task_z", &[("other.md", "y")]),
                1 => agent.arrives("msg_1", "task_b", &[("requirements.md", "x")]),
                _ => panic!("it should have gone on"),
            }
        });
        agent::finish(executor, &work, Some(&mut naps), |_| told += 1)
    });
    let Finish::Ended(ended) = finish.unwrap() else { panic!("not ended") };
    assert_eq!((ended.failure, told), (None, 2));
}

#[test]
fn an_interrupted_wait_is_parked_and_its_clock_goes_on() {
    let agent = Agent::answering("r");
    let bytes = needing().to_string().into_bytes();
    let finish = agent.run(|executor| {
        let CommandAdmission::Work(work) = executor.accept(Order::parse(&bytes).unwrap(), &bytes)? else {
            panic!("ended")
        };
        let mut naps = ScriptedWaker(0, |_, _| agent.cancellation.cancel());
        agent::finish(executor, &work, Some(&mut naps), |_| {})
    });
    assert!(matches!(finish.unwrap(), Finish::Interrupted));
    assert_eq!(agent.state()["state"], "BLOCKED_WAITING_INPUT");
    assert_eq!(agent.list(&format!("inbox/{PLAN}/.pending")).len(), 1);
}

/// What a person has answered to the one request there is, as it is filed.
fn answered(agent: &Agent, decision: &str) {
    let request = agent.in_outbox("human_intervention_request_").remove(0)["request_id"].clone();
    let request = request.as_str().unwrap();
    let response = json!({ "schema_version": "1.0", "request_id": request, "plan_id": PLAN, "decision": decision,
        "responded_at": "2026-01-12T10:00:00Z", "reason": "There is none.", "message": "Do without." });
    agent.input(&format!("human_gateway/{request}/human_response_{request}.json"), &response.to_string());
}

#[test]
fn s13_what_a_person_refuses_fails_with_the_reason() {
    let agent = Agent::answering(r#"{"result": "fine"}"#);
    let document = message(json!({ "required_inputs": ["x.md"], "timeout": 1 }));
    agent.exec(&document);
    agent.clock.seconds.set(START + 5);
    agent.exec(&document);
    answered(&agent, "REJECT");
    let failure = agent.ended(&document).failure.unwrap();
    assert_eq!((failure.code.unwrap().name(), &*failure.detail), ("HUMAN_REJECTED", "There is none."));
    assert_eq!(agent.asked(), 0);
}

#[test]
fn s13_what_a_person_lets_go_is_done_without_and_with_the_answer() {
    for decision in ["APPROVE", "CLARIFY"] {
        let agent = Agent::answering(r#"{"result": "fine"}"#);
        let document = message(json!({ "required_inputs": ["x.md"], "timeout": 1 }));
        agent.exec(&document);
        agent.clock.seconds.set(START + 5);
        agent.exec(&document);
        answered(&agent, decision);
        assert_eq!(agent.ended(&document).failure, None, "{decision}");
        let prompt = agent.provider.prompts.lock().unwrap().remove(0);
        assert!(prompt.contains("Do without.") && prompt.contains("x.md"), "{prompt}");
    }
}
