//! `aide plan`: one folder for each command below it.

mod activate;
mod authored;
mod events;
mod folders;
mod help;
mod init;
mod lint;
mod people;
mod providers;
mod release;
mod remove;
mod replay;
mod result;
mod retry;
mod run;
mod serve;
mod status;
mod table;
mod tick;

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::Context;
use crate::failure::Failure;
use app::PlanFolders;
use clap::ArgMatches;

/// `aide plan`
pub(crate) static COMMAND: Command = Command { name: "plan", build, run: run_one };

/// What can be done with plans, in the order of the help.
static COMMANDS: [&Command; 12] = [
    &init::COMMAND,
    &lint::COMMAND,
    &activate::COMMAND,
    &run::COMMAND,
    &tick::COMMAND,
    &status::COMMAND,
    &result::COMMAND,
    &retry::COMMAND,
    &replay::COMMAND,
    &release::COMMAND,
    &remove::COMMAND,
    &serve::COMMAND,
];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout.command(COMMAND.name, words.about, words.usage, words.after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

/// Who asks for something, as far as the surroundings say.
fn user() -> Option<String> {
    let names = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    names.into_iter().find(|name| !name.trim().is_empty())
}

/// Where the plans of the project are, unless a flag names others.
pub(crate) fn default_folders(context: &Context) -> Result<PlanFolders, Failure> {
    let folders::Paths { agents, runtime } = folders::Paths::of_project(context)?;
    Ok(PlanFolders { agents, runtime })
}

fn run_one(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}
