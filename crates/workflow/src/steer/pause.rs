//! Input and answers during a pause, and the end of the pause.

use super::enter::{enter, entered};
use super::{step, update, write};
use crate::context_keys::{AWAITED, INTERRUPTED, RECORDED};
use crate::decisions;
use crate::draft::{Draft, EventScope};
use crate::failure::{Failure, unwritable};
use journal::Workflow;
use model::workflow::{PhaseTransition, TransitionOutcome, Trigger, WorkflowState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that has come in while a workflow was paused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RecordedTransition {
    pub(super) trigger: Trigger,
    /// What is known of it.
    #[serde(default)]
    pub(super) context: Map<String, Value>,
}

/// Takes from the context what has come in during a pause.
pub(super) fn recorded(context: &mut Map<String, Value>) -> Vec<RecordedTransition> {
    let recorded = context.shift_remove(RECORDED).unwrap_or_default();
    serde_json::from_value(recorded).unwrap_or_default()
}

/// Puts it back, with what has come in now: of each kind the last.
pub(super) fn record(
    context: &mut Map<String, Value>,
    mut recorded: Vec<RecordedTransition>,
    now: Option<RecordedTransition>,
) -> Result<(), Failure> {
    if let Some(now) = now {
        recorded.retain(|known| known.trigger != now.trigger);
        recorded.push(now);
    }
    if !recorded.is_empty() {
        let recorded = serde_json::to_value(recorded).map_err(|error| unwritable(&error))?;
        context.insert(RECORDED.to_owned(), recorded);
    }
    Ok(())
}

/// Handles what has come in during a pause, when the workflow continues.
pub(super) fn judge(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Map<String, Value>,
    recorded: Vec<RecordedTransition>,
) -> Result<(), Failure> {
    // Whatever came first: what cannot be done is not reviewed.
    const ORDER: [Trigger; 4] =
        [Trigger::TaskFailed, Trigger::TaskCompleted, Trigger::UserDecisionReceived, Trigger::ErrorOccurred];
    for trigger in ORDER {
        let Some(come) = recorded.iter().find(|recorded| recorded.trigger == trigger) else { continue };
        let mut known = context.clone();
        let error = come.context.get("error").and_then(Value::as_str).map(str::to_owned);
        known.extend(come.context.clone().into_iter().filter(|(key, _)| key != "error"));
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
    mut context: Map<String, Value>,
) -> Result<(), Failure> {
    context.shift_remove(INTERRUPTED);
    let recorded = recorded(&mut context);
    if phase != WorkflowState::WaitUserDecision {
        context.shift_remove(AWAITED);
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

/// What is known of a workflow that goes back to an earlier checkpoint. What has come in since is not known then, and it waits
/// for no decision that has ended.
pub(crate) fn context_then(
    draft: &Draft<'_>,
    workflow: &Workflow,
    kept: &Map<String, Value>,
) -> Result<Map<String, Value>, Failure> {
    let mut context = kept.clone();
    context.shift_remove(RECORDED);
    let pending = decisions::pending(draft, &workflow.id)?;
    if context.get(AWAITED).is_some_and(|awaited| pending.iter().all(|asked| *awaited != *asked.id)) {
        context.shift_remove(AWAITED);
    }
    Ok(context)
}
