//! Which file of the project a path means.

use super::ToolError;
use super::error::PlaceFault;
use std::path::{Component, Path};

/// Reserved for git and this program.
const RESERVED: [&str; 2] = [".git", ".aide"];

/// The folders below the project that lead to a file, and its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlaceInProject<'p> {
    pub(super) folders: Vec<&'p str>,
    pub(super) name: &'p str,
}

/// Returns what `path` means in the project `root`: it is relative to it, or begins with it.
pub(super) fn place<'p>(root: &Path, path: &'p str) -> Result<PlaceInProject<'p>, ToolError> {
    let refused = |fault| ToolError::Place { path: path.to_owned(), fault };
    if path.contains(char::is_control) {
        return Err(refused(PlaceFault::Control));
    }
    let relative = match Path::new(path) {
        whole if whole.is_absolute() => {
            // The path as configured, or without symlinks.
            let real = root.canonicalize().ok();
            let stripped = [Some(root), real.as_deref()].into_iter().flatten();
            let mut stripped = stripped.filter_map(|root| whole.strip_prefix(root).ok());
            stripped.next().ok_or_else(|| refused(PlaceFault::Outside))?
        }
        relative => relative,
    };
    let mut names = Vec::new();
    for component in relative.components() {
        match component {
            Component::Normal(name) => {
                let name = name.to_str().ok_or_else(|| refused(PlaceFault::Outside))?;
                if is_reserved(name) {
                    return Err(refused(PlaceFault::Reserved));
                }
                names.push(name);
            }
            Component::CurDir => {}
            _ => return Err(refused(PlaceFault::Outside)),
        }
    }
    // `notes/` is no file, although it has the same components as `notes`.
    let is_folder = path.ends_with('/') || path.ends_with("/.");
    let name = names.pop().filter(|_| !is_folder).ok_or_else(|| refused(PlaceFault::Empty))?;
    Ok(PlaceInProject { folders: names, name })
}

/// Some file systems find `.git` by other names: in capitals, with characters that are not seen, with dots at its end, or by a
/// short one.
fn is_reserved(name: &str) -> bool {
    let is_seen = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let plain: String = name.chars().filter(is_seen).collect();
    // What comes after a colon is another stream of the same file.
    let plain = plain.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_lowercase();
    RESERVED.contains(&plain.as_str()) || matches!(plain.as_str(), "git~1" | "aide~1")
}

#[cfg(test)]
mod tests {
    use super::{PlaceInProject, place};
    use crate::tools::{PlaceFault, ToolError};
    use std::path::Path;

    fn fault(path: &str) -> PlaceFault {
        match place(Path::new("/home/me/project"), path) {
            Err(ToolError::Place { fault, .. }) => fault,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn a_path_means_a_file_of_the_project() {
        for (path, folders, name) in [
            ("a.md", &[][..], "a.md"),
            ("./报告/a b.md", &["报告"], "a b.md"),
            ("a//b/./c", &["a", "b"], "c"),
            ("a..b/...", &["a..b"], "..."),
            (".gitignore", &[], ".gitignore"),
            (".github/x", &[".github"], "x"),
            ("/home/me/project/src/x.rs", &["src"], "x.rs"),
        ] {
            let expected = PlaceInProject { folders: folders.to_vec(), name };
            assert_eq!(place(Path::new("/home/me/project"), path).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn nothing_leads_out_of_it() {
        for path in [
            "..",
            "../a",
            "a/../b",
            "a/../../b",
            "/etc/passwd",
            "/home/me/project2/a",
            "/home/me/project/../a",
            "/home/me",
            "//home/me/projec",
        ] {
            assert_eq!(fault(path), PlaceFault::Outside, "{path}");
        }
        for path in ["", ".", "/home/me/project", "/home/me/project/", "a/", "a/."] {
            assert_eq!(fault(path), PlaceFault::Empty, "{path}");
        }
        for path in ["a\0b", "a\nb", "\u{85}"] {
            assert_eq!(fault(path), PlaceFault::Control, "{path:?}");
        }
    }

    #[test]
    fn nothing_leads_to_what_belongs_to_git_and_to_this_program() {
        for path in [
            ".git",
            ".git/hooks/pre-commit",
            ".aide/config.toml",
            "vendor/lib/.git/config",
            "vendor/.aide/x",
            ".GIT/config",
            ".Aide/config.toml",
            ".g\u{200c}it/config",
            ".git./config",
            ".git /config",
            "git~1/config",
            ".git::$INDEX_ALLOCATION/config",
            "/home/me/project/.git/config",
        ] {
            assert_eq!(fault(path), PlaceFault::Reserved, "{path}");
        }
    }
}
