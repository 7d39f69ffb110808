//! Tasks: what clients report, and what the transitions of a task change.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod advance;
mod attempt;
mod fill;
mod input;
mod list;
mod overview;

use aide_core::task::Task;
use protocol::workflow::TaskState;

/// A task in this state.
fn task(id: &str, state: TaskState) -> Task {
    Task { state, ..Task::new(id) }
}
