//! What an engine may use, and how long it waits.

use super::Concurrency;
use journal::Millis;

/// What an engine may use, and how long it waits.
#[derive(Debug, Clone, Copy)]
pub struct EngineLimits {
    /// How many agents may be at work at a time.
    pub concurrency: Concurrency,
    /// How long an agent may work on a task, in milliseconds.
    pub task_timeout: Millis,
    /// How long a task that one agent alone may do waits for that, in milliseconds.
    pub queue_timeout: Millis,
    /// Within which time an agent that works elsewhere acknowledges a task, in milliseconds.
    pub acknowledgement: Millis,
    /// How many steps an agent may take for one task.
    pub rounds: u64,
    /// How often an agent is asked again whose answer cannot be read.
    pub repairs: usize,
    /// How often a task that may succeed later is tried again by itself.
    pub retries: i64,
    /// How often the result of a task is rejected before a person is asked.
    pub rejections: i64,
    /// How long the first retry waits, in milliseconds; each next one waits twice as long.
    pub backoff: Millis,
    /// The longest wait, in milliseconds.
    pub max_backoff: Millis,
    /// How often a phase may fail before the workflow is left to people.
    pub failures: i64,
    /// For how long a claim holds, in milliseconds.
    pub lease: Millis,
}

impl Default for EngineLimits {
    fn default() -> Self {
        Self {
            concurrency: Concurrency::default(),
            task_timeout: 30 * 60 * 1000,
            queue_timeout: 300_000,
            acknowledgement: 30_000,
            rounds: 10,
            repairs: 3,
            retries: 2,
            rejections: 3,
            backoff: 1000,
            max_backoff: 30_000,
            failures: 5,
            lease: 60_000,
        }
    }
}

impl EngineLimits {
    /// How long is waited after so many failures, in milliseconds.
    pub(crate) fn after(&self, failures: i64) -> Millis {
        let doubled =
            u32::try_from(failures - 1).ok().and_then(|times| self.backoff.checked_shl(times.min(30)));
        doubled.unwrap_or(self.max_backoff).min(self.max_backoff)
    }
}
