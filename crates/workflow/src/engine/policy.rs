//! How much is done at a time (contract/workflows §6.1): by all agents, by those of each kind, and by each of them one thing.

use super::Shared;
use super::agenda::waits;
use super::supply::Supply;
use crate::draft::Draft;
use crate::failure::{Failure, if_readable};
use aide_core::agent::Agent;
use journal::Millis;
use std::collections::{BTreeMap, BTreeSet};

/// How many agents may be at work at a time. A task that waits for a person is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrency {
    /// Of all kinds together.
    pub total: usize,
    /// Of those that do tasks, and as many of those that search.
    pub executor: usize,
    /// Of those that understand, route and plan.
    pub orchestrator: usize,
    /// Of those that review.
    pub reviewer: usize,
    /// Of tools.
    pub tool: usize,
    /// Of APIs.
    pub api: usize,
    /// Of databases.
    pub database: usize,
}

impl Default for Concurrency {
    fn default() -> Self {
        Self { total: 5, executor: 3, orchestrator: 1, reviewer: 2, tool: 5, api: 10, database: 3 }
    }
}

impl Concurrency {
    /// How many of this kind.
    pub(crate) fn limit_for(&self, kind: &str) -> usize {
        match kind {
            "orchestrator" => self.orchestrator,
            "reviewer" => self.reviewer,
            "tool" => self.tool,
            "api" => self.api,
            "database" => self.database,
            _ => self.executor,
        }
    }
}

/// How many agents are at work.
#[derive(Debug, Default)]
pub(crate) struct AgentUsage {
    of_kind: BTreeMap<String, usize>,
    all: usize,
}

impl AgentUsage {
    /// Counts the agents that have a task, and those that are `asked` something for a phase, each with its kind. Those that wait
    /// for the user do nothing meanwhile; they are left out if the count `is_exact`, for which more is read.
    pub(crate) fn read(
        draft: &Draft<'_>,
        pool: &[Agent],
        asked: &BTreeMap<String, String>,
        is_exact: bool,
    ) -> Result<Self, Failure> {
        let mut usage = Self::default();
        asked.values().for_each(|kind| usage.add(kind));
        for agent in pool {
            let Some((work, task)) = agent.work.as_ref().and_then(|work| Some((work, work.task.as_ref()?)))
            else {
                continue;
            };
            // An agent whose workflow is not readable counts as one at work: no other workflow is held up by that.
            let is_waiting = is_exact && if_readable(waits(draft, &work.workflow, task))?.unwrap_or(false);
            if !is_waiting {
                usage.add(&agent.kind);
            }
        }
        Ok(usage)
    }

    fn add(&mut self, kind: &str) {
        *self.of_kind.entry(kind.to_owned()).or_default() += 1;
        self.all += 1;
    }

    /// How many more of this kind may begin.
    pub(crate) fn room(&self, limits: &Concurrency, kind: &str) -> usize {
        let used = self.of_kind.get(kind).copied().unwrap_or_default();
        let of_kind = limits.limit_for(kind).saturating_sub(used);
        of_kind.min(self.room_for_all(limits))
    }

    /// How many more may begin of all kinds together.
    pub(crate) fn room_for_all(&self, limits: &Concurrency) -> usize {
        limits.total.saturating_sub(self.all)
    }
}

/// The agent to ask for a phase.
#[derive(Debug)]
pub(crate) enum Pick {
    /// This one, now.
    Agent(String),
    /// One of these, later.
    Busy(BTreeSet<String>),
    /// None has a provider.
    Nothing,
}

/// The running work that limits what a workflow may start.
#[derive(Debug)]
pub(crate) struct Load<'a> {
    /// The agents that are asked something for a phase, each with its kind. Agents with a task are in the journal.
    asked: BTreeMap<String, String>,
    supply: &'a Supply,
    /// Since when the workflow waits for an agent, if it does.
    pub(crate) waits_since: Option<Millis>,
}

impl<'a> Load<'a> {
    /// These agents are asked, each of its kind.
    pub(crate) fn new(
        asked: BTreeMap<String, String>,
        supply: &'a Supply,
        waits_since: Option<Millis>,
    ) -> Self {
        Self { asked, supply, waits_since }
    }

    /// Whether an agent may be given something.
    pub(crate) fn is_free(&self, agent: &str) -> bool {
        self.supply.is_idle(agent) && !self.asked.contains_key(agent)
    }

    /// Whether one more agent of this kind may begin.
    pub(crate) fn has_room(&self, shared: &Shared, draft: &Draft<'_>, kind: &str) -> Result<bool, Failure> {
        let pool = draft.pool()?;
        for is_exact in [false, true] {
            let usage = AgentUsage::read(draft, &pool, &self.asked, is_exact)?;
            if usage.room(&shared.limits.concurrency, kind) > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Picks the agent of this kind to ask: one with a provider and nothing else to do.
    pub(crate) fn pick_agent(&self, shared: &Shared, draft: &Draft<'_>, kind: &str) -> Result<Pick, Failure> {
        let mut meant = draft.pool()?;
        meant.retain(|agent| agent.kind == kind && shared.providers.contains_key(&agent.id));
        if meant.is_empty() {
            return Ok(Pick::Nothing);
        }
        let idle = meant.iter().find(|agent| agent.task().is_none() && self.is_free(&agent.id));
        if let Some(agent) = idle
            && self.has_room(shared, draft, kind)?
        {
            return Ok(Pick::Agent(agent.id.clone()));
        }
        Ok(Pick::Busy(meant.into_iter().map(|agent| agent.id).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::Concurrency;

    #[test]
    fn s6_1_each_kind_has_its_limit() {
        let limits = Concurrency::default();
        let kinds = ["executor", "orchestrator", "reviewer", "tool", "api", "database", "searcher"];
        assert_eq!(kinds.map(|kind| limits.limit_for(kind)), [3, 1, 2, 5, 10, 3, 3]);
    }
}
