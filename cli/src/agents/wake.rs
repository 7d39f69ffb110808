//! Sleeping until files arrive, or a signal comes.

use crate::failure::Failure;
use crate::host;
use crate::signals::Signals;
use agent::Waker;
use llm::Cancellation;
use notify::event::{ModifyKind, RenameMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

/// Files come in groups: so long nothing more must come before they are looked at.
const SETTLE: Duration = Duration::from_millis(20);

/// Wakes the waiter for files.
pub(crate) struct Arrivals {
    woken: Receiver<()>,
    /// Watches for as long as it lives.
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
}

/// The signal that has come, if one has.
#[derive(Clone, Default)]
pub(crate) struct Interruption {
    code: Arc<AtomicU8>,
    pub(crate) cancellation: Cancellation,
}

impl Interruption {
    /// The exit code of the signal.
    pub(crate) fn code(&self) -> u8 {
        match self.code.load(Ordering::Relaxed) {
            0 => 130,
            code => code,
        }
    }

    /// Listens for signals, on a thread of its own.
    pub(crate) fn listen(&self, wake: Sender<()>) -> Result<(), Failure> {
        let runtime = crate::host::thread_runtime().map_err(|error| host::failed(&error))?;
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
            // There may be no waiter.
            let _ = wake.send(());
        });
        Ok(())
    }
}

impl Arrivals {
    /// Watches `folders` and their contents. `trouble` receives the reason if that is impossible; the waiter then looks from time
    /// to time.
    pub(crate) fn watch(
        folders: &[&Path],
        channel: (Sender<()>, Receiver<()>),
        mut trouble: impl FnMut(String),
    ) -> Self {
        let mut arrivals = Self::new(channel, &mut trouble);
        for folder in folders {
            arrivals.add(folder, true, &mut trouble);
        }
        arrivals
    }

    /// Watches nothing yet.
    pub(crate) fn new((wake, woken): (Sender<()>, Receiver<()>), trouble: &mut dyn FnMut(String)) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| is_news(&event)) {
                let _ = wake.send(());
            }
        });
        let watcher = watcher.map_err(|error| trouble(error.to_string())).ok();
        Self { woken, watcher, watched: BTreeSet::new() }
    }

    /// Watches a folder as well, `deep` with those in it; true when it was not watched before. One that is not there is
    /// not watched.
    pub(crate) fn add(&mut self, folder: &Path, deep: bool, trouble: &mut dyn FnMut(String)) -> bool {
        let Some(watcher) = self.watcher.as_mut().filter(|_| !self.watched.contains(folder)) else {
            return false;
        };
        let mode = if deep { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        match watcher.watch(folder, mode) {
            Ok(()) => {
                self.watched.insert(folder.to_owned());
                true
            }
            Err(error) if is_missing(&error) => false,
            Err(error) => {
                // The next folder would not go better.
                self.watcher = None;
                trouble(error.to_string());
                false
            }
        }
    }

    /// Sleeps for so long, or until something may have come; true when it may.
    pub(crate) fn nap(&mut self, at_most: Duration) -> bool {
        match self.woken.recv_timeout(at_most) {
            Ok(()) => {
                while self.woken.recv_timeout(SETTLE).is_ok() {}
                true
            }
            Err(mpsc::RecvTimeoutError::Timeout) => false,
            // No sender is left to wake this thread.
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                thread::sleep(at_most);
                false
            }
        }
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Whether something may have come: looking at files, taking them away and what this program keeps for itself is no news.
fn is_news(event: &notify::Event) -> bool {
    let has_gone = matches!(event.kind, EventKind::Modify(ModifyKind::Name(RenameMode::From)));
    if event.kind.is_access() || event.kind.is_remove() || has_gone {
        return false;
    }
    // Of a file that was renamed, where it is now.
    let name = event.paths.last().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    name.is_none_or(|name| {
        let is_hidden = name.starts_with('.') && name != ".env" && !name.starts_with(".env.");
        !is_hidden && !name.ends_with(".tmp") && name != "input_index.json"
    })
}

impl Waker for Arrivals {
    fn sleep(&mut self, at_most: Duration) {
        self.nap(at_most);
    }
}
