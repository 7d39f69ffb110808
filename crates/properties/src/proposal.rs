//! What agents propose to the engine, in whatever form a model has written it.

use crate::daemon::Clock;
use journal::Sqlite;
use protocol::workflow::Trigger;
use protocol::workflow::api::Capability;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use workflow::{NewMessage, PoolAgent, Proposal, Runtime, Transition, read_plan};

/// A proposal is read or refused, always in the same way; and what was read is read again of what a careful agent would have
/// written, whatever stands around it.
pub(crate) fn proposal(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = Proposal::read(text);
    assert_eq!(Proposal::read(text), read);
    match read {
        Ok(proposal) => {
            assert!((0.0..=100.0).contains(&proposal.confidence), "{}", proposal.confidence);
            assert_eq!(proposal.action.trim(), proposal.action);
            let careful = json!({
                "thought": proposal.thought, "action": proposal.action, "params": proposal.params,
                "expectedOutcome": "", "risk": format!("{:?}", proposal.risk), "confidence": 50,
                "requiresUserConfirmation": proposal.needs_confirmation, "userMessage": proposal.user_message,
            });
            let wanted = Proposal { confidence: 50.0, ..proposal };
            for text in [careful.to_string(), format!("Here it is:\n```json\n{careful}\n```\nThat is all.")] {
                assert_eq!(Proposal::read(&text).as_ref(), Ok(&wanted), "{text}");
            }
        }
        Err(problem) => assert!(!problem.is_empty()),
    }
}

/// A plan is refused with words for the planner, or it can be done to its end and a workflow takes it.
pub(crate) fn proposed_plan(data: &[u8]) {
    let Ok(Value::Object(params)) = serde_json::from_slice(data) else { return };
    let able = [("web_search", 8), ("file_ops", 10)]
        .map(|(kind, level)| Capability { kind: kind.to_owned(), level });
    let tasks = match read_plan(&params, &able) {
        Ok(tasks) => tasks,
        Err(problem) => return assert!(!problem.is_empty()),
    };
    assert!((1..=15).contains(&tasks.len()), "{}", tasks.len());
    let ids: BTreeSet<&str> = tasks.iter().filter_map(|task| task["id"].as_str()).collect();
    assert_eq!(ids.len(), tasks.len(), "{tasks:?}");
    let texts = |task: &Value, name: &str| -> Vec<String> {
        task[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    for task in &tasks {
        let needed = texts(task, "requiredCapabilities");
        assert!(needed.iter().all(|one| able.iter().any(|able| able.kind == *one)), "{task}");
        let meant = able.iter().filter(|able| needed.is_empty() || needed.contains(&able.kind));
        let best = meant.map(|able| able.level).max().unwrap();
        assert!(task["minLevel"].as_u64().unwrap_or(1) <= best, "{task}");
    }
    let mut done = BTreeSet::new();
    while done.len() < tasks.len() {
        let is_ready = |task: &&Value| texts(task, "dependencies").iter().all(|need| done.contains(need));
        let ready: BTreeSet<String> =
            tasks.iter().filter(is_ready).map(|task| task["id"].as_str().unwrap().to_owned()).collect();
        assert!(ready.len() > done.len(), "nothing can be done next: {tasks:?}");
        done = ready;
    }
    take(tasks);
}

/// A workflow that is being planned goes on with this plan.
fn take(tasks: Vec<Value>) {
    let runtime =
        Runtime::new(Arc::new(Sqlite::in_memory(Box::new(|_| {})).unwrap()), Arc::new(Clock::default()));
    runtime.set_pool(&PoolAgent::usual()).unwrap();
    let message = NewMessage {
        target: "finger-orchestrator".to_owned(),
        message: json!("x"),
        sender: None,
        is_awaited: false,
        callback_id: None,
    };
    let begun: Value = serde_json::from_str(&runtime.send(None, &message).unwrap()).unwrap();
    let workflow = begun["workflowId"].as_str().unwrap();
    for (trigger, name, value) in [
        (Trigger::IntentAnalyzed, "intent", Value::Null),
        (Trigger::RoutingDecided, "route", json!("full_replan")),
        (Trigger::PlanCreated, "tasks", Value::Array(tasks)),
    ] {
        let context = Map::from_iter([(name.to_owned(), value)]);
        runtime.transition(None, workflow, &Transition { trigger, context }).unwrap();
    }
}
