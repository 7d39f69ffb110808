//! Rows of the journal that many need: how they are found, what is refused where they are missing, and what is read in them.

use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use aide_core::Scope;
use journal::{Agent, Query, Session, View, ViewExt as _, Workflow};
use protocol::workflow::{ErrorCode, Refusal, WorkflowState};

pub(crate) fn workflow_missing(id: &str) -> Refusal {
    Refusal::new(ErrorCode::WorkflowNotFound, "Workflow not found").with("workflowId", id)
}

pub(crate) fn workflow(draft: &Draft<'_>, id: &str) -> Result<Workflow, Failure> {
    Ok(draft.row(&Workflow::key_of(id))?.ok_or_else(|| workflow_missing(id))?)
}

pub(crate) fn session_missing() -> Refusal {
    Refusal::new(ErrorCode::SessionNotFound, "Session not found")
}

pub(crate) fn session(draft: &Draft<'_>, id: &str) -> Result<Session, Failure> {
    Ok(draft.row(&Session::key_of(id))?.ok_or_else(|| session_missing().with("sessionId", id))?)
}

pub(crate) fn agent(draft: &Draft<'_>, id: &str) -> Result<Agent, Failure> {
    Ok(draft.row(&Agent::key_of(id))?.ok_or_else(|| aide_core::agent::missing(id))?)
}

/// Returns what an event concerns.
pub(crate) fn scope_of(scope: &Scope) -> EventScope<'_> {
    EventScope {
        session: scope.session.as_deref(),
        workflow: scope.workflow.as_deref(),
        task: scope.task.as_deref(),
        agent: scope.agent.as_deref(),
    }
}

/// Every phase that a workflow can leave.
pub(crate) fn open_states() -> Vec<WorkflowState> {
    let states = WorkflowState::ALL.iter().copied();
    states.filter(|state| !state.is_terminal()).collect()
}

/// How many messages a session has: only its first ones are ever forgotten.
pub(crate) fn message_count(view: &dyn View, session: &str) -> Result<u64, Failure> {
    let last = view.first(Query::messages_of(session))?;
    let first = view.first(Query::messages_from(session))?;
    let count = last.zip(first).map_or(0, |(last, first)| last.no - first.no + 1);
    Ok(u64::try_from(count).unwrap_or_default())
}

pub(crate) fn names(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
