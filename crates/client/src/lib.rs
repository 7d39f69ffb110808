//! What drives a daemon from elsewhere: REST and WebSockets (contract/terminal §8), with nothing that a stranger could
//! not use. The one exception is `daemon.json`, by which programs of the same user find it ([`DaemonRegistration`]).
//!
//! A request that changes something carries an idempotency key: where the connection breaks before the answer is there, it is
//! sent again, and done once. A daemon that takes requests and answers none of them is found out within 5 s, however long a
//! request may take ([`ClientError::Unresponsive`]).
//!
//! # Where things are
//!
//! A client of a daemon: requests that can be sent again (`connection.rs`), all endpoints (`api.rs`), events in their order, each
//! once (`events.rs`), also when the connection is lost (`follower.rs`); the difference between a slow daemon and one that does
//! not answer (`silence.rs`); `FingerClient` calls handlers for events and decisions (`finger.rs`), by default for the workflows
//! that it has started (`own.rs`); and `daemon.json`, with which programs of the same user find the daemon (`registration.rs`).

mod address;
mod api;
mod connection;
mod error;
mod events;
mod finger;
mod follower;
mod own;
mod registration;
mod secret;
mod silence;

pub use address::{Address, BadUrl};
pub use connection::Client;
pub use error::ClientError;
pub use events::{Events, Frame, Subscription};
pub use finger::{ConnectionState, Event, FingerClient, HandlerGuard, OrchestrationOptions, StartedWorkflow};
pub use follower::{FollowUpdate, Follower, RetryPolicy};
pub use own::DecisionScope;
pub use registration::{DaemonRegistration, PROTOCOL};
pub use secret::Secret;
