//! A thread that can be given up.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

type Work = Box<dyn FnOnce() + Send>;

/// A thread for work on a disk that may be dead: its callers wait so long and no longer, and give it up until the system
/// has brought that work to its end.
#[derive(Debug)]
pub struct Worker {
    work: Sender<Work>,
    turn: Arc<Turn>,
}

#[derive(Debug, Default)]
struct Turn {
    state: Mutex<State>,
    changed: Condvar,
    /// The number of the last turn.
    last: AtomicU64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    /// Busy with the turn of this number.
    Busy(u64),
    /// Busy with what no caller waits for any more.
    Stuck,
}

impl Turn {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn until `deadline`; none then, and at once while the thread is stuck. Returns its number.
    fn take(&self, deadline: Instant) -> Option<u64> {
        let left = deadline.saturating_duration_since(Instant::now());
        let is_busy = |state: &mut State| matches!(state, State::Busy(_));
        let waited = self.changed.wait_timeout_while(self.state(), left, is_busy);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *state != State::Free {
            return None;
        }
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        *state = State::Busy(number);
        Some(number)
    }

    fn give_back(&self) {
        *self.state() = State::Free;
        self.changed.notify_all();
    }

    /// No caller waits for the work of this turn any more.
    fn give_up(&self, number: u64) {
        let mut state = self.state();
        if *state == State::Busy(number) {
            *state = State::Stuck;
            self.changed.notify_all();
        }
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
        Ok(Self { work, turn: Arc::default() })
    }

    /// Does something on the thread, and waits for it until `limit` has passed. `None` when it takes longer (it goes on),
    /// when an earlier caller's work still does, and when it panics.
    pub fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let deadline = Instant::now() + limit;
        let number = self.turn.take(deadline)?;
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
        let done = done.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        if done.is_err() {
            self.turn.give_up(number);
        }
        done.ok()
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
        let worker = Worker::start("worker".to_owned()).unwrap();
        let (free, stuck) = channel::<()>();
        assert_eq!(worker.run(LONG, || 1), Some(1));
        assert_eq!(worker.run(SOON, move || stuck.recv()), None);
        // At once: there is no limit that would be reached.
        assert_eq!(worker.run(LONG, || 2), None);
        free.send(()).unwrap();
        while worker.run(LONG, || 3) != Some(3) {}
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
