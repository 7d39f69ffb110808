//! `aide workflow` and `aide orchestrate`: what a daemon is asked. The program `finger` has the same commands.

mod agents;
mod answers;
mod context;
mod decision;
mod events;
mod help;
mod input;
mod interrupted;
mod keyboard;
mod lines;
mod list;
mod orchestrate;
mod output;
mod part;
mod remove;
mod repl;
mod sessions;
mod stage;
mod status;
mod steer;
mod tasks;

pub(crate) use orchestrate::COMMAND as ORCHESTRATE;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, text};
use crate::context::Context;
use crate::failure::Failure;
use clap::{Arg, ArgMatches};

/// `aide workflow`
pub(crate) static COMMAND: Command = Command { name: "workflow", build, run: run_one };

/// What a daemon can be asked, in the order of the help.
pub(crate) static COMMANDS: [&Command; 23] = [
    &list::COMMAND,
    &status::COMMAND,
    &tasks::COMMAND,
    &output::COMMAND,
    &steer::PAUSE,
    &steer::RESUME,
    &steer::CANCEL,
    &steer::INPUT,
    &remove::REMOVE,
    &remove::PRUNE,
    &decision::COMMAND,
    &sessions::SESSIONS,
    &sessions::RESUME,
    &sessions::CHECKPOINT,
    &agents::AGENTS,
    &agents::RESOURCES,
    &events::COMMAND,
    &stage::UNDERSTAND,
    &stage::ROUTE,
    &stage::PLAN,
    &stage::EXECUTE,
    &stage::REVIEW,
    &repl::COMMAND,
];

const WORKFLOW: &str = "WORKFLOW";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command =
        layout.shared_command(COMMAND.name, words.workflow, "aide workflow <COMMAND>", words.workflow_after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run_one(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}

/// The argument that names a workflow.
fn workflow(layout: Layout) -> Arg {
    named(layout, WORKFLOW, layout.pick(&help::ZH, &help::EN).workflow_id)
}

/// An argument that must be given.
fn named(layout: Layout, name: &'static str, about: &'static str) -> Arg {
    layout.positional(name, about).required(true)
}

/// An argument that must be given, in words of a person, which may begin with a hyphen.
fn free_text(layout: Layout, name: &'static str, about: &'static str) -> Arg {
    named(layout, name, about).allow_hyphen_values(true)
}

/// What an argument says.
fn given(matches: &ArgMatches, name: &str) -> Option<String> {
    // What is no UTF-8 is no name of anything there.
    text(matches, name).map(|text| text.to_string_lossy().into_owned())
}
