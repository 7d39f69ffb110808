//! The workflows that wait for an agent that others use, and the order in which they are given one (contract/workflows §6.1).
//!
//! They stand in a line for each demand, so that those are found which a freed agent can serve without looking at all others.

use super::supply::Supply;
use crate::load::AgentQueue;
use journal::Millis;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How long a workflow waits until it goes before those that are more urgent by one.
const AGEING_INTERVAL: Millis = 5_000;

/// What a workflow waits for: one of these agents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Demand {
    /// The kind of agent.
    pub(crate) kind: String,
    /// The agents of this kind that can do it.
    pub(crate) agents: BTreeSet<String>,
    /// Whether the agent is asked for a phase. Any idle one can be; a task needs one that was given to no other workflow.
    pub(crate) is_phase: bool,
}

impl Demand {
    /// One of these agents is to be asked for a phase.
    pub(crate) fn for_phase(kind: &str, agents: BTreeSet<String>) -> Self {
        Self { kind: kind.to_owned(), agents, is_phase: true }
    }

    /// One of these agents is to do a task.
    pub(crate) fn for_task(kind: &str, agents: BTreeSet<String>) -> Self {
        Self { kind: kind.to_owned(), agents, is_phase: false }
    }
}

/// The workflows that wait.
#[derive(Default)]
pub(super) struct Queue {
    entries: HashMap<String, QueueEntry>,
    /// The workflows with each demand.
    lines: BTreeMap<Demand, Line>,
    /// Counts them.
    counts: Arc<AgentQueue>,
}

/// The workflows with one demand: of each urgency, the one that has waited longest first.
type Line = BTreeMap<i64, BTreeSet<(Millis, String)>>;

/// The place of a workflow in the order in which they are served; the least is the first.
pub(super) type Place = (Reverse<i64>, Millis, String);

struct QueueEntry {
    since: Millis,
    urgency: i64,
    demands: BTreeSet<Demand>,
}

impl Queue {
    /// An empty queue, whose workflows are counted there.
    pub(super) fn counted_by(counts: Arc<AgentQueue>) -> Self {
        Self { counts, ..Self::default() }
    }

    /// A workflow waits for these agents: since before, unless it was given one meanwhile.
    pub(super) fn join(
        &mut self,
        workflow: &str,
        demands: BTreeSet<Demand>,
        urgency: i64,
        now: Millis,
        was_served: bool,
    ) {
        let before = self.entries.get(workflow);
        let since = before.filter(|_| !was_served).map_or(now, |waiting| waiting.since);
        let is_same = |waiting: &QueueEntry| {
            waiting.since == since && waiting.urgency == urgency && waiting.demands == demands
        };
        if before.is_some_and(is_same) {
            return;
        }
        self.leave(workflow);
        for demand in &demands {
            let line = self.lines.entry(demand.clone()).or_default();
            line.entry(urgency).or_default().insert((since, workflow.to_owned()));
        }
        self.counts.add(since, &kinds_of(&demands));
        self.entries.insert(workflow.to_owned(), QueueEntry { since, urgency, demands });
    }

    /// A workflow no longer waits for agents.
    pub(super) fn leave(&mut self, workflow: &str) {
        let Some(QueueEntry { since, urgency, demands }) = self.entries.remove(workflow) else { return };
        self.counts.remove(since, &kinds_of(&demands));
        let place = (since, workflow.to_owned());
        for demand in &demands {
            let Some(line) = self.lines.get_mut(demand) else { continue };
            if let Some(same) = line.get_mut(&urgency) {
                same.remove(&place);
                if same.is_empty() {
                    line.remove(&urgency);
                }
            }
            if line.is_empty() {
                self.lines.remove(demand);
            }
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Since when a workflow waits, if it does.
    pub(super) fn since(&self, workflow: &str) -> Option<Millis> {
        self.entries.get(workflow).map(|waiting| waiting.since)
    }

    /// The place of a workflow, if it waits: the most urgent comes first, with urgency growing every five seconds of waiting;
    /// among equals, the one that has waited longest.
    pub(super) fn place(&self, workflow: &str, now: Millis) -> Option<Place> {
        let QueueEntry { since, urgency, .. } = self.entries.get(workflow)?;
        Some(place(*since, *urgency, workflow, now))
    }

    /// The first workflow that an agent of this supply could serve, but for those that were `tried`.
    pub(super) fn next(&self, supply: &Supply, tried: &BTreeSet<String>, now: Millis) -> Option<Place> {
        let served = self.lines.iter().filter(|(demand, _)| supply.meets(demand));
        // In a line, those of one urgency keep their order however long they wait.
        let first = served.flat_map(|(_, line)| line).filter_map(|(urgency, same)| {
            let (since, workflow) = same.iter().find(|(_, workflow)| !tried.contains(workflow))?;
            Some(place(*since, *urgency, workflow, now))
        });
        let deployed = supply.deployed().filter_map(|(workflow, agent)| {
            let waiting = self.entries.get(workflow).filter(|_| !tried.contains(workflow))?;
            let is_met = |demand: &Demand| demand.agents.contains(agent) && supply.has_room(&demand.kind);
            waiting.demands.iter().any(is_met).then(|| place(waiting.since, waiting.urgency, workflow, now))
        });
        first.chain(deployed).min()
    }
}

/// The kinds of agents of some demands.
fn kinds_of(demands: &BTreeSet<Demand>) -> BTreeSet<String> {
    demands.iter().map(|demand| demand.kind.clone()).collect()
}

fn place(since: Millis, urgency: i64, workflow: &str, now: Millis) -> Place {
    let waited = now.saturating_sub(since).max(0);
    (Reverse(urgency.saturating_add(waited / AGEING_INTERVAL)), since, workflow.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{Demand, Queue};
    use crate::engine::supply::Supply;
    use std::collections::BTreeSet;

    fn named(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn task(agents: &[&str]) -> BTreeSet<Demand> {
        BTreeSet::from([Demand::for_task("executor", named(agents))])
    }

    /// All workflows that this supply could serve, in their order.
    fn order(queue: &Queue, supply: &Supply, now: i64) -> String {
        let (mut tried, mut places) = (BTreeSet::new(), Vec::new());
        while let Some(place) = queue.next(supply, &tried, now) {
            assert_eq!(queue.place(&place.2, now), Some(place.clone()));
            tried.insert(place.2.clone());
            places.push(place);
        }
        assert!(places.is_sorted(), "{places:?}");
        places.into_iter().map(|(_, _, workflow)| workflow).collect()
    }

    #[test]
    fn s6_1_whoever_has_waited_longer_comes_first_and_overtakes_the_more_urgent_in_the_end() {
        let mut queue = Queue::default();
        let supply = Supply::of(&[("x", "executor")]);
        let order = |queue: &Queue, now: i64| order(queue, &supply, now);
        queue.join("c", task(&["x"]), 1, 1_000, false);
        queue.join("b", task(&["x"]), 1, 2_000, false);
        assert_eq!(order(&queue, 3_000), "cb");
        let both = &task(&["x"]) | &BTreeSet::from([Demand::for_phase("reviewer", named(&["r"]))]);
        queue.join("a", both, 2, 3_000, false);
        assert_eq!(order(&queue, 3_000), "acb");
        // Five seconds are worth one step.
        assert_eq!(order(&queue, 5_999), "acb");
        assert_eq!(order(&queue, 6_000), "cab");
        assert_eq!(order(&queue, 7_000), "cba");
        // And worth no less when all have waited for long.
        assert_eq!(order(&queue, 8_000), "acb");
        queue.join("c", task(&["x"]), 1, 9_000, true);
        queue.join("b", task(&["x"]), 1, 9_000, false);
        queue.leave("a");
        assert_eq!(order(&queue, 9_000), "bc");
        assert_eq!((queue.since("b"), queue.since("a")), (Some(2_000), None));
    }

    #[test]
    fn only_those_are_found_that_an_idle_agent_could_serve() {
        let mut queue = Queue::default();
        queue.join("a", task(&["x"]), 1, 1_000, false);
        queue.join("b", task(&["x", "y"]), 1, 2_000, false);
        queue.join("c", BTreeSet::from([Demand::for_phase("reviewer", named(&["r"]))]), 1, 3_000, false);
        let order = |queue: &Queue, supply: &Supply| order(queue, supply, 4_000);
        assert_eq!(order(&queue, &Supply::default()), "");
        assert_eq!(order(&queue, &Supply::of(&[("y", "executor")])), "b");
        assert_eq!(order(&queue, &Supply::of(&[("x", "executor")])), "ab");
        assert_eq!(order(&queue, &Supply::of(&[("r", "reviewer"), ("y", "executor")])), "bc");
        // No more may begin than the limits allow.
        let others: Vec<_> = (0..9).map(|number| number.to_string()).collect();
        let of_others = others.iter().map(|other| (other.as_str(), "executor"));
        let agents: Vec<_> =
            of_others.chain([("r", "reviewer"), ("x", "executor"), ("y", "executor")]).collect();
        let mut supply = Supply::of(&agents);
        // What works already is counted already.
        (0..9).for_each(|_| supply.take("at work", "executor"));
        assert_eq!(order(&queue, &supply), "abc");
        others.iter().for_each(|other| supply.take(other, "executor"));
        assert_eq!(order(&queue, &supply), "");
        // What is given to a workflow does the tasks of that one, and phases of all.
        let mut supply = Supply::of(&[("r", "reviewer"), ("x", "executor"), ("y", "executor")]);
        for agent in ["r", "x", "y"] {
            supply.deploy("b", agent);
        }
        assert_eq!(order(&queue, &supply), "bc");
        queue.leave("b");
        queue.leave("c");
        assert_eq!(order(&queue, &supply), "");
        queue.leave("a");
        assert!(queue.is_empty() && queue.lines.is_empty());
    }

    #[test]
    fn the_workflows_that_wait_are_counted_by_kind_of_agent() {
        let runtime = crate::runtime::Runtime::new(
            std::sync::Arc::new(journal::Sqlite::in_memory(Box::new(|_| {})).unwrap()),
            std::sync::Arc::new(At),
        );
        let mut queue = Queue::counted_by(std::sync::Arc::clone(&runtime.agent_queue));
        let counted = || {
            let listening = protocol::workflow::api::SubscriberLoad { web_socket: 0, sse: 0 };
            let load = runtime.load(journal::Backlog::default(), listening).agent_queue;
            let said = |of: &protocol::workflow::api::Backlog| (of.count, of.oldest_seconds.unwrap_or(-1.0));
            let types: Vec<_> = load.types.iter().map(|(kind, of)| (kind.clone(), said(of))).collect();
            (said(&load.total), types)
        };
        assert_eq!(counted(), ((0, -1.0), vec![]));
        let of = |kind: &str| Demand::for_phase(kind, named(&["x"]));
        queue.join("a", BTreeSet::from([of("executor")]), 1, 1_000, false);
        queue.join("b", BTreeSet::from([of("executor"), of("reviewer")]), 1, 2_000, false);
        // It waits since the first time.
        queue.join("a", BTreeSet::from([of("executor")]), 1, 3_000, false);
        let count = |kind: &str, count, age| (kind.to_owned(), (count, age));
        assert_eq!(counted(), ((2, 9.0), vec![count("executor", 2, 9.0), count("reviewer", 1, 8.0)]));
        queue.leave("a");
        queue.leave("a");
        assert_eq!(counted(), ((1, 8.0), vec![count("executor", 1, 8.0), count("reviewer", 1, 8.0)]));
        queue.join("b", BTreeSet::from([of("reviewer")]), 1, 4_000, true);
        assert_eq!(counted(), ((1, 6.0), vec![count("reviewer", 1, 6.0)]));
        queue.leave("b");
        assert_eq!(counted(), ((0, -1.0), vec![]));
    }

    /// Ten seconds after the beginning.
    struct At;

    impl crate::World for At {
        fn now(&self) -> i64 {
            10_000
        }

        fn random(&self) -> u64 {
            0
        }

        fn local_second(&self, _: i64) -> String {
            String::new()
        }

        fn local_time(&self, _: i64) -> String {
            String::new()
        }
    }
}
