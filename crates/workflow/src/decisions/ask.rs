//! Writes decisions that are asked: the question becomes a set of one item.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::rows;
use aide_core::decision;
use journal::{Decision, Query, ViewExt as _};
use model::SessionId;
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

/// A name for its set of questions that no other decision has.
fn ask_name(draft: &Draft<'_>) -> Result<String, Failure> {
    let second = draft.world().local_second(draft.now());
    let mut name = SessionId::next(&second, None)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    while draft.view().first(Query::asked_as(&name.to_string()))?.is_some() {
        name = SessionId::next(&second, Some(&name))
            .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    }
    Ok(name.to_string())
}
