//! Input and answers during a pause, and the end of the pause.

use super::enter::{enter, entered};
use super::{step, update, write};
use crate::decisions;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use aide_core::{Context, RecordedTransition, TransitionOutcome};
use journal::{Decision, Workflow};
use model::workflow::{PhaseTransition, Trigger, WorkflowState};
use serde_json::{Map, Value};

/// Handles what has come in during a pause, when the workflow continues.
pub(super) fn judge(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Context,
    recorded: Vec<RecordedTransition>,
) -> Result<(), Failure> {
    // Whatever came first: what cannot be done is not reviewed.
    const ORDER: [Trigger; 4] =
        [Trigger::TaskFailed, Trigger::TaskCompleted, Trigger::UserDecisionReceived, Trigger::ErrorOccurred];
    for trigger in ORDER {
        let Some(come) = recorded.iter().find(|recorded| recorded.trigger == trigger) else { continue };
        let mut known = context.clone();
        let error = come.error().map(str::to_owned);
        known.add_recorded(come);
        match step(draft, workflow, trigger, &known) {
            Ok(TransitionOutcome::Enter(to)) => {
                *context = known;
                enter(draft, workflow, context, to, trigger, error)?;
            }
            // It concerns a phase that the workflow has left.
            Ok(TransitionOutcome::Stay) | Err(Failure::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A workflow that was left continues from a checkpoint in this phase; what came in while it was paused is judged. `context` is
/// what is known of the workflow.
pub(crate) fn go_on(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    checkpoint: &str,
    phase: WorkflowState,
    mut context: Context,
) -> Result<(), Failure> {
    context.end_interruption();
    let recorded = context.take_recorded();
    if phase != WorkflowState::WaitUserDecision {
        context.await_none();
    }
    let from = workflow.state;
    workflow.state = phase;
    workflow.previous = None;
    // What it was left with is over.
    workflow.error = None;
    draft.keep(&workflow.id);
    if from != phase {
        let told = PhaseTransition { checkpoint_id: Some(checkpoint.to_owned()), ..entered(workflow, from) };
        draft.emit(EventScope::workflow(workflow), told);
    }
    let told = update(draft, workflow)?;
    draft.emit(EventScope::workflow(workflow), told);
    judge(draft, workflow, &mut context, recorded)?;
    write(draft, workflow, context);
    Ok(())
}

/// What is known of a workflow that goes back to an earlier checkpoint, which `kept` it. A question about a task that has failed
/// since is withdrawn: the tasks become what they were.
pub(crate) fn context_then(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    kept: &Map<String, Value>,
) -> Result<Context, Failure> {
    let now = Context::read(&workflow.context);
    let mut context = Context::from_members(kept.clone());
    let pending = decisions::pending(draft, &workflow.id)?;
    context.rewind(&now, |decision| pending.iter().any(|asked| asked.id == decision));
    let is_overtaken =
        |asked: &&Decision| now.recovery() == Some(&*asked.id) && context.recovery() != now.recovery();
    if let Some(overtaken) = pending.iter().find(is_overtaken) {
        decisions::cancel(draft, overtaken.clone())?;
    }
    Ok(context)
}
