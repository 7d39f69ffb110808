//! The wish that something ends before its time.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::mem;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A wish that one call ends early, which another thread may have. Clones share it; a new one is not cancelled.
#[derive(Clone, Default)]
pub struct Cancellation {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_cancelled: bool,
    next: u64,
    listeners: BTreeMap<u64, Box<dyn FnOnce() + Send>>,
}

/// Keeps a function that [`Cancellation::on_cancel`] was given. Without it, that is not called any more.
#[must_use]
#[derive(Debug)]
pub struct Listener {
    cancellation: Cancellation,
    number: u64,
}

impl Cancellation {
    /// Tells every holder of this to end, now and whenever it looks again.
    pub fn cancel(&self) {
        let listeners = {
            let mut state = self.state();
            state.is_cancelled = true;
            mem::take(&mut state.listeners)
        };
        // Without the lock: they may look at this again.
        for listener in listeners.into_values() {
            listener();
        }
    }

    /// Whether to end.
    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Calls `listener` as soon as this is cancelled, on the thread that does so; at once, if that has happened already.
    pub fn on_cancel(&self, listener: impl FnOnce() + Send + 'static) -> Listener {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        if state.is_cancelled {
            drop(state);
            listener();
        } else {
            state.listeners.insert(number, Box::new(listener));
        }
        Listener { cancellation: self.clone(), number }
    }

    /// Waits for `time`, or until this is cancelled. Returns whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        let (sender, cancelled) = mpsc::channel();
        let _listener = self.on_cancel(move || {
            let _ = sender.send(());
        });
        cancelled.recv_timeout(time).is_ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for Cancellation {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cancellation").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // What it holds may be dropped only without the lock, for the same reason.
        let listener = self.cancellation.state().listeners.remove(&self.number);
        drop(listener);
    }
}

#[cfg(test)]
mod tests {
    use super::Cancellation;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn each_listener_that_is_left_is_called_once_and_a_late_one_at_once() {
        let cancellation = Cancellation::default();
        let calls = Arc::new(AtomicUsize::new(0));
        let count = |cancellation: &Cancellation| {
            let calls = Arc::clone(&calls);
            cancellation.on_cancel(move || {
                calls.fetch_add(1, Ordering::Relaxed);
            })
        };
        let kept = (count(&cancellation), count(&cancellation.clone()));
        drop(count(&cancellation));
        assert!(!cancellation.is_cancelled() && !cancellation.wait(Duration::ZERO));
        cancellation.cancel();
        cancellation.cancel();
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        drop((kept, count(&cancellation)));
        assert_eq!(calls.load(Ordering::Relaxed), 3);
        assert!(cancellation.is_cancelled());
        assert!(!Cancellation::default().is_cancelled());
    }

    #[test]
    fn whoever_waits_wakes_up() {
        let cancellation = Cancellation::default();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cancellation.wait(Duration::from_secs(600)));
            cancellation.cancel();
            assert!(waiting.join().expect("no panic"));
        });
    }
}
