//! Pauses, interruptions, and the continuation of a workflow after them.

use super::enter::{enter, entered};
use super::{Initiator, decisions, tasks};
use crate::checkpoint::{ResumeCandidate, check_resumption, resume_phase};
use crate::decision::Decision;
use crate::event::Event;
use crate::scratch::Scratch;
use crate::{Context, RecordedTransition, TransitionOutcome, TriggerPayload};
use protocol::workflow::api::SessionCheckpoint;
use protocol::workflow::{PhaseTransition, Refusal, SystemError, Trigger, WorkflowState};

pub(super) fn pause(scratch: &mut Scratch, is_hard: bool) -> Result<(), Refusal> {
    let payload = TriggerPayload::default();
    super::transition::transition(scratch, Trigger::PauseRequested, &payload, Initiator::Other)?;
    if is_hard {
        tasks::interrupt(scratch);
        let mut context = scratch.state().context.clone();
        context.note_break();
        scratch.store(context);
    }
    Ok(())
}

/// Handles what has come in during a pause, when the workflow continues.
pub(super) fn judge(
    scratch: &mut Scratch,
    context: &mut Context,
    recorded: &[RecordedTransition],
) -> Result<(), Refusal> {
    // Whatever came first: what cannot be done is not reviewed.
    const ORDER: [Trigger; 4] =
        [Trigger::TaskFailed, Trigger::TaskCompleted, Trigger::UserDecisionReceived, Trigger::ErrorOccurred];
    for trigger in ORDER {
        let Some(come) = recorded.iter().find(|recorded| recorded.trigger == trigger) else { continue };
        let mut known = context.clone();
        known.add_recorded(come);
        // Anything else concerns a phase that the workflow has left.
        if let Ok(TransitionOutcome::Enter(to)) = scratch.state().next(trigger, &known) {
            *context = known;
            enter(scratch, context, to, trigger, come.error().map(str::to_owned))?;
        }
    }
    Ok(())
}

/// Continues a workflow that was left from a checkpoint.
pub(super) fn resume_from(
    scratch: &mut Scratch,
    checkpoint: SessionCheckpoint,
    is_last: bool,
) -> Result<(), Refusal> {
    let state = scratch.state();
    let candidate = ResumeCandidate {
        id: &state.workflow.id,
        state: state.workflow.state,
        is_interrupted: state.context.is_interrupted(),
    };
    check_resumption(&state.workflow.session, Some(candidate), None)?;
    let phase = resume_phase(&checkpoint);
    tasks::interrupt(scratch);
    let mut context = if is_last {
        scratch.state().context.clone()
    } else {
        tasks::restore(scratch, &checkpoint.task_progress);
        rewound(scratch, Context::from_members(checkpoint.context))?
    };
    context.end_interruption();
    let recorded = context.take_recorded();
    if phase != WorkflowState::WaitUserDecision {
        context.await_none();
    }
    let from = scratch.state().workflow.state;
    scratch.change(|workflow| {
        workflow.state = phase;
        workflow.previous = None;
        // Why it was left no longer matters.
        workflow.error = None;
    });
    scratch.record(Event::CheckpointDue);
    if from != phase {
        let entered = entered(&scratch.state().workflow, from);
        scratch.announce(PhaseTransition { checkpoint_id: Some(checkpoint.checkpoint_id), ..entered });
    }
    scratch.announce_update(|update| update);
    judge(scratch, &mut context, &recorded)?;
    scratch.store(context);
    Ok(())
}

/// Returns the context of a workflow that goes back to an earlier checkpoint, which has kept it as `context`. A question about a
/// task that has failed since is withdrawn: the tasks become what they were.
fn rewound(scratch: &mut Scratch, mut context: Context) -> Result<Context, Refusal> {
    let state = scratch.state();
    context.rewind(&state.context, |decision| state.pending().any(|asked| asked.id == decision));
    let recovery = state.context.recovery();
    let is_overtaken = |asked: &&Decision| recovery == Some(&*asked.id) && context.recovery() != recovery;
    let overtaken = state.pending().find(is_overtaken).map(|asked| asked.id.clone());
    if let Some(overtaken) = overtaken {
        decisions::cancel(scratch, &overtaken)?;
    }
    Ok(context)
}

/// Takes the tasks from their agents and, unless the workflow is paused, notes that it was left without a driver.
pub(super) fn interrupt(scratch: &mut Scratch) {
    let was_at_work = tasks::interrupt(scratch);
    if scratch.state().workflow.state == WorkflowState::Paused {
        if !was_at_work {
            return;
        }
    } else {
        let mut context = scratch.state().context.clone();
        context.interrupt();
        scratch.record(Event::ContextChanged(Box::new(context)));
    }
    // The workflow did not change while the daemon was down: it stays where it is in lists.
    scratch.record(Event::CheckpointDue);
}

/// Leaves the workflow to the user because of this error.
pub(super) fn park(scratch: &mut Scratch, error: String) {
    interrupt(scratch);
    let now = scratch.now();
    scratch.change(|workflow| {
        workflow.updated = now;
        workflow.failures = 0;
        workflow.wake_at = None;
        workflow.error = Some(error.clone());
    });
    scratch.announce(SystemError { error, component: "engine".to_owned(), recoverable: true });
}
