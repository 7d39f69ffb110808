//! The row of an agent of the pool, and the value that it holds.

use aide_core::agent::{self, AgentError, Work};
use journal::Agent;
use protocol::workflow::api::Capability;
use protocol::workflow::{AgentState, ResourceStatus};

/// Returns the row of an agent that comes into the pool, of which only the name is known.
pub(crate) fn new_row(id: &str) -> Agent {
    Agent {
        id: id.to_owned(),
        name: String::new(),
        kind: String::new(),
        capabilities: "[]".to_owned(),
        state: AgentState::Idle,
        status: ResourceStatus::Available,
        session: None,
        workflow: None,
        task: None,
        deployed: None,
        deployments: 0,
        errors: 0,
        last_error: None,
        last_error_at: None,
        beat: None,
        version: 0,
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

/// Returns the row of an agent, whose name, kind and capabilities stay as they are.
pub(crate) fn row_of(row: Agent, agent: agent::Agent) -> Agent {
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

/// Returns what an agent is able to do.
pub(crate) fn capabilities_of(agent: &Agent) -> Vec<Capability> {
    serde_json::from_str(&agent.capabilities).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

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
