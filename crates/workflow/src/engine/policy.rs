//! How much is done at a time (`finger.md` §6.1): by all agents, by those of each kind, and by each of them one thing.

use super::Shared;
use super::agenda::waits;
use crate::agents;
use crate::draft::Draft;
use crate::failure::Failure;
use journal::Find;
use std::collections::BTreeMap;

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
    pub(crate) fn of(&self, kind: &str) -> usize {
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

/// There is no room for more just now.
#[derive(Debug)]
pub(crate) struct Full;

/// The agents that are asked something for a phase, each with its kind. Those that have a task stand in the journal.
#[derive(Debug, Default)]
pub(crate) struct Load(BTreeMap<String, String>);

impl Load {
    /// An agent of this kind is asked.
    pub(crate) fn add(&mut self, agent: &str, kind: &str) {
        self.0.insert(agent.to_owned(), kind.to_owned());
    }

    /// Whether an agent is not asked anything.
    pub(crate) fn is_free(&self, agent: &str) -> bool {
        !self.0.contains_key(agent)
    }

    /// Whether one more agent of this kind may begin.
    pub(crate) fn has_room(&self, shared: &Shared, draft: &Draft<'_>, kind: &str) -> Result<bool, Failure> {
        let limits = &shared.pace.concurrency;
        let busy = agents::at_work(draft)?;
        let asked = self.0.values().filter(|asked| *asked == kind).count();
        let (of_kind, all): (usize, usize) =
            (asked + busy.iter().filter(|agent| agent.kind == kind).count(), self.0.len() + busy.len());
        if of_kind < limits.of(kind) && all < limits.total {
            return Ok(true);
        }
        // Whoever waits for a person does nothing meanwhile.
        let (mut of_kind, mut all) = (of_kind, all);
        for agent in &busy {
            if let (Some(workflow), Some(task)) = (&agent.workflow, &agent.task)
                && waits(draft, workflow, task)?
            {
                all -= 1;
                of_kind -= usize::from(agent.kind == kind);
            }
        }
        Ok(of_kind < limits.of(kind) && all < limits.total)
    }

    /// The agent of this kind that is asked, of those that somebody answers for and that have nothing else to do; `None` if
    /// nobody answers for any.
    pub(crate) fn pick_agent(
        &self,
        shared: &Shared,
        draft: &Draft<'_>,
        kind: &str,
    ) -> Result<Result<Option<String>, Full>, Failure> {
        let agents = draft.find(&Find::agents())?;
        let mut meant = agents
            .into_iter()
            .filter(|agent| agent.kind == kind && shared.providers.contains_key(&agent.id))
            .peekable();
        if meant.peek().is_none() {
            return Ok(Ok(None));
        }
        let Some(agent) = meant.find(|agent| agent.task.is_none() && self.is_free(&agent.id)) else {
            return Ok(Err(Full));
        };
        Ok(match self.has_room(shared, draft, kind)? {
            true => Ok(Some(agent.id)),
            false => Err(Full),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Concurrency;

    #[test]
    fn s6_1_each_kind_has_its_limit() {
        let limits = Concurrency::default();
        let kinds = ["executor", "orchestrator", "reviewer", "tool", "api", "database", "searcher"];
        assert_eq!(kinds.map(|kind| limits.of(kind)), [3, 1, 2, 5, 10, 3, 3]);
    }
}
