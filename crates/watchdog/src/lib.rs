//! Keeps a process that must not hang from hanging, and finds out when it does.
//!
//! - **One order of locks** ([`Rank`]): a thread takes the lock of a higher rank only. Where assertions are compiled in,
//!   so in every test, a thread that breaks the order panics, without the second thread that a deadlock takes.
//! - **Waits on record** ([`Wait`]): a thread says what it waits for, and the record is gone when the wait has ended.
//! - **A watchdog** ([`Watchdog`]): looks at these records, and calls its owner when one of them is too old. A [`Probe`]
//!   makes a record for a thread that waits for work, and which that thread takes away.
//! - **Threads that can be given up** ([`Worker`]): for work that a dead disk may never end.
//!
//! Nothing is recorded in a process without a watchdog.

mod lock;
mod rank;
mod wait;
mod watch;
mod worker;

pub use lock::{Guard, Mutex};
pub use rank::{Rank, RankGuard, check, holds};
pub use wait::{Wait, WaitReport};
pub use watch::{Probe, Watchdog};
pub use worker::Worker;
