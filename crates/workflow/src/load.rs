//! How much there is to do: what the journal counts, and the workflows that wait for an agent.
//!
//! How much a daemon has to do (`DaemonLoad`) is counted in memory as it changes, so `/health` needs neither disk nor journal,
//! and no number costs more the more rows there are. `Meter` (`crates/journal/src/sqlite/meter.rs`) counts rows by what each
//! flushed change did to them: a transaction reads the former state of a workflow or a decision by its key before it writes the
//! row. The engine's queue counts the workflows that wait for an agent (`AgentQueue` in `crates/workflow/src/load.rs`), and the
//! endpoints the clients that wait or listen (`ClientCounts` in `server/src/endpoints/v1/load.rs`), which also writes `/metrics`.

use journal::{Ages, CommitTimes, JournalLoad, Millis};
use protocol::workflow::WorkflowState;
use protocol::workflow::api::{
    AgentQueueLoad, Backlog, CommitBucket, CommitLoad, DaemonLoad, JournalSize, ReaderLoad, SubscriberLoad,
    WorkflowLoad,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts the workflows that wait for an agent, as they begin and end to wait.
#[derive(Debug, Default)]
pub(crate) struct AgentQueue(Mutex<QueueCounts>);

#[derive(Debug, Default)]
struct QueueCounts {
    all: Ages,
    kinds: BTreeMap<String, Ages>,
}

impl AgentQueue {
    /// A workflow waits for agents of these kinds, since then.
    pub(crate) fn add(&self, since: Millis, kinds: &BTreeSet<String>) {
        let mut counts = self.counts();
        counts.all.add(since);
        for kind in kinds {
            match counts.kinds.get_mut(kind) {
                Some(ages) => ages.add(since),
                None => counts.kinds.entry(kind.clone()).or_default().add(since),
            }
        }
    }

    /// A workflow that was added no longer waits.
    pub(crate) fn remove(&self, since: Millis, kinds: &BTreeSet<String>) {
        let mut counts = self.counts();
        counts.all.remove(since);
        for kind in kinds {
            if let Some(ages) = counts.kinds.get_mut(kind) {
                ages.remove(since);
            }
        }
    }

    fn counts(&self) -> MutexGuard<'_, QueueCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self, now: Millis) -> AgentQueueLoad {
        let counts = self.counts();
        let kinds = counts.kinds.iter().filter(|(_, ages)| ages.backlog().count > 0);
        AgentQueueLoad {
            total: backlog(counts.all.backlog(), now),
            types: kinds.map(|(kind, ages)| (kind.clone(), backlog(ages.backlog(), now))).collect(),
        }
    }
}

/// How much there is to do: by the journal, by workflows that wait for an agent, by requests that wait, and for those who listen.
pub(crate) fn of_daemon(
    now: Millis,
    journal: &JournalLoad,
    queue: &AgentQueue,
    (requests, subscribers): (journal::Backlog, SubscriberLoad),
) -> DaemonLoad {
    DaemonLoad {
        workflows: workflows(journal),
        decisions: backlog(journal.decisions, now),
        agent_queue: queue.load(now),
        outbox: backlog(journal.outbox, now),
        requests: backlog(requests, now),
        commits: commits(&journal.commits),
        writers: journal.writers,
        readers: ReaderLoad {
            limit: journal.readers.limit,
            busy: journal.readers.busy,
            waiting: journal.readers.waiting,
        },
        subscribers,
        journal: JournalSize { file_bytes: journal.file_bytes, wal_bytes: journal.wal_bytes },
    }
}

fn workflows(journal: &JournalLoad) -> WorkflowLoad {
    let paused = journal.workflows.get(&WorkflowState::Paused).copied().unwrap_or_default();
    let all: u64 = journal.workflows.values().sum();
    let states = journal.workflows.iter().map(|(state, count)| (state.name().to_owned(), *count)).collect();
    WorkflowLoad { running: all - paused, paused, states }
}

fn backlog(found: journal::Backlog, now: Millis) -> Backlog {
    // The clock may have been set back.
    let age = |since: Millis| Duration::from_millis(u64::try_from(now - since).unwrap_or_default());
    let oldest_seconds = found.oldest.map(|since| age(since).as_secs_f64());
    Backlog { count: found.count, oldest_seconds }
}

fn commits(times: &CommitTimes) -> CommitLoad {
    let seconds = |micros: u64| Duration::from_micros(micros).as_secs_f64();
    let buckets = CommitTimes::BOUNDS.iter().zip(times.at_most);
    CommitLoad {
        count: times.count,
        total_seconds: times.total.as_secs_f64(),
        buckets: buckets
            .map(|(bound, count)| CommitBucket { at_most_seconds: seconds(*bound), count })
            .collect(),
        median_seconds: times.median.map(|took| took.as_secs_f64()),
        percentile99_seconds: times.percentile_99.map(|took| took.as_secs_f64()),
    }
}
