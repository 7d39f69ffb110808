//! Requests about the agents of the pool: which there are, and which are deployed.

use crate::agent_row::{capabilities_of, new_row};
use crate::agents::{PoolAgent, view_of};
use crate::aggregate::carry_out;
use crate::draft::Draft;
use crate::failure::{Failure, unwritable};
use crate::lists::{self, ListKey, ListRange};
use crate::rows;
use crate::runtime::{RequestKey, Runtime};
use aide_core::{Command, agent};
use journal::{Agent, Query, ViewExt as _};
use protocol::workflow::api::{AgentCapabilities, AgentView, Capability};
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
                    ..kept.clone().unwrap_or_else(|| new_row(&agent.id))
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

    /// Returns a part of the agents, by name, and the cursor of what comes behind it: of the list of this name, which has the
    /// agents that `is_sought` says.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn part_of_agents(
        &self,
        list: &str,
        range: &ListRange,
        is_sought: impl Fn(&AgentView) -> bool,
    ) -> Result<(Vec<AgentView>, Option<String>), Failure> {
        let agents = self.agents()?.into_iter().filter(is_sought);
        lists::part(&ListKey::new(list, &[]), agents.map(|agent| (agent.id.clone(), agent)).collect(), range)
    }

    /// Returns what an agent is able to do.
    ///
    /// # Errors
    ///
    /// When there is no such agent, or it cannot be read.
    pub fn capabilities(&self, id: &str) -> Result<AgentCapabilities, Failure> {
        let agent =
            self.journal.view()?.row::<Agent>(&Agent::key_of(id))?.ok_or_else(|| agent::missing(id))?;
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
            let (agent, session) = (id.to_owned(), session.to_owned());
            carry_out(draft, &mut workflow, Command::Deploy { agent, session })?;
            answer(draft, id)
        })
    }

    /// Takes an agent back.
    ///
    /// # Errors
    ///
    /// When there is no such agent.
    pub fn release(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            if let Some(workflow) = rows::agent(draft, id)?.workflow {
                let mut workflow = rows::workflow(draft, &workflow)?;
                carry_out(draft, &mut workflow, Command::Release { agent: id.to_owned() })?;
            }
            answer(draft, id)
        })
    }
}

fn answer(draft: &Draft<'_>, id: &str) -> Result<ResourceAnswer, Failure> {
    Ok(ResourceAnswer { success: true, resource: view_of(&rows::agent(draft, id)?) })
}
