//! Decisions that are asked, and how they end: by an answer, by a timeout, or in another way.

use crate::aggregate::carry_out;
use crate::decisions::{self, decision_of, not_found, put_asked};
use crate::draft::{Draft, iso};
use crate::failure::Failure;
use crate::rows::scope_of;
use crate::{ids, rows};
use aide_core::decision::{self, DecisionReason, NewDecision, Resolution};
use aide_core::{Command, Event};
use journal::{Decision, Millis, Workflow};
use model::Via;
use protocol::workflow::api::AskResolution;
use protocol::workflow::{ErrorCode, Refusal};

/// Asks the user for this workflow; returns the decision. `is_awaited` states that the workflow as a whole waits for it if it
/// waits for no other one.
pub(crate) fn create(
    draft: &mut Draft<'_>,
    new: &NewDecision,
    workflow: Option<&mut Workflow>,
    why: DecisionReason,
    is_awaited: bool,
) -> Result<decision::Decision, Failure> {
    let session = new.session_id.as_deref().or(workflow.as_ref().map(|workflow| &*workflow.session));
    let session = session.map(|session| known_session(draft, session)).transpose()?;
    let Some(workflow) = workflow else {
        let (now, session) = (draft.now(), session.transpose());
        let id = ids::timed("decision", now, draft.world());
        let asked = new.ask(id, None, session, now)?;
        put_asked(draft, &asked.decision)?;
        let scope = asked.decision.scope();
        for event in asked.events(why) {
            draft.emit(scope_of(&scope), event);
        }
        return Ok(asked.decision);
    };
    let session = session.unwrap_or_else(|| Ok(workflow.session.clone()));
    let command = Command::Ask { new: Box::new(new.clone()), session, why, is_awaited };
    let asked = carry_out(draft, workflow, command)?.into_iter().find_map(|event| match event {
        Event::DecisionAsked(decision) => Some(*decision),
        _ => None,
    });
    Ok(asked.ok_or_else(|| Refusal::new(ErrorCode::InternalError, "No decision was asked"))?)
}

/// The name of a session, or the refusal if there is none of that name.
fn known_session(draft: &Draft<'_>, id: &str) -> Result<Result<String, Refusal>, Failure> {
    match rows::session(draft, id) {
        Ok(session) => Ok(Ok(session.id)),
        Err(Failure::Refused(refusal)) => Ok(Err(refusal)),
        Err(failure) => Err(failure),
    }
}

/// Takes the typed answer to a decision, and continues its workflow if the workflow as a whole waits for it.
pub(crate) fn resolve(draft: &mut Draft<'_>, id: &str, text: &str, via: Via) -> Result<String, Failure> {
    let row = draft.row::<Decision>(&Decision::key_of(id))?.ok_or_else(|| not_found(id))?;
    let decision = decision_of(row.clone());
    decision.check_open(draft.now())?;
    let how = decision.answered(text)?;
    let answer = how.answer_text();
    end(draft, row, how, via)?;
    Ok(answer)
}

/// Ends a decision that has timed out: the declared fallback is the answer, by the workflow's own act.
pub(crate) fn expire(draft: &mut Draft<'_>, row: Decision) -> Result<(), Failure> {
    let fallback = decision_of(row.clone()).fallback_answer()?;
    let at = draft.world().local_time(row.expires.unwrap_or(draft.now()));
    end(draft, row, Resolution::expired(at, fallback), Via::Clock)
}

/// Ends a decision, and continues its workflow if the workflow as a whole waits for it.
pub(crate) fn end(draft: &mut Draft<'_>, row: Decision, how: Resolution, via: Via) -> Result<(), Failure> {
    let Some(workflow) = &row.workflow else { return decisions::end(draft, row, &how, via) };
    let mut workflow = rows::workflow(draft, workflow)?;
    let command = Command::EndDecision { decision: row.id, resolution: Box::new(how), via };
    carry_out(draft, &mut workflow, command).map(drop)
}

/// Returns the resolution that answers the client of a decision.
pub(crate) fn resolution_for_client(decision: String, how: &Resolution, now: Millis) -> AskResolution {
    AskResolution {
        ok: true,
        request_id: decision,
        answer: how.answer_text(),
        selected_option: how.selected.first().cloned(),
        responded_at: iso(now),
    }
}
