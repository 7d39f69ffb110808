//! Modules of a crate that use each other in a circle.
//!
//! Looked at are the modules that a crate's root declares. A module uses another by a path (`crate::b::X`, `super::b`), also by
//! a path to what the root exports of it. Code for tests does not count. The list has each circle that is there today.

use crate::allowed::Review;
use crate::crates::packages;
use crate::{Allowed, Checked, File, Finding, Kind, Rust, Tree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Where the list is.
pub const LIST: &str = "crates/tidy/allowed/circles.txt";

/// The modules of a crate, each with what it uses and where it does so first.
type Uses<'a> = BTreeMap<&'a str, BTreeMap<&'a str, String>>;

/// Checks the modules of every crate.
pub fn check(tree: &Tree, allowed: &Allowed) -> Checked {
    let mut review = Review::new(allowed);
    let mut entries: Vec<Entry> = Vec::new();
    for (line, text) in allowed.entries() {
        match text.split_once(": ") {
            Some((name, modules)) => {
                entries.push(Entry { line, name, modules: modules.split(' ').collect(), is_found: false });
            }
            None => review.reject(line, "this is no entry", "write `CRATE: MODULE MODULE …`"),
        }
    }
    let packages = packages(tree);
    for package in &packages {
        let uses = uses(tree, &package.folder);
        let circles = circles(&uses);
        for circle in &circles {
            compare(package.name(), &package.folder, &uses, circle, &mut entries, &mut review);
        }
        for entry in entries.iter().filter(|entry| entry.name == package.name() && !entry.is_found) {
            let common = circles.iter().filter(|circle| !circle.is_disjoint(&entry.modules));
            // A circle that has become larger is reported above.
            if common.clone().all(|circle| circle.is_subset(&entry.modules)) {
                let inside = common.map(|circle| shown(package.name(), circle)).collect();
                review.shrink(entry.line, "the circle has become smaller", inside);
            }
        }
    }
    let is_unknown = |entry: &&Entry| !packages.iter().any(|package| package.name() == entry.name);
    for entry in entries.iter().filter(is_unknown) {
        review.shrink(entry.line, "there is no such crate", Vec::new());
    }
    review.finish()
}

/// A circle of the list.
struct Entry<'a> {
    line: usize,
    name: &'a str,
    modules: BTreeSet<&'a str>,
    is_found: bool,
}

fn shown(name: &str, circle: &BTreeSet<&str>) -> String {
    format!("{name}: {}", circle.iter().copied().collect::<Vec<_>>().join(" "))
}

/// Looks for a circle in the list, and describes what is new of it.
fn compare(
    name: &str,
    folder: &str,
    uses: &Uses<'_>,
    circle: &BTreeSet<&str>,
    entries: &mut [Entry<'_>],
    review: &mut Review<'_>,
) {
    if let Some(entry) = entries.iter_mut().find(|entry| entry.name == name && entry.modules == *circle) {
        entry.is_found = true;
        return;
    }
    let of_crate = || entries.iter().filter(|entry| entry.name == name);
    if of_crate().any(|entry| circle.is_subset(&entry.modules)) {
        return;
    }
    let known = of_crate().max_by_key(|entry| entry.modules.intersection(circle).count());
    let known: BTreeSet<&str> = known.map(|entry| entry.modules.clone()).unwrap_or_default();
    let Some(first) = circle.iter().find(|module| !known.contains(*module)) else { return };
    let (way, wheres): (Vec<&str>, Vec<&str>) = shortest(uses, first).into_iter().unzip();
    let defect = format!("a new or larger circle of modules in `{name}`: {first} → {}", way.join(" → "));
    let remedy = format!(
        "let one of them not use the next ({}): move what both need into a module below them, or hand it \
            over as an argument",
        wheres.join(", ")
    );
    let place = wheres.first().and_then(|place| place.rsplit_once(':'));
    let (path, line) = place.unwrap_or((folder, "1"));
    review.add(Finding::new(path, line.parse().unwrap_or(1), defect, remedy));
}

/// Returns the shortest way from `first` back to it, with the place of each use.
fn shortest<'a>(uses: &'a Uses<'_>, first: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut ways: VecDeque<Vec<(&str, &str)>> = VecDeque::from([Vec::new()]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let last = way.last().map_or(first, |(module, _)| *module);
        for (next, place) in uses.get(last).into_iter().flatten() {
            let mut longer = way.clone();
            longer.push((*next, &**place));
            if *next == first {
                return longer;
            }
            if seen.insert(*next) {
                ways.push_back(longer);
            }
        }
    }
    Vec::new()
}

/// Returns the sets of modules of which each reaches all others.
fn circles<'a>(uses: &Uses<'a>) -> Vec<BTreeSet<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|module| (*module, reached(uses, module))).collect();
    let is_mutual = |a: &str, b: &str| reached[a].contains(b) && reached[b].contains(a);
    let mut circles: Vec<BTreeSet<&str>> = Vec::new();
    for module in uses.keys() {
        if circles.iter().any(|circle| circle.contains(module)) {
            continue;
        }
        let circle: BTreeSet<&str> = uses.keys().copied().filter(|other| is_mutual(module, other)).collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles
}

fn reached<'a>(uses: &Uses<'a>, module: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(module) = open.pop() {
        for next in uses.get(module).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(*next) {
                open.push(next);
            }
        }
    }
    reached
}

/// Returns what each module of the crate in `folder` uses.
fn uses<'a>(tree: &'a Tree, folder: &str) -> Uses<'a> {
    let source = format!("{folder}/src");
    let mut root = Root::default();
    for name in ["lib.rs", "main.rs"] {
        if let Some(file) = tree.file(&format!("{source}/{name}")) {
            root.declare(file);
        }
    }
    for name in ["lib.rs", "main.rs"] {
        if let Some(file) = tree.file(&format!("{source}/{name}")) {
            root.export(file);
        }
    }
    let mut uses: Uses<'_> = root.modules.iter().map(|module| (*module, BTreeMap::new())).collect();
    for file in tree.files().filter(|file| !file.is_test) {
        let Some(inner) = file.path.strip_prefix(&source).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        let Some(rust) = &file.rust else { continue };
        let mut path: Vec<&str> = inner.trim_end_matches(".rs").split('/').collect();
        if path.last() == Some(&"mod") {
            path.pop();
        }
        let Some(own) = path.first().copied() else { continue };
        let Some(found) = uses.get_mut(own) else { continue };
        for (name, line) in paths_of_root(rust, &file.text, &path) {
            let Some(used) = root.module(name).filter(|used| *used != own) else { continue };
            found.entry(used).or_insert_with(|| format!("{}:{line}", file.path));
        }
    }
    uses
}

/// What a crate's root declares.
#[derive(Default)]
struct Root<'a> {
    modules: BTreeSet<&'a str>,
    /// Which module a name of the root comes from.
    exported: BTreeMap<&'a str, &'a str>,
}

impl<'a> Root<'a> {
    fn module(&self, name: &str) -> Option<&'a str> {
        self.modules.get(name).or_else(|| self.exported.get(name)).copied()
    }

    fn declare(&mut self, file: &'a File) {
        let Some(rust) = &file.rust else { return };
        for (index, token) in rust.tokens.iter().enumerate() {
            if !token.is_test && rust.ident(index, &file.text) == Some("mod") {
                self.modules.extend(rust.ident(index + 1, &file.text));
            }
        }
    }

    /// Finds what the root has from its modules: `use a::{B, c::D as E};`.
    fn export(&mut self, file: &'a File) {
        let Some(rust) = &file.rust else { return };
        let mut index = 0;
        while index < rust.tokens.len() {
            let text = &*file.text;
            index += 1;
            if rust.ident(index - 1, text) != Some("use") {
                continue;
            }
            let mut first = index;
            if matches!(rust.ident(first, text), Some("crate" | "self")) {
                first += 3;
            }
            let end = (first..rust.tokens.len()).find(|index| rust.is_sign(*index, ';')).unwrap_or(first);
            if let Some(module) = rust.ident(first, text).and_then(|name| self.modules.get(name).copied()) {
                // The last name of each path, or its new name.
                let names = (first + 1..end).filter(|index| {
                    let next = index + 1;
                    next == end || rust.is_sign(next, ',') || rust.is_sign(next, '}')
                });
                let names = names.filter_map(|index| rust.ident(index, text));
                self.exported.extend(names.map(|name| (name, module)));
            }
            index = end;
        }
    }
}

/// Returns the first names of all paths of a file that begin at the crate's root, each with its line. `path` is that of the
/// file's module.
fn paths_of_root<'a>(rust: &Rust, text: &'a str, path: &[&str]) -> Vec<(&'a str, u32)> {
    let mut found = Vec::new();
    // Where each module inside the file ends.
    let mut inside: Vec<usize> = Vec::new();
    let mut index = 0;
    while let Some(token) = rust.tokens.get(index) {
        inside.retain(|end| *end > index);
        let start = index;
        index += 1;
        if token.kind != Kind::Ident || token.is_test {
            continue;
        }
        match token.text(text) {
            "mod" if rust.is_sign(start + 2, '{') => inside.push(rust.closing(start + 2)),
            // As in `pub(in crate::a)`.
            "crate"
                if start >= 2
                    && rust.ident(start - 1, text) == Some("in")
                    && rust.is_sign(start - 2, '(') => {}
            "crate" if is_path(rust, start + 1) => found.extend(names(rust, text, start + 3)),
            "super" => {
                let mut ups = 1;
                let mut next = start + 1;
                while is_path(rust, next) && rust.ident(next + 2, text) == Some("super") {
                    ups += 1;
                    next += 3;
                }
                if ups == path.len() + inside.len() && is_path(rust, next) {
                    found.extend(names(rust, text, next + 2));
                }
                index = next;
            }
            _ => {}
        }
    }
    found
}

/// Whether `::` stands at `index`.
fn is_path(rust: &Rust, index: usize) -> bool {
    rust.is_sign(index, ':') && rust.is_sign(index + 1, ':')
}

/// Returns the name at `index`, or the first names of the paths of a group.
fn names<'a>(rust: &Rust, text: &'a str, index: usize) -> Vec<(&'a str, u32)> {
    let name = |index| Some((rust.ident(index, text)?, rust.tokens.get(index)?.line));
    if !rust.is_sign(index, '{') {
        return name(index).into_iter().collect();
    }
    let end = rust.closing(index);
    let mut found = Vec::new();
    let mut at = index + 1;
    while at < end {
        found.extend(name(at));
        while at < end && !rust.is_sign(at, ',') {
            at = if rust.is_sign(at, '{') { rust.closing(at) + 1 } else { at + 1 };
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "mod a;\nmod b;\nmod c;\npub use c::{One, deep::Two as Three};\n";

    fn checked(list: &str, [a, b, c]: [&str; 3]) -> (Vec<String>, String) {
        let tree = Tree::of_texts(&[
            ("x/Cargo.toml", "[package]\n"),
            ("x/src/lib.rs", LIB),
            ("x/src/a.rs", a),
            ("x/src/b/mod.rs", b),
            ("x/src/c/deep.rs", c),
        ]);
        let checked = check(&tree, &Allowed::new(LIST, list));
        (checked.findings.iter().map(ToString::to_string).collect(), checked.shrunk)
    }

    #[test]
    fn a_layered_crate_has_no_circle() {
        let (said, _) = checked(
            "",
            ["use crate::b::X;\nuse crate::One;", "use super::c::Y;", "use crate::c::Z;\nuse super::W;"],
        );
        assert!(said.is_empty(), "{said:#?}");
    }

    #[test]
    fn a_circle_is_found_with_its_way() {
        let (said, _) = checked(
            "",
            ["use crate::{z, b::{X, c}};", "\n\nfn f() { super::c::g() }", "type X = crate::a::T;"],
        );
        assert_eq!(
            said,
            ["x/src/a.rs:1: a new or larger circle of modules in `x`: a → b → c → a: let one of them \
                    not use the next \
              (x/src/a.rs:1, x/src/b/mod.rs:3, x/src/c/deep.rs:1): move what both need into a module \
              below them, \
              or hand it over as an argument"]
        );
    }

    #[test]
    fn what_the_root_exports_and_modules_inside_of_files_count() {
        let (said, _) = checked("", ["fn f(x: crate::Three) {}", "", "use super::super::a::X;"]);
        assert_eq!(said.len(), 1, "{said:#?}");
        let (said, _) = checked("", ["mod inner { use super::super::b::Y; }", "use super::a::Z;", ""]);
        assert_eq!(said.len(), 1, "{said:#?}");
    }

    #[test]
    fn tests_and_visibilities_and_comments_do_not_count() {
        let (said, _) = checked(
            "",
            [
                "use crate::b::X; // crate::c",
                "#[cfg(test)]\nmod tests { use crate::a::Y; }\npub(in crate::a) fn f() {}",
                "",
            ],
        );
        assert!(said.is_empty(), "{said:#?}");
    }

    #[test]
    fn a_list_of_circles_only_shrinks() {
        let circle = ["use crate::b::X;", "use crate::a::Y;", ""];
        assert_eq!(checked("x: a b\n", circle), (Vec::new(), "x: a b\n".to_owned()));
        let (said, shrunk) = checked("# Why.\nx: a b c\n", circle);
        assert_eq!(
            said,
            ["crates/tidy/allowed/circles.txt:2: the circle has become smaller: write `x: a b` in its \
                    place, \
              or let TIDY_SHRINK=1 cargo test -p tidy do it"]
        );
        assert_eq!(shrunk, "# Why.\nx: a b\n");
        let (said, shrunk) = checked("x: a b\ny: a b\n", ["use crate::b::X;", "", ""]);
        assert_eq!((said.len(), &*shrunk), (2, ""));
    }

    #[test]
    fn a_larger_circle_is_found() {
        let (said, _) =
            checked("x: a b\n", ["use crate::b::X;", "use crate::{a::Y, c};", "use crate::b::Z;"]);
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(said[0].contains("circle of modules in `x`: c → b → c"), "{said:#?}");
    }
}
