//! `docs/ARCHITECTURE.md` is short enough to be read at once, and the files that it names exist.

use crate::markdown::{code_spans, prose};
use crate::{Finding, Tree};

const DOCUMENT: &str = "docs/ARCHITECTURE.md";
/// The most lines: four screens.
const LINES: usize = 260;
/// The most characters of a line.
const COLUMNS: usize = 120;
/// Where the files are that it names by their whole path.
const FOLDERS: [&str; 8] =
    ["app/", "cli/", "clients/", "crates/", "docs/", "end2end/", "frontend/", "server/"];
const DETAILS: &str =
    "move what is detail into the `//!` of the crate or file that it is about, and name that here";

/// Checks the document. Returns what is wrong, and how many paths it names.
pub fn check(tree: &Tree) -> (Vec<Finding>, usize) {
    let text = tree.file(DOCUMENT).map_or("", |file| file.text.as_str());
    let (mut findings, mut count) = (Vec::new(), 0);
    let lines = text.lines().count();
    if lines > LINES {
        let defect = format!("{DOCUMENT} has {lines} lines, {LINES} are allowed");
        findings.push(Finding::new(DOCUMENT, LINES + 1, defect, DETAILS));
    }
    for (number, line) in (1..).zip(text.lines()) {
        let columns = line.chars().count();
        if columns > COLUMNS {
            let defect = format!("the line has {columns} characters, {COLUMNS} are allowed");
            findings.push(Finding::new(DOCUMENT, number, defect, "break it, or say it in fewer words"));
        }
    }
    for (number, line) in prose(text) {
        for path in code_spans(line).filter(|span| FOLDERS.iter().any(|folder| span.starts_with(folder))) {
            count += 1;
            let folder = path.trim_end_matches('/');
            if tree.file(path).is_none() && tree.below(folder).next().is_none() {
                let defect = format!("there is no `{path}`");
                findings.push(Finding::new(DOCUMENT, number, defect, "name the file that has this now"));
            }
        }
    }
    (findings, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Vec<String>, usize) {
        let tree = Tree::of_texts(&[(DOCUMENT, text), ("crates/a/src/lib.rs", "")]);
        let (findings, count) = check(&tree);
        (findings.iter().map(ToString::to_string).collect(), count)
    }

    #[test]
    fn a_short_document_that_names_what_exists_is_allowed() {
        let line = "ä".repeat(COLUMNS);
        let text = format!("`crates/a`, `crates/a/src/`, `crates/a/src/lib.rs`, `lib.rs`\n{line}\n");
        assert_eq!(found(&(text + &"a\n".repeat(LINES - 2))), (Vec::new(), 3));
    }

    #[test]
    fn what_is_long_or_gone_is_found() {
        let long = "a".repeat(COLUMNS + 1);
        let (said, _) = found(&format!("{long}\nb `crates/a/src/gone.rs`\n{}", "c\n".repeat(LINES - 1)));
        assert_eq!(
            said,
            [
                format!("{DOCUMENT}:261: {DOCUMENT} has 261 lines, 260 are allowed: {DETAILS}"),
                format!(
                    "{DOCUMENT}:1: the line has 121 characters, 120 are allowed: break it, or say it in \
                     fewer words"
                ),
                format!("{DOCUMENT}:2: there is no `crates/a/src/gone.rs`: name the file that has this now"),
            ]
        );
    }
}
