//! The words of the glossary in `CONTRIBUTING.md` are in use.
//!
//! What a row gives as the name in JSON and code is an identifier or a text of some source, and its Chinese is in a text for
//! people.

use crate::markdown::{cells, code_spans};
use crate::{Finding, Kind, Tree};
use std::collections::BTreeSet;

const DOCUMENT: &str = "CONTRIBUTING.md";
const HEADING: &str = "## Glossary";
/// Where texts for people are.
const TEXTS: [&str; 4] = ["app/src", "cli/src", "crates/mcp/src", "crates/texts/src"];
/// In a name of a file: the part that is different for each set of questions.
const SESSION: &str = "SESSION";

/// Checks every row. Returns what is wrong, and how many rows there are.
pub fn check(tree: &Tree) -> (Vec<Finding>, usize) {
    let (mut findings, mut count) = (Vec::new(), 0);
    let document = tree.file(DOCUMENT).map_or("", |file| file.text.as_str());
    let rows = (1..).zip(document.lines()).skip_while(|(_, line)| !line.starts_with(HEADING)).skip(1);
    let rows = rows.take_while(|(_, line)| !line.starts_with("## "));
    let rows = rows.filter_map(|(number, line)| Some((number, cells(line)?))).skip(2);
    let names = Names::new(tree);
    for (number, row) in rows {
        let [word, chinese, code, ..] = &*row else { continue };
        count += 1;
        for text in chinese.split('、').filter(|text| !text.is_empty()) {
            let is_shown =
                TEXTS.into_iter().flat_map(|folder| tree.below(folder)).any(|file| file.text.contains(text));
            if !is_shown {
                let defect = format!("no text says {text} for \"{word}\"");
                findings.push(Finding::new(
                    DOCUMENT,
                    number,
                    defect,
                    "write the word that the texts have for it",
                ));
            }
        }
        for name in code_spans(code).filter(|name| !names.has(name)) {
            let defect = format!("no source has `{name}`, the name in code of \"{word}\"");
            findings.push(Finding::new(DOCUMENT, number, defect, "write the name that it has now"));
        }
    }
    (findings, count)
}

/// What sources name.
struct Names<'a> {
    idents: BTreeSet<&'a str>,
    texts: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(tree: &'a Tree) -> Self {
        let mut names = Self { idents: BTreeSet::new(), texts: BTreeSet::new() };
        for file in tree.files().filter(|file| !file.is_test && !file.path.starts_with("crates/tidy/")) {
            let Some(rust) = &file.rust else { continue };
            for token in rust.tokens.iter().filter(|token| !token.is_test) {
                let text = token.text(&file.text);
                match token.kind {
                    Kind::Ident => {
                        names.idents.insert(text);
                    }
                    Kind::Literal if text.len() < 64 => {
                        names.texts.insert(text.trim_matches('"'));
                    }
                    _ => {}
                }
            }
        }
        names
    }

    fn has(&self, name: &str) -> bool {
        let is_ident = |part: &str| self.idents.contains(part);
        if name.split("::").all(is_ident) || self.texts.contains(name) {
            return true;
        }
        // As `SESSION.held.json`, where a source has the end alone.
        name.strip_prefix(SESSION).is_some_and(|end| self.texts.iter().any(|text| text.ends_with(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &str) -> (Vec<String>, usize) {
        let document = format!(
            "| `no` |\n\n{HEADING}\n\n| for people | in Chinese | in JSON and code | what |\n\
                |---|---|---|---|\n{rows}\n## Next\n\n| a | b | `c` | d |\n"
        );
        let tree = Tree::of_texts(&[
            (DOCUMENT, &document),
            ("crates/texts/src/lib.rs", "const WORD: &str = \"答案是\";"),
            (
                "crates/model/src/lib.rs",
                "enum Place { Slot }\nconst A: &str = \"pending.json\"; const B: &str = \"x.held.json\";\n\
                    // Comment\n\
                 #[cfg(test)]\nfn only_tests() {}",
            ),
        ]);
        let (findings, count) = check(&tree);
        (findings.iter().map(ToString::to_string).collect(), count)
    }

    #[test]
    fn words_that_are_in_use_are_found() {
        let (said, count) = found(
            "| answer | 答案 | `Place::Slot`, `pending.json` | |\n| held | | `SESSION.held.json` | |\n",
        );
        assert!(said.is_empty(), "{said:#?}");
        assert_eq!(count, 2);
    }

    #[test]
    fn words_that_are_not_in_use_are_reported() {
        let (said, _) =
            found("| answer | 答案、回复 | `Answer`, `Place::Gone`, `Comment`, `only_tests` | |\n");
        let at = format!("{DOCUMENT}:7");
        assert_eq!(
            said,
            [
                format!("{at}: no text says 回复 for \"answer\": write the word that the texts have for it"),
                format!(
                    "{at}: no source has `Answer`, the name in code of \"answer\": write the name that it \
                        has now"
                ),
                format!(
                    "{at}: no source has `Place::Gone`, the name in code of \"answer\": write the name \
                        that it has now"
                ),
                format!(
                    "{at}: no source has `Comment`, the name in code of \"answer\": write the name that \
                        it has now"
                ),
                format!(
                    "{at}: no source has `only_tests`, the name in code of \"answer\": write the name \
                        that it has now"
                ),
            ]
        );
    }
}
