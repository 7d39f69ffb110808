//! Tests of what a context keeps, and what it does not.

use super::{Context, RecordedTransition, TriggerPayload};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::prop_assert_eq;
use protocol::workflow::Trigger;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Members that only the daemon sets (contract/workflows §5.3).
const DAEMON: [&str; 12] = [
    "recordedWhilePaused",
    "interrupted",
    "awaitedDecision",
    "recoveryDecision",
    "cancelled",
    "breaks",
    "images",
    "stage",
    "stageAgent",
    "stageAwaitedBy",
    "waitingForAgents",
    "phaseFailure",
];

/// Members that concern the one trigger.
const PASSING: [&str; 8] =
    ["tasks", "taskId", "agentId", "result", "error", "retryable", "progress", "message"];

/// Members that concern the one trigger if it reports the progress of a task.
const STEP: [&str; 6] = ["thought", "action", "observation", "round", "params", "success"];

/// Members that stay, whatever brings them.
const STORED: [&str; 21] = [
    "proposal",
    "before",
    "plannedBy",
    "deliverables",
    "intent",
    "routing",
    "route",
    "decision",
    "decisionId",
    "decisionNote",
    "review",
    "lastError",
    "retriesExhausted",
    "replannable",
    "output",
    "missingResources",
    "reason",
    "suggestion",
    "description",
    "plan",
    "anything else",
];

#[test]
fn a_trigger_brings_all_members_but_those_of_the_daemon_and_its_own() {
    let all = || DAEMON.into_iter().chain(PASSING).chain(STEP).chain(STORED);
    let brought: Map<String, Value> = all().map(|key| (key.to_owned(), json!("from the client"))).collect();
    for trigger in Trigger::ALL {
        let mut context = Context::default();
        context.merge(*trigger, &TriggerPayload::from_members(brought.clone()));
        let is_progress = *trigger == Trigger::TaskProgress;
        let is_dropped =
            |key: &str| DAEMON.contains(&key) || PASSING.contains(&key) || is_progress && STEP.contains(&key);
        let expected: Vec<&str> = all().filter(|key| !is_dropped(key)).collect();
        let members = context.into_members();
        assert_eq!(members.keys().collect::<Vec<_>>(), expected, "{trigger}");
    }
}

#[test]
fn members_of_the_daemon_stay_when_a_client_sends_them() {
    let before: Map<String, Value> =
        DAEMON.map(|key| (key.to_owned(), json!("of the daemon"))).into_iter().collect();
    let brought = DAEMON.map(|key| (key.to_owned(), json!("from the client"))).into_iter().collect();
    let mut context = Context::from_members(before.clone());
    context.merge(Trigger::IntentAnalyzed, &TriggerPayload::from_members(brought));
    assert_eq!(context.into_members(), before);
}

#[test]
fn what_is_recorded_in_a_pause_is_stored_as_before() {
    let mut context = Context::default();
    let failed = |error: &str| RecordedTransition {
        trigger: Trigger::TaskFailed,
        payload: TriggerPayload::default().with_error(error),
    };
    let completed =
        RecordedTransition { trigger: Trigger::TaskCompleted, payload: TriggerPayload::default() };
    context.record(vec![failed("first"), completed], Some(failed("second"))).unwrap();
    let stored = concat!(
        r#"{"recordedWhilePaused":[{"trigger":"task_completed","context":{}},"#,
        r#"{"trigger":"task_failed","context":{"error":"second"}}]}"#,
    );
    assert_eq!(context.clone().into_json(), stored);
    let recorded = Context::read(stored).take_recorded();
    assert_eq!(recorded.iter().map(RecordedTransition::error).collect::<Vec<_>>(), [None, Some("second")]);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |float| float.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_key(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A name that the daemon knows, or any other.
fn any_key() -> impl Strategy<Value = String> {
    let known: Vec<&str> = DAEMON.into_iter().chain(PASSING).chain(STEP).chain(STORED).collect();
    prop_oneof![proptest::sample::select(known).prop_map(str::to_owned), any::<String>()]
}

fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    vec((any_key(), any_value()), 0..12).prop_map(|members| members.into_iter().collect())
}

proptest! {
    /// Compared as text: the members are in the same order as well.
    #[test]
    fn any_object_is_stored_as_it_was(members in any_object()) {
        let stored = Value::Object(members.clone()).to_string();
        prop_assert_eq!(&Context::from_members(members.clone()).into_json(), &stored);
        let context = Context::read(&stored);
        prop_assert_eq!(&context.clone().into_json(), &stored);
        prop_assert_eq!(Value::Object(context.into_members()).to_string(), stored);
    }

    #[test]
    fn what_is_set_and_cleared_leaves_no_trace(members in any_object()) {
        let others: Map<String, Value> =
            members.into_iter().filter(|(key, _)| !DAEMON.contains(&&**key)).collect();
        let mut context = Context::from_members(others.clone());
        context.interrupt();
        context.await_decision("decision-1");
        context.set_recovery("decision-2");
        context.set_phase_failure("failed");
        context.set_waiting_for(&BTreeSet::from(["executor".to_owned()]));
        prop_assert_eq!(context.awaited(), Some("decision-1"));
        prop_assert_eq!(context.recovery(), Some("decision-2"));
        context.end_interruption();
        context.await_only(|id| id != "decision-1");
        context.clear_recovery();
        context.clear_phase_failure();
        context.set_waiting_for(&BTreeSet::new());
        prop_assert_eq!(context.into_json(), Value::Object(others).to_string());
    }
}
