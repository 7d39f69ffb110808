//! Files and functions that are too long to be read at once.
//!
//! Code for tests does not count. The list has what is longer today, each entry with the most that it may be and the reason.

use crate::allowed::Review;
use crate::{Allowed, Checked, File, Finding, Kind, Rust, Tree};
use std::collections::BTreeMap;

/// Where the list is.
pub const LIST: &str = "crates/tidy/allowed/length.txt";
/// The most lines of a file.
pub const FILE: usize = 600;
/// The most lines of a function.
pub const FUNCTION: usize = 80;
/// By how much an entry may exceed what it is for, so that it need not change with every line.
const SLACK: usize = 10;
/// How a whole file is named in the list.
const WHOLE: &str = "*";

/// Checks every Rust source.
pub fn check(tree: &Tree, allowed: &Allowed) -> Checked {
    let mut review = Review::new(allowed);
    let mut long = BTreeMap::new();
    for file in tree.files().filter(|file| !file.is_test) {
        let Some(rust) = &file.rust else { continue };
        let length = file.text.lines().count() - rust.test_lines();
        if length > FILE {
            long.insert((&*file.path, WHOLE), (1, length));
        }
        for (name, line, length) in functions(file, rust) {
            let known: &mut (usize, usize) = long.entry((&*file.path, name)).or_insert((line, length));
            if known.1 < length {
                *known = (line, length);
            }
        }
    }
    long.retain(|(_, name), (_, length)| *length > if *name == WHOLE { FILE } else { FUNCTION });
    for (number, text) in allowed.entries() {
        let Some((path, name, limit, reason)) = parse(text) else {
            review.reject(
                number,
                "this is no entry",
                "write `PATH NAME LINES REASON`, with the name * for a whole file",
            );
            continue;
        };
        let Some((line, length)) = long.remove(&(path, name)) else {
            review.shrink(number, &format!("{} is short enough", what(path, name)), Vec::new());
            continue;
        };
        if length > limit {
            let defect = format!("{} has {length} lines, {limit} are allowed to it", what(path, name));
            review.add(Finding::new(path, line, defect, remedy(name)));
        } else if length + SLACK < limit {
            let entry = format!("{path} {name} {length} {reason}");
            review.shrink(number, &format!("{} has only {length} lines", what(path, name)), vec![entry]);
        }
    }
    for ((path, name), (line, length)) in long {
        let most = if name == WHOLE { FILE } else { FUNCTION };
        let defect = format!("{} has {length} lines, {most} are allowed", what(path, name));
        review.add(Finding::new(path, line, defect, remedy(name)));
    }
    review.finish()
}

fn what(path: &str, name: &str) -> String {
    if name == WHOLE { path.to_owned() } else { format!("`{name}`") }
}

fn remedy(name: &str) -> String {
    match name {
        WHOLE => {
            "divide it by concern, into files each of which says in its first line what it is for".to_owned()
        }
        _ => format!(
            "give its steps names of their own; only a table may be longer, by an entry in {LIST} that \
                says so"
        ),
    }
}

/// Takes an entry apart: file, function, most lines, reason.
fn parse(text: &str) -> Option<(&str, &str, usize, &str)> {
    let (path, rest) = text.split_once(' ')?;
    let (name, rest) = rest.split_once(' ')?;
    let (limit, reason) = rest.split_once(' ')?;
    Some((path, name, limit.parse().ok()?, reason))
}

/// Returns the functions of a file: name, first line and number of lines.
fn functions<'a>(file: &'a File, rust: &Rust) -> Vec<(&'a str, usize, usize)> {
    let mut found = Vec::new();
    for (index, token) in rust.tokens.iter().enumerate() {
        if token.is_test || rust.ident(index, &file.text) != Some("fn") {
            continue;
        }
        let Some(name) = rust.ident(index + 1, &file.text) else { continue };
        let Some(open) = body(rust, index + 2) else { continue };
        let Some(last) = rust.tokens.get(rust.closing(open)) else { continue };
        found.push((name, token.line as usize, (last.line - token.line + 1) as usize));
    }
    found
}

/// Returns the `{` of a function's body, if it has one. Its name is before `index`.
fn body(rust: &Rust, mut index: usize) -> Option<usize> {
    while let Some(token) = rust.tokens.get(index) {
        match token.kind {
            Kind::Sign('{') => return Some(index),
            Kind::Sign(';') => return None,
            Kind::Sign('(' | '[') => index = rust.closing(index),
            _ => {}
        }
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(list: &str, text: &str) -> (Vec<String>, String) {
        let tree = Tree::of_texts(&[("x/src/a.rs", text)]);
        let checked = check(&tree, &Allowed::new(LIST, list));
        (checked.findings.iter().map(ToString::to_string).collect(), checked.shrunk)
    }

    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}(x: [u8; 3]) -> [u8; 3] {{\n{}}}\n", "    // }\n".repeat(lines - 2))
    }

    #[test]
    fn a_long_function_is_found() {
        let text = format!("{}{}", function("short", 80), function("long", 81));
        let (said, _) = checked("", &text);
        assert_eq!(
            said,
            ["x/src/a.rs:81: `long` has 81 lines, 80 are allowed: give its steps names of their own; \
              only a table may be longer, by an entry in crates/tidy/allowed/length.txt that says so"]
        );
    }

    #[test]
    fn a_long_file_is_found_without_its_tests() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    // x\n".repeat(700));
        assert!(checked("", &format!("{}{tests}", "// x\n".repeat(600))).0.is_empty());
        let (said, _) = checked("", &format!("{}{tests}", "// x\n".repeat(601)));
        assert_eq!(
            said,
            ["x/src/a.rs:1: x/src/a.rs has 601 lines, 600 are allowed: divide it by concern, \
              into files each of which says in its first line what it is for"]
        );
    }

    #[test]
    fn a_list_of_lengths_only_shrinks() {
        let text = function("long", 100);
        assert!(checked("x/src/a.rs long 105 a table\n", &text).0.is_empty());
        let (said, _) = checked("x/src/a.rs long 99 a table\n", &text);
        assert!(
            said[0].starts_with("x/src/a.rs:1: `long` has 100 lines, 99 are allowed to it: "),
            "{said:#?}"
        );
        let (said, shrunk) = checked("x/src/a.rs long 120 a table\nx/src/a.rs gone 90 a table\n", &text);
        assert!(said[0].contains("length.txt:1: `long` has only 100 lines: write "), "{said:#?}");
        assert!(said[1].contains("length.txt:2: `gone` is short enough: remove this line"), "{said:#?}");
        assert_eq!(shrunk, "x/src/a.rs long 100 a table\n");
        let (said, _) = checked("x/src/a.rs long 100\n", &text);
        assert!(said.iter().any(|said| said.contains("this is no entry")), "an entry says why: {said:#?}");
    }
}
