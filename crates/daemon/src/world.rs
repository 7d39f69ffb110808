//! What is outside of the runtime: clock and chance of this machine.

use std::time::{SystemTime, UNIX_EPOCH};
use workflow::World;

/// This machine.
pub(crate) struct Machine;

impl World for Machine {
    fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        if let Err(error) = getrandom::fill(&mut bytes) {
            // Without system randomness a name might not be unique, so nothing is done.
            panic!("the system has no random numbers: {error}");
        }
        u64::from_le_bytes(bytes)
    }

    fn local_second(&self, at: i64) -> String {
        store::local_second(at)
    }

    fn local_time(&self, at: i64) -> String {
        store::timestamp_of(at)
    }
}
