//! The requests of clients, each as one change of the [`Runtime`](crate::Runtime).
//!
//! Other modules of this crate use them only as methods of the runtime, never by a path.

mod agents;
mod checkpoints;
mod decisions;
mod outbox;
mod policies;
mod projects;
mod recovery;
mod sessions;
mod work;
mod workflows;
