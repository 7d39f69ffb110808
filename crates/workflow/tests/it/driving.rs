//! Workflows that a client drives by `POST /workflow/:id/transition` and its neighbours.

use crate::support::{Scene, answer, brief, code, key};
use protocol::workflow::TaskState;
use serde_json::{Value, json};

fn three() -> Value {
    json!([
        { "id": "task-1", "description": "搜索", "estimatedDuration": 60_000 },
        { "id": "task-2", "description": "选择", "dependencies": ["task-1"] },
        { "id": "task-3", "description": "报告", "dependencies": ["task-2"], "type": "reviewer" },
    ])
}

/// The nine rows of section 5, in the order of section 7.
#[test]
fn a_workflow_is_driven_from_the_beginning_to_the_end() {
    for scene in [Scene::in_memory(), Scene::on_disk()] {
        let (workflow, session) = scene.executing(three());
        for number in 1..=3 {
            let task = format!("task-{number}");
            let agent = "executor-general";
            let said = json!({ "taskId": task, "agentId": agent });
            scene.step(&workflow, "task_dispatched", said.clone()).unwrap();
            scene.step(&workflow, "task_started", said.clone()).unwrap();
            scene.world.pass(1500);
            let done = json!({ "taskId": task, "agentId": agent, "result": { "n": number } });
            let answered = scene.step(&workflow, "task_completed", done).unwrap();
            let expected = if number == 3 { "review" } else { "execution" };
            assert_eq!(answered["currentState"], expected);
        }
        scene.step(&workflow, "review_rejected", json!({ "review": { "tasks": ["task-3"] } })).unwrap();
        assert_eq!(scene.runtime.tasks(&workflow).unwrap()[2].fsm_state, TaskState::Ready);
        scene.step(&workflow, "task_completed", json!({ "taskId": "task-3" })).unwrap();
        let output = json!({ "output": { "path": "./deepseek/report.md", "output": "完成" } });
        let answered = scene.step(&workflow, "review_passed", output).unwrap();
        assert_eq!(answered["currentState"], "completed");
        assert_eq!(answered["context"]["route"], "full_replan");
        assert_eq!(answered["context"]["tasks"][2]["fsmState"], "done");

        let told = brief(&scene.events(0));
        let phases: Vec<_> = told.iter().filter(|told| told.contains('→')).map(String::as_str).collect();
        assert_eq!(
            phases,
            [
                "idle → semantic_understanding",
                "semantic_understanding → routing_decision",
                "routing_decision → plan_loop",
                "plan_loop → execution",
                "execution → review",
                "review → execution",
                "execution → review",
                "review → completed",
            ]
        );
        let plan = told.iter().position(|told| told == "plan_updated 3").unwrap();
        assert_eq!(told[plan + 1], "plan_loop → execution", "the plan is told before it is followed");
        let first: Vec<_> = told[plan + 2..plan + 7].iter().map(String::as_str).collect();
        assert_eq!(
            first,
            [
                "executor-general running",
                "executor-general running",
                "task_started task-1",
                "executor-general idle",
                "task_completed task-1",
            ]
        );
        assert_eq!(told.last().unwrap(), "workflow_update completed");

        let summary = scene.runtime.workflow(&workflow).unwrap();
        assert_eq!((summary.task_count, summary.completed_tasks, summary.failed_tasks), (3, 3, 0));
        assert_eq!((summary.user_task.as_str(), summary.session_id), ("搜索 deepseek", session));
        let output = scene.runtime.output(&workflow).unwrap();
        assert_eq!((output.path.as_deref(), output.output), (Some("./deepseek/report.md"), json!("完成")));
        let state = scene.runtime.state(&workflow).unwrap();
        assert_eq!(state.history.len(), 8);
        assert_eq!(state.history[7].trigger.as_deref(), Some("review_passed"));
        let tasks = scene.runtime.tasks(&workflow).unwrap();
        assert_eq!(tasks[0].dependents, ["task-2"]);
        assert_eq!((tasks[0].estimated_duration, tasks[1].estimated_duration), (Some(60_000), None));
        assert_eq!(tasks[0].result, Some(json!({ "n": 1 })));
        assert_eq!(tasks[0].started_at.as_deref(), Some("2026-02-23T03:00:00.000Z"));
        assert_eq!(tasks[0].completed_at.as_deref(), Some("2026-02-23T03:00:01.500Z"));
        assert_eq!(code(scene.step(&workflow, "pause_requested", json!({}))), "WORKFLOW_TERMINAL");
    }
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.begin("x");
    let (before, last) = (scene.runtime.state(&workflow).unwrap(), scene.last());
    let refusal =
        scene.step(&workflow, "plan_created", json!({ "route": "kept?", "tasks": three() })).unwrap_err();
    assert_eq!(refusal.code.name(), "INVALID_TRANSITION");
    assert_eq!(refusal.error, "Transition failed");
    assert_eq!(refusal.details["currentState"], "semantic_understanding");
    assert_eq!(refusal.details["trigger"], "plan_created");
    assert_eq!(scene.runtime.state(&workflow).unwrap(), before);
    assert_eq!(scene.last(), last);
    assert_eq!(code(scene.step("wf-0", "plan_created", json!({}))), "WORKFLOW_NOT_FOUND");
    assert!(scene.runtime.output(&workflow).is_err());
}

#[test]
fn what_is_said_is_the_answer_or_is_kept_for_what_comes() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    let last = scene.last();
    let said = answer(scene.runtime.input(None, &workflow, " 更短 ")).unwrap();
    assert_eq!(said, json!({ "success": true, "workflowId": workflow }));
    let told = scene.events(last);
    assert_eq!((told.len(), &told[0].1["userInput"]), (1, &json!("更短")));
    assert_eq!(scene.phase(&workflow), "execution", "it goes on");

    let ask = |message: &str| workflow::NewDecision {
        workflow_id: Some(workflow.clone()),
        message: message.to_owned(),
        options: vec!["Y".to_owned(), "n".to_owned()],
        ..workflow::NewDecision::default()
    };
    let first = answer(scene.runtime.create_decision(None, &ask("first"))).unwrap();
    scene.world.pass(1);
    let second = answer(scene.runtime.create_decision(None, &ask("second"))).unwrap();
    // An answer that names none of them is an answer to none.
    let refused = answer(scene.runtime.input(None, &workflow, "y")).unwrap_err();
    assert_eq!(refused.code.name(), "INVALID_REQUEST");
    let ids = [&first, &second].map(|asked| asked["decisionId"].as_str().unwrap());
    assert_eq!(refused.details["pendingDecisions"], json!(ids));
    let named = format!("{} (first); {} (second)", ids[0], ids[1]);
    assert!(refused.error.ends_with(&named), "{}", refused.error);
    answer(scene.runtime.respond(None, ids[0], "n")).unwrap();
    assert_eq!(code(answer(scene.runtime.input(None, &workflow, "perhaps"))), "INVALID_RESPONSE");
    let said = answer(scene.runtime.input(None, &workflow, "y")).unwrap();
    assert_eq!(said["askResolution"]["requestId"], ids[1], "the only one");
    assert_eq!(said["askResolution"]["selectedOption"], "Y");

    answer(scene.runtime.pause(None, &workflow, false)).unwrap();
    answer(scene.runtime.input(None, &workflow, "anders")).unwrap();
    assert_eq!(scene.phase(&workflow), "semantic_understanding");
    assert_eq!(code(answer(scene.runtime.input(None, &workflow, "  "))), "MISSING_FIELD");
    assert_eq!(code(answer(scene.runtime.input(None, "wf-0", "x"))), "WORKFLOW_NOT_FOUND");
}

#[test]
fn a_request_that_comes_again_is_done_once() {
    for scene in [Scene::in_memory(), Scene::on_disk()] {
        let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
        let request = key("k", "{}");
        let first = answer(scene.runtime.pause(Some(&request), &workflow, false)).unwrap();
        let last = scene.last();
        assert_eq!(answer(scene.runtime.pause(Some(&request), &workflow, false)).unwrap(), first);
        assert_eq!(scene.last(), last);
        let other = key("k", "{\"hard\":true}");
        assert_eq!(code(answer(scene.runtime.pause(Some(&other), &workflow, true))), "IDEMPOTENCY_CONFLICT");
        let another = key("k2", "{}");
        let refused = answer(scene.runtime.pause(Some(&another), &workflow, false)).unwrap_err();
        assert_eq!(
            (refused.code.name(), &refused.details["currentState"]),
            ("WORKFLOW_ALREADY_PAUSED", &json!("paused"))
        );
        answer(scene.runtime.resume(None, &workflow)).unwrap();
        let last = scene.last();
        let again = answer(scene.runtime.pause(Some(&another), &workflow, false)).unwrap_err();
        assert_eq!((again, scene.last()), (refused, last), "what was refused is not done later");
        let other = key("k2", "{\"hard\":true}");
        assert_eq!(code(answer(scene.runtime.pause(Some(&other), &workflow, true))), "IDEMPOTENCY_CONFLICT");
    }
}
