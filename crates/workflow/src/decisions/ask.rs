//! Writes decisions that are asked: the question becomes a set of one item.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::rows;
use aide_core::decision;
use journal::{Decision, Query, ViewExt as _};
use model::{SessionId, SessionIdError};
use protocol::workflow::{ErrorCode, Refusal};

/// Writes a decision that is asked.
pub(crate) fn put_asked(draft: &mut Draft<'_>, decision: &decision::Decision) -> Result<(), Failure> {
    let decision = decision.clone();
    let multiple = decision.item()?.multiple;
    let project = match &decision.session {
        Some(session) => rows::session(draft, session)?.project,
        None => None,
    };
    let ask = ask_name(draft)?;
    draft.put(Decision {
        id: decision.id,
        workflow: decision.workflow,
        session: decision.session,
        task: decision.task,
        agent: decision.agent,
        project,
        ask,
        questions: decision.questions,
        multiple,
        fallback: decision.fallback,
        status: decision.status,
        draft: None,
        record: None,
        response: None,
        selected: None,
        via: None,
        created: decision.created,
        expires: decision.expires,
        ended: None,
        version: 0,
    });
    Ok(())
}

/// The first name for its set of questions that no other decision has. The decision that was asked last has the last name of its
/// second, so that one question is enough, however many have been asked; only where several were asked at that moment, the name is
/// searched, in steps that double.
fn ask_name(draft: &Draft<'_>) -> Result<String, Failure> {
    let unnamable = |error: SessionIdError| Refusal::new(ErrorCode::InternalError, error.to_string());
    let is_free = |name: &SessionId| {
        Ok::<_, Failure>(draft.view().first(Query::asked_as(&name.to_string()))?.is_none())
    };
    let second = draft.world().local_second(draft.now());
    let first = SessionId::next(&second, None).map_err(unnamable)?;
    let last = draft.view().first(Query::last_asked())?.and_then(|last| last.ask.parse::<SessionId>().ok());
    let last = last.filter(|last| last.second() == first.second());
    let mut free = last.map_or(first, |last| last.later(1));
    if is_free(&free)? {
        return Ok(free.to_string());
    }
    let (mut taken, mut between) = (free, 1_u32);
    free = taken.later(between);
    while !is_free(&free)? {
        taken = free;
        between = between.saturating_mul(2);
        free = taken.later(between);
    }
    while between > 1 {
        let half = between / 2;
        let middle = taken.later(half);
        if is_free(&middle)? {
            (free, between) = (middle, half);
        } else {
            (taken, between) = (middle, between - half);
        }
    }
    Ok(free.to_string())
}
