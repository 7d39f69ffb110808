//! `aide completions`

mod help;

use super::COMMANDS;
use crate::command_line::layout::{Layout, Program, text};
use crate::command_line::{self, Command};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use clap::{ArgMatches, ValueEnum as _};
use clap_complete::Shell;
use texts::Need;

/// `aide completions`
pub(crate) static COMMAND: Command = Command { name: "completions", build, run };

const SHELL: &str = "SHELL";
/// The shells, as they are named.
const SHELLS: &[&str] = &["bash", "zsh", "fish", "powershell", "elvish"];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(SHELL, words.shell).required(true))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let named = text(matches, SHELL).unwrap_or_default().to_string_lossy().into_owned();
    let Ok(shell) = Shell::from_str(&named, false) else {
        let hint = Message::SeeHelp { command: "aide completions".to_owned() };
        return Err(Failure::flag(SHELL, named, Need::OneOf(SHELLS)).with_hint(hint));
    };
    let mut program =
        command_line::program(&COMMANDS, Layout { lang: context.language.messages, program: Program::Aide });
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "aide", &mut script);
    context.output.text(&String::from_utf8_lossy(&script))?;
    Ok(DONE)
}
