//! The progress and the output of a workflow's tasks.

use super::task;
use aide_core::task::{Task, output_of, plan_updated, progress, workflow_progress};
use protocol::workflow::TaskState;
use serde_json::json;

#[test]
fn progress_is_the_rounded_share_of_completed_tasks() {
    let states = |completed: usize, all: usize| -> Vec<TaskState> {
        let state = |no: usize| if no < completed { TaskState::Done } else { TaskState::Running };
        (0..all).map(state).collect()
    };
    for (completed, all, percent) in
        [(0, 0, 0), (0, 3, 0), (1, 3, 33), (2, 3, 67), (3, 3, 100), (1, 8, 13), (999, 1000, 100)]
    {
        assert_eq!(progress(&states(completed, all)), percent, "{completed} of {all}");
    }
}

#[test]
fn s4_5_workflow_progress_counts_tasks_and_names_working_agents() {
    let by = |agent: &str, state: TaskState| Task { agent: Some(agent.to_owned()), ..task("a", state) };
    let tasks = [
        by("y", TaskState::Running),
        by("x", TaskState::Running),
        by("y", TaskState::Running),
        by("z", TaskState::Dispatched),
        task("b", TaskState::Created),
        task("c", TaskState::Ready),
        task("d", TaskState::ExecutionSucceeded),
        task("e", TaskState::ExecutionFailed),
    ];
    let told = workflow_progress(&tasks);
    assert_eq!(told.active_agents, ["x", "y"]);
    assert_eq!((told.completed_tasks, told.failed_tasks, told.pending_tasks), (1, 1, 6));
    assert_eq!((told.queued_tasks, told.overall_progress), (Some(2), 13));
    let plan = plan_updated("w", 0, &tasks);
    assert_eq!((&*plan.plan_id, plan.version, plan.task_count, plan.completed_count), ("plan-w", 1, 8, 1));
    assert_eq!(plan_updated("w", 3, &tasks).version, 3);
}

#[test]
fn the_output_has_the_last_text_and_all_files_with_the_last_one_as_its_path() {
    assert_eq!(output_of([]), json!({ "output": null }));
    let results = [r#"{"output":"one","files":["a.md","b.md"]}"#, r#"{"output":"two","files":["a.md",7]}"#];
    let expected = json!({ "output": "two", "path": "./a.md", "files": ["./b.md", "./a.md"] });
    assert_eq!(output_of(results), expected);
    assert_eq!(output_of([r#""text""#]), json!({ "output": null }));
}
