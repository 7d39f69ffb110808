//! How large the house is and how well it holds to its rules, in numbers.

use crate::{Allowed, Tree, circles, citations, length, phrases};
use std::fmt;

/// The sizes of the repository, and how many exceptions its rules have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measures {
    /// Lines of Rust that programs are made of, with comments.
    pub source: usize,
    /// Lines of Rust that only tests compile.
    pub tests: usize,
    /// Lines of TypeScript and JavaScript: the tests in the browser, the client, benchmarks.
    pub script: usize,
    /// Circles of modules, of all crates.
    pub circles: usize,
    /// Files and functions that are too long and no tables.
    pub long: usize,
    /// Citations of sections that are not there.
    pub lost_citations: usize,
    /// Comment lines with a phrase that is not plain English.
    pub phrases: usize,
}

impl Measures {
    /// Measures a repository.
    pub fn of(tree: &Tree) -> Self {
        let [mut source, mut tests, mut script] = [0; 3];
        for file in tree.files() {
            let lines = file.text.lines().count();
            match &file.rust {
                Some(_) if file.is_test => tests += lines,
                Some(rust) => {
                    let inside = rust.test_lines();
                    source += lines - inside;
                    tests += inside;
                }
                None if [".ts", ".mjs", ".js"].iter().any(|end| file.path.ends_with(end)) => script += lines,
                None => {}
            }
        }
        let none = |list| Allowed::new(list, "");
        let tables: String = Allowed::read(tree, length::LIST)
            .entries()
            .filter(|(_, entry)| entry.contains(" * ") || entry.contains("table"))
            .map(|(_, entry)| format!("{entry}\n"))
            .collect();
        Self {
            source,
            tests,
            script,
            circles: circles::check(tree, &none(circles::LIST)).findings.len(),
            long: length::check(tree, &Allowed::new(length::LIST, &tables)).findings.len(),
            lost_citations: citations::check(tree).0.len(),
            phrases: phrases::check(tree, &none(phrases::LIST)).findings.len(),
        }
    }
}

impl fmt::Display for Measures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("lines of Rust without tests", self.source),
            ("lines of Rust for tests", self.tests),
            ("lines of TypeScript and JavaScript", self.script),
            ("circles of modules", self.circles),
            ("files above 600 and functions above 80 lines that are no tables", self.long),
            ("citations of what is not there", self.lost_citations),
            ("comment lines that are not plain English", self.phrases),
        ];
        rows.iter().try_for_each(|(what, number)| writeln!(out, "{number:>8}  {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_exceptions_are_counted() {
        let long = |name: &str| format!("fn {name}() {{\n{}}}\n", "    f();\n".repeat(90));
        let root =
            format!("//! A.\n{}{}#[cfg(test)]\nmod tests {{\n    fn b() {{}}\n}}\n", long("a"), long("d"));
        let tree = Tree::of_texts(&[
            ("a/src/lib.rs", &root),
            ("a/tests/it/main.rs", "fn c() {}\n// It has occured.\n"),
            ("b/c.mjs", "one\ntwo\n"),
            (length::LIST, "a/src/lib.rs a 100 a table\na/src/lib.rs d 100 many steps\n"),
        ]);
        let measures =
            Measures { source: 185, tests: 6, script: 2, circles: 0, long: 1, lost_citations: 0, phrases: 1 };
        assert_eq!(Measures::of(&tree), measures);
    }
}
