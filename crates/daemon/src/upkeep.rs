//! The daemon's own upkeep: it expires what is overdue, publishes what has ended, and deletes what is no longer asked for.

use journal::Retention;
use protocol::workflow::{ErrorCode, Refusal};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use workflow::{Failure, Runtime};

/// How late something may run out of time.
const TICK: Duration = Duration::from_millis(500);
/// How long to wait for the disks of projects when records are published.
const DELIVER: Duration = Duration::from_secs(5);
/// How often there is something to be forgotten.
const FORGET: Duration = Duration::from_secs(60);
/// How long the answer to a request is kept for a client that repeats the request, in milliseconds: seven days.
const KEEP_ANSWERS: i64 = 7 * 24 * 60 * 60 * 1000;
/// How much is deleted at a time: a writer waits no longer than that takes.
const MAX_DELETED: u32 = 128;

/// The thread that does it. Ends when it is dropped.
pub(crate) struct Upkeep {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Upkeep {
    /// `keep_events` is how many events are kept at least.
    pub(crate) fn start(runtime: Arc<Runtime>, keep_events: u64) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = thread::Builder::new().name("upkeep".to_owned()).spawn(move || {
            let mut forgotten = Instant::now();
            let mut trouble = Vec::new();
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let mut done = vec![expire(&runtime), deliver(&runtime)];
                if forgotten.elapsed() >= FORGET {
                    forgotten = Instant::now();
                    done.push(forget(&runtime, keep_events));
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

/// Ends what has run out of time; what cannot be ended is left to people.
fn expire(runtime: &Runtime) -> Result<(), Failure> {
    match runtime.expire_decisions()? {
        troubles if troubles.is_empty() => Ok(()),
        troubles => Err(Refusal::new(ErrorCode::InternalError, troubles.join("; ")).into()),
    }
}

/// Does what is still to be done outside.
fn deliver(runtime: &Runtime) -> Result<(), Failure> {
    for trouble in runtime.deliver(DELIVER)? {
        tracing::warn!(trouble, "upkeep failed; retrying later");
    }
    Ok(())
}

/// Removes events and answers that are old enough.
fn forget(runtime: &Runtime, keep_events: u64) -> Result<(), Failure> {
    let prune =
        Retention { keep_events, answered_before: runtime.now() - KEEP_ANSWERS, at_most: MAX_DELETED };
    loop {
        let pruned = runtime.forget(prune)?;
        if pruned.events > 0 || pruned.answers > 0 {
            tracing::info!(events = pruned.events, answers = pruned.answers, "forgotten");
        }
        if pruned.events < u64::from(MAX_DELETED) && pruned.answers < u64::from(MAX_DELETED) {
            return Ok(());
        }
    }
}

/// Says what does not work when that begins, and not each time.
fn note(done: Vec<Result<(), Failure>>, known: &mut Vec<String>) {
    let now: Vec<_> = done.into_iter().filter_map(|done| Some(done.err()?.to_string())).collect();
    for error in now.iter().filter(|error| !known.contains(error)) {
        tracing::error!(error, "upkeep");
    }
    *known = now;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{KEEP_ANSWERS, MAX_DELETED, forget};
    use files::Dir;
    use journal::{NewEvent, Sqlite};
    use protocol::workflow::EventType;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
    use workflow::{NewSession, RequestKey, Runtime, World};

    /// A clock that the test moves.
    #[derive(Default)]
    struct Clock {
        now: AtomicI64,
        random: AtomicU64,
    }

    impl World for Clock {
        fn now(&self) -> i64 {
            self.now.load(Ordering::Relaxed)
        }

        fn random(&self) -> u64 {
            self.random.fetch_add(1, Ordering::Relaxed)
        }

        fn local_second(&self, _: i64) -> String {
            String::new()
        }

        fn local_time(&self, _: i64) -> String {
            String::new()
        }
    }

    /// A runtime of its own, and its clock.
    fn place() -> (Runtime, Arc<Clock>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Sqlite::open(&Dir::open(folder.path()).unwrap(), Box::new(|_| {})).unwrap();
        let clock = Arc::new(Clock::default());
        let world = Arc::clone(&clock) as Arc<dyn World>;
        (Runtime::new(Arc::new(journal), world), clock, folder)
    }

    #[test]
    fn an_answer_is_kept_for_seven_days_for_whoever_asks_again() {
        let (runtime, clock, _folder) = place();
        let ask = |key: &str| {
            let request = RequestKey::new("POST /api/v1/sessions".to_owned(), key.to_owned(), b"{}");
            let new = NewSession { name: None, project_path: None };
            runtime.create_session(Some(&request), &new).unwrap()
        };
        let first = ask("first");
        let begun = runtime.now();
        clock.now.store(begun + 1, Ordering::Relaxed);
        let later = ask("later");
        for passed in [0, 24 * 60 * 60 * 1000, KEEP_ANSWERS] {
            clock.now.store(begun + passed, Ordering::Relaxed);
            forget(&runtime, u64::MAX).unwrap();
            assert_eq!(ask("first"), first, "{passed}");
        }
        // Asking again does not make it younger.
        clock.now.store(begun + KEEP_ANSWERS + 1, Ordering::Relaxed);
        forget(&runtime, u64::MAX).unwrap();
        assert_ne!(ask("first"), first);
        assert_eq!(ask("later"), later);
        assert_eq!(KEEP_ANSWERS, 604_800_000);
    }

    #[test]
    fn all_that_is_too_old_is_forgotten_and_no_more() {
        let (runtime, _, _folder) = place();
        let event = |number: u32| NewEvent {
            payload: "{}".to_owned(),
            id: number.to_string(),
            at: 0,
            kind: EventType::SystemError,
            session: None,
            workflow: None,
            task: None,
            agent: None,
        };
        let events = (0..MAX_DELETED * 2 + 10).map(event);
        runtime
            .journal()
            .run(&mut |tx| {
                events.clone().for_each(|event| tx.publish(event));
                Ok(())
            })
            .unwrap();
        let last = runtime.log().unwrap().last;
        forget(&runtime, 5).unwrap();
        let log = runtime.log().unwrap();
        assert_eq!((log.last, log.pruned), (last, last - 5));
    }
}
