//! Notices that the daemon waits without end, and what for.
//!
//! The journal holds all that was acknowledged, as it does when a daemon is killed. The program decides what to do with the
//! process.

use crate::program::Stuck;
use app::{ReadError, ReadPool};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use watchdog::{Probe, WaitReport, Watchdog};
use workflow::{Runtime, Waker};

/// How many waits the reason names at most; the log has all of them.
const REASONS: usize = 3;

/// What is asked for signs of life.
pub(crate) struct WatchTargets<'w> {
    /// The threads that serve.
    pub(crate) tokio: &'w Handle,
    /// Those that read for them.
    pub(crate) reads: &'w ReadPool,
    /// Those that read the journal.
    pub(crate) runtime: &'w Arc<Runtime>,
    /// The engine, once there is one.
    pub(crate) engine: Waker,
}

/// Has all waits of this process watched: once one of them takes longer than `limit`, they are logged, and `end` is called.
/// `is_ending` says whether the daemon was to end by then.
pub(crate) fn watch(
    limit: Duration,
    watched: WatchTargets<'_>,
    is_ending: Arc<AtomicBool>,
    end: fn(Stuck),
) -> io::Result<Watchdog> {
    let WatchTargets { tokio, reads, runtime, engine } = watched;
    let (serving, reading) = (tokio.clone(), tokio.clone());
    let (reads, runtime) = (reads.clone(), Arc::clone(runtime));
    let probes: Vec<Probe> = vec![
        Box::new(move |wait| drop(serving.spawn(async move { drop(wait) }))),
        Box::new(move |wait| {
            let (reads, runtime) = (reads.clone(), Arc::clone(&runtime));
            reading.spawn(async move {
                // Until there was a turn for it: reads may have taken all of them.
                while reads.run("a sign of life", read(&runtime)).await == Err(ReadError::Late) {}
                drop(wait);
            });
        }),
        Box::new(move |wait| engine.ask_for_a_sign(wait)),
    ];
    Watchdog::start(limit, probes, move |waits| end(give_up(&waits, &is_ending)))
}

/// A read of the journal, as most requests need one.
fn read(runtime: &Arc<Runtime>) -> impl FnOnce() + Send + 'static {
    let runtime = Arc::clone(runtime);
    move || {
        if let Err(error) = runtime.log() {
            tracing::warn!(%error, "the journal cannot be read");
        }
    }
}

/// What is too late: one wait for each thing that is waited for.
fn reason_of(waits: &[WaitReport]) -> String {
    let mut reports: Vec<&WaitReport> = Vec::new();
    for wait in waits.iter().filter(|wait| wait.is_overdue) {
        if reports.len() < REASONS && !reports.iter().any(|known| known.what == wait.what) {
            reports.push(wait);
        }
    }
    reports.iter().map(|wait| wait.to_string()).collect::<Vec<_>>().join("; ")
}

/// Logs all waits, and kills the programs of a daemon that was not to end. Returns what the program has to deal with.
fn give_up(waits: &[WaitReport], is_ending: &AtomicBool) -> Stuck {
    for wait in waits {
        tracing::error!(overdue = wait.is_overdue, "{wait}");
    }
    if is_ending.load(Ordering::Acquire) {
        tracing::error!("stuck while stopping");
        return Stuck::Ending;
    }
    tracing::error!("stuck; restarting");
    process::kill_all();
    Stuck::Serving { reason: reason_of(waits) }
}
