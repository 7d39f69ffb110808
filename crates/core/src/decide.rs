//! What follows from a command.

pub mod agents;
pub mod tasks;
