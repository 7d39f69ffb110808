//! What a workflow waits for besides the user: busy agents, and the next attempt at a phase that has failed.
//!
//! Only the engine knows that, so it writes the kinds of agents into the context of the workflow once it has waited for a moment,
//! and emits an event; the view looks up which workflows use such agents.

use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::{aggregate, checkpoints};
use aide_core::Context;
use journal::{Millis, Query, ViewExt as _, Workflow};
use protocol::workflow::{WaitingFor, WorkflowState};
use std::collections::BTreeSet;

/// How long a workflow waits before the event is sent: most workflows get an agent at once.
pub(crate) const TOLD_AFTER: Millis = 1_000;

/// Records the kinds of agents that a workflow has waited for since `since`, and emits an event if they have changed. Returns
/// when that is to be done if it is too early now.
pub(crate) fn note(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    kinds: &BTreeSet<String>,
    since: Option<Millis>,
) -> Result<Option<Millis>, Failure> {
    let mut context = Context::read(&workflow.context);
    let known = context.waiting_for();
    if known == *kinds {
        return Ok(None);
    }
    let due = since.unwrap_or(draft.now()).saturating_add(TOLD_AFTER);
    if !kinds.is_empty() && due > draft.now() {
        return Ok(Some(due));
    }
    context.set_waiting_for(kinds);
    workflow.context = context.into_json();
    draft.put(workflow.clone());
    if !kinds.is_empty() {
        let waiting_for = waiting_for(draft, workflow)?;
        let told = aggregate::update(draft, workflow)?;
        draft
            .emit(EventScope::workflow(workflow), protocol::workflow::WorkflowUpdate { waiting_for, ..told });
    }
    Ok(None)
}

/// What a workflow waits for; `None` when that is nothing.
pub(crate) fn waiting_for(
    draft: &Draft<'_>,
    workflow: &Workflow,
) -> Result<Option<Vec<WaitingFor>>, Failure> {
    let context = Context::read(&workflow.context);
    let kinds = context.waiting_for();
    let retry = retry(workflow, &context, draft.now());
    let is_held = workflow.state.is_terminal() || workflow.state == WorkflowState::Paused;
    if is_held || kinds.is_empty() && retry.is_none() {
        return Ok(None);
    }
    let agents = if kinds.is_empty() { Vec::new() } else { draft.view().find_readable(&Query::agents())? };
    let waiting = kinds.into_iter().map(|kind| {
        let used =
            agents.iter().filter(|agent| agent.kind == kind).filter_map(|agent| agent.workflow.clone());
        let used: BTreeSet<String> = used.filter(|user| *user != workflow.id).collect();
        WaitingFor {
            kind: "agent".to_owned(),
            agent_type: Some(kind),
            used_by: (!used.is_empty()).then(|| used.into_iter().collect()),
            ..WaitingFor::default()
        }
    });
    Ok(Some(retry.into_iter().chain(waiting).collect()))
}

/// The next attempt at its phase, if it waits for that.
fn retry(workflow: &Workflow, context: &Context, now: Millis) -> Option<WaitingFor> {
    let begins_at = workflow.wake_at.filter(|at| workflow.failures > 0 && *at > now)?;
    Some(WaitingFor {
        kind: "retry".to_owned(),
        phase: Some(workflow.state),
        attempt: u64::try_from(workflow.failures).ok(),
        error: Some(context.phase_failure()?.to_owned()),
        retry_at: Some(iso(begins_at)),
        ..WaitingFor::default()
    })
}

impl Runtime {
    /// The provider that a workflow waits for if no agent has one: unless a client drives it, nothing happens. A workflow that
    /// the user must answer or resume waits for that first.
    pub(crate) fn lacked_provider(&self, workflow: &Workflow, is_asked: bool) -> Option<Vec<WaitingFor>> {
        let is_begun = workflow.state == WorkflowState::SemanticUnderstanding;
        let is_first = self.answered.is_empty() && !is_asked && !checkpoints::is_interrupted(workflow);
        let provider = || WaitingFor { kind: "provider".to_owned(), ..WaitingFor::default() };
        (is_begun && is_first).then(|| vec![provider()])
    }
}
