//! What sources cite of `docs/contract/` is there: `contract/plans §11.2`, `contract/plans §10.4, §11`, `contract/flow §3 to §5`.

use super::{read, root};
use crate::markdown::{Part, parts};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Where sources are.
const FOLDERS: [&str; 8] = ["app", "cli", "clients", "crates", "end2end", "examples", "frontend", "server"];
/// What is not ours, or made from something else.
const LEFT_OUT: [&str; 4] = ["node_modules", "dist", "target", "test-results"];
/// What may stand between two sections of one document.
const BETWEEN: [&str; 4] = ["and", "to", ",", "–"];

/// A section that a source cites.
struct Citation {
    document: String,
    section: String,
    /// Where, for a person.
    at: String,
}

#[test]
fn cited_sections_exist() {
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut sources = Vec::new();
    FOLDERS.iter().for_each(|folder| collect(&root().join(folder), &mut sources));
    let mut count = 0;
    for path in &sources {
        let text = fs::read_to_string(path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        // This one has examples.
        if name.ends_with("citations.rs") {
            continue;
        }
        let (citations, stray) = cited(&name, &text);
        wrong.extend(stray.into_iter().map(|at| format!("{at}: a section of no document")));
        for Citation { document, section, at } in citations {
            count += 1;
            let known = sections.entry(document.clone()).or_insert_with(|| numbered(&document));
            if !known.contains(&section) {
                wrong.push(format!("{at}: docs/contract/{document}.md has no section {section}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 150, "only {count} citations were found");
}

fn collect(folder: &Path, sources: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !LEFT_OUT.contains(&&*name) {
            collect(&path, sources);
        } else if [".rs", ".ts", ".mjs", ".css"].iter().any(|end| name.ends_with(end)) {
            sources.push(path);
        }
    }
}

/// The numbers of the headings of a document.
fn numbered(document: &str) -> BTreeSet<String> {
    let text = read(&format!("docs/contract/{document}.md"));
    let heading = |part| match part {
        Part::Line { text, .. } => {
            let words = text.strip_prefix("## ").or_else(|| text.strip_prefix("### "))?;
            Some(words.split(' ').next()?.to_owned())
        }
        _ => None,
    };
    parts(&text).into_iter().filter_map(heading).collect()
}

/// The sections that a source cites, and where one stands without its document.
fn cited(name: &str, text: &str) -> (Vec<Citation>, Vec<String>) {
    let (mut citations, mut stray) = (Vec::new(), Vec::new());
    let mut document: Option<String> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let at = format!("{name}:{number}");
        let words = line.trim_start().trim_start_matches(['/', '!', '*', ' ']);
        // A sentence may go on in the next line of a comment.
        if words.len() == line.trim_start().len() {
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
                    Some(document) => {
                        citations.push(Citation { document: document.clone(), section, at: at.clone() })
                    }
                    None => stray.push(at.clone()),
                }
            } else if !word.is_empty() && !BETWEEN.contains(&word) {
                document = None;
            }
        }
    }
    (citations, stray)
}

#[test]
fn a_section_belongs_to_the_document_before_it() {
    let text = "/// As contract/plans §10.4, §11 says, and contract/flow §3 to\n/// §5 (contract/plans §2).\n/// Here §7 stands alone.\n";
    let (citations, stray) = cited("a.rs", text);
    let found: Vec<_> = citations.iter().map(|one| (&*one.document, &*one.section)).collect();
    assert_eq!(found, [("plans", "10.4"), ("plans", "11"), ("flow", "3"), ("flow", "5"), ("plans", "2")]);
    assert_eq!(stray, ["a.rs:3"]);
}
