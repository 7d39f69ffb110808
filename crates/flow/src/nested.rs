//! Repositories within the repository.
//!
//! `git add -A` makes a gitlink of each: a reference to a commit that no clone can find, in the place of its files. One
//! without a commit lets it fail.

use crate::error::GitError;
use crate::git::Repository;

/// Returns the folders below the project, relative to it, that have a repository of their own and that git does not know
/// as submodules.
pub(crate) fn repositories(repository: &Repository) -> Result<Vec<String>, GitError> {
    let others = repository.list(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?;
    // Git looks into every other folder, and lists the files there.
    let nested = others.iter().filter_map(|path| path.strip_suffix('/'));
    let mut nested: Vec<String> = nested.map(str::to_owned).collect();
    if !nested.is_empty() {
        let submodules = submodules(repository)?;
        nested.retain(|path| !submodules.contains(&format!("{}{path}", repository.prefix)));
    }
    Ok(nested)
}

/// The folders that `.gitmodules` names, from the top of the work tree.
fn submodules(repository: &Repository) -> Result<Vec<String>, GitError> {
    let top = repository.ask(&["rev-parse", "--show-toplevel"])?.unwrap_or_default();
    let file = format!("{top}/.gitmodules");
    let arguments = ["config", "-z", "--file", &file, "--get-regexp", r"^submodule\..*\.path$"];
    // Git fails where there is no such file, or none is named.
    let output = repository.output(None, &arguments)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let paths = text.split('\0').filter_map(|entry| entry.split_once('\n'));
    Ok(paths.map(|(_, path)| path.trim_end_matches('/').to_owned()).collect())
}
