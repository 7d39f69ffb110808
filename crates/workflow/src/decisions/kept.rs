//! The stored question of a decision.

use crate::failure::Failure;
use crate::world::World;
use journal::Decision;
use model::{DecideItem, Origin, Questions};
use protocol::workflow::{ErrorCode, Refusal};
use serde_json::Value;
use store::{PendingSet, Place, SourceHashes};

/// The questions of a decision that is kept.
pub(crate) fn kept_questions(decision: &Decision) -> Option<Questions> {
    Questions::from_value(serde_json::from_str(&decision.questions).ok()?).ok()
}

/// Their head.
pub(crate) fn head_of(decision: &Decision, world: &dyn World) -> Option<PendingSet> {
    let document: Value = serde_json::from_str(&decision.questions).ok()?;
    Some(PendingSet {
        session: decision.ask.parse().ok()?,
        place: Place::Own,
        created_at: world.local_time(decision.created),
        deadline: decision.expires.map(|expires| world.local_time(expires)),
        origin: Origin::Workflow {
            workflow: decision.workflow.clone(),
            session: decision.session.clone(),
            task: decision.task.clone(),
            agent: decision.agent.clone(),
            decision: decision.id.clone(),
        },
        task: document.get("task").and_then(Value::as_str).unwrap_or_default().to_owned(),
        sources: SourceHashes::default(),
    })
}

/// The item of a decision that is kept.
pub(crate) fn kept_item(decision: &Decision) -> Result<DecideItem, Failure> {
    let item = kept_questions(decision).and_then(|questions| questions.input().items.first().cloned());
    Ok(item.ok_or_else(|| damaged(decision))?)
}

pub(super) fn damaged(decision: &Decision) -> Refusal {
    Refusal::new(ErrorCode::InternalError, "Decision is not readable").with("decisionId", &*decision.id)
}
