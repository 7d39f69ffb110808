//! Repositories within the repository.
//!
//! `git add -A` makes a gitlink of each: a reference to a commit that no clone can find, in the place of its files. One
//! without a commit lets it fail.

use crate::error::GitError;
use crate::git::Repository;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Returns the folders among what git does not know, relative to the project, that have a repository of their own and are
/// not known as submodules.
pub(crate) fn repositories(repository: &Repository, untracked: &[PathBuf]) -> Result<Vec<PathBuf>, GitError> {
    // Git looks into every other folder, and lists the files there.
    let nested = untracked.iter().filter_map(|path| path.as_os_str().as_bytes().strip_suffix(b"/"));
    let mut nested: Vec<PathBuf> = nested.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect();
    if !nested.is_empty() {
        let submodules = submodules(repository)?;
        let prefix = Path::new(&repository.prefix);
        nested.retain(|path| !submodules.iter().any(|submodule| prefix.join(path) == Path::new(submodule)));
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
