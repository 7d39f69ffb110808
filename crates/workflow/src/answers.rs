//! Answers to decisions, and how the workflows that wait for them continue.

use crate::decisions::{
    consent_of, effect_of, end, fallback_of, is_due, kept_item, not_found, open, pending,
};
use crate::draft::{Draft, iso};
use crate::failure::Failure;
use crate::rows;
use crate::steer::{self, Initiator};
use aide_core::TriggerPayload;
use aide_core::decision::{Consequence, Resolution, implied_answer, read_answer};
use journal::{Decision, Task, Workflow};
use model::Via;
use model::workflow::api::AskResolution;
use model::workflow::{Effect, Trigger, WorkflowState};

/// Takes the typed answer to a decision, and continues its workflow if the workflow as a whole waits for it. `workflow` is the
/// row, if it was read already.
pub(crate) fn resolve(
    draft: &mut Draft<'_>,
    id: &str,
    text: &str,
    via: Via,
    workflow: Option<&mut Workflow>,
) -> Result<AskResolution, Failure> {
    let found = draft.row::<Decision>(&Decision::key_of(id))?;
    let decision = open(found.ok_or_else(|| not_found(id))?, draft.now())?;
    let item = kept_item(&decision)?;
    let response = read_answer(&item, text, decision.fallback.as_deref())
        .map_err(|problem| problem.refusal("response").with("decisionId", &*decision.id))?;
    let how = Resolution::answered(response.clone());
    let decision = end_and_go_on(draft, decision, how, via, workflow)?;
    Ok(AskResolution {
        ok: true,
        request_id: decision.id,
        answer: response.text,
        selected_option: response.selected.into_iter().next(),
        responded_at: iso(draft.now()),
    })
}

/// Ends a decision that has timed out: the declared fallback is the answer, by the workflow's own act.
pub(crate) fn expire(draft: &mut Draft<'_>, decision: Decision) -> Result<(), Failure> {
    let fallback = fallback_of(&decision)?;
    let at = draft.world().local_time(decision.expires.unwrap_or(draft.now()));
    end_and_go_on(draft, decision, Resolution::expired(at, fallback), Via::Clock, None).map(drop)
}

/// Ends a decision, and continues its workflow if the workflow as a whole waits for it. `workflow`: the row, if already read.
pub(crate) fn end_and_go_on(
    draft: &mut Draft<'_>,
    mut decision: Decision,
    how: Resolution,
    via: Via,
    workflow: Option<&mut Workflow>,
) -> Result<Decision, Failure> {
    end(draft, &mut decision, &how, via)?;
    if effect_of(&decision) == Some(Effect::AllowTool) {
        allow_others(draft, &decision, &how, via)?;
    }
    let mut read = None;
    let workflow = match (workflow, &decision.workflow) {
        (Some(workflow), _) => workflow,
        (None, Some(id)) => read.insert(rows::workflow(draft, id)?),
        (None, None) => return Ok(decision),
    };
    match how.consequence(decision.task.is_some()) {
        Consequence::Unanswered => unanswered(draft, &decision, workflow)?,
        Consequence::Decided(answer) => {
            let mut payload = TriggerPayload::default().with_decision(&answer).with_decision_id(&decision.id);
            if let Some(note) = &how.note {
                payload = payload.with_decision_note(note);
            }
            steer::decided(draft, workflow, &decision.id, Trigger::UserDecisionReceived, &payload)?;
        }
        Consequence::TaskContinues => steer::wake(draft, workflow),
    }
    Ok(decision)
}

/// Allows the other pending calls of the same tool in the workflow: they no longer need an answer of their own.
fn allow_others(
    draft: &mut Draft<'_>,
    decision: &Decision,
    how: &Resolution,
    via: Via,
) -> Result<(), Failure> {
    let (Some(workflow), Some(answer)) = (decision.workflow.as_deref(), how.selected.first()) else {
        return Ok(());
    };
    let Some(tool) = consent_of(decision).map(|consent| consent.tool) else { return Ok(()) };
    for mut other in pending(draft, workflow)? {
        if other.id == decision.id || is_due(&other, draft.now()) {
            continue;
        }
        let response = kept_item(&other).ok().and_then(|item| implied_answer(tool, answer, &item));
        if let Some(response) = response {
            end(draft, &mut other, &Resolution::answered(response), via)?;
        }
    }
    Ok(())
}

/// Handles a timeout without a declared fallback: the waiter cannot continue. That is the task in progress that the decision is
/// for, or the workflow if it waits as a whole.
fn unanswered(draft: &mut Draft<'_>, decision: &Decision, workflow: &mut Workflow) -> Result<(), Failure> {
    const TIMEOUT: &str = "TIMEOUT";
    let Some(id) = &decision.task else {
        let payload = TriggerPayload::of_last_error(TIMEOUT);
        return steer::decided(draft, workflow, &decision.id, Trigger::ErrorOccurred, &payload);
    };
    let tasks = draft.tasks(&workflow.id)?;
    let is_under_way = |task: &Task| task.id == *id && task.state.is_in_flight();
    let can_fail = matches!(workflow.state, WorkflowState::Execution | WorkflowState::Paused);
    if can_fail && (tasks.is_empty() || tasks.iter().any(is_under_way)) {
        let payload = TriggerPayload::of_task(id).with_error(TIMEOUT);
        steer::apply(draft, workflow, Trigger::TaskFailed, &payload, Initiator::Other)?;
    }
    Ok(())
}
