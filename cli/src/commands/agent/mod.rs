//! `aide agent`: one folder for each command below it.

mod exec;
mod folder;
mod help;
mod run;

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::Context;
use crate::failure::Failure;
use clap::ArgMatches;

/// `aide agent`
pub(crate) static COMMAND: Command = Command { name: "agent", build, run };

/// What can be done with agents, in the order of the help.
static COMMANDS: [&Command; 2] = [&run::COMMAND, &exec::COMMAND];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout.command(COMMAND.name, words.about, words.usage, words.after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}
