//! Tasks as clients report them.

use aide_core::task::TaskInput;
use protocol::workflow::TaskState;
use serde_json::{Value, json};

#[test]
fn a_task_is_read_as_it_is_sent() {
    let read = |members: Value| {
        let mut task = json!({ "id": "a" });
        task.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        TaskInput::read(&task)
    };
    let task =
        read(json!({ "description": "b", "dependencies": ["c"], "minLevel": 10, "estimatedDuration": 0 }));
    let task = task.unwrap();
    assert_eq!((task.id, task.description), ("a".to_owned(), Some("b".to_owned())));
    assert_eq!((task.needs, task.min_level, task.estimate), (Some(vec!["c".to_owned()]), Some(10), Some(0)));
    for (members, problem) in [
        (json!({ "id": " " }), "id must be a string of 1 to 128 bytes"),
        (json!({ "id": "x".repeat(129) }), "id must be a string of 1 to 128 bytes"),
        (json!({ "id": 7 }), "id must be a string"),
        (json!({ "type": "planner" }), "type must be executor or reviewer"),
        (json!({ "fsmState": "elsewhere" }), "elsewhere is no fsmState"),
        (json!({ "status": "elsewhere" }), "elsewhere is no status"),
        (json!({ "dependencies": [7] }), "dependencies must be an array of strings"),
        (json!({ "estimatedDuration": -1 }), "estimatedDuration must be a number of milliseconds"),
        (json!({ "minLevel": 11 }), "minLevel must be a number from 1 to 10"),
    ] {
        assert_eq!(read(members.clone()), Err(problem.to_owned()), "{members}");
    }
    assert_eq!(TaskInput::read(&json!([])), Err("must be an object".to_owned()));
    assert!(read(json!({ "deadline": "tomorrow" })).unwrap_err().starts_with("deadline: "));
}

#[test]
fn a_report_says_how_far_a_task_is_to_come() {
    let target_from = |member: &str, name: &str, now: TaskState| {
        TaskInput::read(&json!({ "id": "a", member: name })).unwrap().reported.unwrap().target_from(now)
    };
    for (status, now, expected) in [
        ("pending", TaskState::Ready, None),
        ("pending", TaskState::Running, Some(TaskState::Created)),
        ("in_progress", TaskState::Running, None),
        ("in_progress", TaskState::Dispatched, Some(TaskState::Running)),
        ("completed", TaskState::Done, None),
        ("completed", TaskState::Running, Some(TaskState::ExecutionSucceeded)),
        ("failed", TaskState::Running, Some(TaskState::ExecutionFailed)),
        ("blocked", TaskState::Ready, Some(TaskState::Blocked)),
        ("ready", TaskState::ExecutionFailed, Some(TaskState::Ready)),
    ] {
        assert_eq!(target_from("status", status, now), expected, "{status} {now}");
    }
    for state in TaskState::ALL {
        assert_eq!(target_from("fsmState", state.name(), *state), None);
    }
}
