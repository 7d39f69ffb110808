//! Lists of tasks that a client or a planner sends.

use super::task;
use aide_core::task::{
    Task, TaskChange, TaskReport, apply_list, check_needs, newly_ready, topological_order,
};
use protocol::workflow::TaskState;
use serde_json::{Value, json};

/// Tasks in the form `id<need+need`.
fn tasks(list: &str) -> Vec<Task> {
    let one = |task: &str| {
        let (id, needs) = task.split_once('<').unwrap_or((task, ""));
        Task { needs: needs.split_terminator('+').map(str::to_owned).collect(), ..Task::new(id) }
    };
    list.split(' ').map(one).collect()
}

/// Takes a list for a workflow that has the tasks `a`, which runs, and `b`, which needs it.
fn take_into_two(list: Value, is_new_plan: bool) -> aide_core::task::TaskListUpdate {
    let mut known = tasks("a b<a");
    (known[0].no, known[1].no) = (1, 2);
    known[0].state = TaskState::Running;
    known[0].agent = Some("x".to_owned());
    apply_list(known, &list, is_new_plan).unwrap()
}

fn ids(tasks: &[Task]) -> String {
    tasks.iter().map(|task| format!("{}{}", task.no, task.id)).collect::<Vec<_>>().join(" ")
}

#[test]
fn tasks_come_after_those_that_they_need() {
    for (list, order, problem) in [
        ("a b<a c<a+b", vec![0, 1, 2], None),
        ("c<a+b b<a a", vec![2, 1, 0], None),
        ("a b c<b", vec![0, 1, 2], None),
        ("a<a b", vec![1], Some("a depends on itself")),
        ("a<c b<a c<b d", vec![3], Some("a depends on itself")),
        ("a b<x", vec![0, 1], Some("b depends on x, which does not exist")),
    ] {
        let tasks = tasks(list);
        assert_eq!(topological_order(&tasks), order, "{list}");
        assert_eq!(check_needs(&tasks).err().as_deref(), problem, "{list}");
    }
}

#[test]
fn s5_5_deps_satisfied_happens_by_itself_when_all_dependencies_are_completed() {
    let mut list = tasks("a b<a c<a+b d<c e");
    assert_eq!(ids(&newly_ready(&list)), "0a 0e", "a task without dependencies is ready at once");
    for state in [TaskState::ExecutionSucceeded, TaskState::Reviewing, TaskState::Done] {
        list[0].state = state;
        assert_eq!(ids(&newly_ready(&list)), "0b 0e");
    }
    for state in [TaskState::ExecutionFailed, TaskState::Running, TaskState::Blocked] {
        list[0].state = state;
        assert_eq!(ids(&newly_ready(&list)), "0e");
    }
    assert!(newly_ready(&list).iter().all(|task| task.state == TaskState::Ready));
    let running = task("a", TaskState::Running);
    assert_eq!(running.clone().unblocked(|_| true), running);
}

#[test]
fn s5_5_context_tasks_is_a_list_of_at_most_1000_objects() {
    let list = |count: usize| (0..count).map(|no| json!({ "id": no.to_string() })).collect::<Value>();
    assert_eq!(apply_list(Vec::new(), &list(1000), true).unwrap().tasks.len(), 1000);
    let problem = Err("more than 1000 tasks".to_owned());
    assert_eq!(apply_list(Vec::new(), &list(1001), true), problem);
    // Those that are known already count, unless the plan replaces them.
    assert_eq!(apply_list(vec![Task::new("a")], &list(1000), false), problem);
    assert_eq!(apply_list(vec![Task::new("a")], &list(1000), true).unwrap().removed.len(), 1);
    for (list, problem) in [
        (json!({}), "tasks must be an array"),
        (json!([1]), "tasks[0]: must be an object"),
        (json!([{ "id": "a" }, {}]), "tasks[1]: id must be a string of 1 to 128 bytes"),
    ] {
        assert_eq!(apply_list(Vec::new(), &list, false), Err(problem.to_owned()), "{list}");
    }
}

#[test]
fn s5_5_ids_are_unique_dependencies_exist_and_none_is_circular() {
    for (list, problem) in [
        (json!([{ "id": "a" }, { "id": "a" }]), "tasks[1]: duplicate id a"),
        (json!([{ "id": "a", "dependencies": ["x"] }]), "a depends on x, which does not exist"),
        (
            json!([{ "id": "a", "dependencies": ["b"] }, { "id": "b", "dependencies": ["a"] }]),
            "a depends on itself",
        ),
    ] {
        assert_eq!(apply_list(Vec::new(), &list, true), Err(problem.to_owned()), "{list}");
    }
    // A dependency may be a task that is known already.
    let list = json!([{ "id": "c", "dependencies": ["a"] }]);
    assert!(apply_list(vec![Task::new("a")], &list, false).is_ok());
    assert!(apply_list(vec![Task::new("a")], &list, true).is_err());
}

#[test]
fn s5_5_absent_members_keep_their_value() {
    let all = json!([{
        "id": "a", "description": "d", "type": "reviewer", "requiredCapabilities": ["c"], "minLevel": 3,
        "assignee": "x", "deadline": "2026-01-01T00:00:00Z", "estimatedDuration": 5, "result": [1], "error": "e",
    }]);
    let mut known = apply_list(Vec::new(), &all, true).unwrap().tasks;
    let first = &known[0];
    assert_eq!((&*first.description, &*first.kind, first.min_level), ("d", "reviewer", Some(3)));
    assert_eq!((&first.capabilities, first.agent.as_deref()), (&vec!["c".to_owned()], Some("x")));
    assert_eq!((first.due, first.estimate), (Some(1_767_225_600_000), Some(5)));
    assert_eq!((first.result.as_deref(), first.error.as_deref()), (Some("[1]"), Some("e")));
    for list in [json!([{ "id": "a" }]), json!([{ "id": "a", "description": null, "result": null }])] {
        let taken = apply_list(known.clone(), &list, false).unwrap();
        assert_eq!((&taken.tasks, taken.is_other_plan), (&known, false));
        assert_eq!((taken.changes, taken.removed, taken.replaced), (vec![], vec![], vec![]));
        known = taken.tasks;
    }
    let taken = apply_list(known, &json!([{ "id": "a", "description": "other" }]), false).unwrap();
    assert_eq!((&*taken.tasks[0].description, &*taken.tasks[0].kind), ("other", "reviewer"));
}

#[test]
fn s5_5_with_plan_created_the_list_replaces_the_tasks() {
    let taken = take_into_two(json!([{ "id": "c" }, { "id": "a" }]), true);
    assert_eq!(ids(&taken.tasks), "3c 1a");
    assert_eq!((ids(&taken.removed), taken.is_other_plan), ("2b".to_owned(), true));
    assert_eq!(
        taken.tasks[1].state,
        TaskState::Running,
        "a task that the plan names without a state goes on"
    );
    assert!(taken.replaced.is_empty());
}

#[test]
fn s5_5_a_known_task_that_the_plan_names_as_not_begun_starts_anew() {
    for named in [
        json!({ "status": "pending" }),
        json!({ "status": "ready" }),
        json!({ "fsmState": "created" }),
        json!({ "fsmState": "ready" }),
    ] {
        let mut first = json!({ "id": "a", "description": "anew" });
        first.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        let taken = take_into_two(json!([first, { "id": "b" }]), true);
        let anew = &taken.tasks[0];
        assert_eq!((anew.state, anew.no, anew.agent.as_deref()), (TaskState::Created, 1, None), "{named}");
        assert_eq!((&*anew.description, ids(&taken.replaced)), ("anew", "1a".to_owned()));
        assert_eq!(taken.replaced[0].state, TaskState::Running);
        assert!(!taken.is_other_plan && taken.removed.is_empty());
    }
}

#[test]
fn s5_5_with_other_triggers_the_list_is_merged() {
    let taken = take_into_two(json!([{ "id": "b", "description": "d" }, { "id": "c" }]), false);
    assert_eq!(ids(&taken.tasks), "2b 3c 1a");
    assert!(taken.is_other_plan && taken.removed.is_empty() && taken.replaced.is_empty());
    assert!(!take_into_two(json!([{ "id": "b" }]), false).is_other_plan);
}

#[test]
fn s5_5_a_state_beyond_the_present_one_advances_the_task() {
    let report = |members: Value| {
        let mut first = json!({ "id": "a" });
        first.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let taken = take_into_two(json!([first]), false);
        let first = taken.tasks.iter().find(|task| task.id == "a").unwrap();
        assert_eq!(
            (first.state, first.agent.as_deref()),
            (TaskState::Running, Some("x")),
            "it has not advanced yet"
        );
        taken.changes
    };
    let change = |to: TaskState, report: TaskReport| vec![TaskChange { id: "a".to_owned(), to, report }];
    let result = TaskReport { result: Some("7".to_owned()), ..TaskReport::default() };
    assert_eq!(
        report(json!({ "status": "completed", "result": 7 })),
        change(TaskState::ExecutionSucceeded, result)
    );
    let blocked =
        TaskReport { reason: Some("r".to_owned()), error: Some("e".to_owned()), ..TaskReport::default() };
    let members = json!({ "fsmState": "blocked", "reason": "r", "error": "e" });
    assert_eq!(report(members), change(TaskState::Blocked, blocked));
    // Another agent has the task now.
    let other = TaskReport { agent: Some("y".to_owned()), ..TaskReport::default() };
    assert_eq!(
        report(json!({ "status": "in_progress", "assignee": "y" })),
        change(TaskState::Running, other)
    );
    for same in
        [json!({ "status": "in_progress" }), json!({ "fsmState": "running" }), json!({ "assignee": "x" })]
    {
        assert_eq!(report(same), vec![]);
    }
}
