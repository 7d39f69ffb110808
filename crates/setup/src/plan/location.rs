//! The real path of a file, and the folders that are missing on the way to it.

use crate::agent::{Places, Scope};
use crate::error::RefusalReason;
use files::FileError;
use files::together::FileLocation;
use std::path::{Path, PathBuf};

/// Where a file really is. Links are followed where they lead to another place in the same folder.
pub(super) fn resolve(
    places: &Places,
    scope: Scope,
    root: &Path,
    file: &Path,
) -> Result<FileLocation, RefusalReason> {
    let roots: &[&Path] = if scope == Scope::User { &[root, &places.home] } else { &[root] };
    let real = real_path(file)?;
    for root in roots {
        let root = real_path(root)?;
        let Ok(below) = real.strip_prefix(&root) else { continue };
        // The folder itself may be missing.
        let existing = root.ancestors().find(|folder| folder.is_dir()).unwrap_or(&root);
        let names = root.strip_prefix(existing).unwrap_or(Path::new("")).join(below);
        let names = names.iter().map(|name| name.to_str().map(str::to_owned));
        let names = names.collect::<Option<Vec<String>>>().ok_or(RefusalReason::NotText)?;
        return Ok(FileLocation { root: existing.to_owned(), names });
    }
    Err(RefusalReason::LeadsOut { to: real })
}

/// The path without links, whether all of it is there or not.
fn real_path(path: &Path) -> Result<PathBuf, RefusalReason> {
    let existing = path.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(path);
    let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
    let real = existing.canonicalize().map_err(|error| {
        if existing.is_symlink() {
            RefusalReason::LeadsNowhere
        } else {
            RefusalReason::File(FileError::Io { path: existing.to_owned(), source: error })
        }
    })?;
    Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

pub(super) fn missing_folders(spot: &FileLocation) -> Vec<PathBuf> {
    let mut path = spot.root.clone();
    let folders = spot.names.split_last().map_or(&[][..], |(_, folders)| folders);
    let mut missing = Vec::new();
    for name in folders {
        path.push(name);
        if !path.exists() {
            missing.push(path.clone());
        }
    }
    missing
}
