//! Sleeping until files arrive, or a signal comes.

use crate::failure::Failure;
use crate::host;
use crate::signals::Signals;
use agent::Waker;
use llm::Cancellation;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;
use tokio::runtime;

/// Files come in groups: so long nothing more must come before they are looked at.
const SETTLE: Duration = Duration::from_millis(20);

/// Wakes whoever waits for files.
pub(super) struct Arrivals {
    woken: Receiver<()>,
    /// Watches for as long as it lives.
    _watcher: Option<RecommendedWatcher>,
}

/// The signal that has come, if one has.
#[derive(Clone, Default)]
pub(super) struct Interruption {
    code: Arc<AtomicU8>,
    pub(super) cancellation: Cancellation,
}

impl Interruption {
    /// The exit code of the signal.
    pub(super) fn code(&self) -> u8 {
        match self.code.load(Ordering::Relaxed) {
            0 => 130,
            code => code,
        }
    }

    /// Listens for signals, on a thread of its own.
    pub(super) fn listen(&self, wake: Sender<()>) -> Result<(), Failure> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| host::failed(&error))?;
        // Before this returns: a signal that comes from now on ends nothing by force.
        let mut signals = {
            let _entered = runtime.enter();
            Signals::listen().map_err(|error| host::failed(&error))?
        };
        let interruption = self.clone();
        thread::spawn(move || {
            let code = runtime.block_on(signals.next());
            interruption.code.store(code, Ordering::Relaxed);
            interruption.cancellation.cancel();
            // Nobody may be waiting.
            let _ = wake.send(());
        });
        Ok(())
    }
}

impl Arrivals {
    /// Watches `folders`, with what is in them. `trouble` is told why that is not possible; whoever waits then looks from
    /// time to time.
    pub(super) fn watch(
        folders: &[&Path],
        (wake, woken): (Sender<()>, Receiver<()>),
        trouble: impl FnOnce(String),
    ) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Looking at files is no news.
            if event.is_ok_and(|event| !event.kind.is_access()) {
                let _ = wake.send(());
            }
        });
        let watching = watcher.and_then(|mut watcher| {
            for folder in folders {
                watcher.watch(folder, RecursiveMode::Recursive)?;
            }
            Ok(watcher)
        });
        let watcher = match watching {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                trouble(error.to_string());
                None
            }
        };
        Self { woken, _watcher: watcher }
    }
}

impl Waker for Arrivals {
    fn sleep(&mut self, at_most: Duration) {
        match self.woken.recv_timeout(at_most) {
            Ok(()) => while self.woken.recv_timeout(SETTLE).is_ok() {},
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            // Nobody wakes any more.
            Err(mpsc::RecvTimeoutError::Disconnected) => thread::sleep(at_most),
        }
    }
}
