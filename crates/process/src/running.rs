//! The programs that run just now, for a process that must end at once and leave none of them.

use crate::termination::{POLL_INTERVAL, signal_group};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The leaders of the groups of all programs that run in one of their own.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// How long the system may take to end all of them.
const KILL_ALL_TIMEOUT: Duration = Duration::from_secs(2);

fn leaders() -> MutexGuard<'static, BTreeSet<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that runs in a group of its own, until this is dropped: after it was waited for.
#[derive(Debug)]
pub(crate) struct GroupRegistration(u32);

impl GroupRegistration {
    pub(crate) fn note(leader: u32) -> Self {
        leaders().insert(leader);
        Self(leader)
    }
}

impl Drop for GroupRegistration {
    fn drop(&mut self) {
        leaders().remove(&self.0);
    }
}

/// Kills every program that this process has started in a group of its own, with all that it has started itself, and waits
/// until the system has taken them away, at most two seconds. For a process that becomes another program: that one knows
/// none of them. The threads that wait for them learn of an end, or of an error.
pub fn kill_all() {
    let leaders: Vec<u32> = leaders().iter().copied().collect();
    for leader in &leaders {
        signal_group(*leader, Signal::KILL);
    }
    let deadline = Instant::now() + KILL_ALL_TIMEOUT;
    for leader in leaders {
        let Some(pid) = i32::try_from(leader).ok().and_then(Pid::from_raw) else { continue };
        // An error: the thread that waits for it was faster.
        while matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)) && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
    }
}
