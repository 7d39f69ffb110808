//! `aide schema`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::input_file;
use crate::messages::Message;
use clap::ArgMatches;
use protocol::agent::{CATALOG, CatalogEntry, FormatError};
use std::ffi::OsStr;

/// `aide schema`
pub(crate) static COMMAND: Command = Command { name: "schema", build, run };

const NAME: &str = "NAME";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(NAME, words.name))
        .arg(layout.flag("example", words.example).requires(NAME).conflicts_with("check"))
        .arg(layout.value("check", "FILE", words.check).requires(NAME))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let Some(name) = text(matches, NAME) else {
        context.output.text(&list())?;
        return Ok(DONE);
    };
    let entry = named(&name)?;
    if is_set(matches, "example") {
        context.output.text(entry.example)?;
    } else if let Some(file) = text(matches, "check") {
        check(entry, &file)?;
        context.output.ok(&Message::ValidDocument { path: input_file::shortened(&file), name: entry.name });
    } else {
        context.output.text(entry.schema)?;
    }
    Ok(DONE)
}

/// All formats, and which file each is for.
fn list() -> String {
    let width = CATALOG.iter().map(|entry| entry.name.len()).max().unwrap_or_default();
    CATALOG.iter().map(|entry| format!("{:width$}  {}\n", entry.name, entry.file)).collect()
}

fn named(name: &OsStr) -> Result<&'static CatalogEntry, Failure> {
    let found = name.to_str().and_then(CatalogEntry::named);
    found.ok_or_else(|| {
        Failure::usage(Message::UnknownFormat { name: input_file::shortened(name) }, Message::SeeFormats)
    })
}

fn check(entry: &CatalogEntry, file: &OsStr) -> Result<(), Failure> {
    let bytes = input_file::read(file)?;
    entry.check(&bytes).map_err(|error| {
        let is_json = matches!(error, FormatError::Invalid(_));
        let failure = Failure::from(error);
        if is_json { failure.with_hint(Message::SeeExample { name: entry.name }) } else { failure }
    })
}
