//! Requests about the agents of the pool: which there are, and which are deployed.

use crate::agents::{PoolAgent, agent_of, capabilities_of, emit_resource, free, put, view_of};
use crate::failure::{Failure, unwritable};
use crate::rows;
use crate::runtime::{RequestKey, Runtime};
use journal::{Agent, Query, ViewExt as _};
use protocol::workflow::api::{AgentCapabilities, AgentView, Capability};
use protocol::workflow::{AgentState, ErrorCode, Refusal, ResourceStatus};
use serde::Serialize;

/// The answer to allocating or releasing an agent.
#[derive(Serialize)]
struct ResourceAnswer {
    success: bool,
    resource: AgentView,
}

impl Runtime {
    /// Says which agents there are: those that are new come, those that are gone go unless they are used.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn set_pool(&self, agents: &[PoolAgent]) -> Result<(), Failure> {
        self.act(None, |draft| {
            let known = draft.find(&Query::agents())?;
            for agent in agents {
                let capabilities: Vec<Capability> = agent
                    .capabilities
                    .iter()
                    .map(|(kind, level)| Capability { kind: kind.clone(), level: *level })
                    .collect();
                let capabilities =
                    serde_json::to_string(&capabilities).map_err(|error| unwritable(&error))?;
                let kept = known.iter().find(|known| known.id == agent.id).cloned();
                let row = Agent {
                    name: agent.name.clone(),
                    kind: agent.kind.clone(),
                    capabilities,
                    ..kept.clone().unwrap_or_else(|| new(&agent.id))
                };
                if kept.as_ref() != Some(&row) {
                    draft.put(row);
                }
            }
            for gone in known.iter().filter(|known| agents.iter().all(|agent| agent.id != known.id)) {
                if gone.workflow.is_none() {
                    draft.remove(Agent::key_of(&gone.id));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Returns all agents, by name.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn agents(&self) -> Result<Vec<AgentView>, Failure> {
        Ok(self.journal.view()?.find(&Query::agents())?.iter().map(view_of).collect())
    }

    /// Returns what an agent is able to do.
    ///
    /// # Errors
    ///
    /// When there is no such agent, or it cannot be read.
    pub fn capabilities(&self, id: &str) -> Result<AgentCapabilities, Failure> {
        let agent =
            self.journal.view()?.row::<Agent>(&Agent::key_of(id))?.ok_or_else(|| rows::agent_missing(id))?;
        let details = capabilities_of(&agent);
        let capabilities = details.iter().map(|capability| capability.kind.clone()).collect();
        Ok(AgentCapabilities { agent_id: agent.id, capabilities, details })
    }

    /// Gives an agent to a workflow.
    ///
    /// # Errors
    ///
    /// When it is used, or there is no such agent, session or workflow.
    pub fn deploy(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        session: &str,
        workflow: &str,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            rows::session(draft, session)?;
            let mut workflow = rows::workflow(draft, workflow)?;
            if workflow.state.is_terminal() {
                let refusal = Refusal::new(ErrorCode::WorkflowTerminal, "Workflow has ended");
                return Err(refusal.at(workflow.state).into());
            }
            if workflow.session != session {
                return Err(Refusal::invalid("Workflow belongs to another session", "workflowId").into());
            }
            let row = rows::agent(draft, id)?;
            let agent = agent_of(&row);
            if agent.status != ResourceStatus::Available {
                let words = "Resource not available or already deployed";
                let refusal = Refusal::new(ErrorCode::ResourceBusy, words).with("resourceId", id);
                return Err(refusal.with("status", agent.status.name()).into());
            }
            let agent = agent.deployed(session, &workflow.id, draft.now());
            let row = put(draft, row, agent.clone());
            // So that the workflow cannot end meanwhile without freeing the agent.
            workflow.updated = draft.now();
            draft.put(workflow);
            emit_resource(draft, &agent, agent.work.as_ref());
            Ok(ResourceAnswer { success: true, resource: view_of(&row) })
        })
    }

    /// Takes an agent back.
    ///
    /// # Errors
    ///
    /// When there is no such agent.
    pub fn release(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let row = rows::agent(draft, id)?;
            let row = free(draft, row);
            Ok(ResourceAnswer { success: true, resource: view_of(&row) })
        })
    }
}

fn new(id: &str) -> Agent {
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
