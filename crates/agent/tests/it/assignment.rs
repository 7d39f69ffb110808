//! A single task that a caller without a plan gives to an agent.

use crate::ground::Ground;
use crate::support::Agent;
use agent::plan::{Assignment, Stage};
use serde_json::{Value, json};
use std::fs;

fn assignment(agent: &str) -> Assignment {
    Assignment {
        plan_id: "dispatch-1".parse().unwrap(),
        task_id: "task-1".parse().unwrap(),
        agent: agent.parse().unwrap(),
        prompt: "Write the contract.".to_owned(),
        timeout: 60,
        extra: json!({ "workflow_id": "wf-1" }).as_object().cloned().unwrap(),
    }
}

/// A ground whose agent is this one, so that it can really work.
fn placed(agent: &mut Agent) -> Ground {
    let ground = Ground::new(&["agent_a"]);
    agent.path = ground.path("agents/agent_a");
    ground
}

fn carry(ground: &Ground) -> Stage {
    let given = assignment("agent_a");
    ground.folders().assign(&given, &ground.clock).unwrap();
    ground.folders().carry(&given.plan_id, &ground.clock).unwrap();
    stage(ground)
}

fn stage(ground: &Ground) -> Stage {
    let given = assignment("agent_a");
    ground.folders().stage(&given.plan_id, &given.task_id, &given.agent).unwrap()
}

fn withdraw(ground: &Ground) -> bool {
    let given = assignment("agent_a");
    ground.folders().withdraw(&given.plan_id, &given.agent).unwrap()
}

const INBOX: &str = "agents/agent_a/inbox/dispatch-1";

#[test]
fn a_task_is_given_once_and_its_artifact_comes_back() {
    let mut agent = Agent::answering(json!({ "result": "The contract." }));
    let ground = placed(&mut agent);
    assert!(matches!(carry(&ground), Stage::Delivered { .. }));
    let command = ground.json(&format!("{INBOX}/cmd_task-1_001.msg.json"));
    let command: &Value = &command["payload"]["command"];
    assert_eq!(
        (&command["workflow_id"], &command["prompt"]),
        (&json!("wf-1"), &json!("Write the contract."))
    );
    // Giving it again, even after a kill, changes nothing.
    assert!(matches!(carry(&ground), Stage::Delivered { .. }));
    assert_eq!(ground.list(INBOX), ["cmd_task-1_001.msg.json"]);
    agent.tick();
    assert_eq!(stage(&ground), Stage::Returning);
    match carry(&ground) {
        Stage::Done(document) => assert_eq!(document.result, json!("The contract.")),
        other => panic!("{other:?}"),
    }
    carry(&ground);
    agent.tick();
    assert_eq!(agent.asked(), 1);
}

#[test]
fn what_an_agent_has_failed_at_says_so() {
    // Neither the first answer nor the second has the form that was asked for.
    let mut agent = Agent::answering("");
    let ground = placed(&mut agent);
    carry(&ground);
    agent.tick();
    match stage(&ground) {
        Stage::Failed { code, .. } => assert!(code.is_some()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_not_taken_can_be_taken_back_and_given_anew() {
    let mut agent = Agent::answering(json!({ "result": "The contract." }));
    let ground = placed(&mut agent);
    carry(&ground);
    assert!(withdraw(&ground));
    assert_eq!(ground.list(INBOX), Vec::<String>::new());
    assert!(!ground.path("rt/plans/dispatch-1").exists());
    agent.tick();
    assert_eq!(agent.asked(), 0);
    // Nothing that was left behind keeps it from being delivered.
    assert!(matches!(carry(&ground), Stage::Delivered { .. }));
    agent.tick();
    assert!(!withdraw(&ground));
    assert!(matches!(carry(&ground), Stage::Done(_)));
    assert_eq!(agent.asked(), 1);
}

#[test]
fn an_agent_that_is_not_there_is_given_nothing() {
    let ground = Ground::new(&["agent_a"]);
    let error = ground.folders().assign(&assignment("agent_b"), &ground.clock).unwrap_err();
    assert!(error.to_string().starts_with("no such folder: "), "{error}");
    assert!(fs::read_dir(ground.path("rt")).unwrap().all(|entry| entry.unwrap().file_name() != "plans"));
}
