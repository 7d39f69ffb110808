//! Which of the messages that wait are looked at again, when there are more of them than one tick may look at.

use std::collections::BTreeMap;

/// Whose turn it is. Where all fit into one tick, that is their order; where they do not, each comes before any comes again.
#[derive(Debug, Default)]
pub(super) struct Rota {
    /// The one that was looked at last.
    last: Option<String>,
    /// When something happens to those that wait, in seconds since 1970, even if nothing comes.
    due: BTreeMap<String, i64>,
    /// How many are still to be looked at since something changed for all of them.
    left: usize,
    /// Something has changed for all of them since they were counted.
    is_changed: bool,
}

impl Rota {
    /// Something has changed for all of them: each is looked at soon.
    pub(super) fn change(&mut self) {
        self.is_changed = true;
    }

    /// Returns the order in which `names`, which are in order, have their turn now. Those whose time is up come first, unless
    /// all have one in a tick of `budget`.
    pub(super) fn turns(&mut self, names: &[String], budget: usize, now: i64) -> Vec<String> {
        if std::mem::take(&mut self.is_changed) {
            self.left = names.len();
        }
        self.left = self.left.min(names.len());
        self.due.retain(|name, _| names.binary_search(name).is_ok());
        if names.len() <= budget {
            return names.to_vec();
        }
        let is_due = |name: &&String| self.due.get(*name).is_some_and(|due| *due <= now);
        let start = self.last.as_ref().map_or(0, |last| names.partition_point(|name| name <= last));
        let ring = names[start..].iter().chain(&names[..start]);
        names.iter().filter(is_due).chain(ring.filter(|name| !is_due(name))).cloned().collect()
    }

    /// One has had its turn; `due` says when something happens to it, if it waits.
    pub(super) fn had(&mut self, name: &str, due: Option<i64>, now: i64) {
        let was_due = self.due.remove(name).is_some_and(|due| due <= now);
        self.left = self.left.saturating_sub(1);
        // One that was preferred says nothing about the others' turns.
        if !was_due {
            self.last = Some(name.to_owned());
        }
        if let Some(due) = due {
            self.due.insert(name.to_owned(), due);
        }
    }

    /// Whether some have had no turn since something changed for them.
    pub(super) fn is_behind(&self) -> bool {
        self.left > 0 || self.is_changed
    }

    /// When the next thing happens by itself, in seconds since 1970.
    pub(super) fn next(&self) -> Option<i64> {
        self.due.values().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Rota;
    use std::collections::BTreeSet;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{number:02}")).collect()
    }

    #[test]
    fn s6_2_those_that_fit_into_a_tick_have_their_order() {
        let mut rota = Rota::default();
        for _ in 0..3 {
            let turns = rota.turns(&names(10), 10, 0);
            assert_eq!(turns, names(10));
            turns.iter().for_each(|name| rota.had(name, Some(5), 0));
        }
    }

    #[test]
    fn s6_2_of_too_many_none_starves() {
        let mut rota = Rota::default();
        rota.change();
        let mut seen = BTreeSet::new();
        for tick in 0..3 {
            assert!(rota.is_behind(), "{tick}");
            for name in rota.turns(&names(25), 10, 0).into_iter().take(10) {
                rota.had(&name, None, 0);
                seen.insert(name);
            }
        }
        assert_eq!(seen.len(), 25);
        assert!(!rota.is_behind());
    }

    #[test]
    fn whose_time_is_up_does_not_wait_for_its_turn_and_takes_nobody_elses() {
        let mut rota = Rota::default();
        rota.had("20", Some(7), 0);
        rota.had("03", None, 0);
        assert_eq!(rota.next(), Some(7));
        assert_eq!(rota.turns(&names(25), 2, 6)[..2], ["04", "05"]);
        assert_eq!(rota.turns(&names(25), 2, 7)[..2], ["20", "04"]);
        rota.had("20", None, 7);
        assert_eq!(rota.turns(&names(25), 2, 8)[..2], ["04", "05"]);
        // One that is gone is not waited for.
        rota.had("24", Some(9), 8);
        rota.turns(&names(3), 2, 8);
        assert_eq!(rota.next(), None);
    }
}
