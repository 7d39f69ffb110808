//! The decision that a workflow waits for.

use super::pause::{RecordedTransition, record, recorded};
use super::{Initiator, apply, write};
use crate::context_keys::AWAITED;
use crate::decisions;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::rows;
use journal::{Decision, Workflow};
use model::workflow::{Trigger, WorkflowState};
use serde_json::{Map, Value};

/// A decision that a workflow as a whole waits for has ended, in any way: the workflow continues, at once or when it is resumed.
/// Any other decision does not change its phase.
pub(crate) fn decided(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    decision: &str,
    trigger: Trigger,
    known: &Map<String, Value>,
) -> Result<(), Failure> {
    if !awaits(workflow, decision) {
        wake(draft, workflow);
        return Ok(());
    }
    if workflow.state != WorkflowState::Paused {
        return apply(draft, workflow, trigger, known, Initiator::Other);
    }
    let mut context = rows::context_of(workflow);
    let before = recorded(&mut context);
    record(&mut context, before, Some(RecordedTransition { trigger, context: known.clone() }))?;
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
    is_waiting(workflow) && awaited(workflow).is_none_or(|awaited| awaited == decision)
}

pub(super) fn is_waiting(workflow: &Workflow) -> bool {
    let phase = workflow.previous.filter(|_| workflow.state == WorkflowState::Paused);
    phase.unwrap_or(workflow.state) == WorkflowState::WaitUserDecision
}

/// The decision that the workflow waits for, if that is known.
pub(crate) fn awaited(workflow: &Workflow) -> Option<String> {
    rows::context_of(workflow).get(AWAITED).and_then(Value::as_str).map(str::to_owned)
}

/// Notes that the user was asked for the workflow as a whole: a workflow that waits for an unspecified decision now waits for
/// this one. Written in any case, so that the workflow cannot end meanwhile without ending the decision as well.
pub(crate) fn asked(draft: &mut Draft<'_>, workflow: &mut Workflow, decision: &Decision) {
    let mut context = rows::context_of(workflow);
    if decision.task.is_none() && is_waiting(workflow) && awaited(workflow).is_none() {
        context.insert(AWAITED.to_owned(), Value::from(&*decision.id));
    }
    write(draft, workflow, context);
}

/// The decision that the workflow waits for, else the oldest pending one.
pub(crate) fn pending_decision(draft: &Draft<'_>, workflow: &Workflow) -> Result<Option<String>, Failure> {
    let mut pending = decisions::pending(draft, &workflow.id)?;
    pending.retain(|decision| !decisions::is_due(decision, draft.now()));
    let awaited = awaited(workflow);
    let is_awaited = |decision: &&Decision| Some(&decision.id) == awaited.as_ref();
    let decision = pending.iter().find(is_awaited).or(pending.first());
    Ok(decision.map(|decision| decision.id.clone()))
}
