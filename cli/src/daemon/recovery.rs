//! Marks the workflows that the last daemon has left behind, beside all other work of this one.

use super::process::RecoveryReport;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use workflow::Runtime;

/// The pause after an error of the journal, such as a full disk.
pub(super) const RETRY: Duration = Duration::from_secs(1);

/// The thread that does it. Ends with its work, or when it is dropped: the next daemon goes on with what is left.
pub(super) struct Recovery {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Recovery {
    /// `report` is called with how many workflows are done, of how many.
    pub(super) fn start(runtime: Arc<Runtime>, mut report: RecoveryReport) -> io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let thread = thread::Builder::new().name("recovery".to_owned()).spawn(move || {
            let mut known = String::new();
            loop {
                let recovered = runtime.finish_recovery(&mut |done, total| {
                    report(done, total);
                    match stopped.try_recv() {
                        Err(TryRecvError::Empty) => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                });
                let Err(error) = recovered else { return };
                let error = error.to_string();
                if known != error {
                    tracing::error!(error, "recovery");
                    known = error;
                }
                if stopped.recv_timeout(RETRY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // What has panicked has ended as well.
            let _ = thread.join();
        }
    }
}
