//! Records of waits.

use crate::rank;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often the watchdog has looked; 0 where there is none. It is the clock of all records: a process that was stopped,
/// or whose machine slept, has not looked meanwhile, and so has not waited.
static CHECK_COUNT: AtomicU64 = AtomicU64::new(0);

static WAITS: Mutex<WaitTable> = Mutex::new(WaitTable { waits: BTreeMap::new(), last: 0 });

struct WaitTable {
    waits: BTreeMap<u64, WaitRecord>,
    last: u64,
}

struct WaitRecord {
    thread: String,
    what: Cow<'static, str>,
    holds: Vec<&'static str>,
    /// How often the watchdog had looked when it began.
    begun: u64,
    /// How much longer than others it may take by its own limit.
    limit: Duration,
}

/// A wait on record; it has ended when this is dropped, on any thread.
#[derive(Debug)]
#[must_use = "the wait ends when this is dropped"]
pub struct Wait {
    /// 0 where nothing is recorded.
    pub(crate) id: u64,
}

impl Wait {
    /// This thread begins to wait for something.
    pub fn begin(what: impl Into<Cow<'static, str>>) -> Self {
        Self::bounded(what, Duration::ZERO)
    }

    /// The same for a wait that ends by itself after `limit`: the watchdog gives it that much more time.
    pub fn bounded(what: impl Into<Cow<'static, str>>, limit: Duration) -> Self {
        let begun = CHECK_COUNT.load(Ordering::Relaxed);
        if begun == 0 {
            return Self { id: 0 };
        }
        let thread = thread::current().name().unwrap_or("unnamed").to_owned();
        let record = WaitRecord { thread, what: what.into(), holds: rank::names(), begun, limit };
        let mut open = open();
        open.last += 1;
        let id = open.last;
        open.waits.insert(id, record);
        Self { id }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if self.id != 0 {
            open().waits.remove(&self.id);
        }
    }
}

/// A wait as reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitReport {
    /// The thread that waits.
    pub thread: String,
    /// What for.
    pub what: String,
    /// How long it has waited, to the watchdog's next look.
    pub since: Duration,
    /// What the thread held when it began.
    pub holds: Vec<&'static str>,
    /// Whether that is too long.
    pub is_overdue: bool,
}

impl fmt::Display for WaitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { thread, what, since, holds, .. } = self;
        write!(f, "thread {thread:?} has waited {} s for {what}", since.as_secs())?;
        if !holds.is_empty() {
            write!(f, ", holding {}", holds.join(", "))?;
        }
        Ok(())
    }
}

fn open() -> MutexGuard<'static, WaitTable> {
    WAITS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The watchdog looks: from the first time on waits are recorded.
pub(crate) fn look() {
    CHECK_COUNT.fetch_add(1, Ordering::Relaxed);
}

/// The watchdog has ended, and nothing is recorded any more.
pub(crate) fn end() {
    CHECK_COUNT.store(0, Ordering::Relaxed);
}

/// Whether a wait has not ended yet.
pub(crate) fn is_open(id: u64) -> bool {
    open().waits.contains_key(&id)
}

/// All waits, those first that have lasted longest. `interval` is the time between two looks.
pub(crate) fn all(interval: Duration, stall_limit: Duration) -> Vec<WaitReport> {
    let looks = CHECK_COUNT.load(Ordering::Relaxed);
    let mut all: Vec<_> = open()
        .waits
        .values()
        .map(|record| {
            let times = u32::try_from(looks.saturating_sub(record.begun)).unwrap_or(u32::MAX);
            let since = interval.saturating_mul(times);
            WaitReport {
                thread: record.thread.clone(),
                what: record.what.clone().into_owned(),
                since,
                holds: record.holds.clone(),
                is_overdue: since > stall_limit.saturating_add(record.limit),
            }
        })
        .collect();
    all.sort_by_key(|stalled| std::cmp::Reverse(stalled.since));
    all
}
