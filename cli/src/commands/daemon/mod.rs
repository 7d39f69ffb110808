//! `aide daemon`: the resident process.

mod backup;
mod foreground;
mod help;
mod load;
mod logs;
mod start;
mod status;
mod stop;

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::Context;
use crate::failure::Failure;
use clap::ArgMatches;

/// `aide daemon`
pub(crate) static COMMAND: Command = Command { name: "daemon", build, run: run_one };

/// What can be done with it, in the order of the help.
static COMMANDS: [&Command; 6] =
    [&start::START, &stop::STOP, &start::RESTART, &status::COMMAND, &logs::COMMAND, &backup::COMMAND];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command =
        layout.shared_command(COMMAND.name, words.daemon, "{finger} daemon <COMMAND>", words.daemon_after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run_one(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}
