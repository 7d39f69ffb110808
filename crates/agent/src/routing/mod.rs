//! Routing of messages (contract/plans §10).
//!
//! Names: a message keeps the documented name of its file, and its files their paths, unless a message at the receiver
//! already has the same. A second one gets its envelope as `<name>__<message_id>.msg.json`, and waits while one of its files
//! would lie on, in or around one of the first; a message that was taken frees its names. So nothing still in use is ever
//! overwritten.

mod active;
mod retry;
mod route;
#[cfg(test)]
mod tests;

pub use active::{ActiveDag, active_dag};
pub use retry::{Replay, Retry, replay, retry};
pub use route::{
    Candidate, Candidates, DeadLetterReason, Decision, DeliveryLog, InboxNames, OutgoingMessage, PayloadFile,
    Route, RoutingState, Supersession, TargetRoute, UnreadableMessage, Warning, candidates, dead_letter,
    decide, lines,
};
pub(crate) use route::{content, delivered_content};
