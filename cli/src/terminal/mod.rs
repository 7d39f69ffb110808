//! Answering in the terminal.
//!
//! `form` is what the person has given and where they are, without a screen; `view` draws it into lines; `screen` brings
//! these onto the terminal and gives it back; `full` ties them together. `plain` asks line by line instead, where there
//! is no terminal to draw on. What was given is only accepted by who called.

mod attach;
mod drafts;
mod editor;
mod form;
mod full;
mod inbox;
mod plain;
mod screen;
mod text;
mod view;

use crate::context::Context;
use crate::failure::Failure;
use decide::OpenSet;
use model::{DecideOutput, Ending, Returned};
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use store::Project;

/// What is to be answered.
pub(crate) struct Asked<'a> {
    pub(crate) project: &'a Project,
    pub(crate) open: OpenSet<'a>,
}

/// How the person has left.
#[derive(Debug)]
pub(crate) enum Exit {
    /// With all answers.
    Decided(DecideOutput),
    /// Without, and with a reason.
    SentBack(Returned),
    /// For now.
    Left,
    /// The input is at its end, or makes no sense.
    NoInput,
    /// Somebody else has ended or replaced the questions.
    Ended(Ending),
    /// By a signal, with its exit code.
    Interrupted(u8),
}

/// Lets the person answer: on the whole screen where there is one, else line by line.
pub(crate) fn answer(context: &Context, asked: &Asked<'_>) -> Result<Exit, Failure> {
    if can_draw(|name| env::var_os(name)) { full::run(context, asked) } else { plain::run(context, asked) }
}

fn can_draw(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let capable = variable("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    capable && io::stdin().is_terminal() && io::stdout().is_terminal()
}
