//! Ends decisions, each once.

use super::kept::{damaged, head_of, kept_item, kept_questions};
use super::{about, status_of};
use crate::draft::Draft;
use crate::failure::{Failure, unwritable};
use crate::outbox;
use aide_core::decision::{Resolution, fallback_answer};
use journal::{Decision, Millis, Project};
use model::workflow::{DecisionStatus, ErrorCode, Refusal};
use model::{Ending, Via, respond};
use serde_json::Value;
use store::Draft as GivenSoFar;

/// The one place where a decision ends: with its record, which is also published in the history of its project, and with the
/// event that tells of it. The decision must be open.
pub(crate) fn end(
    draft: &mut Draft<'_>,
    decision: &mut Decision,
    end: &Resolution,
    via: Via,
) -> Result<(), Failure> {
    let questions = kept_questions(decision).ok_or_else(|| damaged(decision))?;
    let head = head_of(decision, draft.world()).ok_or_else(|| damaged(decision))?;
    let given = decision.draft.take().and_then(|json| GivenSoFar::parse(&json, &questions).ok());
    let completed_at = match &end.ending {
        Ending::Expired(at) => at.clone(),
        _ => draft.world().local_time(draft.now()),
    };
    let ending = end.ending.clone();
    let record = store::record_of(&head, &questions, &given.unwrap_or_default(), ending, via, completed_at);
    let record = serde_json::to_string(&record).map_err(|error| unwritable(&error))?;
    if let Some(project) = &decision.project
        && let Some(project) = draft.look::<Project>(&Project::key_of(project))?
    {
        outbox::publish(draft, &decision.id, &project.root, &record)?;
    }
    decision.record = Some(record);
    decision.status = end.status;
    decision.response.clone_from(&end.response);
    decision.selected = end.response.is_some().then(|| Value::from(end.selected.clone()).to_string());
    decision.via = Some(via.name().to_owned());
    decision.ended = Some(draft.now());
    draft.emit(about(decision), end.event(&decision.id, &kept_item(decision)?));
    draft.put(decision.clone());
    Ok(())
}

/// The decision, if it is open.
pub(crate) fn open(decision: Decision, now: Millis) -> Result<Decision, Failure> {
    match status_of(&decision, now) {
        DecisionStatus::Pending => Ok(decision),
        DecisionStatus::Expired => {
            Err(ended(&decision, now, ErrorCode::DecisionExpired, "Decision has expired").into())
        }
        _ => {
            let words = "Decision already resolved";
            Err(ended(&decision, now, ErrorCode::DecisionAlreadyResolved, words).into())
        }
    }
}

fn ended(decision: &Decision, now: Millis, code: ErrorCode, words: &str) -> Refusal {
    let refusal = Refusal::new(code, words).with("decisionId", &*decision.id);
    let refusal = refusal.with("currentState", status_of(decision, now).name());
    match &decision.response {
        Some(response) => refusal.with("response", &**response),
        None => refusal,
    }
}

/// The answer declared for a timeout.
pub(crate) fn fallback_of(decision: &Decision) -> Result<Option<respond::Response>, Failure> {
    let item = kept_item(decision)?;
    Ok(fallback_answer(&item, decision.fallback.as_deref()))
}

/// Cancels a decision whose answer is no longer needed.
pub(crate) fn cancel(draft: &mut Draft<'_>, mut decision: Decision) -> Result<(), Failure> {
    end(draft, &mut decision, &Resolution::cancelled(), Via::Api)
}
