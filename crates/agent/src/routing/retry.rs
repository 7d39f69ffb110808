//! When a delivery is tried again (contract/plans §6.6), and whether a message that was given up is (contract/plans §10.4).

use protocol::agent::{ReplayRequest, Timestamp};

/// How long is waited before a delivery is tried again, in seconds; after that, it is given up.
const BACK_OFF: [i64; 3] = [30, 60, 120];
/// How often a message is delivered again without a person.
const AUTOMATIC_REPLAYS: u64 = 3;

/// What becomes of a delivery that has failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Retry {
    /// It is tried again now.
    Now,
    /// It is tried again at this time, with the same message_id and a new delivery_id.
    At(Timestamp),
    /// It is given up: dead letter and alert.
    GiveUp,
}

/// Returns what becomes of a delivery that has failed so often, and last at this time.
pub fn retry(failures: usize, last: Option<&Timestamp>, now: &Timestamp) -> Retry {
    let (Some(at), Some(last)) = (failures.checked_sub(1), last) else { return Retry::Now };
    let Some(seconds) = BACK_OFF.get(at) else { return Retry::GiveUp };
    if now.seconds_since(last) >= *seconds {
        return Retry::Now;
    }
    Retry::At(Timestamp::from_unix_nanos(last.unix_seconds().saturating_add(*seconds), last.subsec_nanos()))
}

/// Whether a message that was given up is delivered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// As it is, with its message_id.
    Again,
    /// It was so often enough; a person may still ask for it.
    TooOften,
    /// Nothing has changed since.
    NotAsked,
}

/// Returns whether a message that was given up at `given_up` is delivered again. `requests` are all that were made for this
/// message; `automatic` says how often it was tried again by itself, and `changed` whether the DAG is another than then.
pub fn replay(requests: &[&ReplayRequest], given_up: &Timestamp, automatic: u64, changed: bool) -> Replay {
    if requests.iter().any(|request| request.time >= *given_up) {
        return Replay::Again;
    }
    match changed {
        false => Replay::NotAsked,
        true if automatic < AUTOMATIC_REPLAYS => Replay::Again,
        true => Replay::TooOften,
    }
}
