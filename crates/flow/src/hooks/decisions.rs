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

/// The items of the questions that are asked at present and not decided.
fn open_items(context: &HookContext<'_>) -> Result<Vec<(u64, String)>, StoreError> {
    let decisions = context.project.decisions()?;
    let Some((pending, questions)) = decisions.pending_questions()? else { return Ok(Vec::new()) };
    if decisions.record(&pending.session)?.is_some() {
        return Ok(Vec::new());
    }
    let items = questions.input().items.iter();
    Ok(items.map(|item| (item.id, item.title.clone())).collect())
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
