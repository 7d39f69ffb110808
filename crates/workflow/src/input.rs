//! Input of the user to a workflow.

use crate::answers;
use crate::decisions;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::rows;
use crate::steer::{Initiator, apply, update};
use aide_core::{TransitionRefusal, TriggerPayload};
use journal::{Decision, Instruction, Millis, Query, Workflow};
use model::Via;
use model::workflow::api::WorkflowAnswer;
use model::workflow::{Refusal, SimpleStatus, Trigger, WorkflowState, WorkflowUpdate};
use serde_json::json;

/// How long what a person says to a workflow may be, in bytes.
const MAX_INPUT: usize = 64 << 10;

pub(crate) fn take_input(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    input: &str,
    via: Via,
) -> Result<WorkflowAnswer, Failure> {
    if workflow.state.is_terminal() {
        return Err(
            rows::transition_refused(TransitionRefusal::Ended, Trigger::UserInputReceived, workflow).into()
        );
    }
    let text = input.trim();
    if text.is_empty() {
        return Err(Refusal::missing("Missing workflowId or input", "input").into());
    }
    if text.len() > MAX_INPUT {
        return Err(Refusal::invalid("input is too long", "input").with("limit", MAX_INPUT).into());
    }
    // One whose time is up ends by that.
    let mut pending = decisions::pending(draft, &workflow.id)?;
    pending.retain(|decision| !decisions::is_due(decision, draft.now()));
    if pending.len() > 1 {
        return Err(ambiguous(&pending, draft.now())?.into());
    }
    if let Some(decision) = pending.pop() {
        let resolution = answers::resolve(draft, &decision.id, text, via, Some(workflow))?;
        return Ok(WorkflowAnswer { ask_resolution: Some(resolution), ..answer(workflow, None, None) });
    }
    let text = text.to_owned();
    instruct(draft, workflow, text.clone())?;
    if matches!(workflow.state, WorkflowState::Idle | WorkflowState::Paused) {
        apply(draft, workflow, Trigger::UserInputReceived, &TriggerPayload::default(), Initiator::Other)?;
    }
    workflow.updated = draft.now();
    draft.put(workflow.clone());
    let told = WorkflowUpdate { user_input: Some(text), ..update(draft, workflow)? };
    draft.emit(EventScope::workflow(workflow), told);
    Ok(answer(workflow, None, None))
}

/// Several decisions are open: an answer that names none of them is an answer to none.
fn ambiguous(pending: &[Decision], now: Millis) -> Result<Refusal, Failure> {
    let mut named = Vec::new();
    for decision in pending {
        let asked = decisions::view_of(decision, now)?;
        named.push(format!("{} ({})", asked.decision_id, asked.message));
    }
    let words = format!("Several decisions are pending; answer each by its id: {}", named.join("; "));
    let ids: Vec<&str> = pending.iter().map(|decision| &*decision.id).collect();
    Ok(Refusal::invalid(words, "input").with("pendingDecisions", json!(ids)))
}

/// What a person has said is used by the next prompt, once.
pub(crate) fn instruct(draft: &mut Draft<'_>, workflow: &Workflow, text: String) -> Result<(), Failure> {
    let said = draft.find(&Query::instructions_of(&workflow.id))?;
    let no = said.last().map_or(1, |last| last.no + 1);
    draft.put(Instruction { workflow: workflow.id.clone(), no, text, used_by: None, version: 0 });
    Ok(())
}

/// The answer to a request about a workflow as a whole.
pub(crate) fn answer(
    workflow: &Workflow,
    status: Option<SimpleStatus>,
    state: Option<WorkflowState>,
) -> WorkflowAnswer {
    WorkflowAnswer { success: true, workflow_id: workflow.id.clone(), status, state, ask_resolution: None }
}
