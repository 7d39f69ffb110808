//! A program that a hook needs.

use super::HookContext;
use crate::error::HookError;
use crate::git::last_words;
use process::{Program, RunError};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// How a program ended.
pub(crate) struct ProgramExit {
    pub(crate) status: ExitStatus,
    /// What it said last.
    pub(crate) words: String,
}

/// Runs `command`, called `name` in errors. After `seconds`, or when the action is cancelled, it and all that it has started
/// are ended.
pub(super) fn run(
    context: &HookContext<'_>,
    mut command: Command,
    name: &str,
    seconds: u64,
) -> Result<ProgramExit, HookError> {
    command.stdin(Stdio::null());
    let program = Program::new(command).limited_to(Duration::from_secs(seconds), context.cancellation);
    match program.run() {
        Ok(ended) => Ok(ProgramExit { status: ended.status, words: last_words(&ended.output) }),
        Err(RunError::TimedOut) => Err(HookError::TimedOut { command: name.to_owned(), seconds }),
        Err(RunError::NotStarted(source)) => Err(HookError::NotStarted { command: name.to_owned(), source }),
    }
}
