//! The commands: one folder for each, with its arguments, its help, and what it does.

mod agent;
mod config;
mod decide;
mod flow;
mod init;
mod plan;
mod schema;
mod trust;

use crate::command_line::Command;

/// All of them, in the order of the help.
pub(crate) static COMMANDS: [&Command; 8] = [
    &init::COMMAND,
    &config::COMMAND,
    &trust::COMMAND,
    &flow::COMMAND,
    &agent::COMMAND,
    &plan::COMMAND,
    &decide::COMMAND,
    &schema::COMMAND,
];
