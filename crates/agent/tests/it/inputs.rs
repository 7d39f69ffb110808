//! Which files are inputs (contract/plans §7).

use crate::support::{Agent, PLAN, message};
use agent::{Finish, InlineLimits};
use serde_json::{Value, json};

fn used(agent: &Agent, further: Value) -> Vec<(String, Option<String>)> {
    let document = agent.ended(&message(further)).document.unwrap();
    let inputs = document.inputs.into_iter();
    inputs.map(|input| (input.path.to_string(), input.message_id.map(|id| id.to_string()))).collect()
}

fn missing(agent: &Agent, further: Value) -> Vec<String> {
    match agent.exec(&message(further)) {
        Finish::Missing(blocked) => blocked.missing.iter().map(|input| input.name.to_string()).collect(),
        other => panic!("{other:?}"),
    }
}

fn path(path: &str) -> (String, Option<String>) {
    (path.to_owned(), None)
}

#[test]
fn s7_resolved_inputs_win_even_if_there_are_none() {
    let agent = Agent::answering("r");
    assert_eq!(used(&agent, json!({"required_inputs": ["nowhere.md"], "resolved_inputs": []})), []);
    let agent = Agent::answering("r");
    let needed = json!({"required_inputs": [], "resolved_inputs": [
        {"input_name": "a", "required": true, "paths": ["a1.md", "a2.md"]},
        {"input_name": "b", "required": false, "paths": ["b.md"]},
    ]});
    assert_eq!(missing(&agent, needed.clone()), ["a1.md"]);
    agent.input("a2.md", "A");
    assert_eq!(used(&agent, needed), [path("a2.md")]);
}

#[test]
fn s7_the_index_comes_before_the_folder_of_inputs_and_that_before_the_tasks() {
    let agent = Agent::answering("r");
    agent.write(&format!("workspace/{PLAN}/tasks/task_a/x.md"), "task");
    assert_eq!(used(&agent, json!({"required_inputs": ["x.md"]})), [path("x.md")]);
    let agent = Agent::answering("r");
    agent.write(&format!("workspace/{PLAN}/tasks/task_a/x.md"), "of the task");
    agent.input("x.md", "of the inputs");
    agent.arrives("msg_1", "task_b", &[("x.md", "of the index")]);
    assert_eq!(
        used(&agent, json!({"required_inputs": ["x.md"]})),
        [("x.md".to_owned(), Some("msg_1".to_owned()))]
    );
    assert!(agent.provider.prompts.lock().unwrap()[0].contains("of the index"));
}

#[test]
fn s7_the_inbox_is_never_searched() {
    let agent = Agent::answering("r");
    agent.write(&format!("inbox/{PLAN}/x.md"), "x");
    for name in ["x.md", "*.md", "inbox/x.md"] {
        assert_eq!(missing(&agent, json!({"required_inputs": [name]})), [name]);
        std::fs::remove_dir_all(agent.path.join("outbox")).unwrap();
        std::fs::remove_dir_all(agent.path.join(format!("inbox/{PLAN}/.pending"))).unwrap();
    }
}

#[test]
fn s7_a_pattern_takes_all_that_match_in_their_order() {
    let agent = Agent::answering("r");
    for name in ["feedback_b.json", "feedback_a.json", "deep/feedback_c.json", "other.json", "feedback_x.md"]
    {
        agent.input(name, name);
    }
    agent.write(&format!("workspace/{PLAN}/tasks/task_a/feedback_d.json"), "d");
    agent.arrives("msg_1", "task_b", &[("dir/feedback_e.json", "e")]);
    let mut found = used(&agent, json!({"required_inputs": ["feedback_?.json", "feedback_*.json"]}));
    found.iter_mut().for_each(|(_, message)| drop(message.take()));
    let expected = [
        "deep/feedback_c.json",
        "dir/feedback_e.json",
        "feedback_a.json",
        "feedback_b.json",
        "feedback_d.json",
    ];
    assert_eq!(found, expected.map(path));
}

#[test]
fn s7_a_name_that_is_there_is_no_pattern() {
    let agent = Agent::answering("r");
    agent.input("[a].md", "name");
    agent.input("a.md", "match");
    assert_eq!(used(&agent, json!({"required_inputs": ["[a].md"]})), [path("[a].md")]);
    let agent = Agent::answering("r");
    agent.input("a.md", "match");
    assert_eq!(used(&agent, json!({"required_inputs": ["[a].md"]})), [path("a.md")]);
    let agent = Agent::answering("r");
    agent.input("a.md", "match");
    assert_eq!(missing(&agent, json!({"required_inputs": ["[a.md"]})), ["[a.md"]);
}

#[test]
fn s7_of_several_versions_the_newest_is_used() {
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("x.md", "old")]);
    agent.file_arrived().unwrap();
    agent.clock.seconds.set(agent.clock.seconds.get() + 1);
    agent.arrives("msg_2", "task_b", &[("x.md", "new")]);
    assert_eq!(
        used(&agent, json!({"required_inputs": ["x.md"]})),
        [("x.md".to_owned(), Some("msg_2".to_owned()))]
    );
    assert!(agent.provider.prompts.lock().unwrap()[0].contains("new\n"));
}

#[test]
fn s7_files_of_several_tasks_are_ambiguous_until_a_person_gives_one() {
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("x.md", "b")]);
    agent.file_arrived().unwrap();
    agent.arrives("msg_2", "task_c", &[("x.md", "c")]);
    let needed = json!({"required_inputs": ["x.md"]});
    let Finish::Missing(blocked) = agent.exec(&message(needed.clone())) else { panic!("not blocked") };
    assert_eq!(blocked.ambiguous[0].tasks.len(), 2);
    let requests = agent.in_outbox("human_intervention_request_");
    assert_eq!((requests.len(), &requests[0]["blocking"]["reason"]), (1, &json!("INPUT_AMBIGUOUS")));
    agent.arrives("msg_3", "human_gateway", &[("x.md", "mine")]);
    assert_eq!(used(&agent, needed.clone()), [("x.md".to_owned(), Some("msg_3".to_owned()))]);
    // Equal contents are one input.
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("x.md", "same")]);
    agent.file_arrived().unwrap();
    agent.arrives("msg_2", "task_c", &[("x.md", "same")]);
    assert_eq!(used(&agent, needed.clone()).len(), 1);
    // A command that does not wait cannot get the choice.
    let agent = Agent::answering("r");
    agent.arrives("msg_1", "task_b", &[("x.md", "b")]);
    agent.file_arrived().unwrap();
    agent.arrives("msg_2", "task_c", &[("x.md", "c")]);
    assert_eq!(
        agent.fails(&message(json!({"required_inputs": ["x.md"], "wait_for_inputs": false}))),
        "INPUT_AMBIGUOUS"
    );
}

#[test]
fn s8_2_what_is_binary_or_too_large_is_named_by_its_hash() {
    let agent = Agent::answering("r");
    let agent = Agent { inline: InlineLimits { file: 10, total: 15 }, ..agent };
    for (name, content) in
        [("a.bin", "a\0b"), ("b.md", "12345678901"), ("c.md", "1234567890"), ("d.md", "123456")]
    {
        agent.input(name, content);
    }
    agent.ended(&message(json!({"required_inputs": ["*"]})));
    let prompt = agent.provider.prompts.lock().unwrap()[0].clone();
    for part in [
        "(binary): file \"a.bin\", 3 bytes, sha256:",
        "(too large): file \"b.md\"",
        "(too large): file \"d.md\"",
    ] {
        assert!(prompt.contains(part), "{part} is not in\n{prompt}");
    }
    assert!(prompt.contains("1234567890\nEND"));
}

#[test]
fn c1_without_waiting_it_is_executed_and_says_what_is_missing() {
    let agent = Agent::answering("r");
    agent.ended(&message(json!({"required_inputs": ["x.md"], "wait_for_inputs": false})));
    assert!(agent.provider.prompts.lock().unwrap()[0].contains("[\"x.md\"]"));
    let ack = agent.json(&format!("outbox/{PLAN}/ack_msg_command.json"));
    assert_eq!(ack["result"]["details"]["missing_inputs"], json!(["x.md"]));
}
