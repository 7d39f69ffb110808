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
//! not answer (`silence.rs`); and `daemon.json`, with which programs of the same user find the daemon (`registration.rs`). Handlers of
//! events and decisions (contract/terminal §8.5) are the TypeScript client's (`clients/typescript/src/client.ts`).

mod address;
mod api;
mod connection;
mod error;
mod events;
mod follower;
mod registration;
mod secret;
mod silence;

pub use address::{Address, BadUrl};
pub use connection::Client;
pub use error::ClientError;
pub use events::{Events, Frame, Subscription};
pub use follower::{FollowUpdate, Follower, RetryPolicy};
pub use registration::{DaemonRegistration, PROTOCOL};
pub use secret::Secret;
