//! English.

use super::{list, quote};
use agent::dag::{Flaw, OpenItem};
use agent::plan::PlanEvent;
use protocol::agent::{Code, State};

pub(super) fn flaw(flaw: &Flaw) -> String {
    match flaw {
        Flaw::DuplicateTask(task) => format!("duplicate task {task}"),
        Flaw::UnknownDependency(task) => format!("there is no task {task} to depend on"),
        Flaw::Cycle(tasks) => format!("these tasks depend on each other: {}", list(tasks, " → ")),
        Flaw::DuplicateOutput(output) => format!("duplicate output {output}"),
        Flaw::UnknownFallback(task) => {
            format!("the fallback task {task} does not exist, or is this task itself")
        }
        Flaw::MissingFallback => "the policy is FALLBACK, but no fallback task is named".to_owned(),
        Flaw::FallbackNeedsTask(task) => format!("the fallback task {task} depends on this task"),
        Flaw::UnknownAgent(agent) => format!("there is no folder for the agent {agent}"),
        Flaw::UnreachableEvidence(file) => {
            format!("no task of the plan produces the evidence {}", quote(file.as_str()))
        }
        Flaw::UnreachableThreshold(format) => {
            let name = format.name();
            let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            format!("no command writes {article} {name}; add \"format\" to its file")
        }
        Flaw::EmptyGate => "the gate is required, but names neither evidence nor scores".to_owned(),
        Flaw::RoutingGap(output) => format!("no agent receives the output {output}"),
        Flaw::RuleShadows => "the rule matches everything, so later rules never apply".to_owned(),
        Flaw::RuleWithoutTarget => "the rule names no agent".to_owned(),
        Flaw::UnmadeDeliverable(name) => format!("no task produces the deliverable {}", quote(name)),
        Flaw::UnknownTask(task) => format!("there is no task {task}"),
        Flaw::UnreachableInput(name) => format!(
            "no task delivers the input {} to this task's agent; the user will have to provide it",
            quote(name)
        ),
        Flaw::InputNotAwaited(task) => {
            format!("the input is produced by the task {task}, on which this task does not depend")
        }
        Flaw::BadPattern(pattern) => format!("{} is not a valid pattern", quote(pattern)),
        Flaw::OtherPlan(plan) => format!("this belongs to another plan, {plan}"),
        Flaw::NoCommand(task) => format!("the task {task} has no command file"),
        Flaw::UnknownOutput(output) => format!("the task has no output {output} in the DAG"),
        Flaw::Misspelt { found, meant } => {
            format!("unknown name {}; did you mean {meant}?", quote(found))
        }
        Flaw::AgentIsFile(agent) => format!("{agent} is a file; an agent is a folder"),
        Flaw::NotDelivered { input, maker, agent } => format!(
            "the input {} is produced by {maker}, but not delivered to {agent}; add {agent} to the output's deliver_to",
            quote(input)
        ),
        Flaw::EmptySelector(input) => {
            format!("the selector of the input {} matches no file that this task's agent gets", quote(input))
        }
        Flaw::RuleMatchesNothing(output) => format!("no task has an output {output}"),
        Flaw::NothingToJudge(task) => format!(
            "{task} reviews, but gets nothing to review; add inputs, or deliver the work to its agent and name its task in depends_on"
        ),
        Flaw::TaskIdTooLong(task) => format!("the task's id is too long to be part of a command's: {task}"),
    }
}

pub(super) fn happened(happened: &PlanEvent) -> String {
    match happened {
        PlanEvent::Delivered { message_id, task_id, output_name, from, to } => {
            let what = match (output_name, task_id) {
                (Some(output), Some(task)) => format!("Output {output} of {task}"),
                (Some(output), None) => format!("Output {output}"),
                (None, Some(task)) => format!("Command of {task}"),
                (None, None) => "Message".to_owned(),
            };
            match to {
                Some(to) => format!("{what} delivered: {from} → {to} ({message_id})"),
                None => format!("{what} archived: {from} ({message_id})"),
            }
        }
        PlanEvent::GivenUp { code, from, file_name, detail } => {
            format!("{} of {from} was given up: {} [{code}]", quote(file_name), quote(detail))
        }
        PlanEvent::Issued { task_id, command_id, reexecutions: 0 } => {
            format!("Command {command_id} of {task_id} issued")
        }
        PlanEvent::Issued { task_id, command_id, reexecutions } => {
            format!("Command {command_id} of {task_id} issued (repetition {reexecutions})")
        }
        PlanEvent::Asked { request_id, task_id: Some(task) } => {
            format!("The user is asked about {task} ({request_id})")
        }
        PlanEvent::Asked { request_id, task_id: None } => format!("The user is asked ({request_id})"),
        PlanEvent::Answered { request_id } => format!("The user has answered ({request_id})"),
        PlanEvent::Withdrawn { request_id, task_id: Some(task) } => {
            format!("The question of {task} is withdrawn: it no longer needs an answer ({request_id})")
        }
        PlanEvent::Withdrawn { request_id, task_id: None } => {
            format!("A question is withdrawn: it no longer needs an answer ({request_id})")
        }
        PlanEvent::ReplanRequested { request_id } => format!("Another plan was requested ({request_id})"),
        PlanEvent::Released { is_approved: true } => "The release was approved".to_owned(),
        PlanEvent::Released { is_approved: false } => "The release was rejected".to_owned(),
        PlanEvent::Alerted { code, message } => format!("Alert: {} [{code}]", quote(message)),
    }
}

pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Pending => "pending",
        State::Ready => "ready",
        State::Running => "running",
        State::BlockedWaitingInput => "waiting for input",
        State::BlockedWaitingReview => "waiting for review",
        State::BlockedWaitingHuman => "waiting for the user",
        State::Failed => "failed",
        State::Skipped => "skipped",
        State::Completed => "completed",
    }
}

pub(super) fn paused(code: Code) -> &'static str {
    match code {
        Code::DagMissing => "the plan has no DAG; activate it again to continue",
        Code::DagTaskNoAssignee => "a task of the DAG has no agent; activate the plan again to continue",
        Code::ActiveDagRefMismatch => {
            "the DAG is not the one in active_dag_ref.json; activate it again to continue"
        }
        Code::ActiveDagRefInvalid => "active_dag_ref.json is not valid; activate the plan again to continue",
        Code::DagSchemaVersionUnsupported => {
            "the version of the DAG is not supported; activate the plan again to continue"
        }
        _ => "the DAG of the plan is not valid; activate it again to continue",
    }
}

/// Why a plan is not done.
pub(super) fn open(open: &OpenItem) -> String {
    match open {
        OpenItem::NotArchived(name) => format!("not made yet: {name}"),
        OpenItem::NotAccepted(name) => format!("not accepted yet: {name}"),
        OpenItem::NeverSeen(agent) => format!("never seen: {agent}"),
        OpenItem::Failed(task) => format!("failed: {task}"),
        OpenItem::ReleasePending => "the release is not decided yet".to_owned(),
        OpenItem::ReleaseRejected => "the release was rejected".to_owned(),
    }
}

/// Why a task waits, where the reason is one that the system gives.
pub(super) fn reason(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "MISSING_INPUTS" => "missing inputs",
        "WAIT_FOR_INPUTS_TIMEOUT" => "missing inputs",
        "DEPENDENCIES" => "tasks",
        "EVIDENCE_MISSING" => "missing evidence",
        "EVIDENCE_SHORT" => "a review that passes",
        "INPUT_AMBIGUOUS" => "ambiguous input",
        "DEPENDENCY_FAILED" => "a decision about the failure",
        "REPLAN_REQUESTED" => "another plan",
        "TIMEOUT" => "an overdue command",
        "DECIDED_BY_USER" => "the user has skipped it",
        _ => return None,
    })
}
