//! Comments are in plain English.
//!
//! Looked for are words that stand for a sentence without a subject, and common mistakes. The list has each comment line that is
//! there today.

use crate::allowed::Review;
use crate::{Allowed, Checked, Comment, File, Finding, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Where the list is.
pub const LIST: &str = "crates/tidy/allowed/phrases.txt";
const PERSON: &str =
    "say who it is: the client, the driver, the waiter, a user, an agent; or say it in the passive";
const REPORTED: &str =
    "say what happens: the event is sent, the error is returned, the agent receives, the page shows";
const RESULT: &str = "name the result, or say that it has ended";
/// What a comment does not contain, and what to do.
const PHRASES: [(&str, &str); 15] = [
    ("anybody", PERSON),
    ("nobody", PERSON),
    ("somebody", PERSON),
    ("whoever", PERSON),
    ("are told", REPORTED),
    ("is told", REPORTED),
    ("has come to", RESULT),
    ("adress", "write `address`"),
    ("belongs into", "write `belongs in`"),
    ("dependend", "write `dependent`"),
    ("informations", "write `information`"),
    ("occured", "write `occurred`"),
    ("recieve", "write `receive`"),
    ("seperate", "write `separate`"),
    ("untill", "write `until`"),
];
/// The signs of comments, by the family of the language.
const SLASHES: &[char] = &['/', '!', '*', ' ', '\t'];
const DASHES: &[char] = &['-', ' ', '\t'];
const HASHES: &[char] = &['#', ' ', '\t'];
/// Files without comments of ours: what is generated, and what tests compare with.
const LEFT_OUT: [&str; 2] = ["/generated/", "/snapshots/"];

/// Checks the comments of every source and script.
pub fn check(tree: &Tree, allowed: &Allowed) -> Checked {
    let mut review = Review::new(allowed);
    let mut found: BTreeMap<(&str, &str), (usize, &str, &str)> = BTreeMap::new();
    for file in tree.files().filter(|file| !LEFT_OUT.iter().any(|part| file.path.contains(part))) {
        for (line, comment) in comments(file) {
            if let Some((phrase, remedy)) = PHRASES.into_iter().find(|(phrase, _)| contains(comment, phrase))
            {
                found.entry((&*file.path, comment)).or_insert((line, phrase, remedy));
            }
        }
    }
    let mut listed = BTreeSet::new();
    for (line, text) in allowed.entries() {
        let Some((path, comment)) = text.split_once(": ") else {
            review.reject(
                line,
                "this is no entry",
                "write `PATH: COMMENT`, the line of the comment without its signs",
            );
            continue;
        };
        if found.remove(&(path, comment)).is_some() {
            listed.insert((path, comment));
        } else {
            let what = if listed.contains(&(path, comment)) {
                "the same stands above"
            } else {
                "the comment is gone"
            };
            review.shrink(line, what, Vec::new());
        }
    }
    for ((path, comment), (line, phrase, remedy)) in found {
        review.add(Finding::new(path, line, format!("\"{phrase}\" in the comment \"{comment}\""), remedy));
    }
    review.finish()
}

/// Returns whether `comment` has `phrase` as words of its own.
fn contains(comment: &str, phrase: &str) -> bool {
    let comment = comment.to_ascii_lowercase();
    let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    comment.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (comment.get(..at), comment.get(at + phrase.len()..));
        !is_letter(before.and_then(|text| text.chars().next_back()))
            && !is_letter(after.and_then(|text| text.chars().next()))
    })
}

/// Returns the lines of all comments, without their signs, each with its number.
fn comments(file: &File) -> Vec<(usize, &str)> {
    if let Some(rust) = &file.rust {
        let lines =
            |comment: &Comment| (comment.line..).zip(comment.text(&file.text).lines()).collect::<Vec<_>>();
        let lines = rust.comments.iter().flat_map(lines);
        return lines.map(|(number, line)| (number, stripped(line, SLASHES))).collect();
    }
    let extension =
        file.path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, end)| end);
    let (begins, within, signs): (&[&str], _, _) = match extension {
        "ts" | "mjs" | "js" | "css" => (&["//", "/*", "*"], " // ", SLASHES),
        "sql" => (&["--"], " -- ", DASHES),
        "py" | "sh" | "toml" | "yml" | "yaml" => (&["#"], " # ", HASHES),
        _ if file.text.starts_with("#!") => (&["#"], " # ", HASHES),
        _ => return Vec::new(),
    };
    let found = (1..).zip(file.text.lines()).filter_map(|(number, line)| {
        let trimmed = line.trim_start();
        let is_whole = begins.iter().any(|begin| trimmed.starts_with(begin)) && !trimmed.starts_with("#!");
        let comment = if is_whole { trimmed } else { line.get(line.find(within)?..)? };
        Some((number, stripped(comment, signs)))
    });
    found.collect()
}

fn stripped<'a>(line: &'a str, signs: &[char]) -> &'a str {
    line.trim_matches(signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(list: &str, path: &str, text: &str) -> (Vec<String>, String) {
        let tree = Tree::of_texts(&[(path, text)]);
        let checked = check(&tree, &Allowed::new(LIST, list));
        (checked.findings.iter().map(ToString::to_string).collect(), checked.shrunk)
    }

    #[test]
    fn a_phrase_in_a_comment_is_found() {
        let text =
            "//! Fine.\n\n/// Waits until\n/// Somebody comes.\nconst A: &str = \"nobody\"; // It is told.\n";
        let (said, _) = checked("", "a/src/lib.rs", text);
        assert_eq!(
            said,
            [
                format!("a/src/lib.rs:4: \"somebody\" in the comment \"Somebody comes.\": {PERSON}"),
                format!("a/src/lib.rs:5: \"is told\" in the comment \"It is told.\": {REPORTED}"),
            ]
        );
    }

    #[test]
    fn scripts_and_styles_have_comments_too() {
        for (path, text) in [
            ("a.ts", "const a = 'nobody';\n// nobody\n"),
            ("a.css", "b {}\n/* nobody */\n"),
            ("a.mjs", "const a = 1; // nobody\n\n"),
            ("a.toml", "a = \"nobody\"\n# nobody\n"),
            ("a.sql", "SELECT 1;\n-- nobody\n"),
            ("scripts/a", "#!/bin/sh\n# nobody\n"),
        ] {
            let (said, _) = checked("", path, text);
            assert_eq!(said.len(), 1, "{path}: {said:#?}");
        }
        assert!(checked("", "a.txt", "# nobody\n").0.is_empty());
    }

    #[test]
    fn a_part_of_a_word_is_no_phrase() {
        assert!(checked("", "a.rs", "// addresses, this told us, receives\n").0.is_empty());
        assert_eq!(
            checked("", "a.rs", "// an adress\n").0,
            ["a.rs:1: \"adress\" in the comment \"an adress\": write `address`"]
        );
    }

    #[test]
    fn a_list_of_comments_only_shrinks() {
        let text = "// For somebody.\n";
        assert!(checked("a.rs: For somebody.\n", "a.rs", text).0.is_empty());
        let (said, shrunk) = checked("# Why.\na.rs: For somebody.\na.rs: For nobody.\n", "a.rs", text);
        assert_eq!(
            said,
            ["crates/tidy/allowed/phrases.txt:3: the comment is gone: remove this line, \
              or let TIDY_SHRINK=1 cargo test -p tidy do it"]
        );
        assert_eq!(shrunk, "# Why.\na.rs: For somebody.\n");
    }
}
