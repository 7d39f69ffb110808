//! The agents of the pool: what they are able to do, and what they are doing.

use crate::draft::{Draft, iso};
use crate::failure::{Failure, if_readable};
use aide_core::Context;
use aide_core::agent::{self, AgentError, Work};
use aide_core::task::Task;
use journal::{Agent, Query, Workflow};
use protocol::workflow::api::{AgentView, Capability};
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

/// Returns the value of a row.
pub(crate) fn agent_of(row: &Agent) -> agent::Agent {
    let work = row.workflow.clone().map(|workflow| Work {
        session: row.session.clone().unwrap_or_default(),
        workflow,
        task: row.task.clone(),
        since: row.deployed,
    });
    let last_error = row.last_error.clone().zip(row.last_error_at);
    agent::Agent {
        id: row.id.clone(),
        kind: row.kind.clone(),
        capabilities: capabilities_of(row),
        state: row.state,
        status: row.status,
        work,
        deployments: row.deployments,
        errors: row.errors,
        last_error: last_error.map(|(reason, at)| AgentError { reason, at }),
        last_active: row.beat,
    }
}

/// Writes an agent.
pub(crate) fn put(draft: &mut Draft<'_>, row: Agent, agent: agent::Agent) {
    draft.put(row_of(row, agent));
}

/// Returns the row of an agent, whose name, kind and capabilities stay as they are.
fn row_of(row: Agent, agent: agent::Agent) -> Agent {
    let (session, workflow, task, deployed) = match agent.work {
        Some(work) => (Some(work.session), Some(work.workflow), work.task, work.since),
        None => (None, None, None, None),
    };
    let (last_error, last_error_at) = agent.last_error.map(|error| (error.reason, error.at)).unzip();
    Agent {
        state: agent.state,
        status: agent.status,
        session,
        workflow,
        task,
        deployed,
        deployments: agent.deployments,
        errors: agent.errors,
        last_error,
        last_error_at,
        beat: agent.last_active,
        ..row
    }
}

/// The agents of the pool that something can be given to, by name: one whose row is not readable is out of use, and holds up
/// nothing.
pub(crate) fn pool(draft: &Draft<'_>) -> Result<Vec<agent::Agent>, Failure> {
    Ok(draft.find_readable(&Query::agents())?.iter().map(agent_of).collect())
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
    let pool = pool(draft)?;
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
    let pool = pool(draft)?;
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

pub(crate) fn capabilities_of(agent: &Agent) -> Vec<Capability> {
    serde_json::from_str(&agent.capabilities).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::{agent_of, row_of};
    use journal::Agent;
    use protocol::workflow::{AgentState, ResourceStatus};

    #[test]
    fn the_value_of_an_agent_is_the_same_row_again() {
        let row = Agent {
            id: "x".to_owned(),
            name: "X".to_owned(),
            kind: "executor".to_owned(),
            capabilities: r#"[{"type":"code","level":9}]"#.to_owned(),
            state: AgentState::Running,
            status: ResourceStatus::Busy,
            session: Some("s".to_owned()),
            workflow: Some("w".to_owned()),
            task: Some("a".to_owned()),
            deployed: Some(5),
            deployments: 2,
            errors: 1,
            last_error: Some("e".to_owned()),
            last_error_at: Some(3),
            beat: Some(6),
            version: 4,
        };
        // A row that does not say since when is not of 1970.
        for row in [Agent { deployed: None, ..row.clone() }, row] {
            assert_eq!(row_of(row.clone(), agent_of(&row)), row);
        }
    }
}
