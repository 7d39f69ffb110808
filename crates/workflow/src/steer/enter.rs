//! Enters a phase of a workflow, the last one included.

use super::update;
use super::waiting::is_waiting;
use crate::decisions::{self, NewDecision};
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::{agents, tasks};
use aide_core::decision::DecisionReason;
use aide_core::{Context, TriggerPayload};
use journal::{Decision, Mailbox, Query, Task, Workflow};
use model::workflow::{
    MailStatus, PhaseOutputSaved, PhaseTransition, RecoveryQuestion, ResourceShortage, Trigger, WorkflowState,
};
use serde_json::Value;

/// How much of a review's feedback is sent with its rejection, in characters.
const FEEDBACK: usize = 500;

pub(super) fn enter(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Context,
    to: WorkflowState,
    trigger: Trigger,
    error: Option<String>,
) -> Result<(), Failure> {
    let from = workflow.state;
    context.clear_phase_failure();
    workflow.previous = (to == WorkflowState::Paused).then_some(from);
    workflow.state = to;
    if !is_waiting(workflow) {
        context.await_none();
    }
    match trigger {
        Trigger::ReviewPassed => tasks::accept(draft, workflow)?,
        Trigger::ReviewRejected => tasks::reject(draft, workflow, context)?,
        Trigger::CancelRequested => {
            workflow.cancelled = true;
            context.note_cancellation();
        }
        _ => {}
    }
    draft.keep(&workflow.id);
    let reason = (trigger == Trigger::ReviewRejected).then(|| feedback(context)).flatten();
    let told = PhaseTransition { trigger: Some(trigger), reason, ..entered(workflow, from) };
    draft.emit(EventScope::workflow(workflow), told);
    if to == WorkflowState::Failed {
        let last = context.last_error().map(str::to_owned);
        workflow.error = Some(match error.or(last) {
            _ if workflow.cancelled => "cancelled".to_owned(),
            Some(error) => error,
            None if trigger == Trigger::UserDecisionReceived => cause_of_abort(draft, context)?,
            None => trigger.name().to_owned(),
        });
    }
    if to.is_terminal() {
        end(draft, workflow)?;
    }
    if to.is_terminal() || to == WorkflowState::Paused || from == WorkflowState::Paused {
        let told = update(draft, workflow)?;
        draft.emit(EventScope::workflow(workflow), told);
    }
    Ok(())
}

/// Why a workflow has ended that a person has aborted: what was said of it when they were asked, unless that is only a question.
fn cause_of_abort(draft: &Draft<'_>, context: &Context) -> Result<String, Failure> {
    let id = context.decision_id().unwrap_or_default();
    let asked =
        draft.row::<Decision>(&Decision::key_of(id))?.and_then(|decision| decisions::message(&decision));
    let cause = asked.filter(|message| !message.ends_with(['？', '?']));
    Ok(cause.unwrap_or_else(|| "aborted".to_owned()))
}

/// That a workflow has entered its phase.
pub(super) fn entered(workflow: &Workflow, from: WorkflowState) -> PhaseTransition {
    PhaseTransition {
        from,
        to: workflow.state,
        trigger: None,
        reason: None,
        round: u64::try_from(workflow.round).ok().filter(|round| *round > 0),
        checkpoint_id: None,
    }
}

/// The beginning of what the last review says, on one line.
fn feedback(context: &Context) -> Option<String> {
    let said = context.feedback()?;
    Some(model::beginning(&model::on_one_line(said), FEEDBACK)).filter(|said| !said.is_empty())
}

/// Emits the path of output that was written to a file.
pub(super) fn emit_output(draft: &mut Draft<'_>, workflow: &Workflow, output: &Value) {
    let path = output.get("path").and_then(Value::as_str).filter(|path| !model::is_blank(path));
    let Some(path) = path else { return };
    let files = output
        .get("files")
        .and_then(Value::as_array)
        .map(|files| files.iter().filter_map(|file| file.as_str().map(str::to_owned)).collect::<Vec<_>>());
    let told = PhaseOutputSaved {
        phase: workflow.state.name().to_owned(),
        output_path: path.to_owned(),
        files: files.filter(|files| !files.is_empty()).unwrap_or_else(|| vec![path.to_owned()]),
    };
    draft.emit(EventScope::workflow(workflow), told);
}

/// Closes everything that the workflow still has open, and notifies those who have waited for its end.
fn end(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    tasks::interrupt(draft, workflow)?;
    workflow.wake_at = None;
    for decision in decisions::pending(draft, &workflow.id)? {
        decisions::cancel(draft, decision)?;
    }
    for agent in draft.find(&Query::agents_of(&workflow.id))? {
        agents::free(draft, agent);
    }
    for mut mail in draft.find(&Query::mail_of(&workflow.id))? {
        if mail.status == MailStatus::Processing {
            finish_mail(draft, &mut mail, workflow);
        }
    }
    Ok(())
}

fn finish_mail(draft: &mut Draft<'_>, mail: &mut Mailbox, workflow: &Workflow) {
    mail.updated = draft.now();
    if workflow.state == WorkflowState::Completed {
        mail.status = MailStatus::Completed;
        mail.result = Some(workflow.output.clone().unwrap_or_else(|| "null".to_owned()));
    } else {
        mail.status = MailStatus::Failed;
        mail.error.clone_from(&workflow.error);
    }
    draft.put(mail.clone());
}

/// No agent can do the work: asks the user how to continue. Returns the decision's ID.
pub(super) fn ask_for_resources(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    payload: &TriggerPayload,
) -> Result<String, Failure> {
    let missing = payload.missing_resources()?;
    let names: Vec<_> = missing.iter().map(|missing| missing.kind.as_str()).collect();
    let question = decisions::recovery(RecoveryQuestion::ResourcesMissing { resources: &names.join(", ") });
    let reason = payload.reason().map_or_else(|| question.message.clone(), str::to_owned);
    let suggestion = payload.suggestion().map(str::to_owned);
    let task = payload.task().map(str::to_owned);
    let told = ResourceShortage {
        task_id: task.clone(),
        missing_resources: missing.clone(),
        reason: reason.clone(),
        suggestion: suggestion.clone().unwrap_or_default(),
    };
    draft.emit(EventScope::workflow(workflow), told);
    let new = NewDecision {
        workflow_id: Some(workflow.id.clone()),
        message: reason,
        context: description_of(draft, workflow, task.as_deref())?,
        ..question
    };
    let why = DecisionReason::Shortage { missing, suggestion };
    decisions::create(draft, &new, Some(workflow), why).map(|decision| decision.id)
}

/// The description of a task of the plan, for the user who is asked about it.
fn description_of(
    draft: &Draft<'_>,
    workflow: &Workflow,
    task: Option<&str>,
) -> Result<Option<String>, Failure> {
    let Some(id) = task else { return Ok(None) };
    Ok(draft.row::<Task>(&Task::key_of(&workflow.id, id))?.map(|task| task.description))
}
