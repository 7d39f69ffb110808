//! The decision that a workflow waits for.

use super::{Initiator, apply, write};
use crate::decisions;
use crate::draft::Draft;
use crate::failure::{Failure, unwritable};
use aide_core::{Context, RecordedTransition, TriggerPayload};
use journal::{Decision, Workflow};
use model::workflow::{Trigger, WorkflowState};

/// A decision that a workflow as a whole waits for has ended, in any way: the workflow continues, at once or when it is resumed.
/// Any other decision does not change its phase.
pub(crate) fn decided(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    decision: &str,
    trigger: Trigger,
    payload: &TriggerPayload,
) -> Result<(), Failure> {
    if !awaits(workflow, decision) {
        wake(draft, workflow);
        return Ok(());
    }
    if workflow.state != WorkflowState::Paused {
        return apply(draft, workflow, trigger, payload, Initiator::Other);
    }
    let mut context = Context::read(&workflow.context);
    let before = context.take_recorded();
    let now = RecordedTransition { trigger, payload: payload.clone() };
    context.record(before, Some(now)).map_err(|error| unwritable(&error))?;
    write(draft, workflow, context);
    Ok(())
}

/// Has the driver look at the workflow again: what one of its tasks waited for has come.
pub(crate) fn wake(draft: &mut Draft<'_>, workflow: &mut Workflow) {
    if !workflow.state.is_terminal() {
        workflow.wake_at = Some(draft.now());
        draft.put(workflow.clone());
    }
}

/// Whether the workflow waits for this decision, paused or not. If none is specified, it waits for any.
fn awaits(workflow: &Workflow, decision: &str) -> bool {
    is_waiting(workflow)
        && Context::read(&workflow.context).awaited().is_none_or(|awaited| awaited == decision)
}

pub(super) fn is_waiting(workflow: &Workflow) -> bool {
    let phase = workflow.previous.filter(|_| workflow.state == WorkflowState::Paused);
    phase.unwrap_or(workflow.state) == WorkflowState::WaitUserDecision
}

/// Notes that the user was asked for the workflow as a whole: a workflow that waits for an unspecified decision now waits for
/// this one. Written in any case, so that the workflow cannot end meanwhile without ending the decision as well.
pub(crate) fn asked(draft: &mut Draft<'_>, workflow: &mut Workflow, decision: &Decision) {
    let mut context = Context::read(&workflow.context);
    if decision.task.is_none() && is_waiting(workflow) && context.awaited().is_none() {
        context.await_decision(&decision.id);
    }
    write(draft, workflow, context);
}

/// The decision that the workflow waits for, else the oldest pending one.
pub(crate) fn pending_decision(draft: &Draft<'_>, workflow: &Workflow) -> Result<Option<String>, Failure> {
    let mut pending = decisions::pending(draft, &workflow.id)?;
    pending.retain(|decision| !decisions::is_due(decision, draft.now()));
    let context = Context::read(&workflow.context);
    let is_awaited = |decision: &&Decision| Some(&*decision.id) == context.awaited();
    let decision = pending.iter().find(is_awaited).or(pending.first());
    Ok(decision.map(|decision| decision.id.clone()))
}
