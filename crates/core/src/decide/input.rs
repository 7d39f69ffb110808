//! Input of the user to a workflow.

use super::Initiator;
use super::answers::end_and_go_on;
use super::transition::transition;
use crate::decision::Decision;
use crate::event::Event;
use crate::scratch::Scratch;
use crate::{TransitionRefusal, TriggerPayload};
use model::Via;
use protocol::workflow::{Refusal, Trigger, WorkflowState, WorkflowUpdate};
use serde_json::json;

/// How long what a person says to a workflow may be, in bytes.
const MAX_INPUT: usize = 64 << 10;

/// Takes the answer to the pending decision or, if there is none, an instruction.
pub(super) fn take(scratch: &mut Scratch, input: &str, via: Via) -> Result<(), Refusal> {
    let workflow = &scratch.state().workflow;
    if workflow.state.is_terminal() {
        return Err(workflow.refused(TransitionRefusal::Ended, Trigger::UserInputReceived));
    }
    let text = input.trim();
    if text.is_empty() {
        return Err(Refusal::missing("Missing workflowId or input", "input"));
    }
    if text.len() > MAX_INPUT {
        return Err(Refusal::invalid("input is too long", "input").with("limit", MAX_INPUT));
    }
    // One whose time is up ends by that.
    let now = scratch.now();
    let pending: Vec<Decision> =
        scratch.state().pending().filter(|decision| !decision.is_due(now)).cloned().collect();
    match &*pending {
        [] => instruct(scratch, text),
        [decision] => {
            let how = decision.answered(text)?;
            end_and_go_on(scratch, &decision.id, &how, via)
        }
        several => Err(ambiguous(several)?),
    }
}

fn instruct(scratch: &mut Scratch, text: &str) -> Result<(), Refusal> {
    scratch.record(Event::Instructed(text.to_owned()));
    if matches!(scratch.state().workflow.state, WorkflowState::Idle | WorkflowState::Paused) {
        let payload = TriggerPayload::default();
        transition(scratch, Trigger::UserInputReceived, &payload, Initiator::Other)?;
    }
    let now = scratch.now();
    scratch.change(|workflow| workflow.updated = now);
    let user_input = Some(text.to_owned());
    scratch.announce_update(|update| WorkflowUpdate { user_input, ..update });
    Ok(())
}

/// Several decisions are open: an answer that names none of them is an answer to none.
fn ambiguous(pending: &[Decision]) -> Result<Refusal, Refusal> {
    let mut named = Vec::new();
    for decision in pending {
        named.push(format!("{} ({})", decision.id, decision.item()?.title));
    }
    let words = format!("Several decisions are pending; answer each by its id: {}", named.join("; "));
    let ids: Vec<&str> = pending.iter().map(|decision| &*decision.id).collect();
    Ok(Refusal::invalid(words, "input").with("pendingDecisions", json!(ids)))
}
