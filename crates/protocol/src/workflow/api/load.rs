//! How much a daemon has to do.

use crate::workflow::macros::payload;
use std::collections::BTreeMap;

payload! {
    /// How much the daemon has to do. All of it is kept in memory: reading it costs the same whatever the journal holds.
    DaemonLoad {
        /// Workflows that have not ended.
        workflows: WorkflowLoad,
        /// Decisions that are open.
        decisions: Backlog,
        /// Workflows that wait for an agent: `total`, and by the type of agent.
        agent_queue: AgentQueueLoad,
        /// Records that are to be published in the history of their project. An entry that was there when the daemon started
        /// counts from its next attempt.
        outbox: Backlog,
        /// Requests that wait for a decision or for the end of a workflow.
        requests: Backlog,
        /// Changes of the journal that were flushed to the disk since the daemon started.
        commits: CommitLoad,
        /// Threads that change the journal, or wait for their turn to do so.
        writers: u64,
        /// Views of the journal.
        readers: ReaderLoad,
        /// Clients that listen to events.
        subscribers: SubscriberLoad,
        /// Size of the journal.
        journal: JournalSize,
    }
}

payload! {
    /// Workflows that have not ended.
    WorkflowLoad {
        /// Number of those that are not paused; those that are interrupted count as well.
        running: u64,
        /// Number of those that are paused.
        paused: u64,
        /// Number of workflows in each state that has any.
        states: BTreeMap<String, u64>,
    }
}

payload! {
    /// Things that wait.
    Backlog {
        /// Number of them.
        count: u64,
        /// How long the first of them has waited, in seconds; absent if there is none.
        oldest_seconds: Option<f64>,
    }
}

payload! {
    /// Workflows that wait for an agent.
    AgentQueueLoad {
        /// All of them.
        total: Backlog,
        /// Those that wait for an agent of a type, if there are any. A workflow may wait for several types.
        types: BTreeMap<String, Backlog>,
    }
}

payload! {
    /// Changes that were flushed to the disk. Changes that come at the same time share a flush.
    CommitLoad {
        /// Number of flushes.
        count: u64,
        /// How long all of them took together, in seconds.
        total_seconds: f64,
        /// The flushes as a histogram.
        buckets: Vec<CommitBucket>,
        /// How long half of the last 1,024 flushes took at most, in seconds; absent if there was none.
        median_seconds: Option<f64>,
        /// The same of 99 in 100 of them.
        percentile99_seconds: Option<f64>,
    }
}

payload! {
    /// Flushes that took at most so long.
    CommitBucket {
        /// How long, in seconds.
        at_most_seconds: f64,
        /// Number of flushes, those of smaller buckets included.
        count: u64,
    }
}

payload! {
    /// Views of the journal.
    ReaderLoad {
        /// Number of views that there can be at a time.
        limit: u64,
        /// Number of views that there are.
        busy: u64,
        /// Number of threads that wait for one.
        waiting: u64,
    }
}

payload! {
    /// Clients that listen to events.
    SubscriberLoad {
        /// Number of WebSockets.
        web_socket: u64,
        /// Number of streams of server-sent events.
        sse: u64,
    }
}

payload! {
    /// Size of the journal, as of the last flush.
    JournalSize {
        /// Size of the file, in bytes.
        file_bytes: u64,
        /// Size of its write-ahead log, in bytes.
        wal_bytes: u64,
    }
}
