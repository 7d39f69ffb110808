//! Asks the user, and ends decisions, each once.

use crate::decision::{DecisionReason, NewDecision, Resolution};
use crate::event::Event;
use crate::scratch::Scratch;
use model::Via;
use protocol::workflow::{ErrorCode, Refusal};

/// Asks the user for the workflow; returns the ID of the decision.
pub(super) fn ask(
    scratch: &mut Scratch,
    new: &NewDecision,
    session: Result<String, Refusal>,
    why: DecisionReason,
) -> Result<String, Refusal> {
    let id = scratch.new_id("decision");
    let workflow = &scratch.state().workflow;
    let asked = new.ask(id.clone(), Some(workflow), session.map(Some), scratch.now())?;
    let (scope, events) = (asked.decision.scope(), asked.events(why));
    scratch.record(Event::DecisionAsked(Box::new(asked.decision)));
    for event in events {
        scratch.publish(scope.clone(), event);
    }
    Ok(id)
}

/// Ends a decision. It must be open.
pub(super) fn end(scratch: &mut Scratch, id: &str, how: &Resolution, via: Via) -> Result<(), Refusal> {
    let missing = || Refusal::new(ErrorCode::DecisionNotFound, "Decision not found").with("decisionId", id);
    let decision = scratch.state().decision(id).ok_or_else(missing)?;
    let (scope, event) = (decision.scope(), how.event(id, &decision.item()?));
    let resolution = Box::new(how.clone());
    scratch.record(Event::DecisionEnded { decision: id.to_owned(), resolution, via });
    scratch.publish(scope, event);
    Ok(())
}

/// Cancels a decision whose answer is no longer needed.
pub(super) fn cancel(scratch: &mut Scratch, id: &str) -> Result<(), Refusal> {
    end(scratch, id, &Resolution::cancelled(), Via::Api)
}
