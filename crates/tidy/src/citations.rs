//! What sources cite of `docs/contract/` is there: `contract/plans §11.2`, `contract/plans §10.4, §11`, `contract/flow §3 to §5`.

use crate::markdown::prose;
use crate::{File, Finding, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Where sources are.
const FOLDERS: [&str; 8] = ["app", "cli", "clients", "crates", "end2end", "examples", "frontend", "server"];
/// This one has examples.
const LEFT_OUT: &str = "crates/tidy/src/citations.rs";
/// What may stand between two sections of one document.
const BETWEEN: [&str; 4] = ["and", "to", ",", "–"];
const REMEDY: &str = "cite the section that says it now";

/// A section that a source cites.
struct Citation {
    document: String,
    section: String,
    line: usize,
}

/// Checks every citation. Returns what is wrong, and how many there are.
pub fn check(tree: &Tree) -> (Vec<Finding>, usize) {
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut findings, mut count) = (Vec::new(), 0);
    for file in FOLDERS.into_iter().flat_map(|folder| tree.below(folder)) {
        let is_source = [".rs", ".ts", ".mjs", ".css"].iter().any(|end| file.path.ends_with(end));
        if !is_source || file.path == LEFT_OUT {
            continue;
        }
        let (citations, stray) = cited(file);
        for line in stray {
            let remedy = "name it as in `contract/plans §11.2`, in the same sentence";
            findings.push(Finding::new(&file.path, line, "a section of no document", remedy));
        }
        for Citation { document, section, line } in citations {
            count += 1;
            let known = sections.entry(document.clone()).or_insert_with(|| numbered(tree, &document));
            if !known.contains(&section) {
                let defect = format!("docs/contract/{document}.md has no section {section}");
                findings.push(Finding::new(&file.path, line, defect, REMEDY));
            }
        }
    }
    (findings, count)
}

/// The numbers of the headings of a document.
fn numbered(tree: &Tree, document: &str) -> BTreeSet<String> {
    let text = tree.file(&format!("docs/contract/{document}.md")).map_or("", |file| file.text.as_str());
    let number = |(_, line): (usize, &str)| {
        let words = line.strip_prefix("## ").or_else(|| line.strip_prefix("### "))?;
        words.split(' ').next().map(str::to_owned)
    };
    prose(text).into_iter().filter_map(number).collect()
}

/// The sections that a source cites, and the lines where one stands without its document.
fn cited(file: &File) -> (Vec<Citation>, Vec<usize>) {
    let (mut citations, mut stray) = (Vec::new(), Vec::new());
    let mut document: Option<String> = None;
    for (line, text) in (1..).zip(file.text.lines()) {
        let words = text.trim_start().trim_start_matches(['/', '!', '*', ' ']);
        // A sentence may go on in the next line of a comment.
        if words.len() == text.trim_start().len() {
            document = None;
        }
        for word in words.split(' ') {
            let word = word.trim_start_matches(['(', '`', '"']);
            if let Some((_, named)) = word.split_once("contract/") {
                let named: String = named.chars().take_while(char::is_ascii_lowercase).collect();
                document = Some(named).filter(|named| !named.is_empty());
            } else if let Some(section) = word.strip_prefix('§') {
                let end = section.find(|sign: char| !sign.is_ascii_digit() && sign != '.');
                let section = section[..end.unwrap_or(section.len())].trim_end_matches('.').to_owned();
                match &document {
                    Some(document) => citations.push(Citation { document: document.clone(), section, line }),
                    None => stray.push(line),
                }
            } else if !word.is_empty() && !BETWEEN.contains(&word) {
                document = None;
            }
        }
    }
    (citations, stray)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_belongs_to_the_document_before_it() {
        let text = "/// As contract/plans §10.4, §11 says, and contract/flow §3 to\n/// §5 \
            (contract/plans §2).\n/// Here §7 stands alone.\n";
        let tree = Tree::of_texts(&[("cli/src/a.rs", text)]);
        let (citations, stray) = cited(tree.file("cli/src/a.rs").unwrap());
        let found: Vec<_> = citations.iter().map(|one| (&*one.document, &*one.section)).collect();
        assert_eq!(found, [("plans", "10.4"), ("plans", "11"), ("flow", "3"), ("flow", "5"), ("plans", "2")]);
        assert_eq!(stray, [3]);
    }

    #[test]
    fn a_section_that_is_not_there_is_found() {
        let tree = Tree::of_texts(&[
            ("docs/contract/plans.md", "## 1 One\n\n```\n## 3 Three\n```\n### 1.2 Two\n"),
            ("cli/src/a.rs", "// contract/plans §1, §1.2\n// (contract/plans §3)\n\n// Only §1.\n"),
            ("docs/a.rs", "// contract/plans §9\n"),
        ]);
        let (findings, count) = check(&tree);
        let said: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "cli/src/a.rs:4: a section of no document: name it as in `contract/plans §11.2`, in the \
                    same sentence",
                "cli/src/a.rs:2: docs/contract/plans.md has no section 3: cite the section that says it now",
            ]
        );
        assert_eq!(count, 3);
    }
}
