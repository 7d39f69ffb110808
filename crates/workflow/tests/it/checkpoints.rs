//! Checkpoints of sessions, and resuming from them.

use crate::support::{Scene, answer, brief, code};
use crate::whole::WholeLists as _;
use protocol::workflow::TaskState;
use serde_json::json;

#[test]
fn a_killed_daemon_leaves_sessions_that_can_be_gone_on_with() {
    let mut scene = Scene::on_disk();
    let tasks = json!([{ "id": "a", "description": "A" }, { "id": "b", "description": "B" }, { "id": "c" }]);
    let (workflow, session) = scene.executing(tasks);
    scene.step(&workflow, "task_completed", json!({ "taskId": "a", "result": "x" })).unwrap();
    scene.step(&workflow, "task_started", json!({ "taskId": "b", "agentId": "executor-coding" })).unwrap();
    assert_eq!(scene.runtime.resumable().unwrap().len(), 0, "it is running");
    let refused = answer(scene.runtime.resume_session(None, &session, None));
    assert_eq!(code(refused), "SESSION_BUSY");

    scene.restart();
    let tasks = scene.runtime.tasks(&workflow).unwrap();
    let states: Vec<_> = tasks.iter().map(|task| task.fsm_state).collect();
    assert_eq!(states, [TaskState::ExecutionSucceeded, TaskState::Ready, TaskState::Ready]);
    assert_eq!(scene.phase(&workflow), "execution", "nothing goes on unasked");
    assert!(scene.runtime.agents().unwrap().iter().all(|agent| agent.status == "available"));
    let resumable = scene.runtime.resumable().unwrap();
    assert_eq!(resumable.len(), 1);
    let found = &resumable[0];
    assert_eq!((found.id.as_str(), found.progress, found.pending_tasks), (session.as_str(), 33, 2));
    assert_eq!(found.task, "搜索 deepseek");

    let last = scene.last();
    let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
    assert_eq!((&resumed["workflowId"], &resumed["resumePhase"]), (&json!(workflow), &json!("execution")));
    assert_eq!(brief(&scene.events(last)), ["session_resumed", "workflow_update executing"]);
    let context = &resumed["resumeContext"];
    assert_eq!(context["nextActions"], json!(["Start pending task: B", "Start pending task: "]));
    assert!(context["summary"].as_str().unwrap().starts_with("# Session Resume Summary\n"));
    assert_eq!(
        code(answer(scene.runtime.resume_session(None, &session, None))),
        "SESSION_BUSY",
        "it goes on already"
    );
    assert_eq!(scene.runtime.resumable().unwrap().len(), 0);
}

#[test]
fn the_ten_latest_checkpoints_of_a_workflow_stay() {
    let scene = Scene::in_memory();
    let (workflow, session) = scene.executing(json!([{ "id": "a" }]));
    let other = scene.send("orchestrator", json!({ "content": "x", "sessionId": session })).unwrap();
    for _ in 0..12 {
        answer(scene.runtime.pause(None, &workflow, false)).unwrap();
        answer(scene.runtime.resume(None, &workflow)).unwrap();
    }
    let view = scene.runtime.journal().view().unwrap();
    let count = |workflow: &str| {
        journal::ViewExt::find(&*view, &journal::Query::checkpoints_of_workflow(workflow)).unwrap().len()
    };
    assert_eq!(count(&workflow), 10);
    assert_eq!(count(other["workflowId"].as_str().unwrap()), 1, "those of others are not counted");
}

/// More than share a change, and several of one session among them.
#[test]
fn however_many_were_under_way_each_can_be_gone_on_with() {
    let mut scene = Scene::on_disk();
    let (first, session) = scene.begin("first");
    for _ in 0..4 {
        scene.send("orchestrator", json!({ "content": "x", "sessionId": session })).unwrap();
    }
    for _ in 0..150 {
        scene.begin("x");
    }
    scene.runtime.checkpoint_all().unwrap();
    scene.restart();
    let resumable = scene.runtime.resumable().unwrap();
    assert_eq!(resumable.len(), 155, "each workflow, also where a session has several");
    let checkpoints: std::collections::BTreeSet<_> = resumable.iter().map(|row| &row.checkpoint_id).collect();
    assert_eq!(checkpoints.len(), 155);
    let view = scene.runtime.journal().view().unwrap();
    let of_session = journal::ViewExt::find(&*view, &journal::Query::checkpoints_of(&session)).unwrap();
    assert_eq!(of_session.len(), 15, "one when it began, one before the end, one after");
    let numbers: std::collections::BTreeSet<_> = of_session.iter().map(|row| row.no).collect();
    assert_eq!(numbers.len(), 15);
    drop(view);
    let interrupted = scene.runtime.state(&first).unwrap().context["interrupted"].clone();
    assert_eq!(interrupted, true);
}

#[test]
fn a_paused_session_without_work_is_only_unpaused() {
    let scene = Scene::in_memory();
    let session = answer(scene.runtime.create_session(None, &workflow::NewSession::default())).unwrap();
    let id = session["id"].as_str().unwrap();
    assert_eq!(code(answer(scene.runtime.resume_session(None, id, None))), "CHECKPOINT_NOT_FOUND");
    answer(scene.runtime.pause_session(None, id)).unwrap();
    assert_eq!(scene.runtime.session(id).unwrap().status, "paused");
    let resumed = answer(scene.runtime.resume_session(None, id, None)).unwrap();
    assert_eq!(resumed, json!({ "success": true, "sessionId": id }));
    assert_eq!(scene.runtime.session(id).unwrap().status, "active");
}

fn known(session: &str, status: &str) -> workflow::NewCheckpoint {
    let progress = json!([{ "taskId": "x", "description": "", "status": status, "iterationCount": 0, "maxIterations": 0 }]);
    workflow::NewCheckpoint {
        session_id: session.to_owned(),
        original_task: "by hand".to_owned(),
        task_progress: serde_json::from_value(progress).unwrap(),
        agent_states: serde_json::Map::new(),
        context: serde_json::Map::new(),
    }
}

#[test]
fn of_several_workflows_of_a_session_each_is_gone_on_with() {
    let mut scene = Scene::on_disk();
    let (first, session) = scene.executing(json!([{ "id": "a" }]));
    scene.world.pass(1);
    let said = scene.send("orchestrator", json!({ "content": "second", "sessionId": session })).unwrap();
    let second = said["workflowId"].as_str().unwrap().to_owned();
    scene.restart();
    let resumable = scene.runtime.resumable().unwrap();
    let found: Vec<_> =
        resumable.iter().map(|row| (row.id.as_str(), row.workflow_id.as_deref().unwrap())).collect();
    assert_eq!(found.len(), 2);
    assert!(found.contains(&(&session, &first)) && found.contains(&(&session, &second)));
    let named = |workflow: &str| {
        let row = resumable.iter().find(|row| row.workflow_id.as_deref() == Some(workflow)).unwrap();
        row.checkpoint_id.clone()
    };
    let resumed = answer(scene.runtime.resume_session(None, &session, Some(&named(&first)))).unwrap();
    assert_eq!(resumed["workflowId"], first);
    let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
    assert_eq!(resumed["workflowId"], second, "one is running already; the other was left");
    assert_eq!(code(answer(scene.runtime.resume_session(None, &session, None))), "SESSION_BUSY");
}

#[test]
fn what_a_caller_knows_of_a_session_hides_no_workflow() {
    let mut scene = Scene::on_disk();
    let (workflow, session) = scene.executing(json!([{ "id": "a" }]));
    let made = answer(scene.runtime.create_checkpoint(None, &known(&session, "in_progress"))).unwrap();
    let made = made["checkpointId"].as_str().unwrap().to_owned();
    assert_eq!(scene.runtime.resumable().unwrap().len(), 0, "its workflow is running");
    let busy = answer(scene.runtime.resume_session(None, &session, Some(&made))).unwrap_err();
    assert_eq!((busy.code.name(), &busy.details["workflowId"]), ("SESSION_BUSY", &json!(workflow)));
    scene.restart();
    answer(scene.runtime.create_checkpoint(None, &known(&session, "in_progress"))).unwrap();
    let resumable = scene.runtime.resumable().unwrap();
    let found: Vec<_> = resumable.iter().map(|row| row.workflow_id.as_deref()).collect();
    assert_eq!(found, [None, Some(&*workflow)]);
    let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
    assert_eq!(resumed["workflowId"], workflow, "what is left comes first");
    answer(scene.runtime.cancel(None, &workflow)).unwrap();

    answer(scene.runtime.create_checkpoint(None, &known(&session, "in_progress"))).unwrap();
    let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
    assert!(resumed["checkpointId"].as_str().unwrap().starts_with("chk-"));
    assert_eq!(resumed["resumePhase"], "execution");
    assert_eq!(resumed["resumeContext"]["checkpoint"]["originalTask"], "by hand");
    answer(scene.runtime.create_checkpoint(None, &known(&session, "completed"))).unwrap();
    assert_eq!(scene.runtime.resumable().unwrap().len(), 0, "all of it is done");
}

#[test]
fn a_pause_does_not_keep_agents_of_a_daemon_that_is_gone() {
    let mut scene = Scene::on_disk();
    let (workflow, session) = scene.executing(json!([{ "id": "a" }, { "id": "b" }]));
    scene.step(&workflow, "task_started", json!({ "taskId": "a", "agentId": "executor-coding" })).unwrap();
    answer(scene.runtime.pause(None, &workflow, false)).unwrap();
    scene.restart();
    assert_eq!(scene.runtime.tasks(&workflow).unwrap()[0].fsm_state, TaskState::Ready);
    assert!(scene.runtime.agents().unwrap().iter().all(|agent| agent.status == "available"));
    let latest = scene.runtime.latest_checkpoint(&session).unwrap().checkpoint;
    assert_eq!(latest.task_progress[0].status, "pending");
    assert!(!latest.context.contains_key("interrupted"), "it was paused, and is");
    let last = scene.last();
    scene.restart();
    assert_eq!(scene.last(), last, "nothing is left to be done");
    assert_eq!(answer(scene.runtime.resume(None, &workflow)).unwrap()["state"], "execution");
}

#[test]
fn a_workflow_that_was_left_in_its_review_is_gone_on_with() {
    let mut scene = Scene::on_disk();
    let (workflow, session) = scene.executing(json!([{ "id": "a" }]));
    scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap();
    scene.restart();
    let resumable = scene.runtime.resumable().unwrap();
    assert_eq!((resumable.len(), resumable[0].progress), (1, 100));
    let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
    assert_eq!(resumed["resumePhase"], "review");
    scene.step(&workflow, "review_passed", json!({})).unwrap();
    scene.restart();
    assert_eq!(scene.runtime.resumable().unwrap().len(), 0);
}

/// contract/workflows §8.4: what was done by then stays done, everything else must be begun again.
#[test]
fn an_earlier_checkpoint_is_gone_back_to_with_its_tasks() {
    for mut scene in [Scene::in_memory(), Scene::on_disk()] {
        let tasks = json!([
            { "id": "a", "description": "A" },
            { "id": "b", "dependencies": ["a"], "requiredCapabilities": ["web_search"], "type": "reviewer" },
            { "id": "c" },
            { "id": "d", "dependencies": ["c"] },
        ]);
        let (workflow, session) = scene.executing(tasks);
        scene
            .step(&workflow, "task_started", json!({ "taskId": "c", "agentId": "executor-coding" }))
            .unwrap();
        scene.step(&workflow, "task_completed", json!({ "taskId": "a", "result": 1, "then": true })).unwrap();
        let then = scene.runtime.latest_checkpoint(&session).unwrap().checkpoint.checkpoint_id;
        scene
            .step(&workflow, "task_completed", json!({ "taskId": "c", "result": 2, "later": true }))
            .unwrap();
        scene.step(&workflow, "major_change_detected", json!({})).unwrap();
        scene.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).unwrap();
        let plan = json!({ "tasks": [{ "id": "a" }, { "id": "c" }, { "id": "e", "dependencies": ["a"] }] });
        scene.step(&workflow, "plan_created", plan).unwrap();
        scene
            .step(&workflow, "task_started", json!({ "taskId": "e", "agentId": "executor-general" }))
            .unwrap();
        scene.restart();
        let last = scene.last();
        let resumed = answer(scene.runtime.resume_session(None, &session, Some(&then))).unwrap();
        assert_eq!((&resumed["resumePhase"], &resumed["checkpointId"]), (&json!("execution"), &json!(then)));
        assert_eq!(brief(&scene.events(last)), ["session_resumed", "workflow_update executing"]);
        let mut tasks = scene.runtime.tasks(&workflow).unwrap();
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        let found: Vec<_> = tasks.iter().map(|task| (task.id.as_str(), task.fsm_state)).collect();
        assert_eq!(
            found,
            [
                ("a", TaskState::ExecutionSucceeded),
                ("b", TaskState::Ready),
                ("c", TaskState::Ready),
                ("d", TaskState::Created),
            ]
        );
        assert_eq!((&tasks[0].result, &tasks[2].result), (&Some(json!(1)), &None));
        assert_eq!(
            (tasks[1].kind.as_str(), &tasks[1].required_capabilities[0][..]),
            ("reviewer", "web_search")
        );
        let context = scene.runtime.state(&workflow).unwrap().context;
        assert_eq!((&context["then"], context.get("later")), (&json!(true), None));
        scene.step(&workflow, "task_started", json!({ "taskId": "c" })).unwrap();
        let latest = scene.runtime.latest_checkpoint(&session).unwrap().checkpoint;
        assert_eq!(latest.task_progress.len(), 4);
        answer(scene.runtime.pause(None, &workflow, false)).unwrap();
        let latest = scene.runtime.latest_checkpoint(&session).unwrap().checkpoint;
        let begun = latest.task_progress.iter().find(|task| task.task_id == "c").unwrap();
        assert_eq!(begun.iteration_count, 2, "it is the second attempt");
    }
}
