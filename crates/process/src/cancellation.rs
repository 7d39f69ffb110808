//! The wish that something ends before its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish that one call ends early, which another thread may have. Clones share it; a new one is not cancelled.
#[derive(Debug, Clone, Default)]
pub struct Cancellation {
    is_cancelled: Arc<AtomicBool>,
}

impl Cancellation {
    /// Whoever was given this is to end, now and whenever it looks again.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}
