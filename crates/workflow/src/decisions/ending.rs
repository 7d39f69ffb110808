//! Ends decisions, each once.

use super::decision_of;
use super::kept::{damaged, head_of, kept_questions};
use crate::draft::Draft;
use crate::failure::{Failure, unwritable};
use crate::outbox;
use crate::rows::scope_of;
use aide_core::decision::Resolution;
use journal::{Decision, Project};
use model::{Ending, Via};
use serde_json::Value;
use store::Draft as GivenSoFar;

/// Ends a decision for which no workflow waits. It must be open.
pub(crate) fn end(draft: &mut Draft<'_>, row: Decision, how: &Resolution, via: Via) -> Result<(), Failure> {
    let decision = decision_of(row.clone());
    let event = how.event(&decision.id, &decision.item()?);
    put_ended(draft, row, how, via)?;
    draft.emit(scope_of(&decision.scope()), event);
    Ok(())
}

/// Writes that a decision has ended, with its record, which is also published in the history of its project.
pub(crate) fn put_ended(
    draft: &mut Draft<'_>,
    mut row: Decision,
    how: &Resolution,
    via: Via,
) -> Result<(), Failure> {
    let questions = kept_questions(&row).ok_or_else(|| damaged(&row))?;
    let head = head_of(&row, draft.world()).ok_or_else(|| damaged(&row))?;
    let given = row.draft.take().and_then(|json| GivenSoFar::parse(&json, &questions).ok());
    let completed_at = match &how.ending {
        Ending::Expired(at) => at.clone(),
        _ => draft.world().local_time(draft.now()),
    };
    let ending = how.ending.clone();
    let record = store::record_of(&head, &questions, &given.unwrap_or_default(), ending, via, completed_at);
    let record = serde_json::to_string(&record).map_err(|error| unwritable(&error))?;
    if let Some(project) = &row.project
        && let Some(project) = draft.look::<Project>(&Project::key_of(project))?
    {
        outbox::publish(draft, &row.id, &project.root, &record)?;
    }
    row.record = Some(record);
    row.status = how.status;
    row.response.clone_from(&how.response);
    row.selected = how.response.is_some().then(|| Value::from(how.selected.clone()).to_string());
    row.via = Some(via.name().to_owned());
    row.ended = Some(draft.now());
    draft.put(row);
    Ok(())
}
