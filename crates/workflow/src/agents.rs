//! The agents of the pool: what they are able to do, and what they are doing.

use crate::agent_row::{capabilities_of, row_of};
use crate::draft::{Draft, iso};
use crate::failure::{Failure, if_readable};
use aide_core::Context;
use aide_core::agent;
use aide_core::task::Task;
use journal::{Agent, Workflow};
use protocol::workflow::api::AgentView;
use std::collections::BTreeSet;

/// An agent to be added to the pool.
#[derive(Debug, Clone)]
pub struct PoolAgent {
    /// Its name.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What kind of agent: `executor`, `orchestrator`, `reviewer`, `searcher`, `tool`, `api` or `database`.
    pub kind: String,
    /// What it is able to do, and how well, from 1 to 10.
    pub capabilities: Vec<(String, u64)>,
}

impl PoolAgent {
    /// The agents that there are unless a person says otherwise.
    pub fn usual() -> Vec<Self> {
        let agent = |id: &str, name: &str, kind: &str, capabilities: &[(&str, u64)]| Self {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            capabilities: capabilities.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect(),
        };
        vec![
            agent(
                "orchestrator-default",
                "Default Orchestrator",
                "orchestrator",
                &[("planning", 8), ("coordination", 9)],
            ),
            agent(
                "executor-general",
                "General Executor",
                "executor",
                &[("web_search", 8), ("file_ops", 9), ("shell_exec", 7)],
            ),
            agent(
                "executor-research",
                "Research Executor",
                "executor",
                &[("web_search", 10), ("data_analysis", 8), ("report_generation", 9)],
            ),
            agent(
                "executor-coding",
                "Coding Executor",
                "executor",
                &[("code_generation", 9), ("file_ops", 10), ("shell_exec", 8)],
            ),
            agent(
                "reviewer-default",
                "Default Reviewer",
                "reviewer",
                &[("code_review", 8), ("quality_check", 9)],
            ),
        ]
    }
}

/// Writes an agent.
pub(crate) fn put(draft: &mut Draft<'_>, row: Agent, agent: agent::Agent) {
    draft.put(row_of(row, agent));
}

/// Whether an agent can do a task.
pub(crate) enum Availability {
    /// This one, now.
    Free(Box<agent::Agent>),
    /// An agent can, later.
    Busy,
    /// No agent can.
    Unavailable,
}

/// Finds an agent for a task: `is_eligible` gets an agent and the required capabilities.
pub(crate) fn find_available(
    draft: &Draft<'_>,
    workflow: &Workflow,
    task: &Task,
    is_eligible: impl Fn(&agent::Agent, &[String]) -> bool,
    is_idle: impl Fn(&agent::Agent) -> bool,
) -> Result<Availability, Failure> {
    let pool = draft.pool()?;
    Ok(match agent::find_available(&pool, &workflow.id, task, is_eligible, is_idle) {
        agent::Availability::Free(agent) => Availability::Free(Box::new(agent.clone())),
        agent::Availability::Busy => Availability::Busy,
        agent::Availability::Unavailable => Availability::Unavailable,
    })
}

/// Returns the agents that can do a task, now or later: `is_eligible` gets an agent and the required capabilities.
pub(crate) fn capable(
    draft: &Draft<'_>,
    task: &Task,
    is_eligible: impl Fn(&agent::Agent, &[String]) -> bool,
) -> Result<BTreeSet<String>, Failure> {
    let pool = draft.pool()?;
    let capable = agent::capable_agents(&pool, task, is_eligible);
    Ok(capable.into_iter().map(|agent| agent.id.clone()).collect())
}

/// Returns the agents that do nothing else until this one has done its task, each because it waits for the one before.
pub(crate) fn held_up_by(draft: &Draft<'_>, agent: &str) -> Result<Vec<String>, Failure> {
    let mut chain = vec![agent.to_owned()];
    while let Some(next) = chain.last().map(|last| waits_for(draft, last)).transpose()?.flatten()
        && !chain.contains(&next)
    {
        chain.push(next);
    }
    Ok(chain.split_off(1))
}

/// The agent that does nothing else until this one has done its task, if any; an agent without a task holds up none.
fn waits_for(draft: &Draft<'_>, agent: &str) -> Result<Option<String>, Failure> {
    let row = draft.look::<Agent>(&Agent::key_of(agent))?;
    let Some(workflow) = row.filter(|agent| agent.task.is_some()).and_then(|agent| agent.workflow) else {
        return Ok(None);
    };
    // Another workflow that is not readable must not hold up the one that asks.
    let workflow = if_readable(draft.look::<Workflow>(&Workflow::key_of(&workflow)))?.flatten();
    let context = workflow.as_ref().map(|workflow| Context::read(&workflow.context)).unwrap_or_default();
    Ok(context.stage_awaited_by().map(str::to_owned))
}

pub(crate) fn view_of(agent: &Agent) -> AgentView {
    AgentView {
        id: agent.id.clone(),
        kind: agent.kind.clone(),
        name: agent.name.clone(),
        status: agent.status.name().to_owned(),
        fsm_state: agent.state,
        capabilities: capabilities_of(agent).into_iter().map(|capability| capability.kind).collect(),
        session_id: agent.session.clone(),
        workflow_id: agent.workflow.clone(),
        task_id: agent.task.clone(),
        deployed_at: agent.deployed.map(iso),
        total_deployments: u64::try_from(agent.deployments).unwrap_or_default(),
        error_count: u64::try_from(agent.errors).unwrap_or_default(),
        last_error_reason: agent.last_error.clone(),
        last_error_at: agent.last_error_at.map(iso),
    }
}
