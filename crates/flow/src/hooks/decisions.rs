//! Phases that are left only when a person has decided.

use super::HookContext;
use crate::error::FlowError;
use model::Ending;
use settings::RequiredDecision;
use store::StoreError;

/// Looks whether the decisions that the phase `from` needs were made in it.
pub(super) fn check(context: &HookContext<'_>, from: &str) -> Result<(), FlowError> {
    let needs =
        |wanted| context.config.require.iter().any(|rule| rule.phase == from && rule.decision == wanted);
    if !needs(RequiredDecision::Answered) {
        return Ok(());
    }
    let open = open_items(context)?;
    if open.is_empty() && is_answered(context)? {
        return Ok(());
    }
    Err(FlowError::Undecided { phase: from.to_owned(), open })
}

/// The items of all sets of questions that are open, the oldest first.
fn open_items(context: &HookContext<'_>) -> Result<Vec<(u64, String)>, StoreError> {
    let decisions = context.project.decisions()?;
    // Damaged questions in the slot are reported: they may need an answer.
    decisions.pending_questions()?;
    decisions.expire_all()?;
    let mut open = Vec::new();
    for pending in decisions.open_sets()? {
        let questions = decisions.set(&pending.session)?.map(|(_, questions)| questions);
        let items = questions.iter().flat_map(|questions| &questions.input().items);
        open.extend(items.map(|item| (item.id, item.title.clone())));
    }
    Ok(open)
}

/// Whether a person has answered since the phase was entered.
fn is_answered(context: &HookContext<'_>) -> Result<bool, StoreError> {
    let Some(entered) = context.status.and_then(|status| status.present_phase().first()) else {
        return Ok(false);
    };
    let decisions = context.project.decisions()?;
    for session in decisions.records()? {
        // What cannot be read is no answer.
        if let Ok(Some(record)) = decisions.record(&session)
            && matches!(record.ending, Ending::Decided(_))
            && store::is_since(&record.completed_at, &entered.timestamp)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
