//! The agents that may begin something at a moment.

use super::policy::AgentUsage;
use super::queue::Demand;
use super::{Concurrency, Shared};
use crate::draft::Draft;
use crate::failure::Failure;
use std::collections::{BTreeMap, BTreeSet};

/// The agents that may begin something: those that were idle when a pass over the workflows began and have been given nothing
/// since. An agent that is freed meanwhile is for the workflow that has waited longest, which may have been looked at already.
#[derive(Debug, Clone, Default)]
pub(crate) struct Supply {
    /// The agents that have no task and are asked nothing.
    idle: BTreeSet<String>,
    /// Those of them that may be given a task of any workflow.
    free: BTreeSet<String>,
    /// Those of them that were given to a workflow, for its tasks: the workflow and the agent.
    deployed: BTreeSet<(String, String)>,
    /// How many more agents of each kind may begin.
    rooms: BTreeMap<String, usize>,
    /// How many more may begin of all kinds together.
    room_for_all: usize,
}

impl Supply {
    /// Reads the agents that may begin something while those that are `asked`, each with its kind, are not idle.
    pub(crate) fn read(
        shared: &Shared,
        draft: &Draft<'_>,
        asked: &BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let limits = &shared.limits.concurrency;
        let pool = draft.pool()?;
        let mut supply = Self::default();
        for agent in pool.iter().filter(|agent| agent.task().is_none() && !asked.contains_key(&agent.id)) {
            supply.idle.insert(agent.id.clone());
            match &agent.work {
                _ if agent.is_free() => drop(supply.free.insert(agent.id.clone())),
                Some(work) if agent.is_free_for(&work.workflow) => {
                    supply.deployed.insert((work.workflow.clone(), agent.id.clone()));
                }
                _ => {}
            }
        }
        let kinds: BTreeSet<&String> = pool.iter().map(|agent| &agent.kind).collect();
        let usage = AgentUsage::read(draft, &pool, asked, false)?;
        let is_full = kinds.iter().any(|kind| usage.room(limits, kind) == 0);
        let usage = if is_full { AgentUsage::read(draft, &pool, asked, true)? } else { usage };
        supply.set_rooms(limits, &usage, kinds.into_iter().map(String::as_str));
        Ok(supply)
    }

    fn set_rooms<'k>(
        &mut self,
        limits: &Concurrency,
        usage: &AgentUsage,
        kinds: impl Iterator<Item = &'k str>,
    ) {
        self.rooms = kinds.map(|kind| (kind.to_owned(), usage.room(limits, kind))).collect();
        self.room_for_all = usage.room_for_all(limits);
    }

    /// Whether an agent is idle.
    pub(crate) fn is_idle(&self, agent: &str) -> bool {
        self.idle.contains(agent)
    }

    /// The agents that were given to workflows, each behind its workflow.
    pub(crate) fn deployed(&self) -> impl Iterator<Item = &(String, String)> {
        self.deployed.iter()
    }

    /// Whether one more agent of this kind may begin.
    pub(crate) fn has_room(&self, kind: &str) -> bool {
        self.room_for_all > 0 && self.rooms.get(kind).is_some_and(|room| *room > 0)
    }

    /// Whether any workflow with this demand could be served.
    pub(crate) fn meets(&self, demand: &Demand) -> bool {
        let able = if demand.is_phase { &self.idle } else { &self.free };
        self.has_room(&demand.kind) && demand.agents.iter().any(|agent| able.contains(agent))
    }

    /// An agent of this kind begins something. One that was not idle is counted already.
    pub(crate) fn take(&mut self, agent: &str, kind: &str) {
        if !self.idle.remove(agent) {
            return;
        }
        self.free.remove(agent);
        self.deployed.retain(|(_, deployed)| deployed != agent);
        self.room_for_all = self.room_for_all.saturating_sub(1);
        if let Some(room) = self.rooms.get_mut(kind) {
            *room = room.saturating_sub(1);
        }
    }

    /// Whether it may serve a workflow that `before` could not.
    pub(crate) fn exceeds(&self, before: &Self) -> bool {
        !self.idle.is_subset(&before.idle)
            || !self.free.is_subset(&before.free)
            || !self.deployed.is_subset(&before.deployed)
            || self.rooms.keys().any(|kind| self.has_room(kind) && !before.has_room(kind))
    }
}

#[cfg(test)]
impl Supply {
    /// These agents are idle, and any number of their kinds may begin.
    pub(crate) fn of(agents: &[(&str, &str)]) -> Self {
        let idle: BTreeSet<String> = agents.iter().map(|(agent, _)| (*agent).to_owned()).collect();
        let rooms = agents.iter().map(|(_, kind)| ((*kind).to_owned(), 9)).collect();
        Self { free: idle.clone(), idle, deployed: BTreeSet::new(), rooms, room_for_all: 9 }
    }

    /// This agent was given to a workflow.
    pub(crate) fn deploy(&mut self, workflow: &str, agent: &str) {
        self.free.remove(agent);
        self.deployed.insert((workflow.to_owned(), agent.to_owned()));
    }
}
