//! `aide decide`: one folder for each command below it.

mod answer;
mod cancel;
mod clean;
mod export;
mod help;
mod list;
mod open;
mod result;
mod schema;
mod serve;
mod show;
mod submit;
mod wait;
mod withdraw;

pub(crate) use clean::age;

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::Context;
use crate::failure::Failure;
use clap::ArgMatches;
pub(crate) use open::show as open_page;

/// `aide decide`
pub(crate) static COMMAND: Command = Command { name: "decide", build, run };

/// What can be done with questions, in the order of the help.
static COMMANDS: [&Command; 13] = [
    &submit::COMMAND,
    &open::COMMAND,
    &answer::COMMAND,
    &wait::COMMAND,
    &result::COMMAND,
    &list::COMMAND,
    &show::COMMAND,
    &export::COMMAND,
    &cancel::COMMAND,
    &schema::COMMAND,
    &clean::COMMAND,
    &serve::COMMAND,
    &withdraw::COMMAND,
];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout.command(COMMAND.name, words.about, words.usage, words.after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}
