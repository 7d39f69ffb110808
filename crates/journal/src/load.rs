//! How much a journal has to do. All of it is kept in memory, so that it is known without the disk and without a wait.

use crate::cell::Millis;
use protocol::workflow::WorkflowState;
use std::collections::BTreeMap;
use std::time::Duration;

/// Things that wait, by the moment since which they do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ages {
    count: u64,
    since: BTreeMap<Millis, u64>,
}

impl Ages {
    /// One more waits, since then.
    pub fn add(&mut self, since: Millis) {
        self.count += 1;
        *self.since.entry(since).or_default() += 1;
    }

    /// One that has waited since then no longer does.
    pub fn remove(&mut self, since: Millis) {
        let Some(same) = self.since.get_mut(&since) else { return };
        *same -= 1;
        self.count -= 1;
        if *same == 0 {
            self.since.remove(&since);
        }
    }

    /// How many wait, and since when the first of them does.
    pub fn backlog(&self) -> Backlog {
        Backlog { count: self.count, oldest: self.since.keys().next().copied() }
    }
}

/// How many wait, and since when the first of them does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// How many.
    pub count: u64,
    /// Since when the first one waits; `None` if none does.
    pub oldest: Option<Millis>,
}

/// How long flushes have taken, since the journal was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitTimes {
    /// How many there were.
    pub count: u64,
    /// How long all of them took together.
    pub total: Duration,
    /// How many took at most as long as each of [`CommitTimes::BOUNDS`]; those of a bound are among those of the next one.
    pub at_most: [u64; CommitTimes::BOUNDS.len()],
    /// Of the last ones ([`CommitTimes::RECENT`]), how long half of them took at most; `None` before the first.
    pub median: Option<Duration>,
    /// The same of 99 in 100.
    pub percentile_99: Option<Duration>,
}

impl CommitTimes {
    /// The bounds of the histogram, in microseconds.
    pub const BOUNDS: [u64; 14] = [
        250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 125_000, 250_000, 500_000, 1_000_000,
        5_000_000,
    ];
    /// How many flushes are the last ones.
    pub const RECENT: usize = 1024;
}

/// The views of a journal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderLoad {
    /// How many there can be at a time.
    pub limit: u64,
    /// How many there are.
    pub busy: u64,
    /// How many threads wait for one.
    pub waiting: u64,
}

/// How much a journal has to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalLoad {
    /// How many workflows are in each state that is not the last, where there are any.
    pub workflows: BTreeMap<WorkflowState, u64>,
    /// The decisions that are pending.
    pub decisions: Backlog,
    /// What is to be done outside of the journal.
    pub outbox: Backlog,
    /// How long it takes to flush a change.
    pub commits: CommitTimes,
    /// The threads that change something, or wait for their turn to do so.
    pub writers: u64,
    /// Those that read.
    pub readers: ReaderLoad,
    /// The size of the file, in bytes; 0 in memory.
    pub file_bytes: u64,
    /// The size of its write-ahead log, in bytes; 0 in memory.
    pub wal_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::{Ages, Backlog};

    #[test]
    fn the_oldest_is_known_whatever_ends_first() {
        let mut ages = Ages::default();
        assert_eq!(ages.backlog(), Backlog::default());
        for since in [5, 3, 3, 9] {
            ages.add(since);
        }
        assert_eq!(ages.backlog(), Backlog { count: 4, oldest: Some(3) });
        ages.remove(3);
        assert_eq!(ages.backlog(), Backlog { count: 3, oldest: Some(3) });
        ages.remove(3);
        // What does not wait cannot end.
        ages.remove(3);
        assert_eq!(ages.backlog(), Backlog { count: 2, oldest: Some(5) });
        ages.remove(5);
        ages.remove(9);
        assert_eq!(ages, Ages::default());
    }
}
