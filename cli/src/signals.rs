//! The signals that end the program cleanly.

use std::fs;
use std::future;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for as long as it lives.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// Absent when the caller wants the program to outlive its terminal (`nohup`).
    hangup: Option<Signal>,
}

impl Signals {
    /// Needs a runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let hangup = if ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    /// The exit code of the next one.
    pub(crate) async fn next(&mut self) -> u8 {
        let hangup = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
            _ = hangup => 129,
        }
    }
}

/// True when the process was started with this signal ignored. Only Linux tells without unsafe code; elsewhere `nohup` does
/// not keep a program that waits, and `--detach` does.
fn ignored(kind: SignalKind) -> bool {
    let ignored = fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or(u32::MAX);
    ignored.and_then(|mask| mask.checked_shr(bit)).is_some_and(|mask| mask & 1 == 1)
}
