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
    workflows: BTreeSet<String>,
    is_woken: bool,
    /// What the engine ends when it gets to it, as a sign of life.
    signs: Vec<Wait>,
}

impl Waker {
    /// Something has happened to these workflows.
    pub fn wake<'w>(&self, workflows: impl IntoIterator<Item = &'w str>) {
        let mut noticed = self.noticed();
        noticed.workflows.extend(workflows.into_iter().map(str::to_owned));
        noticed.is_woken = true;
        self.state.1.notify_one();
    }

    /// Asks the engine for a sign of life: it ends this wait when it begins its next round.
    pub fn ask_for_a_sign(&self, wait: Wait) {
        self.noticed().signs.push(wait);
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
