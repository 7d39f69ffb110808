//! The folder from outside: what is written, what is refused, what survives.
//!
//! One binary, because some tests run it again as another process (see `child`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod attachments;
mod child;
mod clean;
mod decisions;
mod draft;
mod durability;
mod excerpt;
mod helpers;
mod hostile;
mod init;
mod own;
mod project;
mod replaced;
mod roundtrip;
mod server_info;
