//! Architecture decision records in a folder: one file for each, written once.

use files::{ExternalDir, FileError};
use std::collections::HashMap;
use std::path::PathBuf;

/// How much of a file is read to know it again, in bytes: the mark is near the top.
const BEGINNING: u64 = 16 << 10;

/// One architecture decision record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adr {
    /// The title as part of a file's name; empty when nothing of it can be.
    pub slug: String,
    /// Tells this decision in a file, whatever its name.
    pub mark: String,
    /// MADR 4.0.
    pub text: String,
}

/// What has become of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// It is in this file now.
    New(PathBuf),
    /// It was in this file already, perhaps renamed and edited since: that is left alone.
    Before(PathBuf),
}

/// Writes each of `adrs` into a file of its own in `folder`, under the next free number, unless one has its mark already;
/// tells `written` of each in their order.
///
/// # Errors
///
/// Whatever the disk says, and what `written` says; what was written by then stays.
pub fn write_adrs<E: From<FileError>>(
    folder: &ExternalDir,
    adrs: &[Adr],
    mut written: impl FnMut(Written) -> Result<(), E>,
) -> Result<(), E> {
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
        if let Some(name) = exported {
            written(Written::Before(folder.path_of(&name)))?;
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
        written(Written::New(folder.path_of(&name)))?;
    }
    Ok(())
}
