//! What triggers and lists do to tasks, and to their agents.

use crate::{after, drive, published, refused, state, step};
use aide_core::agent::Agent;
use aide_core::{Event, NeededAgents, State, decide};
use protocol::workflow::api::Capability;
use protocol::workflow::{ErrorCode, TaskState, Trigger, WorkflowState};
use serde_json::{Value, json};

/// A workflow that does these tasks, and the free executors `x`, able to `search` at 9, and `y`, at 5.
pub(crate) fn executing(tasks: Value) -> State {
    let mut before = State { tasks: Vec::new(), ..state(WorkflowState::PlanLoop) };
    let free = before.pool.remove(0).freed().unwrap();
    before.pool = [("x", 9), ("y", 5)].map(|(id, level)| able(&free, id, level)).to_vec();
    after(&before, drive(Trigger::PlanCreated, json!({ "tasks": tasks }))).0
}

fn able(agent: &Agent, id: &str, level: u64) -> Agent {
    let capabilities = vec![Capability { kind: "search".to_owned(), level }];
    Agent { id: id.to_owned(), capabilities, deployments: 0, ..agent.clone() }
}

fn by(task: &str, agent: &str) -> Value {
    json!({ "taskId": task, "agentId": agent })
}

fn states(state: &State) -> Vec<TaskState> {
    state.tasks.iter().map(|task| task.state).collect()
}

#[test]
fn s5_5_what_cannot_happen_to_a_task_is_refused_with_its_state() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b", "dependencies": ["a"] }]));
    let early = refused(&state, Trigger::TaskStarted, json!({ "taskId": "b" }));
    assert_eq!((early.code, &early.details["taskState"]), (ErrorCode::InvalidTransition, &json!("created")));
    step(&mut state, Trigger::TaskCompleted, json!({ "taskId": "a" }));
    for context in [
        json!({ "tasks": [{ "id": "a", "fsmState": "created" }] }),
        json!({ "tasks": [{ "id": "a", "status": "in_progress" }] }),
        json!({ "tasks": [{ "id": "a", "status": "failed" }] }),
        json!({ "tasks": [{ "id": "b", "fsmState": "reviewing" }, { "id": "a", "fsmState": "ready" }] }),
        json!({ "tasks": [{ "id": "c", "dependencies": ["b"], "status": "completed" }] }),
    ] {
        let refusal = refused(&state, Trigger::TaskProgress, context.clone());
        assert_eq!(refusal.code, ErrorCode::InvalidTransition, "{context}");
        assert_eq!(refusal.details["currentState"], "execution", "{context}");
        assert!(refusal.details["taskId"].is_string() && refusal.details["taskState"].is_string());
    }
    let again = refused(&state, Trigger::TaskCompleted, json!({ "taskId": "a" }));
    assert_eq!(
        (again.code, &again.details["trigger"]),
        (ErrorCode::InvalidTransition, &json!("task_completed"))
    );
    let list = refused(&state, Trigger::TaskProgress, json!({ "tasks": [{ "id": "a" }, { "id": "a" }] }));
    assert_eq!((list.code, &list.details["field"]), (ErrorCode::InvalidRequest, &json!("context.tasks")));
    assert_eq!(refused(&state, Trigger::TaskStarted, by("z", "x")).code, ErrorCode::NotFound);
    step(&mut state, Trigger::MajorChangeDetected, json!({}));
    let elsewhere = refused(&state, Trigger::TaskStarted, by("z", "x"));
    assert_eq!(elsewhere.code, ErrorCode::InvalidTransition, "whatever the task");
}

#[test]
fn s5_5_a_task_that_has_failed_can_be_tried_again_until_all_is_exhausted() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b" }]));
    step(&mut state, Trigger::TaskFailed, json!({ "taskId": "a", "error": "timeout" }));
    assert_eq!(states(&state), [TaskState::ExecutionFailed, TaskState::Ready]);
    step(&mut state, Trigger::TaskStarted, json!({ "taskId": "a" }));
    assert_eq!((state.tasks[0].state, state.tasks[0].attempt), (TaskState::Running, 2));
    let exhausted = json!({ "taskId": "a", "error": "no", "retriesExhausted": true });
    step(&mut state, Trigger::TaskFailed, exhausted);
    assert_eq!((state.workflow.state, state.workflow.error.as_deref()), (WorkflowState::Failed, Some("no")));
}

#[test]
fn s5_5_a_list_that_says_what_is_so_changes_nothing() {
    let same = |state: &mut State| {
        let before = state.tasks.clone();
        let status: Vec<Value> = before
            .iter()
            .map(|task| json!({ "id": task.id, "status": task.state.simple().name() }))
            .collect();
        let phase: Vec<Value> =
            before.iter().map(|task| json!({ "id": task.id, "fsmState": task.state.name() })).collect();
        for list in [status, phase] {
            let told = step(state, Trigger::TaskProgress, json!({ "tasks": list }));
            assert_eq!((told, &state.tasks), (vec!["workflow_update".to_owned()], &before));
        }
    };
    let mut state = executing(json!([{ "id": "a" }, { "id": "b", "dependencies": ["a"] }]));
    same(&mut state);
    step(&mut state, Trigger::TaskStarted, json!({ "taskId": "a" }));
    same(&mut state);
    step(&mut state, Trigger::TaskCompleted, json!({ "taskId": "a" }));
    same(&mut state);
    // Both ways at once are one.
    let both = json!({ "taskId": "b", "tasks": [{ "id": "b", "status": "completed", "result": 1 }] });
    let told = step(&mut state, Trigger::TaskCompleted, both);
    assert_eq!(told, ["task_completed", "workflow_progress", "phase_transition"]);
    assert_eq!(state.workflow.state, WorkflowState::Review);
}

#[test]
fn s5_5_a_list_may_be_in_any_order() {
    let chain = |status: Option<&str>| -> Value {
        let task = |number: usize| {
            let needs: Vec<String> = (number > 0).then(|| (number - 1).to_string()).into_iter().collect();
            json!({ "id": number.to_string(), "dependencies": needs, "status": status })
        };
        (0..300).rev().map(task).collect()
    };
    let before = executing(chain(None));
    let events = published(&before, Trigger::TaskCompleted, json!({ "tasks": chain(Some("completed")) }));
    let completed = events.iter().filter(|(kind, _)| kind == "task_completed");
    let ids: Vec<String> = completed.map(|(_, told)| told["taskId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, (0..300).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!(events.iter().filter(|(kind, _)| kind == "workflow_progress").count(), 1);
}

#[test]
fn s5_6_a_list_hands_a_task_over_to_another_agent() {
    let mut state = executing(json!([{ "id": "a" }]));
    step(&mut state, Trigger::TaskStarted, by("a", "x"));
    let other = json!({ "tasks": [{ "id": "a", "status": "in_progress", "assignee": "y" }] });
    let told = step(&mut state, Trigger::TaskProgress, other);
    assert_eq!(told, ["resource_update", "agent_update", "workflow_update"], "it has begun before");
    assert!(state.pool[0].is_free());
    assert_eq!(state.pool[1].task(), Some("a"));
}

#[test]
fn s5_5_a_driver_may_report_every_state() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b" }, { "id": "c" }]));
    let say = |state: &str| json!({ "tasks": [{ "id": "a", "fsmState": state }] });
    for name in ["dispatched", "running", "reviewing", "rework_required", "ready", "running", "done"] {
        step(&mut state, Trigger::TaskProgress, say(name));
        assert_eq!(state.tasks[0].state.name(), name);
    }
    let refusal = refused(&state, Trigger::TaskProgress, say("ready"));
    assert_eq!(refusal.code, ErrorCode::InvalidTransition, "what is accepted stays so");
    let blocked = json!({ "tasks": [{ "id": "b", "status": "blocked", "reason": "no key" }] });
    let told = published(&state, Trigger::TaskProgress, blocked.clone());
    assert_eq!((&*told[0].0, &told[0].1["reason"]), ("task_blocked", &json!("no key")));
    step(&mut state, Trigger::TaskProgress, blocked);
    // A task that no agent has accepted can be sent again: it has not ended.
    let undelivered = json!({ "tasks": [{ "id": "c", "fsmState": "dispatch_failed" }] });
    step(&mut state, Trigger::TaskCompleted, undelivered);
    assert_eq!(state.workflow.state, WorkflowState::Execution);
    step(&mut state, Trigger::TaskCompleted, json!({ "taskId": "c" }));
    assert_eq!(state.workflow.state, WorkflowState::Review);
}

#[test]
fn s5_3_nothing_begins_during_a_pause() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b" }]));
    step(&mut state, Trigger::TaskDispatched, json!({ "taskId": "a" }));
    step(&mut state, Trigger::PauseRequested, json!({}));
    let listed = |id: &str, status: &str| json!({ "tasks": [{ "id": id, "status": status }] });
    for context in [listed("b", "in_progress"), listed("b", "completed"), json!({ "taskId": "b" }), json!({})]
    {
        let refusal = refused(&state, Trigger::TaskStarted, context.clone());
        assert_eq!(refusal.code, ErrorCode::InvalidTransition, "{context}");
        assert_eq!(refusal.details["currentState"], "paused", "{context}");
    }
    let dispatched = refused(&state, Trigger::TaskDispatched, json!({ "taskId": "b" }));
    assert_eq!(dispatched.code, ErrorCode::InvalidTransition);
    step(&mut state, Trigger::TaskStarted, listed("a", "in_progress"));
    assert_eq!(states(&state), [TaskState::Running, TaskState::Ready], "what an agent has continues");
}

#[test]
fn s5_3_tasks_that_are_in_no_list_are_reported_and_get_checkpoints() {
    let mut state = executing(json!([]));
    step(&mut state, Trigger::TaskStarted, by("x", "me"));
    step(&mut state, Trigger::PauseRequested, json!({}));
    for context in [json!({ "taskId": "y" }), json!({})] {
        let refusal = refused(&state, Trigger::TaskStarted, context);
        assert_eq!(refusal.code, ErrorCode::InvalidTransition, "which one begins is not known");
    }
    let mut failures = 0;
    for context in [json!({ "taskId": "x", "error": "no" }), json!({})] {
        let events = decide(state.clone(), crate::NOW, drive(Trigger::TaskFailed, context.clone())).unwrap();
        assert!(events.contains(&Event::CheckpointDue), "{context}");
        let told = step(&mut state, Trigger::TaskFailed, context);
        failures += told.iter().filter(|kind| *kind == "task_failed").count();
    }
    assert_eq!(failures, 1);
}

#[test]
fn s5_3_a_new_plan_frees_the_agents_of_what_is_dropped_or_planned_anew() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b" }]));
    step(&mut state, Trigger::TaskStarted, by("a", "x"));
    step(&mut state, Trigger::TaskStarted, by("b", "y"));
    let told = step(&mut state, Trigger::TaskProgress, json!({ "tasks": [{ "id": "c" }] }));
    assert_eq!((told, state.tasks.len()), (vec!["plan_updated".to_owned(), "workflow_update".to_owned()], 3));
    step(&mut state, Trigger::MajorChangeDetected, json!({}));
    step(&mut state, Trigger::RoutingDecided, json!({ "route": "full_replan" }));
    let plan = json!({ "tasks": [{ "id": "b", "status": "pending" }, { "id": "d" }] });
    let told = published(&state, Trigger::PlanCreated, plan.clone());
    assert_eq!(told.last().unwrap().1["round"], 3);
    step(&mut state, Trigger::PlanCreated, plan);
    assert_eq!(states(&state), [TaskState::Ready, TaskState::Ready]);
    assert!(state.pool.iter().all(Agent::is_free));
}

#[test]
fn s5_6_an_agent_is_freed_by_its_own_task_alone() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b" }]));
    step(&mut state, Trigger::TaskStarted, by("a", "x"));
    step(&mut state, Trigger::TaskCompleted, by("b", "x"));
    assert_eq!(state.pool[0].task(), Some("a"));
    // Another agent has finished it.
    step(&mut state, Trigger::TaskFailed, json!({ "taskId": "a", "agentId": "y", "error": "no disk" }));
    assert!(state.pool.iter().all(Agent::is_free));
    let reason = state.pool[1].last_error.as_ref().map(|error| &*error.reason);
    assert_eq!((reason, state.pool[0].errors), (Some("no disk"), 0));
}

#[test]
fn s6_1_a_task_that_states_what_it_needs_gets_the_best_free_agent() {
    let needs = |id: &str| json!({ "id": id, "requiredCapabilities": ["search"] });
    let mut state = executing(json!([needs("a"), needs("b"), needs("c"), { "id": "d" }]));
    for task in ["a", "b", "c", "d"] {
        let command = drive(Trigger::TaskStarted, json!({ "taskId": task }));
        assert_eq!(command.needed_agents(&state.tasks) == NeededAgents::All, task != "d", "{task}");
        step(&mut state, Trigger::TaskStarted, json!({ "taskId": task }));
    }
    let found: Vec<_> = state.tasks.iter().map(|task| task.agent.as_deref().unwrap_or("-")).collect();
    assert_eq!(
        found,
        ["x", "y", "-", "-"],
        "the best one, each for one task, and only where a need is stated"
    );
    step(&mut state, Trigger::TaskCompleted, json!({ "taskId": "a" }));
    step(&mut state, Trigger::TaskFailed, json!({ "taskId": "c" }));
    step(&mut state, Trigger::TaskStarted, json!({ "taskId": "c" }));
    assert_eq!(state.tasks[2].agent.as_deref(), Some("x"));
}

#[test]
fn s4_5_a_step_of_an_agent_is_published_and_not_stored() {
    let mut state = executing(json!([{ "id": "a" }]));
    step(&mut state, Trigger::TaskStarted, by("a", "z"));
    let context = json!({
        "taskId": "a", "progress": 40, "thought": "look", "action": "search", "observation": "10 results",
        "params": { "query": "deepseek" },
    });
    state.last_round = 1;
    let told = published(&state, Trigger::TaskProgress, context.clone());
    let kinds: Vec<_> = told.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["agent_update", "agent_step_completed", "task_progress"]);
    let expected = json!({
        "agentId": "z", "status": "running", "load": 100, "currentTaskId": "a",
        "step": {
            "thought": "look", "action": "search", "observation": "10 results", "round": 2,
            "params": { "query": "deepseek" }, "success": true,
        },
    });
    assert_eq!((&told[0].1, &told[1].1["round"]), (&expected, &json!(2)));
    step(&mut state, Trigger::TaskProgress, context);
    assert!(state.context.clone().into_members().is_empty(), "{:?}", state.context);
    assert_eq!(
        step(&mut state, Trigger::TaskProgress, json!({ "taskId": "a", "progress": 50 })),
        ["task_progress"]
    );
}

#[test]
fn s5_3_an_output_in_a_file_is_published_with_its_path() {
    let mut state = executing(json!([]));
    let told = step(&mut state, Trigger::TaskCompleted, json!({ "output": "words alone" }));
    assert!(!told.contains(&"phase_output_saved".to_owned()));
    let context = json!({ "output": { "path": "./report.md", "output": "x" } });
    let told = published(&state, Trigger::ReviewPassed, context);
    let expected = json!({ "phase": "review", "outputPath": "./report.md", "files": ["./report.md"] });
    assert_eq!(told[0], ("phase_output_saved".to_owned(), expected));
}
