//! Restarts a daemon that is stuck: it logs what it waits for, and begins anew in the same process.
//!
//! The journal holds all that was acknowledged, as it does when a daemon is killed. The process id stays, so that a supervisor
//! sees no end, and the ports are free for the same process at once.

use crate::this_program;
use app::{ReadError, ReadPool};
use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{self, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use watchdog::{Probe, WaitReport, Watchdog};
use workflow::{Runtime, Waker};

/// Tells the process that it has begun anew: its id, and what it has waited for.
const RESTARTED: &str = "AIDE_DAEMON_RESTARTED";

/// How many waits the reason names at most; the log has all of them.
const REASONS: usize = 3;

/// What a daemon that has begun anew was stuck with.
pub(crate) fn reason() -> Option<String> {
    let value = env::var(RESTARTED).ok()?;
    let (pid, reason) = value.split_once(' ')?;
    // The programs of that daemon have the same variable.
    (pid == process::id().to_string()).then(|| reason.to_owned())
}

/// What is asked for signs of life.
pub(super) struct WatchTargets<'w> {
    /// The threads that serve.
    pub(super) tokio: &'w Handle,
    /// Those that read for them.
    pub(super) reads: &'w ReadPool,
    /// Those that read the journal.
    pub(super) runtime: &'w Arc<Runtime>,
    /// The engine, once there is one.
    pub(super) engine: Waker,
}

/// Has all waits of this process watched: once one of them takes longer than `limit` the process begins anew, or ends if
/// `is_ending` says that it was to end.
pub(super) fn watch(
    limit: Duration,
    watched: WatchTargets<'_>,
    is_ending: Arc<AtomicBool>,
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
    Watchdog::start(limit, probes, move |waits| begin_anew(&waits, &is_ending))
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

/// Logs all waits, and makes this process the program that it was started as. Returns if that cannot be done.
fn begin_anew(waits: &[WaitReport], is_ending: &AtomicBool) {
    for wait in waits {
        tracing::error!(overdue = wait.is_overdue, "{wait}");
    }
    if is_ending.load(Ordering::Acquire) {
        tracing::error!("stuck while stopping");
        crate::log::flush();
        process::exit(1);
    }
    tracing::error!("stuck; restarting");
    ::process::kill_all();
    crate::log::flush();
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_default();
    let error = match this_program::executable() {
        Ok(program) => Command::new(program)
            .arg0(name)
            .args(arguments)
            .env(RESTARTED, format!("{} {}", process::id(), reason_of(waits)))
            .exec(),
        Err(error) => error,
    };
    tracing::error!(%error, "cannot restart; exiting");
    crate::log::flush();
    process::exit(1);
}
