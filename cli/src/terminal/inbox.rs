//! Waiting for whatever comes first: what the person does, a signal, or news of the questions.

use crate::failure::Failure;
use crate::host::failed;
use crate::signals::Signals;
use decide::{Desk, Watch, changed, elapsed};
use model::{Ending, SessionId};
use std::thread;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What has come.
#[derive(Debug)]
pub(crate) enum InboxEvent<T> {
    /// From the person.
    Input(T),
    /// Nothing comes from the person any more.
    Closed,
    /// The questions were ended or replaced elsewhere.
    Ended(Ending),
    /// A signal, with its exit code.
    Signal(u8),
    /// Nothing, for as long as was to be waited.
    Nothing,
}

/// Receives it.
pub(crate) struct Inbox<T> {
    runtime: Runtime,
    input: UnboundedReceiver<T>,
    signals: Signals,
    watch: Box<dyn Watch>,
}

impl<T: Send + 'static> Inbox<T> {
    /// Calls `read` on a thread of its own. It ends when `read` returns, or with the process: reading cannot be
    /// interrupted.
    pub(crate) fn open(
        desk: &dyn Desk,
        session: &SessionId,
        read: impl FnOnce(UnboundedSender<T>) + Send + 'static,
    ) -> Result<Self, Failure> {
        let runtime = crate::host::thread_runtime().map_err(|error| failed(&error))?;
        let signals = runtime.block_on(async { Signals::listen() }).map_err(|error| failed(&error))?;
        let (sender, input) = unbounded_channel();
        thread::Builder::new().spawn(move || read(sender)).map_err(|error| failed(&error))?;
        Ok(Self { runtime, input, signals, watch: desk.watch(session) })
    }

    /// Waits for the next, no longer than `patience`.
    pub(crate) fn next(&mut self, patience: Option<Duration>) -> InboxEvent<T> {
        let Self { runtime, input, signals, watch } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                code = signals.next() => InboxEvent::Signal(code),
                input = input.recv() => input.map_or(InboxEvent::Closed, InboxEvent::Input),
                ending = changed(&mut **watch) => InboxEvent::Ended(ending),
                () = elapsed(patience) => InboxEvent::Nothing,
            }
        })
    }

    /// What has come from the person already.
    pub(crate) fn at_once(&mut self) -> Option<T> {
        self.input.try_recv().ok()
    }
}
