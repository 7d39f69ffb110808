//! Enters a phase of a workflow, the last one included.

use super::{agents, decisions, tasks};
use crate::agent::Agent;
use crate::decision::{DecisionReason, NewDecision};
use crate::event::{Event, MailEnding};
use crate::scratch::Scratch;
use crate::state::State;
use crate::workflow::Workflow;
use crate::{Context, TriggerPayload};
use protocol::workflow::{
    PhaseOutputSaved, PhaseTransition, RecoveryQuestion, Refusal, ResourceShortage, Trigger, WorkflowState,
};
use serde_json::Value;

/// How much of a review's feedback is sent with its rejection, in characters.
const FEEDBACK: usize = 500;

pub(super) fn enter(
    scratch: &mut Scratch,
    context: &mut Context,
    to: WorkflowState,
    trigger: Trigger,
    error: Option<String>,
) -> Result<(), Refusal> {
    let from = scratch.state().workflow.state;
    context.clear_phase_failure();
    scratch.change(|workflow| {
        workflow.previous = (to == WorkflowState::Paused).then_some(from);
        workflow.state = to;
        workflow.cancelled |= trigger == Trigger::CancelRequested;
    });
    if !scratch.state().workflow.is_waiting() {
        context.await_none();
    }
    match trigger {
        Trigger::ReviewPassed => tasks::accept(scratch),
        Trigger::ReviewRejected => tasks::reject(scratch, context),
        Trigger::CancelRequested => context.note_cancellation(),
        _ => {}
    }
    scratch.record(Event::CheckpointDue);
    let reason = (trigger == Trigger::ReviewRejected).then(|| feedback(context)).flatten();
    let entered = entered(&scratch.state().workflow, from);
    scratch.announce(PhaseTransition { trigger: Some(trigger), reason, ..entered });
    if to == WorkflowState::Failed {
        let cause = cause_of_failure(scratch.state(), context, trigger, error);
        scratch.change(|workflow| workflow.error = Some(cause));
    }
    if to.is_terminal() {
        end(scratch)?;
    }
    if to.is_terminal() || to == WorkflowState::Paused || from == WorkflowState::Paused {
        scratch.announce_update(|update| update);
    }
    Ok(())
}

fn cause_of_failure(state: &State, context: &Context, trigger: Trigger, error: Option<String>) -> String {
    match error.or_else(|| context.last_error().map(str::to_owned)) {
        _ if state.workflow.cancelled => "cancelled".to_owned(),
        Some(error) => error,
        None if trigger == Trigger::UserDecisionReceived => {
            // What was said when the user was asked, unless that is only a question.
            let asked = context.decision_id().and_then(|id| state.decision(id)?.message());
            let cause = asked.filter(|message| !message.ends_with(['？', '?']));
            cause.unwrap_or_else(|| "aborted".to_owned())
        }
        None => trigger.name().to_owned(),
    }
}

/// Returns the event that reports that a workflow has entered its phase.
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

/// Returns the beginning of what the last review says, on one line.
fn feedback(context: &Context) -> Option<String> {
    let text = model::beginning(&model::on_one_line(context.feedback()?), FEEDBACK);
    (!text.is_empty()).then_some(text)
}

/// Sets the output of the workflow, and publishes its path if it was written to a file.
pub(super) fn store_output(scratch: &mut Scratch, output: &Value) {
    scratch.change(|workflow| workflow.output = Some(output.to_string()));
    let path = output.get("path").and_then(Value::as_str).filter(|path| !model::is_blank(path));
    let Some(path) = path else { return };
    let files = output.get("files").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let files: Vec<String> = files.iter().filter_map(|file| file.as_str().map(str::to_owned)).collect();
    let saved = PhaseOutputSaved {
        phase: scratch.state().workflow.state.name().to_owned(),
        output_path: path.to_owned(),
        files: if files.is_empty() { vec![path.to_owned()] } else { files },
    };
    scratch.announce(saved);
}

/// Closes everything that the workflow still has open, and ends the messages that have waited for its end.
fn end(scratch: &mut Scratch) -> Result<(), Refusal> {
    tasks::interrupt(scratch);
    scratch.change(|workflow| workflow.wake_at = None);
    let pending: Vec<String> = scratch.state().pending().map(|decision| decision.id.clone()).collect();
    for decision in pending {
        decisions::cancel(scratch, &decision)?;
    }
    let state = scratch.state();
    let is_ours = |agent: &&Agent| agent.works_for(&state.workflow.id);
    let agents: Vec<Agent> = state.pool.iter().filter(is_ours).cloned().collect();
    for agent in agents {
        agents::free(scratch, &agent);
    }
    let workflow = &scratch.state().workflow;
    let ending = if workflow.state == WorkflowState::Completed {
        MailEnding::Completed(workflow.output.clone().unwrap_or_else(|| "null".to_owned()))
    } else {
        MailEnding::Failed(workflow.error.clone())
    };
    scratch.record(Event::MailEnded(ending));
    Ok(())
}

/// No agent can do the work: asks the user how to continue. Returns the ID of the decision.
pub(super) fn ask_for_resources(scratch: &mut Scratch, payload: &TriggerPayload) -> Result<String, Refusal> {
    let missing = payload.missing_resources()?;
    let names: Vec<_> = missing.iter().map(|missing| missing.kind.as_str()).collect();
    let question = NewDecision::recovery(RecoveryQuestion::ResourcesMissing { resources: &names.join(", ") });
    let reason = payload.reason().map_or_else(|| question.message.clone(), str::to_owned);
    let suggestion = payload.suggestion().map(str::to_owned);
    scratch.announce(ResourceShortage {
        task_id: payload.task().map(str::to_owned),
        missing_resources: missing.clone(),
        reason: reason.clone(),
        suggestion: suggestion.clone().unwrap_or_default(),
    });
    let state = scratch.state();
    let task = payload.task().and_then(|id| state.task(id));
    let context = task.map(|task| task.description.clone());
    let session = state.workflow.session.clone();
    let new = NewDecision { message: reason, context, ..question };
    decisions::ask(scratch, &new, Ok(session), DecisionReason::Shortage { missing, suggestion })
}
