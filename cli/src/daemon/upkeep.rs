//! What a daemon does by itself: it ends what has run out of time, publishes what has ended, and forgets what nobody asks for
//! any more.

use journal::Prune;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use workflow::{Failure, Runtime};

/// How late something may run out of time.
const TICK: Duration = Duration::from_millis(500);
/// How often there is something to be forgotten.
const FORGET: Duration = Duration::from_secs(60);
/// How long the answer to a request is kept for whoever sends it again, in milliseconds: seven days.
const KEEP_ANSWERS: i64 = 7 * 24 * 60 * 60 * 1000;
/// How much is forgotten at a time: nobody who writes waits longer for it.
const AT_MOST: u32 = 1000;

/// The thread that does it. Ends when it is dropped.
pub(super) struct Upkeep {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Upkeep {
    /// `keep_events` is how many events are kept at least.
    pub(super) fn start(runtime: Arc<Runtime>, keep_events: u64) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = thread::Builder::new().name("upkeep".to_owned()).spawn(move || {
            let mut forgotten = Instant::now();
            let mut trouble = None;
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let mut done = runtime.expire_decisions().and_then(|()| deliver(&runtime));
                if done.is_ok() && forgotten.elapsed() >= FORGET {
                    forgotten = Instant::now();
                    done = forget(&runtime, keep_events);
                }
                note(done, &mut trouble);
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Upkeep {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // What has panicked has ended as well.
            let _ = thread.join();
        }
    }
}

/// Does what is still to be done outside.
fn deliver(runtime: &Runtime) -> Result<(), Failure> {
    for trouble in runtime.deliver()? {
        tracing::warn!(trouble, "not done, and tried again later");
    }
    Ok(())
}

/// Removes events and answers that are old enough.
fn forget(runtime: &Runtime, keep_events: u64) -> Result<(), Failure> {
    let prune = Prune { keep_events, answered_before: runtime.now() - KEEP_ANSWERS, at_most: AT_MOST };
    loop {
        let pruned = runtime.forget(prune)?;
        if pruned.events > 0 || pruned.answers > 0 {
            tracing::info!(events = pruned.events, answers = pruned.answers, "forgotten");
        }
        if pruned.events < u64::from(AT_MOST) && pruned.answers < u64::from(AT_MOST) {
            return Ok(());
        }
    }
}

/// Says what does not work when that begins, and not each time.
fn note(done: Result<(), Failure>, trouble: &mut Option<String>) {
    let now = done.err().map(|error| error.to_string());
    if let Some(error) = now.as_ref().filter(|now| trouble.as_ref() != Some(now)) {
        tracing::error!(%error, "upkeep");
    }
    *trouble = now;
}
