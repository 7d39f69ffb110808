//! Files that a person attaches to an answer: what is said of them, and what they may be called.

use crate::blank::is_invisible;
use crate::glob_matches;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How large a file may be, and all files of a set of questions together, in bytes: 64 MiB.
pub const MAX_ATTACHED: u64 = 64 << 20;

/// How many files an item may ask for.
pub const MAX_FILES: usize = 100;

/// How many files an item takes that does not say.
pub const USUAL_FILES: usize = 10;

/// How long a name may be, in bytes.
pub const MAX_NAME: usize = 200;

/// A file that is attached to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// As [`clean_name`] leaves it; never a path.
    pub name: String,
    /// The hash of its content, as 64 hexadecimal digits.
    pub sha256: String,
    /// In bytes.
    pub size: u64,
}

/// What is attached to which item, in the order in which it was.
pub type Attachments = BTreeMap<u64, Vec<Attachment>>;

/// Returns the name that a file called `name` elsewhere has here: the last component of a path of any system, without
/// characters that a file system or a terminal takes for something else. Never empty, and never a path.
pub fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|c| !is_refused(*c)).collect();
    let name = kept.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
    let name = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    let name = shortened(name, MAX_NAME);
    // The names that Windows keeps for devices mean these with any extension; what was cut off may have left one.
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let name =
        if is_device(stem) { shortened(&format!("{stem}_{}", &name[stem.len()..]), MAX_NAME) } else { name };
    if name.is_empty() { "file".to_owned() } else { name }
}

/// Returns `name`, which is clean, with a number before its extension; it is clean as well, and no longer than a name may be.
pub fn numbered_name(name: &str, number: usize) -> String {
    let number = format!(" ({number})");
    let name = shortened(name, MAX_NAME - number.len());
    let (stem, extension) = split(&name);
    format!("{stem}{number}{extension}")
}

/// Whether `name` is of the form `pattern`, in which `*` stands for any characters. Capitals make no difference.
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    // What no file can be called here, like `.env`, is meant as what it is called here.
    if !pattern.contains('*') && clean_name(pattern).to_lowercase() == name {
        return true;
    }
    glob_matches(&pattern.to_lowercase(), &name)
}

fn is_refused(c: char) -> bool {
    c.is_control()
        || is_invisible(c) && !c.is_whitespace()
        || matches!(c, '\u{2028}' | '\u{2029}' | '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*')
}

fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$") {
        return true;
    }
    let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    number.is_some_and(|number| {
        let mut digits = number.chars();
        matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    })
}

/// At most `most` bytes of `name`, its extension among them.
fn shortened(name: &str, most: usize) -> String {
    if name.len() <= most {
        return name.to_owned();
    }
    let (stem, extension) = split(name);
    let stem = &stem[..stem.floor_char_boundary(most - extension.len())];
    let stem = stem.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    format!("{stem}{extension}")
}

/// `name` before and from the dot of its extension on, where it is no longer than an extension is.
fn split(name: &str) -> (&str, &str) {
    const LONGEST_EXTENSION: usize = 20;
    let dot = name.rfind('.').filter(|dot| name.len() - dot <= LONGEST_EXTENSION);
    name.split_at(dot.unwrap_or(name.len()))
}

#[cfg(test)]
mod tests {
    use super::{clean_name, name_matches};

    #[test]
    fn a_name_is_cleaned() {
        for (name, clean) in [
            ("a.pdf", "a.pdf"),
            ("报告 (1).pdf", "报告 (1).pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ann\\logo.svg", "logo.svg"),
            ("a/", "file"),
            ("", "file"),
            ("..", "file"),
            (" . .env", "env"),
            ("a.txt. .", "a.txt"),
            ("a\0b\nc\u{1b}[2J.txt", "abc[2J.txt"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("a\u{200b}\u{feff}b\u{2028}", "ab"),
            ("<>:\"|?*", "file"),
            ("a:b.txt", "ab.txt"),
            ("con", "con_"),
            ("NUL.tar.gz", "NUL_.tar.gz"),
            ("com1.txt", "com1_.txt"),
            ("LPT³", "LPT³_"),
            ("aux .txt", "aux_ .txt"),
            ("console.log", "console.log"),
            ("com10", "com10"),
        ] {
            assert_eq!(clean_name(name), clean, "{name:?}");
        }
        let long = clean_name(&format!("{}.tar.gz", "名".repeat(100)));
        assert_eq!(long, format!("{}.gz", "名".repeat(65)));
        assert_eq!(clean_name(&format!("a.{}", "x".repeat(300))).len(), 200);
        // What is cut off leaves the name of a device.
        assert_eq!(clean_name(&format!("con{}x.txt", " ".repeat(300))), "con_.txt");
    }

    #[test]
    fn a_pattern_stands_for_names() {
        for (pattern, name, matches) in [
            ("logo.svg", "LOGO.svg", true),
            ("logo.svg", "logo.svg.exe", false),
            ("*.pdf", "a.PDF", true),
            ("*.pdf", ".pdf", true),
            ("*.pdf", "a.pdf.exe", false),
            ("*", "anything", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("**", "x", true),
            (".env", "env", true),
            ("É*", "état", true),
        ] {
            assert_eq!(name_matches(pattern, name), matches, "{pattern} {name}");
        }
    }
}
