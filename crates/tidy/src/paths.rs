//! No file names a folder of the machine that it was written on.

use crate::allowed::Review;
use crate::{Allowed, Checked, Finding, Tree};
use std::collections::BTreeMap;

/// Where the list is.
pub const LIST: &str = "crates/tidy/allowed/paths.txt";
/// Where people and machines keep what is theirs.
const PLACES: [&str; 4] = ["/home/", "/Users/", "/root/", "/work/"];
const REMEDY: &str = "use a path relative to the repository, a temporary folder, or a person of the list \
                      (crates/tidy/allowed/paths.txt)";

/// Checks every text file.
pub fn check(tree: &Tree, allowed: &Allowed) -> Checked {
    let mut review = Review::new(allowed);
    let mut prefixes: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for (number, text) in allowed.entries() {
        match text.split_once(' ') {
            Some((prefix, _)) => {
                prefixes.insert(prefix, (number, false));
            }
            None => review.reject(number, "this is no entry", "write `/PATH REASON`"),
        }
    }
    for file in tree.files().filter(|file| file.path != LIST) {
        for (number, line) in (1..).zip(file.text.lines()) {
            for path in paths(line) {
                let known = prefixes.iter_mut().find(|(prefix, _)| is_below(path, prefix));
                if let Some((_, (_, is_used))) = known {
                    *is_used = true;
                    continue;
                }
                let defect = format!("{path} is a folder of one machine");
                review.add(Finding::new(&file.path, number, defect, REMEDY));
            }
        }
    }
    for (prefix, (number, is_used)) in prefixes {
        if !is_used {
            review.shrink(number, &format!("{prefix} is named nowhere"), Vec::new());
        }
    }
    review.finish()
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the absolute paths of a line that are below one of [`PLACES`].
fn paths(line: &str) -> Vec<&str> {
    let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.');
    let mut found = Vec::new();
    for place in PLACES {
        for (at, _) in line.match_indices(place) {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            // `$PLACE/home/…` and `./home/…` are somewhere else.
            if before.is_some_and(|sign| is_name(sign) || matches!(sign, '}' | ')' | ']' | '*' | '>')) {
                continue;
            }
            let rest = line.get(at..).unwrap_or_default();
            let end = rest.find(|sign: char| !is_name(sign) && sign != '/').unwrap_or(rest.len());
            let path = rest.get(..end).unwrap_or_default().trim_end_matches(['.', '/']);
            if path.len() > place.len() {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path that this file does not contain itself.
    fn path(parts: &str) -> String {
        format!("/{parts}")
    }

    fn checked(list: &str, text: &str) -> (Vec<String>, String) {
        let tree = Tree::of_texts(&[("docs/a.md", text)]);
        let checked = check(&tree, &Allowed::new(LIST, list));
        (checked.findings.iter().map(ToString::to_string).collect(), checked.shrunk)
    }

    #[test]
    fn a_folder_of_a_machine_is_found() {
        for place in ["home/karl/x", "Users/Karl", "root/x", "work/aide/target"].map(path) {
            let (said, _) = checked("", &format!("a\n(see `{place}`)\n"));
            assert_eq!(said, [format!("docs/a.md:2: {place} is a folder of one machine: {REMEDY}")]);
        }
    }

    #[test]
    fn paths_inside_of_others_are_not() {
        for text in ["$PLACE/root/bin", "${PLACE}/root/bin", "./work/x", "a/home/b", "/home/ and /work/."] {
            assert_eq!(checked("", text).0, <[String; 0]>::default(), "{text}");
        }
    }

    #[test]
    fn a_list_of_paths_only_shrinks() {
        let (ben, eve) = (path("home/ben"), path("home/eve"));
        let list = format!("{ben} a person of the tests\n");
        assert!(checked(&list, &format!("{ben}/x")).0.is_empty());
        assert_eq!(checked(&list, &format!("{ben} {ben}jamin")).0.len(), 1, "a longer name is another one");
        let (said, shrunk) = checked(&format!("# Why.\n{list}{eve} another\n"), &ben);
        assert_eq!(
            said,
            [format!(
                "crates/tidy/allowed/paths.txt:3: {eve} is named nowhere: remove this line, \
                 or let TIDY_SHRINK=1 cargo test -p tidy do it"
            )]
        );
        assert_eq!(shrunk, format!("# Why.\n{list}"));
    }
}
