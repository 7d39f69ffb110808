//! The crate as others use it, on a real disk.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod agent_config;
mod config;
mod crew_config;
mod flow_config;
mod folder;
mod server_settings;
mod user_config;
