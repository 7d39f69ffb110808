//! Wakes an engine when something has happened.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use watchdog::Wait;

/// Wakes an engine when something has happened. Clones wake the same.
#[derive(Clone, Default)]
pub struct Waker {
    state: Arc<(Mutex<WakerState>, Condvar)>,
}

#[derive(Default)]
struct WakerState {
    /// Whether an engine waits. Without one nothing is kept: nothing would ever take it.
    has_engine: bool,
    workflows: BTreeSet<String>,
    is_woken: bool,
    /// What the engine ends when it gets to it, as a sign of life.
    signs: Vec<Wait>,
}

impl Waker {
    /// Something has happened to these workflows. An engine that begins later finds them in the journal.
    pub fn wake<'w>(&self, workflows: impl IntoIterator<Item = &'w str>) {
        let mut noticed = self.noticed();
        if !noticed.has_engine {
            return;
        }
        noticed.workflows.extend(workflows.into_iter().map(str::to_owned));
        noticed.is_woken = true;
        self.state.1.notify_one();
    }

    /// Asks the engine for a sign of life: it ends this wait when it begins its next round. Without an engine it ends at once.
    pub fn ask_for_a_sign(&self, wait: Wait) {
        let mut noticed = self.noticed();
        if noticed.has_engine {
            noticed.signs.push(wait);
        }
    }

    /// An engine begins to wait.
    pub(super) fn attach(&self) {
        self.noticed().has_engine = true;
    }

    /// The engine has ended.
    pub(super) fn detach(&self) {
        *self.noticed() = WakerState::default();
    }

    /// Waits until something has happened; returns to what, and whether anything has.
    pub(super) fn wait(&self, at_most: Duration) -> (BTreeSet<String>, bool) {
        let is_quiet = |noticed: &mut WakerState| !noticed.is_woken;
        let waited = self.state.1.wait_timeout_while(self.noticed(), at_most, is_quiet);
        let (mut noticed, _) = waited.unwrap_or_else(PoisonError::into_inner);
        noticed.signs.clear();
        let is_woken = std::mem::take(&mut noticed.is_woken);
        (std::mem::take(&mut noticed.workflows), is_woken)
    }

    fn noticed(&self) -> MutexGuard<'_, WakerState> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Waker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waker(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else a daemon whose engine has not begun yet, or that has none, would be found stuck.
    #[test]
    fn a_sign_of_life_is_asked_only_of_an_engine() {
        let waker = Waker::default();
        let signs_after = |ask: &dyn Fn()| {
            ask();
            waker.noticed().signs.len()
        };
        let ask = || waker.ask_for_a_sign(Wait::begin("a sign of life"));
        assert_eq!(signs_after(&ask), 0);
        waker.attach();
        assert_eq!(signs_after(&ask), 1);
        assert_eq!(signs_after(&|| drop(waker.wait(Duration::ZERO))), 0);
        assert_eq!(signs_after(&ask), 1);
        assert_eq!(signs_after(&|| waker.detach()), 0);
    }

    #[test]
    fn what_happens_without_an_engine_is_not_kept() {
        let waker = Waker::default();
        let wait = || waker.wait(Duration::ZERO);
        waker.wake(["a"]);
        assert_eq!(wait(), (BTreeSet::new(), false));
        waker.attach();
        waker.wake(["b"]);
        assert_eq!(wait(), (BTreeSet::from(["b".to_owned()]), true));
        waker.wake(["c"]);
        waker.detach();
        assert_eq!(wait(), (BTreeSet::new(), false));
        waker.wake(["d"]);
        assert_eq!(wait(), (BTreeSet::new(), false));
    }
}
