//! The dependencies between crates are those that `docs/ARCHITECTURE.md` draws.
//!
//! The block below "Dependencies point one way" draws arrows; the text below it names what some crates use besides. A crate that
//! the text names ("`server` uses …") depends on exactly what is drawn and named; any other may also depend on what its arrows
//! lead to by way of others.

use crate::crates::{Dependency, Package, packages};
use crate::markdown::code_spans;
use crate::{Finding, Tree};
use std::collections::{BTreeMap, BTreeSet};

const DOCUMENT: &str = "docs/ARCHITECTURE.md";
const LEFT: &str = "←──";
const RIGHT: &str = "──→";

/// What the document says.
#[derive(Debug, Default)]
struct Drawing {
    /// From each crate to what it depends on, with the line of the arrow.
    arrows: BTreeMap<String, BTreeMap<String, usize>>,
    /// What crates use by the text, with its line.
    named: BTreeMap<String, (usize, BTreeSet<String>)>,
    /// Every crate in the block, with the first line it is on.
    crates: BTreeMap<String, usize>,
}

/// Checks the document against the manifests.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let packages = packages(tree);
    let Some(document) = tree.file(DOCUMENT) else {
        return vec![Finding::new(DOCUMENT, 1, "it is missing", "write it, with the block of arrows")];
    };
    let drawing = Drawing::read(&document.text, &packages);
    if drawing.arrows.is_empty() {
        let remedy = "draw the arrows in a block below \"Dependencies point one way:\"";
        return vec![Finding::new(DOCUMENT, 1, "no arrow is found", remedy)];
    }
    let mut findings = rows(&document.text, &packages);
    let mut nodes = BTreeSet::new();
    for package in &packages {
        for (node, dependencies) in nodes_of(package, &drawing) {
            findings.extend(drawing.compare(package, &node, &dependencies));
            nodes.insert(node);
        }
    }
    for (node, line) in drawing.crates.iter().filter(|(node, _)| !nodes.contains(*node)) {
        let defect = format!("`{node}` is drawn, but there is no such crate");
        findings.push(Finding::new(DOCUMENT, *line, defect, "remove it from the block, or correct its name"));
    }
    findings.sort();
    findings
}

impl Drawing {
    fn read(text: &str, packages: &[Package]) -> Self {
        let mut drawing = Self::default();
        let lines = (1..).zip(text.lines());
        let mut lines = lines.skip_while(|(_, line)| !line.starts_with("Dependencies point one way")).skip(1);
        for (number, line) in lines.by_ref().skip_while(|(_, line)| !line.starts_with("```")).skip(1) {
            if line.starts_with("```") {
                break;
            }
            drawing.draw(number, line);
        }
        let below = lines.take_while(|(_, line)| !line.starts_with("**") && !line.starts_with('#'));
        drawing.name(&below.collect::<Vec<_>>(), packages);
        drawing
    }

    /// Adds the arrows of a line such as `a, b ←── c ──→ d (feature)`.
    fn draw(&mut self, number: usize, line: &str) {
        let mut rest = line;
        let mut before: Option<(Vec<String>, bool)> = None;
        loop {
            let next = [LEFT, RIGHT].into_iter().filter_map(|arrow| Some((rest.find(arrow)?, arrow))).min();
            let group = next.map_or(rest, |(at, _)| rest.get(..at).unwrap_or_default());
            let group: Vec<String> =
                group.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
            for node in &group {
                self.crates.entry(node.clone()).or_insert(number);
            }
            if let Some((former, points_left)) = &before {
                let (users, used) = if *points_left { (&group, former) } else { (former, &group) };
                for user in users {
                    let arrows = self.arrows.entry(user.clone()).or_default();
                    arrows.extend(used.iter().map(|used| (used.clone(), number)));
                }
            }
            let Some((at, arrow)) = next else { return };
            before = Some((group, arrow == LEFT));
            rest = rest.get(at + arrow.len()..).unwrap_or_default();
        }
    }

    /// Adds what sentences such as "`a` uses `b` and `c`" and "`a` uses every crate but `b`" say.
    fn name(&mut self, lines: &[(usize, &str)], packages: &[Package]) {
        let mut text = String::new();
        let mut starts = Vec::new();
        for (number, line) in lines {
            starts.push((text.len(), *number));
            text += line;
            text.push(' ');
        }
        let mut from = 0;
        for clause in text.split_inclusive([';', '.']) {
            if let Some(at) = clause.find("` uses ")
                && let Some((_, user)) = clause[..at].rsplit_once('`')
            {
                let line =
                    starts.iter().rev().find(|(start, _)| *start <= from + at).map_or(1, |(_, line)| *line);
                let rest = &clause[at + 1..];
                let listed: BTreeSet<String> = code_spans(rest).map(str::to_owned).collect();
                let used = if rest.contains("every crate but") {
                    let all = packages.iter().filter(|package| package.is_member).map(Package::name);
                    let all = all.filter(|name| *name != user);
                    all.filter(|name| !listed.contains(*name)).map(str::to_owned).collect()
                } else {
                    listed
                };
                self.named.insert(user.to_owned(), (line, used));
            }
            from += clause.len();
        }
    }

    /// Returns the node that a dependency means: one with its feature, if that is drawn.
    fn node(&self, dependency: &Dependency) -> String {
        let featured = dependency.features.iter().map(|feature| format!("{} ({feature})", dependency.name));
        featured
            .into_iter()
            .find(|node| self.crates.contains_key(node))
            .unwrap_or_else(|| dependency.name.clone())
    }

    /// Compares what is drawn and named of a crate with what it depends on.
    fn compare(&self, package: &Package, node: &str, dependencies: &[&Dependency]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let found: BTreeSet<String> = dependencies.iter().map(|one| self.node(one)).collect();
        for (used, line) in self.arrows.get(node).into_iter().flatten() {
            if !found.contains(used) {
                let defect =
                    format!("an arrow is drawn from `{node}` to `{used}`, on which it does not depend");
                let remedy =
                    format!("remove the arrow ({} is right), or add the dependency", package.manifest);
                findings.push(Finding::new(DOCUMENT, *line, defect, remedy));
            }
        }
        let bare = |node: &str| node.split(' ').next().unwrap_or_default().to_owned();
        if let Some((line, named)) = self.named.get(node) {
            let found: BTreeSet<String> = found.iter().map(|node| bare(node)).collect();
            for used in named.difference(&found) {
                let defect =
                    format!("the text says that `{node}` uses `{used}`, on which it does not depend");
                let remedy = format!("correct the sentence ({} is right)", package.manifest);
                findings.push(Finding::new(DOCUMENT, *line, defect, remedy));
            }
        }
        let reached = self.reached(node);
        for dependency in dependencies {
            let used = self.node(dependency);
            let is_drawn = self.arrows.get(node).is_some_and(|arrows| arrows.contains_key(&used));
            let is_known = match self.named.get(node) {
                Some((_, named)) => is_drawn || named.contains(&bare(&used)),
                None => reached.contains(&used),
            };
            if !is_known {
                let defect = format!("`{node}` depends on `{used}`, and no arrow of {DOCUMENT} leads there");
                let remedy = "remove the dependency; if the layers allow it, draw or name it there";
                findings.push(Finding::new(&package.manifest, dependency.line, defect, remedy));
            }
        }
        findings
    }

    /// Returns everything to which the arrows of `node` lead, over any number of others.
    fn reached(&self, node: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for next in self.arrows.get(node).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        reached
    }
}

/// Returns the nodes that a package is drawn as, each with its dependencies: one, or one for each feature.
fn nodes_of<'a>(package: &'a Package, drawing: &Drawing) -> Vec<(String, Vec<&'a Dependency>)> {
    let name = package.name();
    let featured = drawing.crates.keys().filter_map(|node| {
        let feature = node.strip_prefix(name)?.strip_prefix(" (")?.strip_suffix(')')?;
        Some((node.clone(), package.with_feature(feature)))
    });
    let featured: Vec<_> = featured.collect();
    if featured.is_empty() {
        return vec![(name.to_owned(), package.dependencies.iter().collect())];
    }
    featured
}

/// Checks that every crate has its row in the code map.
fn rows(text: &str, packages: &[Package]) -> Vec<Finding> {
    let has_row = |folder: &str| text.lines().any(|line| line.starts_with(&format!("| `{folder}` |")));
    let is_missing = |package: &&Package| {
        !has_row(&package.folder)
            && !package.folder.split_once('/').is_some_and(|(parent, _)| has_row(parent))
    };
    let missing = packages.iter().filter(is_missing).map(|package| {
        let defect = format!("the crate `{}` is not in the code map", package.name());
        let remedy = format!("add the row \"| `{}` | … |\" with what it is", package.folder);
        Finding::new(DOCUMENT, 1, defect, remedy)
    });
    missing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "| `crates/a` | `a` | |\n| `crates/b` | `b` | |\n| `crates/c` | `c` | |\n\n\
        Dependencies point one way:\n\n";

    fn found(arrows: &str, dependencies: [&str; 3]) -> Vec<String> {
        let [a, b, c] = dependencies.map(|all| format!("[package]\nname = \"x\"\n[dependencies]\n{all}"));
        let document = format!("{MAP}{arrows}");
        let workspace = "[workspace]\nmembers = [\"crates/a\", \"crates/b\", \"crates/c\"]\n\
            [workspace.dependencies]\na = { path = \"crates/a\" }\nb = { path = \"crates/b\" \
            }\nc = { path = \"crates/c\" }\n";
        let tree = Tree::of_texts(&[
            ("Cargo.toml", workspace),
            ("crates/a/Cargo.toml", &a),
            ("crates/b/Cargo.toml", &b),
            ("crates/c/Cargo.toml", &c),
            (DOCUMENT, &document),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_drawn_or_follows_is_allowed() {
        let arrows = "```\na ←── b ←── c\n```\n\n";
        assert!(
            found(arrows, ["", "a.workspace = true", "a.workspace = true\nb.workspace = true"]).is_empty()
        );
        let arrows = "```\nc ──→ b, a\n```\n\nThe rest: `c` uses every crate but `d`.\n";
        assert!(found(arrows, ["", "", "a.workspace = true\nb.workspace = true"]).is_empty());
    }

    #[test]
    fn a_dependency_without_an_arrow_is_found() {
        let said = found(
            "```\na ←── b\nb ←── c\n```\n\n",
            ["c.workspace = true", "a.workspace = true", "b.workspace = true"],
        );
        assert_eq!(
            said,
            ["crates/a/Cargo.toml:4: `a` depends on `c`, and no arrow of docs/ARCHITECTURE.md leads there: \
              remove the dependency; if the layers allow it, draw or name it there"]
        );
    }

    #[test]
    fn an_arrow_without_a_dependency_is_found() {
        let said = found("```\na ←── b, c\nd ←── b\n```\n\n", ["", "a.workspace = true", ""]);
        assert_eq!(
            said,
            [
                "docs/ARCHITECTURE.md:8: an arrow is drawn from `c` to `a`, on which it does not depend: \
                 remove the arrow (crates/c/Cargo.toml is right), or add the dependency",
                "docs/ARCHITECTURE.md:9: `d` is drawn, but there is no such crate: \
                 remove it from the block, or correct its name",
                "docs/ARCHITECTURE.md:9: an arrow is drawn from `b` to `d`, on which it does not depend: \
                 remove the arrow (crates/b/Cargo.toml is right), or add the dependency",
            ]
        );
    }

    #[test]
    fn a_sentence_names_all_that_a_crate_uses() {
        let arrows = "```\na ←── b\n```\n\nA crate may use more: `c` uses\n`b`.\n";
        let said = found(arrows, ["", "a.workspace = true", "a = { path = \"../a\" }"]);
        assert_eq!(
            said,
            [
                "crates/c/Cargo.toml:4: `c` depends on `a`, and no arrow of docs/ARCHITECTURE.md leads \
                    there: \
                 remove the dependency; if the layers allow it, draw or name it there",
                "docs/ARCHITECTURE.md:11: the text says that `c` uses `b`, on which it does not depend: \
                 correct the sentence (crates/c/Cargo.toml is right)",
            ]
        );
    }

    #[test]
    fn a_feature_has_its_own_arrows() {
        let document = "| `x` |\n| `a` |\n| `b` |\n| `c` |\n\nDependencies point one way:\n```\na ←── x \
            (one) ←── c\nb ←── x (two)\n```\n";
        let tree = Tree::of_texts(&[
            ("a/Cargo.toml", "[package]\n"),
            ("b/Cargo.toml", "[package]\n"),
            (
                "c/Cargo.toml",
                "[package]\n[target.'cfg(unix)'.dependencies]\nx = { path = \"../x\", features = \
                    [\"one\"] }\n",
            ),
            (
                "x/Cargo.toml",
                "[package]\n[dependencies]\na = { path = \"../a\", optional = true }\nb = { path = \
                    \"../b\" }\n\
                 [features]\none = [\"dep:a\"]\ntwo = []\n",
            ),
            (DOCUMENT, document),
        ]);
        let said: Vec<_> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(said[0].starts_with("x/Cargo.toml:4: `x (one)` depends on `b`"), "{said:#?}");
    }

    #[test]
    fn every_crate_has_a_row() {
        let tree = Tree::of_texts(&[
            ("a/Cargo.toml", "[package]\n"),
            (DOCUMENT, "Dependencies point one way:\n```\nb ←── a\n```\n"),
        ]);
        let said = check(&tree)[0].to_string();
        assert_eq!(
            said,
            "docs/ARCHITECTURE.md:1: the crate `a` is not in the code map: add the row \"| `a` | … |\" \
                with what it is"
        );
    }
}
