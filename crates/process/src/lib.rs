//! Other people's programs: started with what they may know, ended in time with all that they have started themselves,
//! heard as far as anybody reads.
//!
//! What a program is for is not known here, and nothing is kept from one run to the next: who wants to end a run before
//! its time has a [`Cancellation`] that belongs to that run.

mod cancellation;
mod captured;
mod dialog;
mod output;
mod program;
mod running;
mod tree;

pub use cancellation::{Cancellation, Listener};
pub use dialog::{Dialog, LineError};
pub use output::OutputError;
pub use program::{GRACE, MAX_OUTPUT, MAX_STDOUT, Program, ProgramEnd, RunError};
pub use running::kill_all;
