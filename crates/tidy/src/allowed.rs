//! Lists of what the repository still has against a rule.

use crate::{Finding, Tree};
use std::collections::BTreeMap;

/// A list of exceptions, in a file of lines. Lines that begin with `#` say why they are there.
#[derive(Debug)]
pub struct Allowed {
    /// The file, relative to the root.
    pub path: String,
    text: String,
}

impl Allowed {
    /// Creates a list from its text.
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Reads the list at `path` of `tree`; one that is not there is empty.
    pub fn read(tree: &Tree, path: &str) -> Self {
        Self::new(path, tree.file(path).map_or("", |file| file.text.as_str()))
    }

    /// Returns its entries, each with the number of its line.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines().map(str::trim));
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    /// Returns the list with each line of `changes` replaced by what stands there.
    fn changed(&self, changes: &BTreeMap<usize, Vec<String>>) -> String {
        let mut text = String::new();
        for (number, line) in (1..).zip(self.text.lines()) {
            let lines = changes
                .get(&number)
                .map_or_else(|| vec![line], |new| new.iter().map(String::as_str).collect());
            for line in lines {
                text += line;
                text.push('\n');
            }
        }
        text
    }
}

/// What came of checking a rule against its list.
#[derive(Debug)]
pub struct Checked {
    /// What is wrong, in the repository and in the list.
    pub findings: Vec<Finding>,
    /// The list without what is no longer needed. Nothing is ever added to it.
    pub shrunk: String,
}

/// Collects what a rule says of its list.
#[derive(Debug)]
pub(crate) struct Review<'a> {
    allowed: &'a Allowed,
    findings: Vec<Finding>,
    changes: BTreeMap<usize, Vec<String>>,
}

impl<'a> Review<'a> {
    pub(crate) fn new(allowed: &'a Allowed) -> Self {
        Self { allowed, findings: Vec::new(), changes: BTreeMap::new() }
    }

    /// Adds a defect of the repository.
    pub(crate) fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds a defect of the list that cannot be corrected without a person.
    pub(crate) fn reject(&mut self, line: usize, defect: &str, remedy: &str) {
        self.findings.push(Finding::new(&self.allowed.path, line, defect, remedy));
    }

    /// Adds an entry that allows more than is needed, with the lines to put in its place.
    pub(crate) fn shrink(&mut self, line: usize, defect: &str, new: Vec<String>) {
        let remedy = match &*new {
            [] => "remove this line".to_owned(),
            lines => format!("write `{}` in its place", lines.join("` and `")),
        };
        let remedy = format!("{remedy}, or let TIDY_SHRINK=1 cargo test -p tidy do it");
        self.findings.push(Finding::new(&self.allowed.path, line, defect, remedy));
        self.changes.insert(line, new);
    }

    pub(crate) fn finish(mut self) -> Checked {
        self.findings.sort();
        Checked { shrunk: self.allowed.changed(&self.changes), findings: self.findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_shrunk_and_keeps_its_reasons() {
        let allowed = Allowed::new("list.txt", "# Why.\n\none\ntwo\nthree\n");
        assert_eq!(allowed.entries().collect::<Vec<_>>(), [(3, "one"), (4, "two"), (5, "three")]);
        let mut review = Review::new(&allowed);
        review.shrink(3, "it is not needed", Vec::new());
        review.shrink(5, "it is too large", vec!["3".to_owned()]);
        let checked = review.finish();
        assert_eq!(checked.shrunk, "# Why.\n\ntwo\n3\n");
        let said: Vec<_> = checked.findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "list.txt:3: it is not needed: remove this line, or let TIDY_SHRINK=1 cargo test -p tidy \
                    do it",
                "list.txt:5: it is too large: write `3` in its place, or let TIDY_SHRINK=1 cargo test -p \
                    tidy do it",
            ]
        );
    }
}
