//! What a trigger does (contract/workflows §5.3).

use super::enter::{ask_for_resources, enter, store_output};
use super::pause::judge;
use super::{Initiator, tasks};
use crate::scratch::Scratch;
use crate::task::output_of;
use crate::{RecordedTransition, TransitionOutcome, TriggerPayload};
use protocol::workflow::{Refusal, SingleStage, Trigger, WorkflowState, WorkflowUpdate};

/// How large a context may become, in bytes of JSON.
const MAX_CONTEXT: usize = 1 << 20;

pub(super) fn transition(
    scratch: &mut Scratch,
    trigger: Trigger,
    payload: &TriggerPayload,
    by: Initiator,
) -> Result<(), Refusal> {
    let mut context = scratch.state().context.clone();
    if by == Initiator::Driver && context.end_interruption() {
        // Why it was left no longer matters.
        scratch.change(|workflow| workflow.error = None);
    }
    context.merge(trigger, payload);
    // That the trigger is not possible here is reported before errors in its context.
    scratch.state().next(trigger, &context)?;
    let taken = tasks::take_list(scratch, trigger, payload)?;
    if trigger == Trigger::PlanCreated {
        scratch.change(|workflow| workflow.round += 1);
    }
    if taken.is_other_plan || trigger == Trigger::PlanCreated {
        tasks::publish_plan(scratch);
    }
    let mut summary = tasks::advance_list(scratch, trigger, taken)?;
    tasks::advance_reported(scratch, trigger, payload, &mut summary)?;
    let entered = scratch.state().next(trigger, &context)?;
    let error = payload.error().map(str::to_owned).or(summary.error);
    let error = error.filter(|_| trigger == Trigger::TaskFailed);
    if let Some(output) = payload.output() {
        store_output(scratch, output);
    }
    if entered == TransitionOutcome::Enter(WorkflowState::Completed)
        && context.stage() == Some(SingleStage::Execute)
    {
        let results = scratch.state().tasks.iter().filter_map(|task| task.result.as_deref());
        let output = output_of(results);
        store_output(scratch, &output);
    }
    let was_paused = scratch.state().workflow.state == WorkflowState::Paused;
    let recorded = context.take_recorded();
    match entered {
        TransitionOutcome::Enter(to) => enter(scratch, &mut context, to, trigger, error)?,
        TransitionOutcome::Stay if was_paused => {
            let is_result = matches!(trigger, Trigger::TaskCompleted | Trigger::TaskFailed);
            let payload = match error {
                Some(error) => TriggerPayload::default().with_error(&error),
                None => TriggerPayload::default(),
            };
            let now = is_result.then_some(RecordedTransition { trigger, payload });
            context.record(recorded.clone(), now)?;
        }
        TransitionOutcome::Stay if payload.is_about_task() => {}
        TransitionOutcome::Stay => {
            scratch.announce_update(|update| WorkflowUpdate { task_updates: summary.updates, ..update });
        }
    }
    if trigger == Trigger::ResumeRequested {
        judge(scratch, &mut context, &recorded)?;
    }
    if trigger == Trigger::ResourceMissing {
        let decision = ask_for_resources(scratch, payload)?;
        context.await_decision(&decision);
    } else if let Some(id) = payload.decision_id()
        && scratch.state().workflow.state == WorkflowState::WaitUserDecision
        && scratch.state().pending().any(|asked| asked.id == id && asked.task.is_none())
    {
        context.await_decision(id);
    }
    // The client's context must fit; a user's answer or a timeout is recorded in any case.
    if by == Initiator::Driver {
        let size = context.size();
        if size > MAX_CONTEXT && size > scratch.state().context.size() {
            return Err(Refusal::invalid("context is too large", "context").with("limit", MAX_CONTEXT));
        }
    }
    scratch.store(context);
    Ok(())
}
