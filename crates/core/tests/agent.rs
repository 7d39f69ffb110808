//! Agents: their steps, and which one gets a task.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use aide_core::Requirement;
use aide_core::agent::{Agent, AgentError, Availability, Work, WorkOrder, best_agent, find_available};
use aide_core::task::Task;
use protocol::workflow::api::Capability;
use protocol::workflow::{AgentState, AgentTrigger, ResourceStatus};

const ORDER: WorkOrder<'_> = WorkOrder { session: "s", workflow: "w", task: "a" };

/// A free executor with these capabilities, in the form `name level, name level`.
fn agent(id: &str, capabilities: &str) -> Agent {
    let one = |capability: &str| {
        let (kind, level) = capability.trim().split_once(' ').unwrap();
        Capability { kind: kind.to_owned(), level: level.parse().unwrap() }
    };
    Agent {
        id: id.to_owned(),
        kind: "executor".to_owned(),
        capabilities: capabilities.split_terminator(',').map(one).collect(),
        state: AgentState::Idle,
        status: ResourceStatus::Available,
        work: None,
        deployments: 0,
        errors: 0,
        last_error: None,
        last_active: None,
    }
}

fn work(workflow: &str, task: Option<&str>) -> Option<Work> {
    let (session, workflow) = ("s".to_owned(), workflow.to_owned());
    Some(Work { session, workflow, task: task.map(str::to_owned), since: Some(1) })
}

/// A task that requires these capabilities, in the form `name name`.
fn task(capabilities: &str, min_level: Option<u64>) -> Task {
    let capabilities = capabilities.split_whitespace().map(str::to_owned).collect();
    Task { capabilities, min_level, ..Task::new("a") }
}

fn found<'a>(pool: &'a [Agent], task: &Task) -> &'a str {
    match find_available(pool, "w", task, |_, _| true, |_| true) {
        Availability::Free(agent) => &agent.id,
        Availability::Busy => "busy",
        Availability::Unavailable => "unavailable",
    }
}

#[test]
fn s5_6_the_status_of_an_agent_follows_its_state() {
    let (ack, start) = (AgentTrigger::DispatchAck, AgentTrigger::TaskExecutionStarted);
    let success = AgentTrigger::TaskExecutionResultSuccess;
    let free = agent("x", "");
    let reserved = free.after_steps(ORDER, None, &[ack], 5).unwrap();
    assert_eq!((reserved.state, reserved.status), (AgentState::Reserved, ResourceStatus::Deployed));
    assert_eq!((reserved.deployments, reserved.last_active), (1, Some(5)));
    assert_eq!(reserved.work, Some(Work { since: Some(5), ..work("w", Some("a")).unwrap() }));
    let running = reserved.after_steps(ORDER, None, &[start], 6).unwrap();
    assert_eq!((running.state, running.status), (AgentState::Running, ResourceStatus::Busy));
    assert_eq!((running.update().load, running.update().status), (Some(100), "running".to_owned()));
    let done = running.after_steps(ORDER, None, &[success], 7).unwrap();
    assert_eq!((done.state, done.status), (AgentState::Idle, ResourceStatus::Available));
    assert_eq!((done.work.clone(), done.errors, done.update().load), (None, 0, Some(0)));
    assert_eq!(free.after_steps(ORDER, None, &[ack, start, success], 7).unwrap(), done);
}

#[test]
fn s5_6_after_a_failed_task_the_agent_is_reset_with_its_error() {
    let running = Agent {
        state: AgentState::Running,
        status: ResourceStatus::Busy,
        work: work("w", Some("a")),
        ..agent("x", "")
    };
    for (error, reason) in [(Some("no"), "no"), (Some(" "), "a of w"), (None, "a of w")] {
        let failed = running.after_steps(ORDER, error, &[AgentTrigger::TaskExecutionResultFailure], 9);
        let failed = failed.unwrap();
        assert_eq!((failed.state, failed.status), (AgentState::Idle, ResourceStatus::Available));
        assert_eq!((failed.work, failed.errors), (None, 1));
        assert_eq!(failed.last_error, Some(AgentError { reason: reason.to_owned(), at: 9 }));
    }
}

#[test]
fn s5_6_a_step_that_does_not_fit_the_state_or_concerns_another_task_is_ignored() {
    let (ack, start) = (AgentTrigger::DispatchAck, AgentTrigger::TaskExecutionStarted);
    let free = agent("x", "");
    assert_eq!(free.after_steps(ORDER, None, &[start], 5), None);
    assert_eq!(free.after_steps(ORDER, None, &[], 5), None);
    for other in [work("w", Some("b")), work("v", Some("a")), work("v", None)] {
        let agent = Agent { status: ResourceStatus::Deployed, work: other, ..agent("x", "") };
        assert_eq!(agent.after_steps(ORDER, None, &[ack, start], 5), None, "{:?}", agent.work);
    }
    // An agent that is deployed to the workflow takes any of its tasks; one that is reserved for the task takes that.
    for (given, deployments) in [(work("w", None), 1), (work("w", Some("a")), 0)] {
        let agent = Agent { status: ResourceStatus::Deployed, work: given, ..agent("x", "") };
        let reserved = agent.after_steps(ORDER, None, &[ack], 5).unwrap();
        assert_eq!((reserved.task(), reserved.deployments), (Some("a"), deployments));
    }
}

#[test]
fn s5_6_a_step_within_a_task_keeps_the_agent_running() {
    for (state, after) in [(AgentState::Running, AgentState::Running), (AgentState::Idle, AgentState::Idle)] {
        let agent = Agent { state, ..agent("x", "") }.after_step(5);
        assert_eq!((agent.state, agent.last_active), (after, Some(5)));
    }
}

#[test]
fn s3_5_an_agent_is_deployed_and_released() {
    let deployed = agent("x", "").deployed("s", "w", 1);
    assert_eq!((deployed.status, deployed.work.clone()), (ResourceStatus::Deployed, work("w", None)));
    assert_eq!((deployed.deployments, deployed.state), (1, AgentState::Idle));
    assert!(!deployed.is_free() && deployed.is_free_for("w") && !deployed.is_free_for("v"));
    let told = deployed.resource_update(deployed.work.as_ref());
    assert_eq!((&*told.status, told.session_id.as_deref()), ("deployed", Some("s")));
    let freed = deployed.freed().unwrap();
    assert_eq!(freed, Agent { deployments: 1, ..agent("x", "") });
    assert_eq!(freed.freed(), None, "nothing happens to a free agent");
    let reserved = agent("x", "").reserved(ORDER, 1);
    assert_eq!((reserved.status, &reserved.work), (ResourceStatus::Deployed, &work("w", Some("a"))));
    assert!(reserved.has_task("w", "a") && !reserved.is_free_for("w"));
    let silent = reserved.unresponsive("no answer", 3);
    assert_eq!((silent.errors, silent.last_error.unwrap().reason), (1, "no answer".to_owned()));
}

#[test]
fn s6_1_an_agent_meets_a_task_if_it_has_the_type_the_capabilities_and_the_level() {
    let pool = [agent("x", "a 3, b 8"), Agent { kind: "reviewer".to_owned(), ..agent("y", "a 9, b 9") }];
    for (capabilities, min_level, id) in [
        ("", None, "x"),
        ("a b", None, "x"),
        ("a c", None, "unavailable"),
        ("a b", Some(8), "x"),
        ("a", Some(8), "unavailable"),
        ("", Some(8), "x"),
        ("", Some(9), "unavailable"),
    ] {
        assert_eq!(found(&pool, &task(capabilities, min_level)), id, "{capabilities} {min_level:?}");
    }
    assert_eq!(Requirement::of(&task("a", Some(8))).lacking(), "a ≥ 8");
}

#[test]
fn s6_1_the_best_fit_has_the_highest_sum_of_levels_and_the_first_of_equal_ones_is_taken() {
    let pool = [agent("x", "a 5, b 5"), agent("y", "a 9, b 2"), agent("z", "a 2, b 9"), agent("v", "a 9")];
    assert_eq!(found(&pool, &task("a b", None)), "y");
    assert_eq!(found(&pool, &task("b", None)), "z");
    // The words of a task prefer an agent, where the plan names neither capability nor level.
    let pool = [agent("x", "file_ops 9"), agent("y", "web_search 7"), agent("z", "web_search 8")];
    let described = |text: &str| Task { description: text.to_owned(), ..Task::new("a") };
    assert_eq!(found(&pool, &described("search the web")), "z");
    assert_eq!(found(&pool, &described("save a file")), "x");
    // What the plan names comes first.
    let pool = [agent("x", "a 9"), agent("y", "a 5, web_search 9")];
    assert_eq!(found(&pool, &Task { description: "search the web".to_owned(), ..task("a", None) }), "x");
}

#[test]
fn s6_1_the_agent_whose_try_was_broken_off_comes_first_and_the_one_that_failed_last() {
    let pool = [agent("x", "a 9"), agent("y", "a 1")];
    let broken_off = Task { agent: Some("y".to_owned()), dispatch: Some("d".to_owned()), ..task("a", None) };
    assert_eq!(found(&pool, &broken_off), "y");
    let failed = Task { finished: Some(1), error: Some("e".to_owned()), ..broken_off };
    assert_eq!(found(&pool, &Task { agent: Some("x".to_owned()), ..failed.clone() }), "y");
    assert_eq!(found(&pool, &failed), "x");
    // If there is no other agent, the same one tries again.
    assert_eq!(found(&pool[1..], &failed), "y");
}

#[test]
fn s6_1_an_agent_that_is_busy_or_not_meant_is_not_taken() {
    let mut pool = [agent("x", "a 9"), agent("y", "a 1")];
    let one = task("a", None);
    let named = |agent: &Agent, _: &[String]| agent.id == "y";
    let is_y = |agent: Availability<'_>| matches!(agent, Availability::Free(agent) if agent.id == "y");
    assert!(is_y(find_available(&pool, "w", &one, named, |_| true)));
    assert!(is_y(find_available(&pool, "w", &one, |_, _| true, |agent| agent.id == "y")));
    assert_eq!(find_available(&pool, "w", &one, named, |_| false), Availability::Busy);
    assert_eq!(find_available(&pool, "w", &one, |_, _| false, |_| true), Availability::Unavailable);
    for agent in &mut pool {
        (agent.status, agent.work) = (ResourceStatus::Busy, work("v", Some("b")));
    }
    assert_eq!(found(&pool, &one), "busy");
    (pool[1].status, pool[1].work) = (ResourceStatus::Deployed, work("w", None));
    assert_eq!(found(&pool, &one), "y");
}

#[test]
fn s6_1_a_task_without_an_agent_gets_one_only_if_the_plan_names_what_it_needs() {
    let mut pool = vec![agent("x", "a 9"), agent("y", "a 1")];
    let chosen = |pool: &[Agent], task: &Task| best_agent(pool, "w", task).map(|agent| agent.id.clone());
    assert_eq!(chosen(&pool, &task("", None)), None);
    assert_eq!(chosen(&pool, &task("a", None)).as_deref(), Some("x"));
    assert_eq!(chosen(&pool, &task("", Some(9))).as_deref(), Some("x"));
    assert_eq!(chosen(&pool, &task("b", None)), None);
    pool[0].status = ResourceStatus::Busy;
    assert_eq!(chosen(&pool, &task("a", None)).as_deref(), Some("y"));
    // An agent that has the task keeps it.
    pool[1] = Agent { status: ResourceStatus::Busy, work: work("w", Some("a")), ..agent("y", "") };
    assert_eq!(chosen(&pool, &task("a", None)).as_deref(), Some("y"));
}
