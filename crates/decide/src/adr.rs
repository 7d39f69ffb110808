//! Architecture decision records in a folder: one file for each, written once.

use files::{ExternalDir, FileError};
use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
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
pub enum WrittenAdr {
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
    mut written: impl FnMut(WrittenAdr) -> Result<(), E>,
) -> Result<(), E> {
    let marks: HashMap<&str, usize> = (0..).zip(adrs).map(|(index, adr)| (&*adr.mark, index)).collect();
    let mut exported = vec![None; adrs.len()];
    let names: Vec<_> = folder.names()?.into_iter().filter(|name| name.ends_with(".md")).collect();
    let mut number = highest_number(&names);
    for name in names {
        let beginning = folder.beginning(&name, BEGINNING).unwrap_or_default();
        for line in String::from_utf8_lossy(&beginning).lines() {
            if let Some(index) = marks.get(line.trim()) {
                exported[*index] = Some(name.clone());
            }
        }
    }
    for (adr, exported) in adrs.iter().zip(exported) {
        if let Some(name) = exported {
            written(WrittenAdr::Before(folder.path_of(&name)))?;
            continue;
        }
        let name = loop {
            number = number.saturating_add(1);
            let dash = if adr.slug.is_empty() { "" } else { "-" };
            let name = format!("{number:04}{dash}{}.md", adr.slug);
            // Else another process has just taken it.
            if folder.create(&name, adr.text.as_bytes())? {
                break name;
            }
        };
        written(WrittenAdr::New(folder.path_of(&name)))?;
    }
    Ok(())
}

/// The highest number of an architecture decision record among the files `names`; 0 without one.
///
/// A name that begins with a date is no record, nor is one with a year in the place of the number, unless the records go on
/// to that number.
fn highest_number(names: &[String]) -> u32 {
    const YEARS: RangeInclusive<u32> = 1900..=2100;
    let numbers: BTreeSet<u32> = names.iter().filter_map(|name| record_number(name)).collect();
    let is_record = |number: &&u32| !YEARS.contains(number) || numbers.contains(&(**number - 1));
    numbers.iter().rev().find(is_record).copied().unwrap_or_default()
}

/// The number that `name` begins with, where it is the name of a record: at most five digits, then no letter and no date.
fn record_number(name: &str) -> Option<u32> {
    const MOST_DIGITS: usize = 5;
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = name.split_at(digits);
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric());
    if digits > MOST_DIGITS || goes_on || is_date(number, rest) {
        return None;
    }
    number.parse().ok()
}

/// Whether `number` and what follows are a year and a month.
fn is_date(number: &str, rest: &str) -> bool {
    let month = rest.get(1..).unwrap_or_default();
    let month_digits = month.bytes().take_while(u8::is_ascii_digit).count();
    number.len() == 4 && month_digits == 2 && !month[2..].starts_with(|c: char| c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::highest_number;

    fn highest(names: &[&str]) -> u32 {
        highest_number(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn numbers_follow_records_alone() {
        for (names, expected) in [
            (&[][..], 0),
            (&["README.md", "adr-template.md", "index.md"], 0),
            (&["0001-record-decisions.md", "0007-gap.md", "0120-by-hand.md"], 120),
            (&["7.md", "12_short.md"], 12),
            // Dates and years.
            (&["0003-x.md", "20260101-dated-name.md", "2026-01-15-minutes.md", "2026-01-15.md"], 3),
            (&["0003-x.md", "2027-roadmap.md", "2026.01 report.md"], 3),
            (&["0003-x.md", "3d-printing.md", "99problems.md"], 3),
            // So many that a number looks like a year.
            (&["1899-x.md", "1900-x.md", "1901-x.md"], 1901),
            (&["0001-\u{8ba4}\u{8bc1}.md", "0002\u{8ba4}\u{8bc1}.md"], 1),
        ] {
            assert_eq!(highest(names), expected, "{names:?}");
        }
    }
}
