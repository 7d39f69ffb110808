//! Wire formats: the files with which agents communicate (contract/agents), and the states, events and responses of a daemon
//! (contract/workflows).
//!
//! Pure, as `model` is: no file, no clock, no network. It is a crate of its own because the browser needs none of it.

pub mod agent;
mod names;
pub mod workflow;
