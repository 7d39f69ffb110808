//! How programs are ended: the signal to a group, and how long an end may take.

use rustix::process::{Pid, Signal, kill_process_group};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// How long a program that is cancelled may take to end by itself, with all that it has started.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// How long a program may take to end that was killed: one that waits for a disk ends when the disk answers.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(5);

/// How often to look whether it has ended.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits for the end of a program that was killed; on a thread of its own when that takes long.
pub(crate) fn reap(mut child: Child) {
    let deadline = Instant::now() + KILL_LIMIT;
    while let Ok(None) = child.try_wait() {
        if Instant::now() >= deadline {
            tracing::warn!(pid = child.id(), "a killed program does not exit");
            thread::spawn(move || child.wait());
            return;
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Signals to the program whose group this is, and to all that it has started.
pub(crate) fn signal_group(leader: u32, signal: Signal) {
    let group = i32::try_from(leader).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // It may have ended in this very moment.
        let _ = kill_process_group(group, signal);
    }
}
