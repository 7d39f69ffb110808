//! What a command is about: from its arguments, from a file, or from whatever writes into standard input.

use super::given;
use crate::command_line::layout::text;
use crate::failure::Failure;
use crate::input_file;
use crate::messages::{DaemonMessage, Message};
use clap::ArgMatches;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};

/// Reads it from the only one of `arguments` or of `--file` that is given, else from standard input unless that is a terminal.
/// `shown` is what the argument is called where it is missing.
pub(super) fn read(
    matches: &ArgMatches,
    arguments: &[&str],
    shown: &str,
    command: &str,
) -> Result<String, Failure> {
    let hint = || Message::SeeHelp { command: format!("aide {command}") };
    let from = |argument: &OsStr| -> Result<String, Failure> {
        Ok(String::from_utf8_lossy(&input_file::read(argument)?).trim().to_owned())
    };
    let mut texts = arguments.iter().filter_map(|name| given(matches, name));
    let text = match (texts.next(), texts.next(), text(matches, "file")) {
        (Some(_), Some(_), _) => {
            return Err(Failure::usage(Message::Repeated { argument: shown.to_owned() }, hint()));
        }
        (Some(_), None, Some(_)) => {
            let name = shown.strip_prefix('<').and_then(|shown| shown.strip_suffix('>'));
            let argument = name.unwrap_or(shown).to_owned();
            let two = Message::daemon(DaemonMessage::TwoInputs { argument });
            return Err(Failure::usage(two, hint()));
        }
        (Some(text), None, None) => text,
        (None, _, Some(file)) => from(&file)?,
        (None, _, None) if io::stdin().is_terminal() => String::new(),
        (None, _, None) => from(OsStr::new("-"))?,
    };
    if model::is_blank(&text) {
        return Err(Failure::usage(Message::MissingArgument { argument: shown.to_owned() }, hint()));
    }
    Ok(text)
}
