//! Which folder is meant by `--agent`.

use agent::AGENTS;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use store::Project;

/// A path, or the name of an agent of the project: where both are there, what was typed is a path.
pub(super) fn named(project: &Project, given: &OsStr) -> PathBuf {
    let path = PathBuf::from(given);
    let is_name = path.components().count() == 1 && path.file_name() == Some(given);
    let agents = project.root().join(".aide").join(AGENTS);
    let below = agents.join(Path::new(given));
    if is_name && !path.is_dir() && below.is_dir() { below } else { path }
}
