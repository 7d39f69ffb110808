//! `aide decide export`

use crate::args::ExportFlags;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, Need};
use crate::outcome;
use app::{Adr, Export};
use files::{ExternalDir, FileError};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

/// Where MADR keeps its records.
const FOLDER: [&str; 2] = ["docs", "decisions"];

/// How much of a file is read to know it again, in bytes: the mark is near the top.
const BEGINNING: u64 = 16 << 10;

pub(super) fn run(context: &Context, flags: &ExportFlags) -> Result<u8, Failure> {
    let format = format_of(flags.format.as_deref())?;
    let project = context.project()?;
    let decisions = project.decisions()?;
    let session = outcome::session(&decisions, flags.session.as_deref())?;
    let Some(record) = outcome::record(&decisions, &session)? else {
        return Err(Failure::new(Message::NothingToExport, Message::SeeList));
    };
    let Some(export) = Export::new(session.to_string(), &record) else {
        return Err(Failure::new(Message::NothingToExport, Message::SeeList));
    };
    match format {
        Format::Markdown => context.output.text(&export.markdown(context.language.messages))?,
        Format::Adr => {
            let folder = match &flags.dir {
                Some(dir) => ExternalDir::named(Path::new(dir))?,
                None => ExternalDir::below(project.root(), &FOLDER).map_err(in_the_way)?,
            };
            write_all(context, &folder, &export.adrs())?;
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

fn write_all(context: &Context, folder: &ExternalDir, adrs: &[Adr]) -> Result<(), Failure> {
    let marks: HashMap<&str, usize> = (0..).zip(adrs).map(|(index, adr)| (&*adr.mark, index)).collect();
    let mut exported = vec![None; adrs.len()];
    let mut number = 0;
    for name in folder.names()?.into_iter().filter(|name| name.ends_with(".md")) {
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        number = number.max(digits.parse::<u32>().unwrap_or_default());
        let beginning = folder.beginning(&name, BEGINNING).unwrap_or_default();
        for line in String::from_utf8_lossy(&beginning).lines() {
            if let Some(index) = marks.get(line.trim()) {
                exported[*index] = Some(name.clone());
            }
        }
    }
    for (adr, exported) in adrs.iter().zip(exported) {
        // Exported before, perhaps renamed and edited since.
        if let Some(name) = exported {
            context.output.info(&Message::AlreadyExported { path: folder.path_of(&name) });
            continue;
        }
        let name = loop {
            number = number.saturating_add(1);
            let dash = if adr.slug.is_empty() { "" } else { "-" };
            let name = format!("{number:04}{dash}{}.md", adr.slug);
            // Else somebody has just taken it.
            if folder.create(&name, adr.text.as_bytes())? {
                break name;
            }
        };
        context.output.ok(&Message::Exported { path: folder.path_of(&name) });
    }
    Ok(())
}

/// What is in the way of the folder that nobody has named.
fn in_the_way(error: FileError) -> Failure {
    match error {
        FileError::Symlink { path } => Failure::new(Message::IsSymlink { path }, Message::NameFolder),
        FileError::NotAFolder { path } => Failure::new(Message::NotAFolder { path }, Message::NameFolder),
        error => error.into(),
    }
}
