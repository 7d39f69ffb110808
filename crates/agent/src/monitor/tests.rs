//! Each rule of contract/plans §12.

use super::*;
use crate::dag::tests::{dag, draft, hash, id, node, time};
use crate::dag::{Graph, progress};
use protocol::agent::{Format, MessageType, Mode};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn message(seq: u64) -> Envelope {
    let command_id = format!("cmd_a_{seq:03}");
    Envelope::from_value_for(
        &json!({
            "schema_version": "1.0", "message_id": format!("m{seq}"), "plan_id": "p", "task_id": "a",
            "command_id": command_id, "producer_agent_id": "agent_issuer", "type": "command", "created_at": time(0),
            "payload": { "command": {
                "schema_version": "1.0", "command_id": command_id, "plan_id": "p", "task_id": "a", "command_seq": seq,
                "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true, "score_required": false,
                "timeout": 60,
            } },
        }),
        Mode::Direct,
    )
    .unwrap()
}

fn ack(message: &str, consumer: &str, status: &str, finished: Option<i64>) -> Ack {
    Ack::from_value(&json!({
        "schema_version": "1.0", "plan_id": "p", "message_id": message, "consumer_agent_id": consumer,
        "status": status, "consumed_at": time(1), "finished_at": finished.map(time),
    }))
    .unwrap()
}

fn task_state(seq: u64, state: &str, blocking: Value) -> TaskState {
    TaskState::from_value(&json!({
        "schema_version": "1.0", "plan_id": "p", "task_id": "a", "agent_id": "agent_a", "state": state,
        "updated_at": time(2), "message_id": format!("m{seq}"), "command_seq": seq, "blocking": blocking,
    }))
    .unwrap()
}

fn seen(
    task_state: Option<&TaskState>,
    acks: &[Ack],
    missing: &[&str],
    now: i64,
) -> (State, Option<Alarm>, Option<Extra>) {
    let message = message(2);
    let missing: Vec<String> = missing.iter().map(|name| (*name).to_owned()).collect();
    let observed = ObservedCommand { message: &message, task_state, acks, missing: &missing };
    let (work, alarm) = observe(&observed, &time(now));
    let work = work.unwrap();
    (work.state, alarm, work.blocking)
}

#[test]
fn the_first_rule_that_applies_tells_the_state_s12_1() {
    let acks = [ack("m2", "agent_a", "CONSUMED", None), ack("m2", "agent_a", "SUCCEEDED", Some(5))];
    let running = task_state(2, "RUNNING", Value::Null);
    assert_eq!(seen(Some(&running), &acks, &["x"], 3).0, State::Running, "1: the task's agent");
    assert_eq!(seen(None, &acks, &["x"], 3).0, State::Completed, "2: an ACK, one that has ended first");
    assert_eq!(seen(None, &acks[..1], &["x"], 3).0, State::Running);
    assert_eq!(seen(None, &[ack("m2", "agent_a", "FAILED", Some(5))], &[], 3).0, State::Failed);
    let (state, _, blocking) = seen(None, &[], &["x.md"], 3);
    assert_eq!(
        (state, blocking.unwrap()["missing"].clone()),
        (State::BlockedWaitingInput, json!(["x.md"])),
        "3"
    );
    assert_eq!(seen(None, &[], &[], 3).0, State::Ready, "it is issued, and nobody has taken it");
}

#[test]
fn a_state_of_an_older_command_says_nothing_s9() {
    let old = task_state(1, "COMPLETED", Value::Null);
    assert_eq!(seen(Some(&old), &[], &[], 3).0, State::Ready);
    let unnumbered = TaskState { command_seq: None, ..old };
    assert_eq!(seen(Some(&unnumbered), &[], &[], 3).0, State::Ready, "its message tells");
}

#[test]
fn the_ack_of_whoever_got_the_artifact_says_nothing_of_its_task_s12_2() {
    assert_eq!(seen(None, &[ack("m_artifact", "agent_b", "SUCCEEDED", Some(5))], &[], 3).0, State::Ready);
}

#[test]
fn a_command_is_late_after_twice_its_timeout_unless_it_waits_s12_1_s12_2() {
    let acks = [ack("m2", "agent_a", "CONSUMED", None)];
    let running = task_state(2, "RUNNING", Value::Null);
    assert_eq!(seen(Some(&running), &acks, &[], 121).1, None);
    let (state, alarm, blocking) = seen(Some(&running), &acks, &[], 122);
    let alarm = alarm.unwrap();
    assert_eq!((state, alarm.code), (State::Running, Code::CommandAckTimeout));
    assert_eq!(alarm.key(), "COMMAND_ACK_TIMEOUT:a:m2");
    let expected =
        json!({ "reason": "TIMEOUT", "timeout_seconds": 60, "multiplier": 2, "consumed_at": time(1) });
    assert_eq!(Value::Object(blocking.unwrap()), expected);
    for waiting in ["BLOCKED_WAITING_INPUT", "BLOCKED_WAITING_REVIEW", "BLOCKED_WAITING_HUMAN"] {
        let waiting = task_state(2, waiting, json!({ "reason": "MISSING_INPUTS" }));
        assert_eq!(seen(Some(&waiting), &acks, &[], 9_999).1, None);
    }
}

#[test]
fn an_archived_command_that_contradicts_itself_is_told_and_not_counted_s12_1() {
    let mut message = message(2);
    message.task_id = Some(id("b"));
    let observed = ObservedCommand { message: &message, task_state: None, acks: &[], missing: &[] };
    let (work, alarm) = observe(&observed, &time(3));
    assert_eq!((work, alarm.unwrap().code), (None, Code::CommandArchiveInconsistent));
    let artifact = Envelope { kind: MessageType::Artifact, ..message.clone() };
    assert_eq!(observe(&ObservedCommand { message: &artifact, ..observed }, &time(3)), (None, None));
}

#[test]
fn the_status_counts_and_is_valid_and_keeps_its_times_s12_3_s12_4() {
    let gates = json!({ "gates": { "required": true, "evidence_required": ["dag_review_result.json"] } });
    // The dependency stands later in the document.
    let dag = dag(&[
        node("c", &["b"], json!({})),
        node("b", &["a"], json!({})),
        node("a", &[], gates),
        node("w", &[], json!({})),
    ]);
    let graph = Graph::new(&dag);
    let drafts = ["a", "b", "c", "w"].map(|task| (id(task), draft(task, json!({})))).into();
    let of = |task: &str, state| {
        let command = draft(task, json!({ "command_seq": 1 }));
        (id(task), LastCommand::new(&command, state, time(4), None))
    };
    let work = [of("a", State::Completed), of("w", State::BlockedWaitingInput)].into();
    let (none, asked) = (BTreeSet::new(), BTreeMap::new());
    let at = |now: i64, before: Option<&PlanStatus>| {
        let now = time(now);
        let facts = Facts {
            graph: &graph,
            manifest: None,
            drafts: &drafts,
            work: &work,
            arrived: &BTreeMap::new(),
            evidence: &[],
            asked: &asked,
            retried: &BTreeMap::new(),
            instructions: &BTreeMap::new(),
            in_transit: &none,
            now: &now,
        };
        status(&facts, &progress(&facts).unwrap(), &hash(7), None, before)
    };
    let first = at(10, None);
    let read = PlanStatus::from_value(&serde_json::to_value(&first).unwrap()).unwrap();
    assert_eq!(read, first);
    let summary = first.summary.as_ref().unwrap();
    assert_eq!((summary.total_tasks, summary.blocked, summary.completed), (Some(4), Some(2), Some(0)));
    let blocked = &first.blocked_summary;
    assert_eq!((blocked.input, blocked.review, blocked.human), (1, 1, 0));
    let review = first.gates.as_ref().unwrap().dag_review.as_ref().unwrap();
    assert_eq!(review.status.as_deref(), Some("PENDING"));
    let states: Vec<State> = first.tasks.iter().map(|task| task.state).collect();
    use State::{BlockedWaitingInput, BlockedWaitingReview, Pending};
    assert_eq!(states, [Pending, Pending, BlockedWaitingReview, BlockedWaitingInput], "as in the document");
    let second = at(20, Some(&first));
    assert_eq!(second.tasks, first.tasks, "what has not changed keeps its time");
    assert_eq!(second.updated_at, time(20));
}
