//! What leads from one state of a task to another.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use aide_core::task::{TaskInput, TaskNeeds, check_needs, in_order, path};
use model::workflow::{TaskState, TaskTrigger};
use serde_json::{Value, json};

/// How many triggers lead from a state (a line) to another (a column, in the order of the lines); `-` where none do.
const STEPS: &str = "
    created             0 - - - - - - - - - - -
    ready               - 0 1 2 2 3 4 4 5 6 3 6
    dispatching         - - 0 1 1 2 3 3 4 5 2 5
    dispatched          - - - 0 - 1 2 2 3 4 - 4
    dispatch_failed     - 1 2 3 0 4 5 5 6 7 1 7
    running             - - - - - 0 1 1 2 3 - 3
    execution_succeeded - - - - - - 0 - 1 2 - 2
    execution_failed    - 1 2 3 3 4 5 0 6 7 4 7
    reviewing           - - - - - - - - 0 1 - 1
    rework_required     - 1 2 3 3 4 5 5 6 0 4 7
    blocked             - - - - - - - - - - 0 -
    done                - - - - - - - - - - - 0";

#[test]
fn steps_are_filled_in_as_the_table_says() {
    let mut found = String::new();
    for from in TaskState::ALL {
        let steps = |to: &TaskState| path(*from, *to).map_or("-".to_owned(), |steps| steps.len().to_string());
        let steps: Vec<String> = TaskState::ALL.iter().map(steps).collect();
        found.push_str(&format!("\n    {:<19} {}", from.name(), steps.join(" ")));
    }
    assert_eq!(found, STEPS);
}

#[test]
fn every_path_is_one_of_the_machine() {
    for from in TaskState::ALL {
        for to in TaskState::ALL {
            let Some(steps) = path(*from, *to) else { continue };
            assert!(!steps.contains(&TaskTrigger::DepsSatisfied), "{from} {to}");
            let end = steps.iter().try_fold(*from, |state, step| state.next(*step));
            assert_eq!(end, Some(*to), "{from} {to}");
        }
    }
}

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
}

#[test]
fn a_report_says_how_far_a_task_is_to_come() {
    let beyond = |member: &str, name: &str, now: TaskState| {
        TaskInput::read(&json!({ "id": "a", member: name })).unwrap().named.unwrap().beyond(now)
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
        assert_eq!(beyond("status", status, now), expected, "{status} {now}");
    }
    for state in TaskState::ALL {
        assert_eq!(beyond("fsmState", state.name(), *state), None);
    }
}

#[test]
fn tasks_come_after_those_that_they_need() {
    let tasks = |list: &'static str| -> Vec<TaskNeeds<'static>> {
        let one = |task: &'static str| {
            let (id, needs) = task.split_once('<').unwrap_or((task, ""));
            TaskNeeds { id, needs: needs.split_terminator('+').map(str::to_owned).collect() }
        };
        list.split(' ').map(one).collect()
    };
    for (list, order, problem) in [
        ("a b<a c<a+b", vec![0, 1, 2], None),
        ("c<a+b b<a a", vec![2, 1, 0], None),
        ("a b c<b", vec![0, 1, 2], None),
        ("a<a b", vec![1], Some("a depends on itself")),
        ("a<c b<a c<b d", vec![3], Some("a depends on itself")),
        ("a b<x", vec![0, 1], Some("b depends on x, which does not exist")),
    ] {
        let tasks = tasks(list);
        assert_eq!(in_order(&tasks), order, "{list}");
        assert_eq!(check_needs(&tasks).err().as_deref(), problem, "{list}");
    }
}
