//! The folder from outside: what is written, what is refused, what survives.
//!
//! One binary, because some tests run it again as another process (see `child`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod child;
mod clean;
mod config;
mod decisions;
mod draft;
mod durability;
mod excerpt;
mod flow_config;
mod helpers;
mod hostile;
mod init;

mod project;
mod replaced;
mod roundtrip;
mod server_info;
mod user_config;
