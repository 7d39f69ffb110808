//! `aide man`

mod help;

use super::COMMANDS;
use crate::command_line::layout::{Layout, Program, text};
use crate::command_line::{self, Command};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use clap::ArgMatches;
use clap_mangen::Man;
use files::ExternalDir;
use std::path::PathBuf;

/// `aide man`
pub(crate) static COMMAND: Command = Command { name: "man", build, run };

const DIR: &str = "DIR";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(DIR, words.dir).required(true))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folder = PathBuf::from(text(matches, DIR).unwrap_or_default());
    let mut program =
        command_line::program(&COMMANDS, Layout { lang: context.language.messages, program: Program::Aide })
            .disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    write(&program, &mut pages)?;
    let dir = ExternalDir::named(&folder)?;
    for (name, page) in &pages {
        dir.replace(name, page)?;
    }
    context.output.ok(&Message::ManPages { folder, count: pages.len() });
    Ok(DONE)
}

/// The page of a command, and those of the commands below it, each with the name of its file.
fn write(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page).map_err(Failure::cannot_print)?;
    pages.push((man.get_filename(), page));
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .try_for_each(|command| write(command, pages))
}
