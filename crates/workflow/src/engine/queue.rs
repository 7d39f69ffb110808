//! The workflows that wait for an agent that others use, and the order in which they are given one (contract/workflows §6.1).

use journal::Millis;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How long a workflow waits until it goes before those that are more urgent by one.
const AGEING_INTERVAL: Millis = 5_000;

/// The workflows that wait.
#[derive(Default)]
pub(super) struct Queue(BTreeMap<String, QueueEntry>);

struct QueueEntry {
    since: Millis,
    urgency: i64,
    kinds: BTreeSet<String>,
}

impl Queue {
    /// A workflow waits for agents of these kinds: since before, unless it was given one meanwhile.
    pub(super) fn join(
        &mut self,
        workflow: &str,
        kinds: BTreeSet<String>,
        urgency: i64,
        now: Millis,
        was_served: bool,
    ) {
        let since = self.0.get(workflow).filter(|_| !was_served).map_or(now, |waiting| waiting.since);
        self.0.insert(workflow.to_owned(), QueueEntry { since, urgency, kinds });
    }

    /// A workflow no longer waits for agents.
    pub(super) fn leave(&mut self, workflow: &str) {
        self.0.remove(workflow);
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Since when a workflow waits, if it does.
    pub(super) fn since(&self, workflow: &str) -> Option<Millis> {
        self.0.get(workflow).map(|waiting| waiting.since)
    }

    /// Whether a workflow waits.
    pub(super) fn has(&self, workflow: &str) -> bool {
        self.0.contains_key(workflow)
    }

    /// All that wait.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Whether a workflow waits only for these kinds of agents.
    pub(super) fn waits_only_for(&self, workflow: &str, kinds: &BTreeSet<String>) -> bool {
        self.0.get(workflow).is_some_and(|waiting| waiting.kinds.is_subset(kinds))
    }

    /// Returns these workflows in the order in which they are given agents: the most urgent first, with urgency growing every
    /// five seconds of waiting; among equals, the one that has waited longest. Workflows that have not waited come last.
    pub(super) fn in_order(&self, workflows: BTreeSet<String>, now: Millis) -> Vec<String> {
        let mut workflows: Vec<String> = workflows.into_iter().collect();
        workflows.sort_by_cached_key(|id| match self.0.get(id) {
            Some(QueueEntry { since, urgency, .. }) => {
                let waited = now.saturating_sub(*since).max(0);
                (false, Reverse(urgency.saturating_add(waited / AGEING_INTERVAL)), *since)
            }
            None => (true, Reverse(0), now),
        });
        workflows
    }

    /// The kinds of agents that a task waits for.
    pub(super) fn kinds(&self) -> BTreeSet<String> {
        self.0.values().flat_map(|waiting| waiting.kinds.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;
    use std::collections::BTreeSet;

    fn named(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn order(queue: &Queue, now: i64) -> String {
        queue.in_order(named(&["a", "b", "c", "d"]), now).concat()
    }

    #[test]
    fn s6_1_whoever_has_waited_longer_comes_first_and_overtakes_the_more_urgent_in_the_end() {
        let mut queue = Queue::default();
        queue.join("c", named(&["executor"]), 1, 1_000, false);
        queue.join("b", named(&["executor"]), 1, 2_000, false);
        assert_eq!(order(&queue, 3_000), "cbad");
        queue.join("a", named(&["executor", "reviewer"]), 2, 3_000, false);
        assert_eq!(order(&queue, 3_000), "acbd");
        // Five seconds are worth one step.
        assert_eq!(order(&queue, 5_999), "acbd");
        assert_eq!(order(&queue, 6_000), "cabd");
        assert_eq!(order(&queue, 7_000), "cbad");
        // And worth no less when all have waited for long.
        assert_eq!(order(&queue, 8_000), "acbd");
        queue.join("c", named(&["executor"]), 1, 9_000, true);
        queue.join("b", named(&["executor"]), 1, 9_000, false);
        queue.leave("a");
        assert_eq!(order(&queue, 9_000), "bcad");
    }

    #[test]
    fn it_is_known_for_what_everybody_waits() {
        let mut queue = Queue::default();
        queue.join("b", named(&["executor"]), 1, 1_000, false);
        queue.join("a", named(&["reviewer"]), 1, 2_000, false);
        assert_eq!(queue.kinds(), named(&["executor", "reviewer"]));
        assert!(queue.waits_only_for("b", &named(&["executor"])));
        assert!(!queue.waits_only_for("a", &named(&["executor"])) && !queue.waits_only_for("c", &named(&[])));
    }
}
