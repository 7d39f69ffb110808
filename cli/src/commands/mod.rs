//! The commands: one folder for each, with its arguments, its help, and what it does.

mod agent;
mod completions;
mod config;
mod daemon;
mod decide;
mod doctor;
mod flow;
mod hook;
mod init;
mod man;
mod mcp;
mod plan;
mod provider;
mod schema;
mod setup;
mod trust;
mod uninstall;
mod workflow;

use crate::command_line::Command;

/// Those of `aide`, in the order of the help.
pub(crate) static COMMANDS: [&Command; 19] = [
    &init::COMMAND,
    &setup::COMMAND,
    &doctor::COMMAND,
    &config::COMMAND,
    &trust::COMMAND,
    &flow::COMMAND,
    &provider::COMMAND,
    &agent::COMMAND,
    &plan::COMMAND,
    &daemon::COMMAND,
    &workflow::ORCHESTRATE,
    &workflow::COMMAND,
    &decide::COMMAND,
    &mcp::COMMAND,
    &hook::COMMAND,
    &schema::COMMAND,
    &completions::COMMAND,
    &man::COMMAND,
    &uninstall::COMMAND,
];

/// Those of `finger`: the daemon, and what it is asked.
pub(crate) static FINGER_COMMANDS: [&Command; 2 + workflow::COMMANDS.len()] = {
    let mut commands = [&daemon::COMMAND; 2 + workflow::COMMANDS.len()];
    commands[1] = &workflow::ORCHESTRATE;
    let mut position = 0;
    while position < workflow::COMMANDS.len() {
        commands[2 + position] = workflow::COMMANDS[position];
        position += 1;
    }
    commands
};
