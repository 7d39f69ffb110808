//! The clock of this machine, for agents and plans.

use agent::Clock;
use protocol::agent::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The system's own.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_unix_nanos(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        if let Err(error) = getrandom::fill(&mut bytes) {
            // Without system randomness the fence could be guessed, so nothing is asked.
            panic!("the system has no random numbers: {error}");
        }
        u128::from_le_bytes(bytes)
    }
}
