//! How much is written for what happens.

use crate::support::Scene;
use serde_json::json;

#[test]
fn a_transition_writes_little() {
    let mut scene = Scene::on_fast_disk();
    // As on a journal that is in use: many workflows, whose rows are on other pages.
    for _ in 0..60 {
        scene.world.pass(7);
        scene.executing(json!([{ "id": "t", "description": "x" }]));
    }
    // The log begins anew, and is not moved into the file before the end.
    scene.restart();
    let mut written = Vec::new();
    let tasks = json!([{ "id": "a", "description": "x" }, { "id": "b", "description": "y" }]);
    let (workflow, _) = scene.begin("x");
    let mut before = scene.log_size();
    for (trigger, context) in [
        ("intent_analyzed", json!({})),
        ("routing_decided", json!({ "route": "full_replan" })),
        ("plan_created", json!({ "tasks": tasks })),
        ("task_started", json!({ "taskId": "a", "agentId": "executor-1" })),
        ("task_progress", json!({ "taskId": "a", "progress": 50, "thought": "x" })),
        ("task_completed", json!({ "taskId": "a" })),
        ("major_change_detected", json!({})),
        ("routing_decided", json!({ "route": "continue_execution" })),
        ("task_completed", json!({ "taskId": "b" })),
        ("review_passed", json!({ "output": "x" })),
    ] {
        scene.world.pass(7);
        scene.step(&workflow, trigger, context).unwrap();
        let after = scene.log_size();
        written.push((trigger, after - before));
        before = after;
    }
    assert!(written.iter().all(|(_, bytes)| *bytes > 0), "{written:?}");
    let average = written.iter().map(|(_, bytes)| bytes).sum::<u64>() / u64::try_from(written.len()).unwrap();
    assert!(average <= 22_000, "{average}: {written:?}");
}
