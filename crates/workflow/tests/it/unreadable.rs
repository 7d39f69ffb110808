//! Rows that cannot be read, because a later version has written them.

use crate::support::{Scene, answer};
use serde_json::json;

/// Makes the row of an agent one that cannot be read.
fn damage(scene: &Scene, agent: &str) {
    let journal = rusqlite::Connection::open(scene.file()).unwrap();
    let sql = "UPDATE agent SET status = 'of a later version' WHERE id = ?1";
    assert_eq!(journal.execute(sql, [agent]).unwrap(), 1);
}

#[test]
fn an_agent_that_cannot_be_read_stops_only_what_needs_it() {
    let scene = Scene::on_disk();
    let (workflow, session) = scene.executing(json!([
        { "id": "a", "requiredCapabilities": ["web_search"] }, { "id": "b" }, { "id": "c" },
    ]));
    damage(&scene, "executor-coding");
    let by = |task: &str, agent: &str| json!({ "taskId": task, "agentId": agent });
    scene.step(&workflow, "task_started", by("a", "executor-research")).unwrap();
    scene.step(&workflow, "task_completed", by("a", "executor-research")).unwrap();
    scene.step(&workflow, "task_started", json!({ "taskId": "b" })).unwrap();
    answer(scene.runtime.pause(None, &workflow, true)).unwrap();
    answer(scene.runtime.resume(None, &workflow)).unwrap();
    answer(scene.runtime.input(None, &workflow, "shorter")).unwrap();
    answer(scene.runtime.deploy(None, "executor-general", &session, &workflow)).unwrap();
    answer(scene.runtime.release(None, "executor-general")).unwrap();
    let (other, _) = scene.begin("y");
    answer(scene.runtime.cancel(None, &other)).unwrap();
    let plan = json!({ "tasks": [{ "id": "d", "requiredCapabilities": ["shell_exec"] }] });
    scene.step(&workflow, "task_progress", plan).unwrap();
    scene.runtime.recover().unwrap();
    answer(scene.runtime.resume_session(None, &session, None)).unwrap();

    // One that names it does need it, and so does the search for the best agent.
    let transition = |context| {
        let context = serde_json::from_value(context).unwrap();
        let trigger = protocol::workflow::Trigger::TaskStarted;
        scene.runtime.transition(None, &workflow, &workflow::Transition { trigger, context })
    };
    for context in [by("c", "executor-coding"), json!({ "taskId": "d" })] {
        let failure = transition(context).unwrap_err();
        assert!(matches!(failure, workflow::Failure::Journal(_)), "{failure}");
    }
    transition(by("c", "executor-general")).unwrap();
}
