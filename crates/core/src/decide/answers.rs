//! Ends of decisions, and how the workflows that wait for them continue.

use super::transition::transition;
use super::{Initiator, decisions};
use crate::decision::{Consequence, Decision, Resolution, implied_answer};
use crate::scratch::Scratch;
use crate::state::State;
use crate::{RecordedTransition, TriggerPayload};
use model::Via;
use protocol::workflow::{Consent, Effect, Refusal, Trigger, WorkflowState};

/// Ends a decision, and continues the workflow if it waits for the decision.
pub(super) fn end_and_go_on(
    scratch: &mut Scratch,
    id: &str,
    how: &Resolution,
    via: Via,
) -> Result<(), Refusal> {
    decisions::end(scratch, id, how, via)?;
    let Some(decision) = scratch.state().decision(id).cloned() else { return Ok(()) };
    if decision.effect() == Some(Effect::AllowTool) {
        allow_others(scratch, &decision, how, via)?;
    }
    match how.consequence(decision.task.is_some()) {
        Consequence::Unanswered => unanswered(scratch, &decision),
        Consequence::Decided(answer) => {
            let mut payload = TriggerPayload::default().with_decision(&answer).with_decision_id(id);
            if let Some(note) = &how.note {
                payload = payload.with_decision_note(note);
            }
            decided(scratch, id, Trigger::UserDecisionReceived, payload)
        }
        Consequence::TaskContinues => {
            wake(scratch);
            Ok(())
        }
    }
}

/// Allows the other pending calls of the same tool in the workflow: they no longer need an answer of their own.
fn allow_others(
    scratch: &mut Scratch,
    decision: &Decision,
    how: &Resolution,
    via: Via,
) -> Result<(), Refusal> {
    let Some(answer) = how.selected.first() else { return Ok(()) };
    let Some(tool) = Consent::read(&decision.item()?).map(|consent| consent.tool) else { return Ok(()) };
    let now = scratch.now();
    let open = scratch.state().pending().filter(|other| other.id != decision.id && !other.is_due(now));
    let implied = open.filter_map(|other| {
        let response = implied_answer(tool, answer, &other.item().ok()?)?;
        Some((other.id.clone(), Resolution::answered(response)))
    });
    let implied: Vec<_> = implied.collect();
    for (other, how) in implied {
        decisions::end(scratch, &other, &how, via)?;
    }
    Ok(())
}

/// Handles a timeout without a declared fallback: what waits cannot continue. That is the task in progress that the decision is
/// for, or the workflow if it waits as a whole.
fn unanswered(scratch: &mut Scratch, decision: &Decision) -> Result<(), Refusal> {
    const TIMEOUT: &str = "TIMEOUT";
    let Some(id) = &decision.task else {
        let payload = TriggerPayload::of_last_error(TIMEOUT);
        return decided(scratch, &decision.id, Trigger::ErrorOccurred, payload);
    };
    let state = scratch.state();
    let is_under_way = state.task(id).is_some_and(|task| task.state.is_in_flight());
    let can_fail = matches!(state.workflow.state, WorkflowState::Execution | WorkflowState::Paused);
    if can_fail && (state.tasks.is_empty() || is_under_way) {
        let payload = TriggerPayload::of_task(id).with_error(TIMEOUT);
        transition(scratch, Trigger::TaskFailed, &payload, Initiator::Other)?;
    }
    Ok(())
}

/// Continues a workflow, at once or when it is resumed, if it waits as a whole for a decision that has ended. Any other decision
/// does not change its phase.
fn decided(
    scratch: &mut Scratch,
    decision: &str,
    trigger: Trigger,
    payload: TriggerPayload,
) -> Result<(), Refusal> {
    if !awaits(scratch.state(), decision) {
        wake(scratch);
        return Ok(());
    }
    if scratch.state().workflow.state != WorkflowState::Paused {
        return transition(scratch, trigger, &payload, Initiator::Other);
    }
    let mut context = scratch.state().context.clone();
    let before = context.take_recorded();
    context.record(before, Some(RecordedTransition { trigger, payload }))?;
    scratch.store(context);
    Ok(())
}

/// Has the driver look at the workflow again: what one of its tasks waited for has come.
fn wake(scratch: &mut Scratch) {
    let now = scratch.now();
    if !scratch.state().workflow.state.is_terminal() {
        scratch.change(|workflow| workflow.make_due(now));
    }
}

/// Whether the workflow waits for this decision, paused or not. If none is specified, it waits for any.
fn awaits(state: &State, decision: &str) -> bool {
    state.workflow.is_waiting() && state.context.awaited().is_none_or(|awaited| awaited == decision)
}

/// Notes that the user was asked for the workflow as a whole: a workflow that waits for an unspecified decision now waits for
/// this one. Its driver looks at it again in any case.
pub(super) fn await_asked(scratch: &mut Scratch, decision: &str) {
    let state = scratch.state();
    let is_for_task = state.decision(decision).is_some_and(|decision| decision.task.is_some());
    let mut context = state.context.clone();
    if !is_for_task && state.workflow.is_waiting() && context.awaited().is_none() {
        context.await_decision(decision);
    }
    scratch.store(context);
}
