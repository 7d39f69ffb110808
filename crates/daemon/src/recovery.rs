//! Marks the workflows that the last daemon has left behind, beside all other work of this one.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use workflow::Runtime;

/// The pause after an error of the journal, such as a full disk.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// How often the log says at most how far it is.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// The thread that does it. Ends with its work, or when it is dropped: the next daemon goes on with what is left.
pub(crate) struct Recovery {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Recovery {
    pub(crate) fn start(runtime: Arc<Runtime>) -> io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let thread = thread::Builder::new().name("recovery".to_owned()).spawn(move || {
            let (mut report, mut known) = (RecoveryReport::default(), String::new());
            loop {
                let recovered = runtime.finish_recovery(&mut |done, total| {
                    report.at(done, total);
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

/// Writes to the log how far it is.
#[derive(Default)]
struct RecoveryReport {
    last: Option<Instant>,
}

impl RecoveryReport {
    fn at(&mut self, done: usize, total: usize) {
        if done == total || self.last.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL) {
            self.last = Some(Instant::now());
            tracing::info!(done, total, "recovering workflows");
        }
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
