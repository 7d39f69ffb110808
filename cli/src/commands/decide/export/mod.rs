//! `aide decide export`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{self, Layout, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, RecordMessage};
use crate::outcome;
use app::Export;
use clap::ArgMatches;
use decide::{DecideError, WrittenAdr};
use files::{ExternalDir, FileError};
use std::ffi::OsStr;
use std::path::Path;
use texts::Need;

/// Where MADR keeps its records.
const FOLDER: [&str; 2] = ["docs", "decisions"];

/// `aide decide export`
pub(crate) static COMMAND: Command = Command { name: "export", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.session())
        .arg(layout.value("format", "FORMAT", words.format))
        .arg(layout.value("dir", "FOLDER", words.dir))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let format = format_of(text(matches, "format").as_deref())?;
    let project = context.project()?;
    let decisions = project.decisions()?;
    let session = match outcome::session(&decisions, layout::session(matches).as_deref()) {
        Err(DecideError::NothingAsked) => return Err(outcome::none_meant(&decisions, COMMAND.name)),
        session => session?,
    };
    let record = decide::record(&decisions, &session)?;
    if record.is_none() && !decide::is_there(&decisions, &session)? {
        return Err(DecideError::NoSession { name: session.to_string() }.into());
    }
    let (name, is_open) = (session.to_string(), record.is_none());
    let Some(export) = record.as_ref().and_then(|record| Export::new(name.clone(), record)) else {
        let hint = if is_open {
            Message::record(RecordMessage::AnswerFirst { session: name.clone() })
        } else {
            Message::SeeList
        };
        return Err(Failure::new(Message::record(RecordMessage::NothingToExport { session: name }), hint));
    };
    match format {
        Format::Markdown => context.output.text(&export.markdown(context.language.messages))?,
        Format::Adr => {
            let folder = match text(matches, "dir") {
                Some(dir) => ExternalDir::named(Path::new(&dir))?,
                None => ExternalDir::below(project.root(), &FOLDER).map_err(in_the_way)?,
            };
            decide::write_adrs(&folder, &export.adrs(), |written| {
                match written {
                    WrittenAdr::New(path) => {
                        context.output.ok(&Message::record(RecordMessage::Exported { path }))
                    }
                    WrittenAdr::Before(path) => {
                        context.output.info(&Message::record(RecordMessage::AlreadyExported { path }))
                    }
                }
                Ok::<_, Failure>(())
            })?;
        }
    }
    Ok(DONE)
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// One document on standard output.
    Markdown,
    /// One file for each item.
    Adr,
}

/// What `--format` asks for.
fn format_of(flag: Option<&OsStr>) -> Result<Format, Failure> {
    match flag.map(|value| value.to_string_lossy()) {
        None => Ok(Format::Markdown),
        Some(value) if value == "md" => Ok(Format::Markdown),
        Some(value) if value == "adr" => Ok(Format::Adr),
        Some(value) => Err(Failure::flag("--format", value.into_owned(), Need::Format)),
    }
}

/// What is in the way of the default folder.
fn in_the_way(error: FileError) -> Failure {
    match error {
        FileError::Symlink { .. } | FileError::NotAFolder { .. } => {
            Failure::from(error).with_hint(Message::NameFolder)
        }
        error => error.into(),
    }
}
