//! Attempts at tasks.

use super::task;
use aide_core::task::{Task, restore};
use protocol::workflow::api::TaskProgressEntry;
use protocol::workflow::{TaskState, TaskTrigger};
use serde_json::{Value, json};

/// The states of which a rule makes another one.
fn changed(rule: impl Fn(&Task) -> Option<Task>) -> Vec<(TaskState, TaskState)> {
    let states = TaskState::ALL.iter();
    states.filter_map(|state| Some((*state, rule(&task("a", *state))?.state))).collect()
}

#[test]
fn s5_3_review_passed_accepts_tasks_with_a_result() {
    let expected =
        [(TaskState::ExecutionSucceeded, TaskState::Done), (TaskState::Reviewing, TaskState::Done)];
    assert_eq!(changed(Task::accepted), expected);
}

#[test]
fn s5_3_review_rejected_reopens_the_tasks_that_the_review_names() {
    let expected =
        [(TaskState::ExecutionSucceeded, TaskState::Ready), (TaskState::Reviewing, TaskState::Ready)];
    assert_eq!(changed(|task| task.rejected(None)), expected);
    assert_eq!(changed(|task| task.rejected(Some(&[json!("b"), json!("a")]))), expected);
    for names in [vec![], vec![json!("b")], vec![json!(1), Value::Null]] {
        assert_eq!(changed(|task| task.rejected(Some(&names))), [], "{names:?}");
    }
    let rejected = Task { rejections: 1, ..task("a", TaskState::Reviewing) }.rejected(None).unwrap();
    assert_eq!(rejected.rejections, 2);
}

#[test]
fn s5_5_failed_tasks_are_retried() {
    let failed = (TaskState::ExecutionFailed, TaskState::Ready);
    assert_eq!(changed(Task::retried), [failed]);
    assert_eq!(changed(Task::retried_on_request), [failed, (TaskState::Blocked, TaskState::Ready)]);
}

#[test]
fn s5_3_tasks_in_flight_become_ready_when_their_workflow_ends() {
    let in_flight = [TaskState::Dispatching, TaskState::Dispatched, TaskState::Running];
    assert_eq!(changed(Task::interrupted), in_flight.map(|state| (state, TaskState::Ready)));
    let running = Task { started: Some(1), attempt: 1, ..task("a", TaskState::Running) };
    let interrupted = running.interrupted().unwrap();
    assert_eq!((interrupted.started, interrupted.attempt), (None, 1));
}

#[test]
fn s6_5_a_task_is_sent_to_an_agent_as_a_new_attempt() {
    assert_eq!(
        changed(|task| task.dispatched("x", "d".to_owned())),
        [(TaskState::Ready, TaskState::Dispatching)]
    );
    let before = Task { attempt: 2, error: Some("e".to_owned()), ..task("a", TaskState::Ready) };
    let sent = before.dispatched("x", "d".to_owned()).unwrap();
    assert_eq!((sent.agent.as_deref(), sent.dispatch.as_deref()), (Some("x"), Some("d")));
    assert_eq!((sent.attempt, sent.error), (3, None));
}

#[test]
fn s6_5_a_task_that_is_not_acknowledged_is_sent_again() {
    let why = [TaskTrigger::DispatchNack, TaskTrigger::Timeout, TaskTrigger::NoResource];
    for why in why {
        let expected = [(TaskState::Dispatching, TaskState::Ready)];
        assert_eq!(changed(|task| task.undelivered(why, "no answer", 9)), expected, "{why}");
    }
    let sent = Task { attempt: 2, ..task("a", TaskState::Dispatching) };
    let back = sent.undelivered(TaskTrigger::Timeout, "no answer", 9).unwrap();
    assert_eq!((back.error.as_deref(), back.finished), (Some("DISPATCH_FAILED: no answer"), Some(9)));
    assert!(back.is_undeliverable(1) && !back.is_undeliverable(2));
    assert!(!Task { error: Some("no answer".to_owned()), ..back }.is_undeliverable(1));
}

#[test]
fn s8_4_an_earlier_checkpoint_restores_its_tasks() {
    let entry = |members: Value| {
        let mut entry = json!({
            "taskId": "a", "description": "d", "status": "pending", "iterationCount": 0, "maxIterations": 3,
        });
        entry.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        serde_json::from_value::<TaskProgressEntry>(entry).unwrap()
    };
    let running = Task {
        no: 4,
        attempt: 3,
        dispatch: Some("d".to_owned()),
        started: Some(1),
        agent: Some("x".to_owned()),
        min_level: Some(2),
        ..task("a", TaskState::Running)
    };
    let known = vec![running, Task { no: 5, ..task("b", TaskState::Done) }];
    let then = [
        entry(json!({ "iterationCount": 1 })),
        entry(json!({
            "taskId": "c", "status": "completed", "type": "reviewer", "assignedAgent": "y",
            "result": { "output": [1] }, "startedAt": "1970-01-01T00:00:01Z", "completedAt": "1970-01-01T00:00:02Z",
        })),
        entry(json!({ "taskId": "d", "status": "failed", "result": { "error": "e" } })),
        entry(json!({ "taskId": "e", "dependencies": ["c"] })),
        entry(json!({ "taskId": "f", "dependencies": ["d"] })),
    ];
    let restored = restore(known, &then);
    assert_eq!(restored.removed, ["b"]);
    let [a, c, d, e, f] = &restored.tasks[..] else { panic!("{:?}", restored.tasks) };
    let expected = Task { no: 4, attempt: 1, description: "d".to_owned(), ..task("a", TaskState::Ready) };
    assert_eq!(a, &expected, "what was done since then is undone");
    assert_eq!((c.no, c.state, c.result.as_deref()), (6, TaskState::ExecutionSucceeded, Some("[1]")));
    assert_eq!((&*c.kind, c.agent.as_deref()), ("reviewer", Some("y")));
    assert_eq!((c.started, c.finished), (Some(1000), Some(2000)));
    assert_eq!((d.state, d.error.as_deref()), (TaskState::ExecutionFailed, Some("e")));
    assert_eq!((e.state, f.state), (TaskState::Ready, TaskState::Created));
}
