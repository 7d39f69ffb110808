//! The folders of projects that aide keeps something in, in the folder of the person's state: so that what is open everywhere is
//! found without a daemon.

use crate::user_files;
use files::{Dir, FileError, FileFormat, Lock, durable};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Below the folder for state of this user's programs.
const FOLDER: &str = "aide";
const FILE: &str = "projects.json";
/// Its format.
const FORMAT: FileFormat = FileFormat::FIRST;
/// How large the file may be, in bytes.
const LIMIT: u64 = 1 << 20;
/// How many folders are remembered: those that were noted first are forgotten.
const MAX: usize = 1000;

/// Remembers that something is kept in the project in the folder `root`. What cannot be written is not remembered.
pub(crate) fn note(root: &Path) {
    let Some(state) = user_files::state() else { return };
    if all_in(&state).iter().any(|known| known == root) || root.to_str().is_none() {
        return;
    }
    let changed = change(&state, |known| {
        known.retain(|known| known != root);
        known.push(root.to_owned());
        let surplus = known.len().saturating_sub(MAX);
        known.drain(..surplus);
    });
    if let Err(error) = changed {
        tracing::debug!(%error, "cannot remember a project");
    }
}

/// The folders that are remembered, be they there or not.
pub(crate) fn all() -> Vec<PathBuf> {
    user_files::state().map(|state| all_in(&state)).unwrap_or_default()
}

/// Forgets folders that are no projects any more.
pub(crate) fn forget(gone: &[PathBuf]) {
    // Nothing is written where none of them is remembered.
    let is_known = |state: &PathBuf| all_in(state).iter().any(|known| gone.contains(known));
    if let Some(state) = user_files::state().filter(is_known) {
        let _ = change(&state, |known| known.retain(|known| !gone.contains(known)));
    }
}

fn all_in(state: &Path) -> Vec<PathBuf> {
    // What cannot be read says nothing, nor does what a later program has written.
    let read = Dir::open(&state.join(FOLDER)).and_then(|folder| read(&folder));
    read.unwrap_or_default()
}

fn read(folder: &Dir) -> Result<Vec<PathBuf>, FileError> {
    let bytes = folder.read(FILE, LIMIT).ok().flatten().unwrap_or_default();
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let value = FORMAT.known(&folder.path_of(FILE), value)?;
    let paths = value.get("projects").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let paths = paths.iter().filter_map(|path| Some(PathBuf::from(path.as_str()?)));
    Ok(paths.filter(|path| path.is_absolute()).collect())
}

fn change(state: &Path, edit: impl FnOnce(&mut Vec<PathBuf>)) -> Result<(), FileError> {
    let folder = Dir::ensure(&state.join(FOLDER))?;
    let lock = Lock::take(&folder)?;
    let mut known = read(&folder)?;
    edit(&mut known);
    let known: Vec<_> = known.iter().filter_map(|path| path.to_str()).collect();
    let all = FORMAT.object([("projects", json!(known))]);
    durable::replace(&lock, &folder, FILE, format!("{all:#}\n").as_bytes())
}
