//! How much is done at a time (contract/workflows §6.1): by all agents, by those of each kind, and by each of them one thing.

use super::Shared;
use super::agenda::waits;
use crate::agents;
use crate::draft::Draft;
use crate::failure::Failure;
use journal::{Millis, Query};
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

/// Why there is no room for more just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CapacityLimit {
    /// As many are at work as may be.
    ForAll,
    /// Others have waited for them.
    ForOne,
}

/// The agents that are left during a pass over the workflows that assigns them.
#[derive(Debug, Default)]
pub(crate) struct AgentCapacity {
    /// The agents that were idle when this pass began and have been given nothing since. An agent freed meanwhile is for those
    /// who have waited longest, and they may have been looked at already.
    pub(crate) idle: BTreeSet<String>,
    /// The kinds of agents at their limit.
    pub(crate) full: BTreeSet<String>,
    /// The kinds of agents that are for others.
    pub(crate) reserved: BTreeSet<String>,
}

/// The running work that limits what a workflow may start.
#[derive(Debug)]
pub(crate) struct Load<'a> {
    /// The agents that are asked something for a phase, each with its kind. Agents with a task are in the journal.
    asked: BTreeMap<String, String>,
    room: &'a AgentCapacity,
    /// Since when the workflow waits for an agent, if it does.
    pub(crate) waits_since: Option<Millis>,
}

impl<'a> Load<'a> {
    /// Nothing runs, and there is this room.
    pub(crate) fn new(room: &'a AgentCapacity) -> Self {
        Self { asked: BTreeMap::new(), room, waits_since: None }
    }

    /// An agent of this kind is asked.
    pub(crate) fn add(&mut self, agent: &str, kind: &str) {
        self.asked.insert(agent.to_owned(), kind.to_owned());
    }

    /// Whether an agent may be given something.
    pub(crate) fn is_free(&self, agent: &str) -> bool {
        self.room.idle.contains(agent) && !self.asked.contains_key(agent)
    }

    /// Whether one more agent of this kind may begin; why not, otherwise.
    pub(crate) fn room(
        &self,
        shared: &Shared,
        draft: &Draft<'_>,
        kind: &str,
    ) -> Result<Result<(), CapacityLimit>, Failure> {
        if self.room.reserved.contains(kind) {
            return Ok(Err(CapacityLimit::ForOne));
        }
        let limits = &shared.limits.concurrency;
        let busy = agents::at_work(draft)?;
        let asked = self.asked.values().filter(|asked| *asked == kind).count();
        let (of_kind, all): (usize, usize) =
            (asked + busy.iter().filter(|agent| agent.kind == kind).count(), self.asked.len() + busy.len());
        if of_kind < limits.limit_for(kind) && all < limits.total {
            return Ok(Ok(()));
        }
        // An agent that waits for the user does nothing meanwhile.
        let (mut of_kind, mut all) = (of_kind, all);
        for agent in &busy {
            if let Some(work) = &agent.work
                && let Some(task) = &work.task
                && waits(draft, &work.workflow, task)?
            {
                all -= 1;
                of_kind -= usize::from(agent.kind == kind);
            }
        }
        let has_room = of_kind < limits.limit_for(kind) && all < limits.total;
        Ok(if has_room { Ok(()) } else { Err(CapacityLimit::ForAll) })
    }

    /// Picks the agent of this kind to ask: one with a provider and nothing else to do; `None` if none has a provider.
    pub(crate) fn pick_agent(
        &self,
        shared: &Shared,
        draft: &Draft<'_>,
        kind: &str,
    ) -> Result<Result<Option<String>, CapacityLimit>, Failure> {
        let agents = draft.find(&Query::agents())?;
        let mut meant = agents
            .into_iter()
            .filter(|agent| agent.kind == kind && shared.providers.contains_key(&agent.id))
            .peekable();
        if meant.peek().is_none() {
            return Ok(Ok(None));
        }
        let Some(agent) = meant.find(|agent| agent.task.is_none() && self.is_free(&agent.id)) else {
            return Ok(Err(CapacityLimit::ForAll));
        };
        Ok(self.room(shared, draft, kind)?.map(|()| Some(agent.id)))
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
