//! Other people's programs: started with only the environment they may see, ended in time together with all that they have
//! started, their output kept as far as it is read.
//!
//! What a program is for is not known here, and nothing is kept from one run to the next: who wants to end a run before
//! its time has a [`Cancellation`] that belongs to that run.
//!
//! # Where things are
//!
//! Child processes: a deadline, a process group that is ended as a whole, the end of their output (`Program::run`), all of it
//! (`Program::output`) or a conversation (`dialog.rs`), a `Cancellation` that belongs to one call and wakes its caller.

mod cancellation;
mod captured;
mod dialog;
mod output;
mod program;
mod running;
mod termination;
mod tree;

pub use cancellation::{Cancellation, Listener};
pub use dialog::{Dialog, LineError};
pub use output::OutputError;
pub use program::{GRACE, MAX_OUTPUT, MAX_STDOUT, Program, ProgramEnd, RunError};
pub use running::kill_all;
