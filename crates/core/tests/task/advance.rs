//! How tasks advance.

use super::task;
use aide_core::task::{Handover, ReportEffect, Task, TaskReport, target_of};
use protocol::workflow::{AgentTrigger, Event, EventType, TaskState, TaskTrigger, Trigger};
use serde_json::json;

/// Advances a task to a state; returns it, the type of the event, and whether the task has ended.
fn advance(before: &Task, to: TaskState, report: &TaskReport) -> (Task, Option<EventType>, bool) {
    let steps = before.steps_to(to, false).unwrap();
    let mut after = before.clone();
    if aide_core::task::begins_attempt(&steps) {
        after.begin_attempt("dispatch-2".to_owned());
    }
    let has_ended = after.advance(to, &steps, report, 50);
    let event = after.event_of(&steps, report).map(|event| event.kind());
    (after, event, has_ended)
}

#[test]
fn s5_5_a_trigger_with_a_task_takes_it_to_a_state() {
    for (trigger, state) in [
        (Trigger::TaskDispatched, Some(TaskState::Dispatched)),
        (Trigger::TaskStarted, Some(TaskState::Running)),
        (Trigger::TaskProgress, Some(TaskState::Running)),
        (Trigger::TaskCompleted, Some(TaskState::ExecutionSucceeded)),
        (Trigger::TaskFailed, Some(TaskState::ExecutionFailed)),
        (Trigger::PlanCreated, None),
        (Trigger::ReviewPassed, None),
    ] {
        assert_eq!(target_of(trigger), state, "{trigger}");
    }
}

#[test]
fn s5_5_task_progress_needs_running() {
    for state in TaskState::ALL {
        let effect = task("a", *state).effect_of(Trigger::TaskProgress, TaskState::Running, false);
        let expected = (*state == TaskState::Running).then_some(ReportEffect::Progress);
        assert_eq!(effect, expected, "{state}");
    }
}

#[test]
fn s5_5_what_is_already_so_for_a_result_is_refused() {
    let (done, failed) = (TaskState::ExecutionSucceeded, TaskState::ExecutionFailed);
    assert_eq!(task("a", done).effect_of(Trigger::TaskCompleted, done, false), None);
    assert_eq!(task("a", failed).effect_of(Trigger::TaskFailed, failed, false), None);
    // Unless the list that came with the trigger has said it.
    let listed = task("a", done).effect_of(Trigger::TaskCompleted, done, true);
    assert_eq!(listed, Some(ReportEffect::AlreadyListed));
    // A start can be reported again.
    let running = task("a", TaskState::Running);
    let again = running.effect_of(Trigger::TaskStarted, TaskState::Running, false);
    assert_eq!(again, Some(ReportEffect::Advance));
    assert_eq!(running.effect_of(Trigger::TaskCompleted, done, true), Some(ReportEffect::Advance));
}

#[test]
fn s5_5_each_orchestrator_dispatch_is_a_new_attempt_that_clears_result_and_error() {
    let before = Task {
        attempt: 1,
        dispatch: Some("dispatch-1".to_owned()),
        started: Some(1),
        finished: Some(2),
        error: Some("e".to_owned()),
        result: Some("1".to_owned()),
        ..task("a", TaskState::ExecutionFailed)
    };
    let (after, event, has_ended) = advance(&before, TaskState::Running, &TaskReport::default());
    assert_eq!((after.attempt, after.dispatch.as_deref()), (2, Some("dispatch-2")));
    assert_eq!((after.started, after.finished, after.result, after.error), (Some(50), None, None, None));
    assert_eq!((event, has_ended), (Some(EventType::TaskStarted), false));
    // No attempt begins between the start and the result.
    let running = Task { started: Some(20), attempt: 1, ..task("a", TaskState::Running) };
    let (after, ..) = advance(&running, TaskState::ExecutionSucceeded, &TaskReport::default());
    assert_eq!((after.attempt, after.started, after.finished), (1, Some(20), Some(50)));
}

#[test]
fn s5_3_no_attempt_begins_during_a_pause() {
    for from in [TaskState::Ready, TaskState::ExecutionFailed, TaskState::DispatchFailed] {
        assert_eq!(task("a", from).steps_to(TaskState::Running, true), None, "{from}");
        assert!(task("a", from).steps_to(TaskState::Running, false).is_some(), "{from}");
    }
    for from in [TaskState::Dispatching, TaskState::Dispatched, TaskState::Running] {
        assert!(task("a", from).steps_to(TaskState::ExecutionSucceeded, true).is_some(), "{from}");
    }
}

#[test]
fn s5_5_an_advance_is_reported_by_an_event() {
    let running = Task { started: Some(20), agent: Some("x".to_owned()), ..task("a", TaskState::Running) };
    let report = TaskReport { result: Some("[1]".to_owned()), ..TaskReport::default() };
    let steps = [TaskTrigger::TaskExecutionResultSuccess];
    let mut after = running.clone();
    assert!(after.advance(TaskState::ExecutionSucceeded, &steps, &report, 50));
    let Some(Event::TaskCompleted(told)) = after.event_of(&steps, &report) else { panic!("no event") };
    assert_eq!((told.duration, told.result), (Some(30), Some(json!([1]))));

    let report = TaskReport { error: Some("e".to_owned()), retryable: Some(true), ..TaskReport::default() };
    let (after, event, has_ended) = advance(&running, TaskState::ExecutionFailed, &report);
    assert_eq!((after.error.as_deref(), event, has_ended), (Some("e"), Some(EventType::TaskFailed), true));

    let ready = task("a", TaskState::Ready);
    let (after, event, has_ended) = advance(&ready, TaskState::Blocked, &TaskReport::default());
    assert_eq!((after.finished, event, has_ended), (Some(50), Some(EventType::TaskBlocked), true));
    let Some(Event::TaskBlocked(told)) = after.event_of(&steps, &TaskReport::default()) else {
        panic!("no event")
    };
    assert_eq!(told.reason, "No agent qualifies");

    for (state, to) in [
        (TaskState::Ready, TaskState::Dispatched),
        (TaskState::Running, TaskState::Running),
        (TaskState::ExecutionFailed, TaskState::Ready),
    ] {
        let (_, event, has_ended) = advance(&task("a", state), to, &TaskReport::default());
        assert_eq!((event, has_ended), (None, false), "{state}");
    }
}

#[test]
fn s5_6_the_agent_of_a_task_takes_the_same_steps() {
    let ready = Task { agent: Some("x".to_owned()), ..task("a", TaskState::Ready) };
    let steps = ready.steps_to(TaskState::ExecutionSucceeded, false).unwrap();
    let handover = ready.handover(&ready, &steps);
    let triggers = vec![
        AgentTrigger::DispatchAck,
        AgentTrigger::TaskExecutionStarted,
        AgentTrigger::TaskExecutionResultSuccess,
    ];
    assert_eq!(handover, Handover { previous: None, triggers });
}

#[test]
fn s5_6_an_agent_takes_over_a_task_in_its_current_state() {
    let (ack, start) = (AgentTrigger::DispatchAck, AgentTrigger::TaskExecutionStarted);
    for (state, triggers) in [
        (TaskState::Dispatching, vec![]),
        (TaskState::Dispatched, vec![ack]),
        (TaskState::Running, vec![ack, start]),
    ] {
        let before = Task { agent: Some("x".to_owned()), ..task("a", state) };
        let after = Task { agent: Some("y".to_owned()), ..before.clone() };
        let previous = Some("x".to_owned());
        assert_eq!(before.handover(&after, &[]), Handover { previous, triggers }, "{state}");
        assert_eq!(before.handover(&before, &[]), Handover::default(), "{state}");
    }
    // No agent has a task that is not in flight.
    let before = Task { agent: Some("x".to_owned()), ..task("a", TaskState::Ready) };
    let after = Task { agent: Some("y".to_owned()), ..before.clone() };
    assert_eq!(before.handover(&after, &[]), Handover::default());
}
