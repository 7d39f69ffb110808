//! What happens to the files of agents, in folders of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod agents;
mod hooks;
mod plugin;
mod properties;
mod refusals;
mod scene;
mod since;
