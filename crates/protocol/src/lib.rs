//! Wire formats: the files with which agents communicate (contract/agents), and the states, events and responses of a daemon
//! (contract/workflows).
//!
//! Pure, as `model` is: no file, no clock, no network. It is a crate of its own because the browser needs none of it.
//!
//! # Where things are
//!
//! Wire formats, in a crate of its own because the browser needs none of it: the files with which agents communicate (`agent/`),
//! and the state machines of tasks and agents as tables, every event, and the responses of a daemon (`workflow/`).

pub mod agent;
mod names;
pub mod workflow;
