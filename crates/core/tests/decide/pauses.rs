//! Pauses, what comes in during one, and decisions that a workflow waits for.

use crate::tasks::executing;
use crate::{NOW, after, asked, drive, published, refused, resume_from, state, step};
use aide_core::decision::Resolution;
use aide_core::{Command, State, decide};
use model::Via;
use protocol::workflow::{ErrorCode, TaskState, Trigger, WorkflowState};
use serde_json::{Value, json};

/// A workflow that waits for this decision.
fn waiting(id: &str) -> State {
    let mut state = asked(state(WorkflowState::WaitUserDecision), id, None, &["continue", "abort"]);
    state.context.await_decision(id);
    state
}

fn end(state: &mut State, id: &str, how: Resolution) -> Vec<String> {
    let command = Command::EndDecision { decision: id.to_owned(), resolution: Box::new(how), via: Via::Api };
    let (next, told) = after(state, command);
    *state = next;
    told
}

fn answer(state: &mut State, id: &str, text: &str) -> Vec<String> {
    let how = state.decision(id).unwrap().answered(text).unwrap();
    end(state, id, how)
}

fn has_recorded(state: &State) -> bool {
    state.context.clone().into_members().contains_key("recordedWhilePaused")
}

/// The phases that a trigger has led to.
fn phases(events: &[(String, Value)]) -> Vec<&str> {
    let entered = events.iter().filter(|(kind, _)| kind == "phase_transition");
    entered.map(|(_, told)| told["to"].as_str().unwrap()).collect()
}

#[test]
fn s5_4_a_pause_returns_to_the_phase_in_which_it_began() {
    let open = WorkflowState::ALL.iter().filter(|phase| !phase.is_terminal());
    for phase in open.filter(|phase| **phase != WorkflowState::Paused) {
        let mut state = state(*phase);
        assert_eq!(
            step(&mut state, Trigger::PauseRequested, json!({})),
            ["phase_transition", "workflow_update"]
        );
        assert_eq!((state.workflow.state, state.workflow.previous), (WorkflowState::Paused, Some(*phase)));
        step(&mut state, Trigger::ResumeRequested, json!({}));
        assert_eq!((state.workflow.state, state.workflow.previous), (*phase, None));
    }
}

#[test]
fn s5_4_what_runs_ends_during_a_pause_and_counts_after_it() {
    let mut state = executing(json!([{ "id": "a" }]));
    step(&mut state, Trigger::TaskStarted, json!({ "taskId": "a", "agentId": "x" }));
    step(&mut state, Trigger::PauseRequested, json!({}));
    step(&mut state, Trigger::TaskCompleted, json!({ "taskId": "a", "result": 7 }));
    assert_eq!((state.workflow.state, state.tasks[0].result.as_deref()), (WorkflowState::Paused, Some("7")));
    let told = published(&state, Trigger::ResumeRequested, json!({}));
    assert_eq!(phases(&told), ["execution", "review"]);
    step(&mut state, Trigger::ResumeRequested, json!({}));
    assert_eq!(refused(&state, Trigger::ResumeRequested, json!({})).code, ErrorCode::WorkflowNotPaused);
    assert!(!has_recorded(&state));
}

#[test]
fn s5_4_only_what_has_come_in_is_judged() {
    let mut state = executing(json!([{ "id": "a" }, { "id": "b" }]));
    step(&mut state, Trigger::TaskStarted, json!({ "taskId": "a" }));
    step(&mut state, Trigger::TaskProgress, json!({ "taskId": "a", "retriesExhausted": true }));
    step(&mut state, Trigger::PauseRequested, json!({}));
    step(&mut state, Trigger::TaskCompleted, json!({ "taskId": "a" }));
    step(&mut state, Trigger::ResumeRequested, json!({}));
    assert_eq!(state.workflow.state, WorkflowState::Execution, "nothing has failed");
    step(&mut state, Trigger::TaskStarted, json!({ "taskId": "b" }));
    step(&mut state, Trigger::PauseRequested, json!({}));
    step(&mut state, Trigger::TaskFailed, json!({ "taskId": "b", "error": "no disk" }));
    step(&mut state, Trigger::ResumeRequested, json!({}));
    assert_eq!(
        (state.workflow.state, state.workflow.error.as_deref()),
        (WorkflowState::Failed, Some("no disk"))
    );
}

#[test]
fn s5_4_what_has_come_in_is_forgotten_on_every_way_out_of_a_pause() {
    let mut paused = executing(json!([{ "id": "a" }]));
    step(&mut paused, Trigger::TaskStarted, json!({ "taskId": "a" }));
    step(&mut paused, Trigger::PauseRequested, json!({}));
    let checkpoint = resume_from(&paused, true);
    step(&mut paused, Trigger::TaskCompleted, json!({ "taskId": "a" }));
    assert!(has_recorded(&paused));
    let input = Command::Input { text: "something else".to_owned(), via: Via::Api };
    for (command, phase) in
        [(checkpoint, WorkflowState::Review), (input, WorkflowState::SemanticUnderstanding)]
    {
        let (state, _) = after(&paused, command);
        assert_eq!((state.workflow.state, has_recorded(&state)), (phase, false));
    }
}

#[test]
fn s5_4_an_answer_that_comes_in_a_pause_is_used_after_it() {
    let mut paused = waiting("1");
    let checkpoint = resume_from(&paused, true);
    step(&mut paused, Trigger::PauseRequested, json!({}));
    answer(&mut paused, "1", "continue");
    assert_eq!(paused.workflow.state, WorkflowState::Paused);
    let resume = drive(Trigger::ResumeRequested, json!({}));
    for command in [resume, checkpoint] {
        let (state, told) = after(&paused, command);
        assert_eq!(told.iter().filter(|kind| *kind == "phase_transition").count(), 2);
        assert_eq!((state.workflow.state, has_recorded(&state)), (WorkflowState::Execution, false));
        assert_eq!(state.context.into_members()["decision"], "continue");
    }
}

#[test]
fn s7_3_time_that_is_up_counts_in_a_pause_as_well() {
    for (is_answered, is_paused) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut state = waiting("1");
        if is_paused {
            step(&mut state, Trigger::PauseRequested, json!({}));
        }
        let decision = aide_core::decision::Decision {
            fallback: is_answered.then(|| "abort".to_owned()),
            ..state.decision("1").unwrap().clone()
        };
        let fallback = decision.fallback_answer().unwrap();
        end(&mut state, "1", Resolution::expired("now".to_owned(), fallback));
        if is_paused {
            assert_eq!(state.workflow.state, WorkflowState::Paused);
            step(&mut state, Trigger::ResumeRequested, json!({}));
        }
        assert_eq!(state.workflow.state, WorkflowState::Failed, "{is_answered} {is_paused}");
        let is_timeout = state.workflow.error.as_deref() == Some("TIMEOUT");
        assert_eq!(is_timeout, !is_answered, "{:?}", state.workflow.error);
    }
    // A workflow that does not wait for the decision goes on.
    let mut busy = asked(state(WorkflowState::Execution), "1", None, &[]);
    end(&mut busy, "1", Resolution::expired("now".to_owned(), None));
    assert_eq!(busy.workflow.state, WorkflowState::Execution);
    // A task that no agent does has not failed, and one that is in no list has.
    for (task, tasks, failures) in [("b", true, 0), ("x", false, 1)] {
        let mut state = asked(state(WorkflowState::Execution), "1", Some(task), &[]);
        state.tasks.retain(|_| tasks);
        let told = end(&mut state, "1", Resolution::expired("now".to_owned(), None));
        assert_eq!(told.iter().filter(|kind| *kind == "task_failed").count(), failures, "{task}");
    }
}

#[test]
fn s7_3_another_decision_than_the_awaited_one_changes_no_phase() {
    let aside = asked(state(WorkflowState::Execution), "aside", None, &["continue", "abort"]);
    let mut state = aside;
    step(&mut state, Trigger::ResourceMissing, json!({ "missingResources": [{ "type": "web_search" }] }));
    let awaited = state.context.awaited().unwrap().to_owned();
    let decision = state.decision(&awaited).unwrap();
    assert_eq!(decision.message().as_deref(), Some("资源不足：缺少 web_search"), "no reason was given");
    answer(&mut state, "aside", "continue");
    let mut state = asked(state, "later", None, &["continue", "abort"]);
    answer(&mut state, "later", "continue");
    assert_eq!(state.workflow.state, WorkflowState::WaitUserDecision);
    let told = published(&state, Trigger::PauseRequested, json!({}));
    assert_eq!(told.last().unwrap().1["pendingDecision"], awaited);
    answer(&mut state, &awaited, "continue");
    assert_eq!((state.workflow.state, state.context.awaited()), (WorkflowState::Execution, None));
}

#[test]
fn s5_3_a_context_that_is_too_large_may_only_shrink() {
    let mut state = executing(json!([{ "id": "a" }]));
    let part = |key: &str, length: usize| json!({ key: "x".repeat(length) });
    step(&mut state, Trigger::TaskProgress, part("a", 600_000));
    let large = decide(state.clone(), NOW, drive(Trigger::TaskProgress, part("b", 600_000))).unwrap_err();
    assert_eq!((large.code, &large.details["limit"]), (ErrorCode::InvalidRequest, &json!(1 << 20)));
    // An answer is known in any case.
    let mut waiting = waiting("1");
    step(&mut waiting, Trigger::PauseRequested, part("a", (1 << 20) - 60));
    answer(&mut waiting, "1", "continue");
    assert!(waiting.context.size() > 1 << 20);
    let more = refused(&waiting, Trigger::TaskProgress, json!({ "more": 1 }));
    assert_eq!(more.code, ErrorCode::InvalidRequest);
    step(&mut waiting, Trigger::TaskProgress, json!({ "a": null }));
}

#[test]
fn s5_4_a_cancelled_workflow_says_so_in_its_context() {
    let (cancelled, _) = after(&state(WorkflowState::Paused), Command::trigger(Trigger::CancelRequested));
    assert_eq!(cancelled.context.into_members()["cancelled"], true);
}

#[test]
fn s6_8_a_workflow_that_cannot_continue_is_left_to_the_user_with_the_reason() {
    for phase in [WorkflowState::Execution, WorkflowState::Paused] {
        let mut before = state(phase);
        before.workflow.failures = 4;
        before.workflow.wake_at = Some(9000);
        let (left, told) = after(&before, Command::Park { error: "no disk".to_owned() });
        assert_eq!((left.workflow.state, left.tasks[0].state), (phase, TaskState::Ready));
        assert_eq!(left.context.is_interrupted(), phase != WorkflowState::Paused);
        let workflow = &left.workflow;
        assert_eq!((workflow.failures, workflow.wake_at), (0, None));
        assert_eq!(workflow.error.as_deref(), Some("no disk"));
        assert_eq!(told, ["resource_update", "system_error"]);
        let (resumed, _) = after(&left, resume_from(&before, true));
        assert_eq!(resumed.workflow.error, None, "why it was left no longer matters");
    }
}
