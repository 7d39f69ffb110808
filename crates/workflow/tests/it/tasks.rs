//! Tasks, whether they are named one by one or brought as a list; and the agents that do them.

use crate::support::{Scene, brief};
use journal::{Query, ViewExt};
use serde_json::{Value, json};

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
