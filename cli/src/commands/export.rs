//! `aide decide export`

use super::{Context, DONE};
use crate::args::ExportFlags;
use crate::failure::Failure;
use crate::messages::Message;
use crate::outcome;
use crate::settings;
use app::{Adr, Export};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where MADR keeps its records.
const FOLDER: &str = "docs/decisions";

pub(super) fn run(context: &Context, flags: &ExportFlags) -> Result<u8, Failure> {
    let format = settings::export_format(flags.format.as_deref())?;
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
                Some(dir) => PathBuf::from(dir),
                None => project.root().join(FOLDER),
            };
            write_all(context, &folder, &export.adrs())?;
        }
    }
    Ok(DONE)
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One document on standard output.
    Markdown,
    /// One file for each item.
    Adr,
}

fn write_all(context: &Context, folder: &Path, adrs: &[Adr]) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let present = present(folder)?;
    let mut number = present.iter().map(|file| file.number).max().unwrap_or_default();
    for adr in adrs {
        // Exported before, perhaps renamed and edited since.
        if let Some(file) = present.iter().find(|file| file.text.contains(&adr.mark)) {
            context.output.info(&Message::AlreadyExported { path: file.path.clone() });
            continue;
        }
        let path = loop {
            number += 1;
            let dash = if adr.slug.is_empty() { "" } else { "-" };
            let path = folder.join(format!("{number:04}{dash}{}.md", adr.slug));
            match File::create_new(&path).and_then(|mut file| file.write_all(adr.text.as_bytes())) {
                Ok(()) => break path,
                // Somebody else has just taken it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&path, error)),
            }
        };
        context.output.ok(&Message::Exported { path });
    }
    Ok(())
}

/// A record that is in the folder already.
struct Present {
    path: PathBuf,
    /// That at the beginning of its name; 0 when there is none.
    number: u32,
    text: String,
}

fn present(folder: &Path) -> Result<Vec<Present>, Failure> {
    let mut present = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.ends_with(".md") {
            continue;
        }
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        let number = digits.parse().unwrap_or_default();
        // What is no text is none of ours.
        let text = fs::read_to_string(&path).unwrap_or_default();
        present.push(Present { path, number, text });
    }
    Ok(present)
}

fn failed(path: &Path, error: io::Error) -> Failure {
    Failure::new(Message::FileFailed { path: path.to_owned(), error }, Message::CheckSpace)
}
