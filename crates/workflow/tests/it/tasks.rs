//! Tasks, whether they are named one by one or brought as a list; and the agents that do them.

use crate::support::{Scene, answer, brief, code};
use journal::{Query, ViewExt};
use protocol::workflow::TaskState;
use serde_json::{Value, json};

fn states(scene: &Scene, workflow: &str) -> Vec<TaskState> {
    scene.runtime.tasks(workflow).unwrap().iter().map(|task| task.fsm_state).collect()
}

fn checkpoints(scene: &Scene, workflow: &str) -> usize {
    let view = scene.runtime.journal().view().unwrap();
    view.find(&Query::checkpoints_of_workflow(workflow)).unwrap().len()
}

fn agent(scene: &Scene, id: &str) -> Value {
    let agents = serde_json::to_value(scene.runtime.agents().unwrap()).unwrap();
    agents.as_array().unwrap().iter().find(|agent| agent["id"] == id).unwrap().clone()
}

/// A task in a list of updates has the same events, counts, assignment and checkpoints as one that is named.
#[test]
fn what_a_list_says_of_tasks_happens_to_them() {
    for scene in [Scene::in_memory(), Scene::on_disk()] {
        let (workflow, _) = scene.executing(json!([{ "id": "a", "description": "A" }, { "id": "b" }]));
        let (last, before) = (scene.last(), checkpoints(&scene, &workflow));
        let begun =
            json!({ "tasks": [{ "id": "a", "status": "in_progress", "assignee": "executor-coding" }] });
        scene.step(&workflow, "task_started", begun).unwrap();
        let told = scene.events(last);
        assert_eq!(
            brief(&told),
            ["executor-coding running", "task_started a", "workflow_update executing"],
            "no plan is told: the tasks are the same"
        );
        assert_eq!(
            told[2].1["taskUpdates"],
            json!([{ "id": "a", "status": "in_progress", "assignee": "executor-coding" }])
        );
        assert_eq!(agent(&scene, "executor-coding")["taskId"], "a");
        assert_eq!(checkpoints(&scene, &workflow), before);
        let task = &scene.runtime.journal().view().unwrap().find(&Query::tasks_of(&workflow)).unwrap()[0];
        assert_eq!((task.attempt, task.dispatch.is_some()), (1, true));

        scene.world.pass(20);
        let last = scene.last();
        let done = json!({ "tasks": [{ "id": "a", "status": "completed", "result": 7 }] });
        assert_eq!(scene.step(&workflow, "task_completed", done).unwrap()["currentState"], "execution");
        let told = scene.events(last);
        assert_eq!(
            brief(&told),
            ["executor-coding idle", "task_completed a", "workflow_progress 50", "workflow_update executing"]
        );
        let expected = json!({ "taskId": "a", "agentId": "executor-coding", "result": 7, "duration": 20 });
        assert_eq!(told[1].1, expected);
        assert_eq!(agent(&scene, "executor-coding")["status"], "available");
        assert_eq!(checkpoints(&scene, &workflow), before + 1);

        let last = scene.last();
        let failed = json!({ "tasks": [{ "id": "b", "status": "failed", "error": "no network" }] });
        scene.step(&workflow, "task_failed", failed).unwrap();
        let told = scene.events(last);
        assert_eq!(brief(&told)[0], "task_failed b");
        assert_eq!(told[0].1["error"], "no network");
    }
}

#[test]
fn what_cannot_come_of_a_task_is_refused_however_it_is_said() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b", "dependencies": ["a"] }]));
    scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap();
    let (before, last) = (scene.runtime.state(&workflow).unwrap(), scene.last());
    for tasks in [
        json!([{ "id": "a", "fsmState": "created" }]),
        json!([{ "id": "a", "status": "in_progress" }]),
        json!([{ "id": "a", "status": "failed" }]),
        json!([{ "id": "b", "fsmState": "reviewing" }, { "id": "a", "fsmState": "ready" }]),
        json!([{ "id": "c", "dependencies": ["b"], "status": "completed" }]),
    ] {
        let refusal = scene.step(&workflow, "task_progress", json!({ "tasks": tasks.clone() })).unwrap_err();
        assert_eq!(refusal.code.name(), "INVALID_TRANSITION", "{tasks}");
        assert_eq!(refusal.details["currentState"], "execution", "{tasks}");
        assert!(refusal.details["taskId"].is_string() && refusal.details["taskState"].is_string());
    }
    assert_eq!(scene.runtime.state(&workflow).unwrap(), before);
    assert_eq!(scene.last(), last);
    let refusal = scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap_err();
    assert_eq!(refusal.details["currentState"], "execution");
    let unknown = scene.step(&workflow, "task_started", json!({ "taskId": "z" }));
    assert_eq!(code(unknown), "NOT_FOUND");
    scene.step(&workflow, "major_change_detected", json!({})).unwrap();
    let refusal = scene.step(&workflow, "task_started", json!({ "taskId": "z" })).unwrap_err();
    assert_eq!(
        refusal.code.name(),
        "INVALID_TRANSITION",
        "nothing of the kind can happen, whatever the task"
    );
    assert_eq!(refusal.details["currentState"], "replan_evaluation");
}

#[test]
fn a_list_that_says_what_is_so_changes_nothing() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b", "dependencies": ["a"] }]));
    let same = |scene: &Scene| {
        let last = scene.last();
        let tasks = scene.runtime.state(&workflow).unwrap().tasks;
        let words: Vec<Value> = tasks
            .iter()
            .map(|task| json!({ "id": task.id, "status": task.simplified_status.name() }))
            .collect();
        let states: Vec<Value> =
            tasks.iter().map(|task| json!({ "id": task.id, "fsmState": task.fsm_state.name() })).collect();
        let nodes: Vec<Value> = scene
            .runtime
            .tasks(&workflow)
            .unwrap()
            .iter()
            .map(|task| json!({ "id": task.id, "status": task.status.name() }))
            .collect();
        for list in [words, states, nodes] {
            scene.step(&workflow, "task_progress", json!({ "tasks": list })).unwrap();
        }
        assert_eq!(brief(&scene.events(last)), ["workflow_update executing"; 3]);
    };
    same(&scene);
    scene.step(&workflow, "task_started", json!({ "taskId": "a" })).unwrap();
    same(&scene);
    scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap();
    same(&scene);
    // Both ways at once are one.
    let both = json!({ "taskId": "b", "tasks": [{ "id": "b", "status": "completed", "result": 1 }] });
    let last = scene.last();
    assert_eq!(scene.step(&workflow, "task_completed", both).unwrap()["currentState"], "review");
    assert_eq!(brief(&scene.events(last)).iter().filter(|told| *told == "task_completed b").count(), 1);
}

#[test]
fn a_list_may_stand_in_any_order() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b", "dependencies": ["a"] }]));
    let done =
        json!({ "tasks": [{ "id": "b", "status": "completed" }, { "id": "a", "status": "completed" }] });
    assert_eq!(scene.step(&workflow, "task_completed", done).unwrap()["currentState"], "review");
    let told = brief(&scene.events(0));
    let at = |name: &str| told.iter().position(|told| told == name).unwrap();
    assert!(at("task_completed a") < at("task_completed b"));
    let chain = |status: Option<&str>| -> Value {
        let task = |number: usize| {
            let needs: Vec<String> = (number > 0).then(|| (number - 1).to_string()).into_iter().collect();
            json!({ "id": number.to_string(), "dependencies": needs, "status": status })
        };
        (0..300).rev().map(task).collect()
    };
    let (long, _) = scene.executing(chain(None));
    let done = json!({ "tasks": chain(Some("completed")) });
    assert_eq!(scene.step(&long, "task_completed", done).unwrap()["currentState"], "review");
    assert_eq!(told.iter().filter(|told| told.starts_with("workflow_progress")).count(), 1);
}

#[test]
fn a_task_is_handed_over_by_a_list() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    scene.step(&workflow, "task_started", json!({ "taskId": "a", "agentId": "executor-coding" })).unwrap();
    let last = scene.last();
    let other = json!({ "tasks": [{ "id": "a", "status": "in_progress", "assignee": "executor-general" }] });
    scene.step(&workflow, "task_progress", other).unwrap();
    assert_eq!(agent(&scene, "executor-coding")["status"], "available");
    assert_eq!(agent(&scene, "executor-general")["taskId"], "a");
    assert_eq!(
        brief(&scene.events(last)),
        ["resource_update", "executor-general running", "workflow_update executing"],
        "it was begun before"
    );
}

#[test]
fn a_task_is_judged_alone_where_a_driver_does_so() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b" }, { "id": "c" }]));
    let say = |state: &str| {
        scene.step(&workflow, "task_progress", json!({ "tasks": [{ "id": "a", "fsmState": state }] }))
    };
    for state in ["dispatched", "running", "reviewing", "rework_required", "ready", "running", "done"] {
        say(state).unwrap();
        assert_eq!(states(&scene, &workflow)[0].name(), state);
    }
    assert_eq!(code(say("ready")), "INVALID_TRANSITION", "what is accepted stays so");
    let last = scene.last();
    let blocked = json!({ "tasks": [{ "id": "b", "status": "blocked", "reason": "no key" }] });
    scene.step(&workflow, "task_progress", blocked).unwrap();
    let told = scene.events(last);
    assert_eq!((told[0].0.as_str(), &told[0].1["reason"]), ("task_blocked", &json!("no key")));
    // A task that no agent has taken may yet be sent again: it has not ended.
    let nobody = json!({ "tasks": [{ "id": "c", "fsmState": "dispatch_failed" }] });
    assert_eq!(scene.step(&workflow, "task_completed", nobody).unwrap()["currentState"], "execution");
    let done = scene.step(&workflow, "task_completed", json!({ "taskId": "c" })).unwrap();
    assert_eq!(done["currentState"], "review");
}

#[test]
fn nothing_is_begun_by_a_list_while_it_is_paused() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b" }]));
    scene.step(&workflow, "task_dispatched", json!({ "taskId": "a" })).unwrap();
    answer(scene.runtime.pause(None, &workflow, false)).unwrap();
    for status in ["in_progress", "completed"] {
        let list = json!({ "tasks": [{ "id": "b", "status": status }] });
        let refusal = scene.step(&workflow, "task_started", list).unwrap_err();
        assert_eq!(refusal.code.name(), "INVALID_TRANSITION");
        assert_eq!(refusal.details["currentState"], "paused");
    }
    let list = json!({ "tasks": [{ "id": "a", "status": "in_progress" }] });
    scene.step(&workflow, "task_started", list).unwrap();
    assert_eq!(states(&scene, &workflow), [TaskState::Running, TaskState::Ready], "what was taken goes on");
    assert_eq!(code(scene.step(&workflow, "task_started", json!({}))), "INVALID_TRANSITION");
}

/// The driver keeps its tasks to itself.
#[test]
fn tasks_that_nobody_has_listed_leave_checkpoints_and_are_not_begun_in_a_pause() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([]));
    scene.step(&workflow, "task_started", json!({ "taskId": "x", "agentId": "me" })).unwrap();
    answer(scene.runtime.pause(None, &workflow, false)).unwrap();
    for context in [json!({ "taskId": "y" }), json!({})] {
        let refusal = scene.step(&workflow, "task_started", context).unwrap_err();
        assert_eq!(
            (refusal.code.name(), &refusal.details["currentState"]),
            ("INVALID_TRANSITION", &json!("paused"))
        );
    }
    for context in [json!({ "taskId": "x", "error": "no" }), json!({})] {
        let before = checkpoints(&scene, &workflow);
        scene.step(&workflow, "task_failed", context).unwrap();
        assert_eq!(checkpoints(&scene, &workflow), before + 1);
    }
    assert_eq!(scene.events(0).iter().filter(|(kind, _)| kind == "task_failed").count(), 1);
}

#[test]
fn another_plan_is_told_and_frees_whoever_does_what_is_dropped() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b" }]));
    for (task, agent) in [("a", "executor-coding"), ("b", "executor-general")] {
        scene.step(&workflow, "task_started", json!({ "taskId": task, "agentId": agent })).unwrap();
    }
    let last = scene.last();
    scene.step(&workflow, "task_progress", json!({ "tasks": [{ "id": "c" }] })).unwrap();
    assert_eq!(brief(&scene.events(last)), ["plan_updated 3", "workflow_update executing"]);
    scene.step(&workflow, "major_change_detected", json!({})).unwrap();
    scene.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).unwrap();
    let plan = json!({ "tasks": [{ "id": "b", "status": "pending" }, { "id": "d" }] });
    scene.step(&workflow, "plan_created", plan).unwrap();
    assert_eq!(states(&scene, &workflow), [TaskState::Ready, TaskState::Ready], "planned anew");
    for agent in ["executor-coding", "executor-general"] {
        assert_eq!(self::agent(&scene, agent)["status"], "available");
    }
    let told = scene.events(last);
    let phase = told.iter().rev().find(|(kind, _)| kind == "phase_transition").unwrap();
    assert_eq!(phase.1["round"], 2);
}

#[test]
fn an_agent_is_freed_by_its_own_task_alone() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b" }, { "id": "c" }]));
    let with = |task: &str, agent: &str| json!({ "taskId": task, "agentId": agent });
    scene.step(&workflow, "task_started", with("a", "executor-coding")).unwrap();
    scene.step(&workflow, "task_completed", with("b", "executor-coding")).unwrap();
    let busy = agent(&scene, "executor-coding");
    assert_eq!((&busy["status"], &busy["taskId"]), (&json!("busy"), &json!("a")));
    assert!(busy["deployedAt"].is_string());
    // Another agent has finished it.
    let failed = json!({ "taskId": "a", "agentId": "executor-general", "error": "no disk" });
    scene.step(&workflow, "task_failed", failed).unwrap();
    assert_eq!(agent(&scene, "executor-coding")["status"], "available");
    let general = agent(&scene, "executor-general");
    assert_eq!(
        (&general["status"], &general["lastErrorReason"], &general["errorCount"]),
        (&json!("available"), &json!("no disk"), &json!(1))
    );
}

#[test]
fn a_task_that_names_nobody_is_given_to_whoever_is_able_to_do_it() {
    let scene = Scene::in_memory();
    let needs = |id: &str, capabilities: &[&str]| json!({ "id": id, "requiredCapabilities": capabilities });
    let (workflow, session) = scene.executing(json!([
        needs("a", &["web_search"]),
        needs("b", &["web_search"]),
        needs("c", &["web_search"]),
        needs("d", &["planning"]),
        { "id": "e" },
        { "id": "f", "type": "reviewer", "requiredCapabilities": ["code_review", "quality_check"] },
    ]));
    for task in ["a", "b", "c", "d", "e", "f"] {
        scene.step(&workflow, "task_dispatched", json!({ "taskId": task })).unwrap();
        scene.step(&workflow, "task_started", json!({ "taskId": task })).unwrap();
    }
    let tasks = scene.runtime.tasks(&workflow).unwrap();
    let found: Vec<_> = tasks.iter().map(|task| task.assignee.as_deref().unwrap_or("-")).collect();
    assert_eq!(
        found,
        ["executor-research", "executor-general", "-", "-", "-", "reviewer-default"],
        "the best one, each for one task; of the right kind; and only where that is said"
    );
    scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap();
    // An agent deployed to a workflow is for that workflow's tasks only.
    answer(scene.runtime.deploy(None, "executor-research", &session, &workflow)).unwrap();
    let (other, _) = scene.executing(json!([needs("a", &["web_search"])]));
    scene.step(&other, "task_started", json!({ "taskId": "a" })).unwrap();
    assert_eq!(scene.runtime.tasks(&other).unwrap()[0].assignee, None);
    scene.step(&workflow, "task_failed", json!({ "taskId": "c" })).unwrap();
    scene.step(&workflow, "task_started", json!({ "taskId": "c" })).unwrap();
    assert_eq!(scene.runtime.tasks(&workflow).unwrap()[2].assignee.as_deref(), Some("executor-research"));
}

#[test]
fn a_step_of_an_agent_is_told_with_what_it_thought() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    scene.step(&workflow, "task_started", json!({ "taskId": "a", "agentId": "executor-1" })).unwrap();
    let last = scene.last();
    let step = json!({
        "taskId": "a", "progress": 40, "thought": "分析任务...", "action": "web_search",
        "observation": "找到 10 条结果", "params": { "query": "deepseek" },
    });
    let answered = scene.step(&workflow, "task_progress", step.clone()).unwrap();
    assert!(answered["context"].get("thought").is_none(), "it is told, and not kept");
    scene.step(&workflow, "task_progress", step).unwrap();
    let told = scene.events(last);
    let kinds: Vec<_> = told.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["agent_update", "agent_step_completed", "task_progress"].repeat(2));
    let expected = json!({
        "agentId": "executor-1", "status": "running", "load": 100, "currentTaskId": "a",
        "step": {
            "thought": "分析任务...", "action": "web_search", "observation": "找到 10 条结果", "round": 1,
            "params": { "query": "deepseek" }, "success": true,
        },
    });
    assert_eq!(told[0].1, expected);
    assert_eq!((&told[1].1["round"], &told[4].1["round"]), (&json!(1), &json!(2)));
    let last = scene.last();
    scene.step(&workflow, "task_progress", json!({ "taskId": "a", "progress": 50 })).unwrap();
    assert_eq!(brief(&scene.events(last)), ["task_progress a"]);
}

#[test]
fn what_was_brought_out_into_a_file_is_told() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([]));
    scene.step(&workflow, "task_completed", json!({ "output": "words alone" })).unwrap();
    let last = scene.last();
    scene
        .step(&workflow, "review_passed", json!({ "output": { "path": "./report.md", "output": "x" } }))
        .unwrap();
    let told = scene.events(last);
    let expected = json!({ "phase": "review", "outputPath": "./report.md", "files": ["./report.md"] });
    assert_eq!((told[0].0.as_str(), &told[0].1), ("phase_output_saved", &expected));
    assert_eq!(told.iter().filter(|(kind, _)| kind == "phase_output_saved").count(), 1);
}
