//! What a person is asked, and how that ends: once.

mod ask;
mod ending;
mod kept;
mod views;

pub(crate) use ask::put_asked;
pub(crate) use ending::{end, put_ended};
pub(crate) use kept::{head_of, kept_item, kept_questions};
pub(crate) use views::{selected_of, view_of};

use crate::draft::Draft;
use crate::failure::Failure;
use aide_core::decision::{self, NewDecision, UserAnswer};
use journal::{Decision, Millis, Query};
use protocol::workflow::{DecisionStatus, Effect, ErrorCode, Refusal};
use views::note_of;

pub(crate) fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::DecisionNotFound, "Decision not found").with("decisionId", id)
}

/// The pending decisions of a workflow in the order in which they were asked, including those asked in this draft.
pub(crate) fn pending(draft: &Draft<'_>, workflow: &str) -> Result<Vec<Decision>, Failure> {
    let mut pending = draft.find(&Query::decisions(Some(workflow), Some(DecisionStatus::Pending)))?;
    pending.extend(draft.asked(workflow));
    pending.retain(|decision| decision.status == DecisionStatus::Pending);
    Ok(pending)
}

/// Whether its time is up, noted or not.
pub(crate) fn is_due(decision: &Decision, now: Millis) -> bool {
    decision::is_due(decision.expires, now)
}

/// How it stands, be it noted or not.
pub(crate) fn status_of(decision: &Decision, now: Millis) -> DecisionStatus {
    decision::status_at(decision.status, decision.expires, now)
}

/// Whether a decision asks what `new` would.
pub(crate) fn asks_the_same(decision: &Decision, new: &NewDecision) -> bool {
    kept_item(decision).is_ok_and(|item| new.question().is_asked_by(&item))
}

/// What the answer to a decision about a tool does; `None` where there is no answer.
pub(crate) fn effect_of(decision: &Decision) -> Option<Effect> {
    decision::consent_effect(&kept_item(decision).ok()?, decision.status, &selected_of(decision))
}

/// The user's answer to a question, for its waiter.
pub(crate) fn answer_to(decision: &Decision) -> UserAnswer {
    UserAnswer::new(selected_of(decision), decision.response.clone(), note_of(decision))
}

/// Returns the value of a row.
pub(crate) fn decision_of(row: Decision) -> decision::Decision {
    decision::Decision {
        selected: selected_of(&row),
        id: row.id,
        workflow: row.workflow,
        session: row.session,
        task: row.task,
        agent: row.agent,
        questions: row.questions,
        fallback: row.fallback,
        status: row.status,
        response: row.response,
        created: row.created,
        expires: row.expires,
    }
}
