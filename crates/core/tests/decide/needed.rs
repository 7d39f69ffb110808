//! The agents that a command depends on.

use crate::{asked, drive, resume_from, state};
use aide_core::task::Task;
use aide_core::{Command, NeededAgents};
use model::Via;
use protocol::workflow::{Trigger, WorkflowState};
use serde_json::{Value, json};

#[test]
fn s6_1_all_agents_are_needed_only_where_one_is_searched() {
    let mut tasks = state(WorkflowState::Execution).tasks;
    tasks.push(Task { capabilities: vec!["web_search".to_owned()], ..Task::new("c") });
    let needed = |trigger: Trigger, context: Value| match drive(trigger, context).needed_agents(&tasks) {
        NeededAgents::All => "all".to_owned(),
        NeededAgents::Named(named) => named.into_iter().collect::<Vec<_>>().join(" "),
    };
    let stated = |id: &str| json!({ "id": id, "requiredCapabilities": ["a"] });
    let listed = |task: Value| json!({ "tasks": [task] });
    for (trigger, context, expected) in [
        (Trigger::TaskStarted, json!({ "taskId": "b" }), "x"),
        (Trigger::TaskStarted, json!({ "taskId": "b", "agentId": "y" }), "x y"),
        (Trigger::TaskStarted, json!({ "taskId": "c" }), "all"),
        (Trigger::TaskStarted, json!({ "taskId": "c", "agentId": "y" }), "x y"),
        (Trigger::TaskStarted, json!({}), "x"),
        (Trigger::ReviewRejected, json!({ "taskId": "c" }), "x"),
        (Trigger::PlanCreated, listed(stated("d")), "x"),
        (Trigger::PlanCreated, listed(json!({ "id": "d", "assignee": "z" })), "x z"),
        (Trigger::TaskProgress, listed(json!({ "id": "d", "status": "completed", "minLevel": 3 })), "all"),
        (Trigger::TaskProgress, listed(json!({ "id": "c", "status": "completed" })), "all"),
        (Trigger::TaskProgress, listed(json!({ "id": "c", "status": "completed", "assignee": "z" })), "x z"),
        (Trigger::TaskStarted, json!({ "taskId": "d", "tasks": [stated("d")] }), "all"),
        (Trigger::TaskProgress, json!({ "tasks": 5 }), "x"),
    ] {
        assert_eq!(needed(trigger, context.clone()), expected, "{trigger} {context}");
    }
    let before = asked(state(WorkflowState::Execution), "1", Some("a"), &[]);
    let agent = || "y".to_owned();
    for (command, expected) in [
        (Command::Pause { is_hard: true }, vec!["x"]),
        (Command::Input { text: "go on".to_owned(), via: Via::Api }, vec!["x"]),
        (resume_from(&before, false), vec!["x"]),
        (Command::Release { agent: agent() }, vec!["x", "y"]),
        (Command::Dispatch { task: "b".to_owned(), agent: agent() }, vec!["x", "y"]),
    ] {
        let expected = NeededAgents::Named(expected.into_iter().map(str::to_owned).collect());
        assert_eq!(command.needed_agents(&before.tasks), expected, "{command:?}");
    }
}
