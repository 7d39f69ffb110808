//! A thread that can be given up.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

type Work = Box<dyn FnOnce() + Send>;

/// How long the thread may be at one piece of work before it is stuck.
const STUCK_AFTER: Duration = Duration::from_secs(5);

/// A thread for work on a disk that may be dead: its callers wait so long and no longer, and once it is stuck not at all,
/// until the system has brought that work to its end.
#[derive(Debug)]
pub struct Worker {
    work: Sender<Work>,
    turn: Arc<WorkerTurn>,
    patience: Duration,
}

/// Whose turn it is.
#[derive(Debug, Default)]
struct WorkerTurn {
    /// Since when the thread is at work.
    busy: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl WorkerTurn {
    fn busy(&self) -> MutexGuard<'_, Option<Instant>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn until `deadline`, and until the thread is stuck; false without it.
    fn take(&self, deadline: Instant, patience: Duration) -> bool {
        let mut busy = self.busy();
        while let Some(since) = *busy {
            let left = deadline.min(since + patience).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            busy = self.changed.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *busy = Some(Instant::now());
        true
    }

    fn give_back(&self) {
        *self.busy() = None;
        self.changed.notify_one();
    }
}

impl Worker {
    /// Starts the thread. It ends when this is dropped, after what it is doing.
    ///
    /// # Errors
    ///
    /// When there can be no more threads.
    pub fn start(name: String) -> io::Result<Self> {
        let (work, queue) = channel::<Work>();
        thread::Builder::new().name(name).spawn(move || queue.iter().for_each(|work| work()))?;
        Ok(Self { work, turn: Arc::default(), patience: STUCK_AFTER })
    }

    /// Does something on the thread, and waits for it until `limit` has passed. `None` when it takes longer (it goes on), when
    /// the work of earlier callers does, at once when the thread has been at one of them for more than five seconds, and when
    /// it panics.
    pub fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let deadline = Instant::now() + limit;
        if !self.turn.take(deadline, self.patience) {
            return None;
        }
        let (sender, done) = sync_channel(1);
        let turn = Arc::clone(&self.turn);
        let job = Box::new(move || {
            let result = panic::catch_unwind(AssertUnwindSafe(work));
            turn.give_back();
            // The caller may have given up.
            let _ = result.map(|result| sender.send(result));
        });
        if self.work.send(job).is_err() {
            return None;
        }
        done.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Worker;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const SOON: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn work_that_does_not_end_is_given_up_and_the_thread_is_used_again_when_it_has() {
        let worker = Worker { patience: SOON, ..Worker::start("worker".to_owned()).unwrap() };
        let (free, stuck) = channel::<()>();
        assert_eq!(worker.run(LONG, || 1), Some(1));
        assert_eq!(worker.run(SOON, move || stuck.recv()), None);
        // Long before its limit.
        assert_eq!(worker.run(LONG, || 2), None);
        free.send(()).unwrap();
        while worker.run(LONG, || 3) != Some(3) {}
    }

    #[test]
    fn a_caller_that_is_in_a_hurry_does_not_take_the_thread_from_others() {
        let worker = Worker::start("worker".to_owned()).unwrap();
        let (free, slow) = channel::<()>();
        assert_eq!(worker.run(SOON, move || slow.recv()), None);
        std::thread::scope(|scope| {
            let patient = scope.spawn(|| worker.run(LONG, || 1));
            free.send(()).unwrap();
            assert_eq!(patient.join().unwrap(), Some(1));
        });
    }

    #[test]
    fn a_panic_ends_the_work_and_not_the_thread() {
        let worker = Worker::start("worker".to_owned()).unwrap();
        assert_eq!(worker.run(LONG, || -> u8 { panic!("on purpose") }), None);
        assert_eq!(worker.run(LONG, || 1), Some(1));
    }

    #[test]
    fn callers_take_turns() {
        let worker = Worker::start("worker".to_owned()).unwrap();
        std::thread::scope(|scope| {
            let callers: Vec<_> = (0..8)
                .map(|n| {
                    scope.spawn({
                        let worker = &worker;
                        move || worker.run(LONG, move || n)
                    })
                })
                .collect();
            let done: Vec<_> = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
            assert_eq!(done, (0..8).map(Some).collect::<Vec<_>>());
        });
    }
}
