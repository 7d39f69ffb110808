//! How long is waited, and how much is taken.

use std::time::Duration;

/// The limits of everything but a whole answer, whose time is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long a connection may take to come about.
    pub connect: Duration,
    /// How many bytes an endpoint may answer.
    pub max_body: usize,
    /// How many bytes a program may answer.
    pub max_stdout: usize,
    /// How often is asked what may be out of order for a moment, with the first time.
    pub attempts: u32,
    /// How often is asked what says that it is busy, with the first time: that may last for a minute.
    pub busy_attempts: u32,
    /// How often is asked what has given half an answer, with the first time: it was paid for.
    pub cut_attempts: u32,
    /// The longest pause before the second time. It doubles each time; a pause is at least half as long.
    pub backoff: Duration,
    /// The longest pause of all.
    pub max_backoff: Duration,
    /// How long a program may take to end once it was asked to.
    pub grace: Duration,
    /// How long a program may take to print a key.
    pub key: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            max_body: 8 << 20,
            max_stdout: process::MAX_STDOUT,
            attempts: 5,
            busy_attempts: 8,
            cut_attempts: 2,
            backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(30),
            grace: process::GRACE,
            key: Duration::from_secs(60),
        }
    }
}
