//! How far a plan has come, from what its agents say (contract/plans §12): nothing is decided here.

#[cfg(test)]
mod tests;

use crate::cause::shortened;
use crate::dag::{Facts, GateVerdict, LastCommand, NodeProgress, StateReason, judge, requirements};
use protocol::agent::{
    Ack, AckStatus, Attempts, BlockedSummary, Code, Command, Envelope, Extra, FormatName, GateStatus, Id,
    PlanGates, PlanStatus, PlanSummary, ReleaseDecision, SchemaVersion, Sha256, State, TaskState, TaskStatus,
    Timestamp,
};
use serde_json::json;
use std::collections::BTreeMap;

/// How many timeouts of a command may pass before an alarm.
const MAX_ACK_TIMEOUTS: u64 = 2;

/// What is known of the last command of a task: the one with the highest number for the active DAG.
#[derive(Debug, Clone, Copy)]
pub struct ObservedCommand<'a> {
    /// Its message, as it is archived.
    pub message: &'a Envelope,
    /// What the task's agent says of the task.
    pub task_state: Option<&'a TaskState>,
    /// All acknowledgements of the plan.
    pub acks: &'a [Ack],
    /// The inputs that its agent lacks, by the deliveries.
    pub missing: &'a [String],
}

/// Where the status of a task says why it has failed.
pub const FAILURE: &str = "failure";

/// Something to alert observers to.
#[derive(Debug, Clone, PartialEq)]
pub struct Alarm {
    /// What it is.
    pub code: Code,
    /// The task.
    pub task_id: Id,
    /// The message.
    pub message_id: Id,
    /// What else is known.
    pub details: Extra,
}

impl Alarm {
    /// Returns the key under which it is given once: its type, task and message (contract/plans §12.2).
    pub fn key(&self) -> String {
        format!("{}:{}:{}", self.code, self.task_id, self.message_id)
    }
}

/// Returns the progress of a task's last command, by the first rule of contract/plans §12.1 that applies, and an alarm, if
/// any. The progress is `None` if the archived message contradicts itself: then only the alarm counts.
pub fn observe(observed: &ObservedCommand<'_>, now: &Timestamp) -> (Option<LastCommand>, Option<Alarm>) {
    let message = observed.message;
    let Some(command) = message.command() else { return (None, None) };
    let alarm = |code, details| {
        Some(Alarm {
            code,
            task_id: command.task_id.clone(),
            message_id: message.message_id.clone(),
            details,
        })
    };
    let is_consistent = message.plan_id == command.plan_id
        && message.task_id.as_ref() == Some(&command.task_id)
        && message.command_id.as_ref() == Some(&command.command_id);
    if !is_consistent {
        return (None, alarm(Code::CommandArchiveInconsistent, Extra::new()));
    }
    // An acknowledgement by the artifact's receiver says nothing about the task: only the acknowledgement of the command counts.
    let ack = best_ack(observed.acks, message);
    let seq = command.seq();
    // A state of an older command shows until the newer one is claimed.
    let task_state = observed.task_state.filter(|state| {
        state.task_id == command.task_id
            && state.plan_id == command.plan_id
            && state.command_seq.is_none_or(|of| of >= seq)
    });
    let task_state = task_state.filter(|state| {
        state.command_seq.is_some() || state.message_id.as_ref().is_none_or(|of| *of == message.message_id)
    });
    let (state, updated_at, blocking) = if let Some(state) = task_state {
        let blocking = state.blocking.as_ref().and_then(|blocking| match serde_json::to_value(blocking) {
            Ok(serde_json::Value::Object(blocking)) => Some(blocking),
            _ => None,
        });
        (state.state, state.updated_at.clone(), blocking)
    } else if let Some(ack) = ack {
        let state = match ack.status {
            AckStatus::Succeeded => State::Completed,
            AckStatus::Failed => State::Failed,
            AckStatus::Consumed => State::Running,
        };
        (state, ack.finished_at.clone().unwrap_or_else(|| ack.consumed_at.clone()), None)
    } else if command.wait_for_inputs && !observed.missing.is_empty() {
        let blocking = object([("reason", json!("MISSING_INPUTS")), ("missing", json!(observed.missing))]);
        (State::BlockedWaitingInput, message.created_at.clone(), Some(blocking))
    } else {
        (State::Ready, message.created_at.clone(), None)
    };
    let late = late(command, ack, state, now);
    let blocking = late.clone().or(blocking);
    let mut work = LastCommand::new(command, state, updated_at, blocking);
    if state == State::Failed {
        let told = [ack.and_then(|ack| ack.result.as_ref()), task_state.and_then(|it| it.result.as_ref())];
        work.failure = told.into_iter().flatten().find_map(cause);
    }
    (Some(work), late.and_then(|details| alarm(Code::CommandAckTimeout, details)))
}

/// Why a command has failed, with its code where there is one.
fn cause(result: &Extra) -> Option<String> {
    let details = result.get("details")?;
    let text =
        |key| details.get(key).and_then(serde_json::Value::as_str).filter(|text| !text.trim().is_empty());
    match (text("error").or_else(|| text("message")), text("code")) {
        (Some(error), Some(code)) => Some(format!("{error} [{code}]")),
        (Some(only), None) | (None, Some(only)) => Some(only.to_owned()),
        (None, None) => None,
    }
}

fn best_ack<'a>(acks: &'a [Ack], message: &Envelope) -> Option<&'a Ack> {
    let of_message =
        acks.iter().filter(|ack| ack.message_id == message.message_id && ack.plan_id == message.plan_id);
    of_message.max_by(|a, b| {
        let when = |ack: &'a Ack| ack.finished_at.as_ref().unwrap_or(&ack.consumed_at);
        a.status.is_terminal().cmp(&b.status.is_terminal()).then_with(|| when(a).cmp(when(b)))
    })
}

/// Details of a command that was taken long ago and has not ended; one that waits for inputs, a review or a person is not late.
fn late(command: &Command, ack: Option<&Ack>, state: State, now: &Timestamp) -> Option<Extra> {
    let ack = ack.filter(|ack| ack.status == AckStatus::Consumed && state == State::Running)?;
    let limit = command.timeout.get().saturating_mul(MAX_ACK_TIMEOUTS);
    let is_late = now.seconds_since(&ack.consumed_at) > i64::try_from(limit).unwrap_or(i64::MAX);
    is_late.then(|| {
        object([
            ("reason", json!("TIMEOUT")),
            ("timeout_seconds", json!(command.timeout)),
            ("multiplier", json!(MAX_ACK_TIMEOUTS)),
            ("consumed_at", json!(ack.consumed_at)),
        ])
    })
}

fn object<const N: usize>(members: [(&str, serde_json::Value); N]) -> Extra {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns `plan_status.json`, valid by both schemas there are (contract/plans §12.4). `before` is the last one: a task whose
/// state has not changed keeps its time.
pub fn status(
    facts: &Facts<'_>,
    progress: &[NodeProgress],
    dag_sha256: &Sha256,
    release: Option<ReleaseDecision>,
    before: Option<&PlanStatus>,
) -> PlanStatus {
    let earlier: BTreeMap<&Id, &TaskStatus> =
        before.iter().flat_map(|status| &status.tasks).map(|task| (&task.task_id, task)).collect();
    let by_task: BTreeMap<&Id, &NodeProgress> = progress.iter().map(|one| (&one.task_id, one)).collect();
    let nodes = facts.graph.dag().nodes.iter();
    let tasks: Vec<TaskStatus> = nodes
        .filter_map(|node| Some((node, *by_task.get(&node.task_id)?)))
        .map(|(node, one)| {
            let work = facts.work.get(&node.task_id).filter(|_| one.why == StateReason::Agent);
            let last = earlier.get(&node.task_id).filter(|last| last.state == one.state);
            let updated_at = match (work, last) {
                (Some(work), _) => work.updated_at.clone(),
                (None, Some(last)) => last.updated_at.clone(),
                (None, None) => facts.now.clone(),
            };
            let reexecute_count = facts.work.get(&node.task_id).map_or(0, |work| work.reexecutions);
            TaskStatus {
                task_id: node.task_id.clone(),
                assigned_agent_id: facts.agent(node, reexecute_count).clone(),
                state: one.state,
                updated_at,
                attempts: Attempts { reexecute_count, extra: Extra::new() },
                blocking: blocking(one, work),
                outputs: None,
                extra: failure(one, facts.work.get(&node.task_id)).into_iter().collect(),
            }
        })
        .collect();
    let count = |fits: fn(State) -> bool| tasks.iter().filter(|task| fits(task.state)).count() as u64;
    PlanStatus {
        schema_version: SchemaVersion::CURRENT,
        plan_id: facts.graph.dag().plan_id.clone(),
        active_task_dag_sha256: (*dag_sha256).into(),
        updated_at: facts.now.clone(),
        summary: Some(PlanSummary {
            total_tasks: Some(tasks.len() as u64),
            completed: Some(count(|state| state == State::Completed)),
            running: Some(count(|state| state == State::Running)),
            blocked: Some(count(State::is_blocked)),
            failed: Some(count(|state| state == State::Failed)),
            skipped: Some(count(|state| state == State::Skipped)),
            extra: Extra::new(),
        }),
        blocked_summary: BlockedSummary {
            input: count(|state| state == State::BlockedWaitingInput),
            review: count(|state| state == State::BlockedWaitingReview),
            human: count(|state| state == State::BlockedWaitingHuman),
            extra: Extra::new(),
        },
        tasks,
        gates: Some(gates(facts, release)),
        extra: Extra::new(),
    }
}

/// The member that says why a task has failed: in the words of its agent, or else what the plan has made of it.
fn failure(one: &NodeProgress, work: Option<&LastCommand>) -> Option<(String, serde_json::Value)> {
    let why = match &one.why {
        _ if one.state != State::Failed => return None,
        StateReason::Agent => json!({ "cause": shortened(work?.failure.as_deref()?) }),
        StateReason::Decided => json!({ "reason": "DECIDED_BY_USER" }),
        StateReason::GateMissing(_) => json!({ "reason": "EVIDENCE_MISSING" }),
        _ => return None,
    };
    Some((FAILURE.to_owned(), why))
}

fn blocking(one: &NodeProgress, work: Option<&LastCommand>) -> Option<Extra> {
    let reason = |reason: &str, key: &str, value| Some(object([("reason", json!(reason)), (key, value)]));
    match &one.why {
        StateReason::Agent => work.and_then(|work| work.blocking.clone()),
        StateReason::Dependencies(tasks) => reason("DEPENDENCIES", "tasks", json!(tasks)),
        StateReason::Inputs(missing) => reason("MISSING_INPUTS", "missing", json!(missing)),
        StateReason::DependencyFailed(task) => reason("DEPENDENCY_FAILED", "task_id", json!(task)),
        StateReason::Replan(task) => reason("REPLAN_REQUESTED", "task_id", json!(task)),
        StateReason::GateMissing(missing) => {
            let names: Vec<&str> = missing.iter().map(crate::dag::Requirement::name).collect();
            reason("EVIDENCE_MISSING", "missing", json!(names))
        }
        StateReason::Judged { tasks, .. } => reason("EVIDENCE_SHORT", "tasks", json!(tasks)),
        StateReason::Person(question) => match &question.about {
            crate::dag::QuestionSubject::Input(ambiguity) => {
                reason("INPUT_AMBIGUOUS", "input", json!(ambiguity.input_name))
            }
            crate::dag::QuestionSubject::Dependency(task) => {
                reason("DEPENDENCY_FAILED", "task_id", json!(task))
            }
            crate::dag::QuestionSubject::Replan(task) => reason("REPLAN_REQUESTED", "task_id", json!(task)),
            crate::dag::QuestionSubject::Gate(_) => {
                reason("EVIDENCE_SHORT", "command_seq", json!(question.seq))
            }
            crate::dag::QuestionSubject::Evidence { .. } => {
                reason("EVIDENCE_MISSING", "command_seq", json!(question.seq))
            }
        },
        StateReason::Start(_) | StateReason::Dormant | StateReason::Again(_) | StateReason::Decided => None,
    }
}

/// How it stands with the review of the DAG and with the release.
fn gates(facts: &Facts<'_>, release: Option<ReleaseDecision>) -> PlanGates {
    let nodes = facts.graph.dag().nodes.iter();
    let reviews: Vec<_> = nodes
        .filter_map(|node| node.gates.as_ref())
        .flat_map(requirements)
        .filter(|requirement| requirement.format() == Some(FormatName::DagReviewResult))
        .collect();
    let evidence: Vec<_> = facts.evidence.iter().collect();
    let (review, score) = match judge(&reviews, &evidence) {
        GateVerdict::Missing(_) => ("PENDING", None),
        GateVerdict::Passed(found) => ("APPROVED", found.last().and_then(|one| one.score.clone())),
        GateVerdict::Short(found) if found.iter().any(|one| one.decision == "REJECT") => {
            ("REJECTED", found.last().and_then(|one| one.score.clone()))
        }
        GateVerdict::Short(found) => ("REVISE", found.last().and_then(|one| one.score.clone())),
    };
    let policies = facts.manifest.and_then(|manifest| manifest.policies.as_ref());
    let is_release_required = policies.is_some_and(|policies| policies.release_gates_required.is_some());
    let release = match release {
        None => "PENDING",
        Some(ReleaseDecision::Approve) => "APPROVED",
        Some(ReleaseDecision::Reject) => "REJECTED",
    };
    let gate = |required, status: &str, score| {
        Some(GateStatus {
            required: Some(required),
            status: Some(status.to_owned()),
            score,
            extra: Extra::new(),
        })
    };
    let review = if reviews.is_empty() { None } else { gate(true, review, score) };
    PlanGates { dag_review: review, release: gate(is_release_required, release, None), extra: Extra::new() }
}
