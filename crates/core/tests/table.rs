//! What may happen to a workflow, row by row.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use aide_core::{Context, GivenRoute, Guards, RULES, Rule, TransitionOutcome, TransitionRefusal, next};
use proptest::prelude::*;
use protocol::workflow::{TaskState, Trigger, WorkflowState};
use serde_json::{Map, Value, json};

/// contract/workflows §5.3: from, trigger, context, to. `=` stays, `^` is the phase before the pause; `tasks` are the states of
/// the tasks.
const TABLE: &str = r#"
idle user_input_received {} semantic_understanding
semantic_understanding intent_analyzed {} routing_decision
routing_decision routing_decided {} plan_loop
routing_decision routing_decided {"route":null} plan_loop
routing_decision routing_decided {"route":"full_replan"} plan_loop
routing_decision routing_decided {"route":"minor_replan"} plan_loop
routing_decision routing_decided {"route":"continue_execution"} execution
routing_decision routing_decided {"route":"wait_user_decision"} wait_user_decision
routing_decision routing_decided {"route":"new_task"} wait_user_decision
plan_loop plan_created {} execution
execution task_dispatched {} =
execution task_started {} =
execution task_progress {} =
execution task_completed {} review
execution task_completed {"tasks":[]} review
execution task_completed {"tasks":["execution_succeeded","execution_failed"]} review
execution task_completed {"tasks":["done","blocked"]} review
execution task_completed {"tasks":["execution_succeeded","ready"]} =
execution task_completed {"tasks":["execution_failed","reviewing"]} review
execution task_completed {"tasks":["dispatch_failed"]} =
execution task_completed {"tasks":["rework_required"]} =
execution task_completed {"tasks":["created"]} =
execution task_failed {} =
execution task_failed {"retriesExhausted":true} failed
execution task_failed {"retriesExhausted":true,"replannable":true} =
execution major_change_detected {} replan_evaluation
execution resource_missing {} wait_user_decision
execution user_input_received {} semantic_understanding
replan_evaluation routing_decided {"route":"full_replan"} plan_loop
replan_evaluation routing_decided {"route":"continue_execution"} execution
review review_rejected {} execution
review review_passed {} completed
review task_failed {"retriesExhausted":true} failed
wait_user_decision user_decision_received {} routing_decision
wait_user_decision user_decision_received {"decision":"replan"} plan_loop
wait_user_decision user_decision_received {"decision":"new_task"} plan_loop
wait_user_decision user_decision_received {"decision":"continue"} execution
wait_user_decision user_decision_received {"decision":"abort"} failed
wait_user_decision user_decision_received {"decision":"whatever"} routing_decision
paused task_started {} =
paused task_progress {} =
paused task_completed {} =
paused task_failed {"retriesExhausted":true} =
paused resume_requested {} ^
paused user_input_received {} semantic_understanding
idle user_input_received {"stage":"understand"} semantic_understanding
idle user_input_received {"stage":"route"} routing_decision
idle user_input_received {"stage":"plan"} plan_loop
idle user_input_received {"stage":"execute"} execution
idle user_input_received {"stage":"review"} review
idle user_input_received {"stage":"whatever"} semantic_understanding
semantic_understanding intent_analyzed {"stage":"understand"} completed
semantic_understanding intent_analyzed {"stage":"route"} routing_decision
routing_decision routing_decided {"stage":"route","route":"continue_execution"} completed
routing_decision routing_decided {"stage":"execute","route":"continue_execution"} execution
plan_loop plan_created {"stage":"plan"} completed
plan_loop plan_created {"stage":"execute"} execution
execution task_completed {"stage":"execute","tasks":["execution_succeeded"]} completed
execution task_completed {"stage":"execute","tasks":["ready"]} =
execution task_completed {"stage":"review"} review
execution user_input_received {"stage":"execute"} =
review review_rejected {"stage":"review"} completed
review review_passed {"stage":"review"} completed
paused user_input_received {"stage":"plan"} =
"#;

/// In every phase that has not ended; the first not where it is paused.
const WILDCARDS: &str = r#"
pause_requested {} paused
cancel_requested {} failed
error_occurred {"lastError":"disk"} failed
"#;

/// Contexts for which a row of the table does not hold.
const REFUSED: &str = r#"
routing_decision routing_decided {"route":"control_action"}
routing_decision routing_decided {"route":"elsewhere"}
routing_decision routing_decided {"route":7}
replan_evaluation routing_decided {}
replan_evaluation routing_decided {"route":"minor_replan"}
review task_failed {}
idle error_occurred {}
idle error_occurred {"lastError":"\t"}
"#;

fn guards(text: &str) -> Guards {
    let mut members: Map<String, Value> = serde_json::from_str(text).unwrap();
    let tasks = members.shift_remove("tasks").unwrap_or_else(|| json!([]));
    let tasks =
        tasks.as_array().unwrap().iter().map(|task| TaskState::named(task.as_str().unwrap()).unwrap());
    Context::from_members(members).guards(&tasks.collect::<Vec<_>>())
}

fn no_guards() -> Guards {
    Context::default().guards(&[])
}

fn state(name: &str) -> WorkflowState {
    WorkflowState::named(name).unwrap()
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.trim().lines().map(|line| line.split(' ').collect())
}

#[test]
fn every_row_of_the_workflow_table_holds() {
    for row in lines(TABLE) {
        let [from, trigger, given, to] = row[..] else { panic!("{row:?}") };
        let expected = match to {
            "=" => TransitionOutcome::Stay,
            "^" => TransitionOutcome::Enter(WorkflowState::Review),
            to => TransitionOutcome::Enter(state(to)),
        };
        let trigger = Trigger::named(trigger).unwrap();
        let result = next(state(from), Some(WorkflowState::Review), trigger, &guards(given));
        assert_eq!(result, Ok(expected), "{row:?}");
    }
    for row in lines(WILDCARDS) {
        let [trigger, given, to] = row[..] else { panic!("{row:?}") };
        let trigger = Trigger::named(trigger).unwrap();
        for &from in WorkflowState::ALL {
            let is_left_out =
                from.is_terminal() || trigger == Trigger::PauseRequested && from == WorkflowState::Paused;
            let result = next(from, None, trigger, &guards(given));
            assert_eq!(result.is_ok(), !is_left_out, "{from} {trigger}");
            assert!(is_left_out || result == Ok(TransitionOutcome::Enter(state(to))), "{from} {trigger}");
        }
    }
}

#[test]
fn nothing_else_happens_to_a_workflow() {
    for row in lines(REFUSED) {
        let [from, trigger, given] = row[..] else { panic!("{row:?}") };
        let trigger = Trigger::named(trigger).unwrap();
        assert_eq!(
            next(state(from), None, trigger, &guards(given)),
            Err(TransitionRefusal::Invalid),
            "{row:?}"
        );
    }
    let told = |from: WorkflowState, trigger: Trigger| {
        lines(TABLE).any(|row| row[0] == from.name() && row[1] == trigger.name())
            || !from.is_terminal() && lines(WILDCARDS).any(|row| row[0] == trigger.name())
    };
    for &from in WorkflowState::ALL {
        for &trigger in Trigger::ALL {
            let result = next(from, Some(WorkflowState::Idle), trigger, &no_guards());
            if from.is_terminal() {
                assert_eq!(result, Err(TransitionRefusal::Ended), "{from} {trigger}");
            } else if trigger == Trigger::PauseRequested && from == WorkflowState::Paused {
                assert_eq!(result, Err(TransitionRefusal::AlreadyPaused));
            } else if trigger == Trigger::ResumeRequested && from != WorkflowState::Paused {
                assert_eq!(result, Err(TransitionRefusal::NotPaused), "{from}");
            } else if !told(from, trigger) {
                assert_eq!(result, Err(TransitionRefusal::Invalid), "{from} {trigger}");
            }
        }
    }
}

#[test]
fn a_pause_that_nobody_remembers_is_not_ended() {
    let resumed = next(WorkflowState::Paused, None, Trigger::ResumeRequested, &no_guards());
    assert_eq!(resumed, Err(TransitionRefusal::Invalid));
}

/// A rule that can never be reached says something that is not so.
#[test]
fn every_rule_is_used() {
    let mut given: Vec<Guards> = lines(TABLE).map(|row| guards(row[2])).collect();
    given.extend(lines(WILDCARDS).map(|row| guards(row[1])));
    for (number, rule) in RULES.iter().enumerate() {
        let is_first = WorkflowState::ALL.iter().any(|&from| {
            given.iter().any(|guards| {
                let fits = |other: &Rule| {
                    let is_met = other.guard.is_none_or(|guard| guard.holds(guards));
                    other.trigger == rule.trigger && other.from.holds(from) && is_met
                };
                RULES.iter().position(fits) == Some(number)
            })
        });
        assert!(is_first, "{rule:?}");
    }
}

/// A context is not a map of the guards: what is none of the names is as if it were not there, but for the route.
#[test]
fn a_context_of_another_shape_meets_no_condition() {
    for other in ["7", "null", "[]", "{}", "\"elsewhere\"", "\"true\""] {
        let text = format!(
            r#"{{"stage":{other},"decision":{other},"retriesExhausted":{other},"lastError":{}}}"#,
            if other.starts_with('"') { "null" } else { other }
        );
        assert_eq!(guards(&text), no_guards(), "{text}");
        let route = guards(&format!(r#"{{"route":{other}}}"#)).route;
        assert_eq!(route, if other == "null" { GivenRoute::Absent } else { GivenRoute::Unknown }, "{other}");
    }
    assert!(guards(r#"{"retriesExhausted":true,"replannable":1}"#).cannot_recover);
}

proptest! {
    /// Whatever a client sends, a phase is entered only by a row, and an end stays an end.
    #[test]
    fn no_context_leads_out_of_an_end(
        from in proptest::sample::select(WorkflowState::ALL),
        trigger in proptest::sample::select(Trigger::ALL),
        route in proptest::option::of("[a-z_]{0,20}"),
        tasks in proptest::collection::vec(proptest::sample::select(TaskState::ALL), 0..4),
    ) {
        let mut context = Map::new();
        if let Some(route) = route {
            context.insert("route".into(), route.into());
        }
        let guards = Context::from_members(context).guards(&tasks);
        let result = next(from, Some(WorkflowState::Execution), trigger, &guards);
        prop_assert!(!from.is_terminal() || result == Err(TransitionRefusal::Ended));
        if let Ok(TransitionOutcome::Enter(to)) = result {
            prop_assert!(to != from, "{from} {trigger}");
        }
    }
}
