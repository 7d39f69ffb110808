//! Numbers in documents that restate a constant of the sources.

mod table;

use crate::{File, Finding, Kind, Tree};

pub use table::TABLE;

/// A number of the sources, and the documents that say it again.
#[derive(Debug)]
pub struct Restated {
    /// The file that has it.
    pub source: &'static str,
    /// Where it is there.
    pub place: Place,
    /// What the documents divide it by, such as [`MIB`]. A duration is in milliseconds.
    pub unit: u64,
    /// Documents, each with a phrase that has `{}` where the number is.
    pub documents: &'static [(&'static str, &'static str)],
}

/// Where a number is in its file.
#[derive(Debug)]
pub enum Place {
    /// The value of the first constant of this name.
    Constant(&'static str),
    /// The first number behind this text.
    After(&'static str),
}

/// As it stands in the source.
pub const ONE: u64 = 1;
/// A second, in milliseconds.
pub const SECOND: u64 = 1000;
/// A minute, in milliseconds.
pub const MINUTE: u64 = 60 * SECOND;
/// 1024 bytes.
pub const KIB: u64 = 1 << 10;
/// 1024 KiB.
pub const MIB: u64 = 1 << 20;
/// Numbers that documents write as words.
const WORDS: [(&str, &str); 12] = [
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("twelve", "12"),
    ("十", "10"),
];
const TABLE_FILE: &str = "crates/tidy/src/numbers/table.rs";

/// Checks each number of `table`. Returns what is wrong, and how many places were compared.
pub fn check(tree: &Tree, table: &[Restated]) -> (Vec<Finding>, usize) {
    let (mut findings, mut count) = (Vec::new(), 0);
    for restated in table {
        let Some((value, line)) = value(tree, restated) else {
            let what = match restated.place {
                Place::Constant(name) => format!("no constant {name} with a number"),
                Place::After(text) => format!("no number behind \"{text}\""),
            };
            let remedy = format!("say in {TABLE_FILE} where it is now");
            findings.push(Finding::new(restated.source, 1, what, remedy));
            continue;
        };
        for (document, phrase) in restated.documents {
            count += 1;
            let Some((said, at)) = tree.file(document).and_then(|file| said(&file.text, phrase)) else {
                let defect = format!("the phrase \"{phrase}\" is gone");
                let remedy = format!("say in {TABLE_FILE} how the number of {} is put now", restated.source);
                findings.push(Finding::new(document, 1, defect, remedy));
                continue;
            };
            if said != value {
                let defect = format!(
                    "\"{}\" is wrong, {}:{line} has {value}",
                    phrase.replace("{}", &said),
                    restated.source
                );
                findings.push(Finding::new(
                    document,
                    at,
                    defect,
                    format!("write {value}, in the other language as well"),
                ));
            }
        }
    }
    (findings, count)
}

/// Returns the number in the unit of the documents, and its line.
fn value(tree: &Tree, restated: &Restated) -> Option<(String, usize)> {
    let file = tree.file(restated.source)?;
    match restated.place {
        Place::Constant(name) => {
            let (value, line) = constant(file, name)?;
            let (whole, part) = (value / restated.unit, value % restated.unit);
            // As in 1.5 s.
            let text = match part * 10 / restated.unit {
                _ if part == 0 => whole.to_string(),
                tenths if tenths * restated.unit == part * 10 => format!("{whole}.{tenths}"),
                _ => return None,
            };
            Some((text, line))
        }
        Place::After(marker) => {
            let number =
                |(at, _): (usize, &str)| Some((at, leading_number(file.text.get(at + marker.len()..)?)?.0));
            let (at, number) = file.text.match_indices(marker).find_map(number)?;
            let number = match number.parse::<u64>() {
                Ok(number) if number % restated.unit == 0 => (number / restated.unit).to_string(),
                _ => number,
            };
            Some((number, file.text.get(..at)?.matches('\n').count() + 1))
        }
    }
}

/// Returns the value of a constant, and its line.
fn constant(file: &File, name: &str) -> Option<(u64, usize)> {
    let rust = file.rust.as_ref()?;
    let text = &*file.text;
    let found = (0..rust.tokens.len()).find(|index| {
        rust.ident(*index, text) == Some("const") && rust.ident(index + 1, text) == Some(name)
    })?;
    let line = rust.tokens.get(found)?.line as usize;
    let begin = (found..rust.tokens.len()).find(|index| rust.is_sign(*index, '='))? + 1;
    let end = (begin..rust.tokens.len()).find(|index| rust.is_sign(*index, ';'))?;
    Some((evaluate(file, begin, end)?, line))
}

/// Returns the value of an expression: a product, a shift, or a duration made of one.
fn evaluate(file: &File, begin: usize, end: usize) -> Option<u64> {
    let rust = file.rust.as_ref()?;
    let text = &*file.text;
    if rust.ident(begin, text) == Some("Duration") {
        let factor = match rust.ident(begin + 3, text)? {
            "from_millis" => 1,
            "from_secs" => SECOND,
            _ => return None,
        };
        return Some(factor * evaluate(file, begin + 5, end - 1)?);
    }
    let mut value: Option<u64> = None;
    let mut index = begin;
    let mut shift = false;
    while index < end {
        let token = rust.tokens.get(index)?;
        let next = match token.kind {
            Kind::Literal => leading_number(&token.text(text).replace('_', ""))?.0.parse().ok()?,
            Kind::Ident => constant(file, token.text(text))?.0,
            Kind::Sign('*') => {
                index += 1;
                continue;
            }
            Kind::Sign('<') => {
                shift = true;
                index += 1;
                continue;
            }
            _ => return None,
        };
        value = Some(match value {
            None => next,
            Some(value) if shift => value.checked_shl(u32::try_from(next).ok()?)?,
            Some(value) => value.checked_mul(next)?,
        });
        shift = false;
        index += 1;
    }
    value
}

/// Returns the number that a document has in the place of `{}`, and its line. Spaces and line ends are the same.
fn said(text: &str, phrase: &str) -> Option<(String, usize)> {
    let (before, after) = phrase.split_once("{}")?;
    let flat = text.replace('\n', " ");
    let mut from = 0;
    loop {
        let at = from + flat.get(from..)?.find(before)?;
        let start = at + before.len();
        if let Some((number, length)) = leading_number(flat.get(start..)?)
            && flat.get(start + length..)?.starts_with(after)
        {
            return Some((number, text.get(..start)?.matches('\n').count() + 1));
        }
        from = at + flat.get(at..)?.chars().next()?.len_utf8();
    }
}

/// Returns the number that a text begins with, without what separates its digits, and how long it is there.
fn leading_number(text: &str) -> Option<(String, usize)> {
    if let Some((word, number)) = WORDS.into_iter().find(|(word, _)| text.starts_with(word)) {
        return Some((number.to_owned(), word.len()));
    }
    let end = text
        .find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, ',' | '.' | '_'))
        .unwrap_or(text.len());
    let number = text.get(..end)?.trim_end_matches([',', '.']);
    let digits = number.replace([',', '_'], "");
    (!digits.is_empty()).then_some((digits, number.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "const A: usize = 16 << 20;\nconst B: Duration = Duration::from_secs(10 * 60);\n\
                          const C: usize = A;\nconst D: u64 = 7 * 24 * 60;\nconst E: Duration = \
                          Duration::from_millis(1_500);\n\
                          const F: &str = \"x\";\nfn f() { Limits { held: 4_096 } }\n";

    fn found(place: Place, unit: u64, phrase: &'static str, document: &str) -> Vec<String> {
        let tree = Tree::of_texts(&[("a.rs", SOURCE), ("docs/a.md", document)]);
        let documents = vec![("docs/a.md", phrase)].leak();
        let (findings, count) = check(&tree, &[Restated { source: "a.rs", place, unit, documents }]);
        assert!(count == 1 || !findings.is_empty());
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn numbers_that_agree_are_fine() {
        for (place, unit, phrase, document) in [
            (Place::Constant("A"), MIB, "at most {} MiB", "x\nat most\n16 MiB.\n"),
            (Place::Constant("B"), MINUTE, "within {} minutes", "within ten minutes"),
            (Place::Constant("B"), SECOND, "within {} s", "within many s, within 600 s"),
            (Place::Constant("C"), ONE, "{} bytes", "has 16,777,216 bytes"),
            (Place::Constant("D"), ONE, "({})", "(10080)"),
            (Place::Constant("E"), SECOND, "After {} s", "After 1.5 s without"),
            (Place::After("held: "), ONE, "{} of them", "4096 of them"),
        ] {
            assert_eq!(found(place, unit, phrase, document), <[String; 0]>::default());
        }
    }

    #[test]
    fn a_number_that_differs_is_found() {
        assert_eq!(
            found(Place::Constant("A"), MIB, "at most {} MiB", "x\nat most\n25 MiB.\n"),
            ["docs/a.md:3: \"at most 25 MiB\" is wrong, a.rs:1 has 16: write 16, in the other language \
                    as well"]
        );
    }

    #[test]
    fn what_is_no_longer_there_is_found() {
        assert_eq!(
            found(Place::Constant("A"), MIB, "at most {} MiB", "as large as you like"),
            ["docs/a.md:1: the phrase \"at most {} MiB\" is gone: \
              say in crates/tidy/src/numbers/table.rs how the number of a.rs is put now"]
        );
        for (place, said) in [
            (
                Place::Constant("F"),
                "a.rs:1: no constant F with a number: say in crates/tidy/src/numbers/table.rs where it is \
                    now",
            ),
            (
                Place::After("kept: "),
                "a.rs:1: no number behind \"kept: \": say in crates/tidy/src/numbers/table.rs where it is \
                    now",
            ),
        ] {
            assert_eq!(found(place, ONE, "{}", "1"), [said]);
        }
    }
}
