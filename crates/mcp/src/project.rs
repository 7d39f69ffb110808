//! Which project a call is about.

use crate::backend::{Backend, Place, ToolFailure};
use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Decisions, Project};

/// Says which folder a call is about where it does not say itself; the first that is set counts.
const VARIABLES: [&str; 2] = ["AIDE_PROJECT", "CLAUDE_PROJECT_DIR"];

/// Open folders, by the project's root: a handle stays with a folder that was moved away or removed, so each is used only as
/// long as it is the one at that path.
#[derive(Debug, Default)]
pub(crate) struct ProjectCache(Mutex<HashMap<PathBuf, (Identity, Arc<Decisions>)>>);

type Identity = (u64, u64);

/// More projects than this are not kept open.
const MAX_PROJECTS: usize = 16;

impl ProjectCache {
    /// Opens the decisions of `project`; `None` where it has no `.aide/`.
    pub(crate) fn get(&self, project: &Project) -> Result<Option<Place>, ToolFailure> {
        let folder = project.root().join(".aide").join("decisions");
        let mut opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(present), Some((known, decisions))) = (identity(&folder), opened.get(project.root()))
            && *known == present
        {
            return Ok(Some(Place { project: project.clone(), decisions: Arc::clone(decisions) }));
        }
        if !project.root().join(".aide").is_dir() {
            return Ok(None);
        }
        let decisions = project.decisions().map_err(|error| unable(&error))?;
        let decisions = Arc::new(decisions);
        if let Some(present) = identity(&folder) {
            if opened.len() >= MAX_PROJECTS {
                opened.clear();
            }
            opened.insert(project.root().to_owned(), (present, Arc::clone(&decisions)));
        }
        Ok(Some(Place { project: project.clone(), decisions }))
    }

    /// The same where questions are to be asked: without `.aide/` it is made, at the root of the git work tree. Beside it what
    /// the asker is to be told.
    pub(crate) fn get_or_init(
        &self,
        backend: &dyn Backend,
        project: &Project,
    ) -> Result<(Place, Option<String>), ToolFailure> {
        if let Some(place) = self.get(project)? {
            return Ok((place, None));
        }
        let Some(root) = project.root().ancestors().find(|folder| folder.join(".git").exists()) else {
            return Err(ToolFailure {
                what: format!(
                    "{} has no .aide folder, and is not inside a git work tree",
                    project.root().display()
                ),
                hint: Some(
                    "Run `aide init` in the project's folder, or pass that folder as `project`".to_owned(),
                ),
            });
        };
        backend.init(root)?;
        let project =
            Project::at(root).map_err(|error| ToolFailure { what: error.to_string(), hint: None })?;
        let told = format!("Created .aide in {}, as `aide init` does.", root.display());
        let missing =
            || ToolFailure { what: format!("{} was removed", root.join(".aide").display()), hint: None };
        Ok((self.get(&project)?.ok_or_else(missing)?, Some(told)))
    }
}

fn identity(folder: &Path) -> Option<Identity> {
    let found = fs::symlink_metadata(folder).ok()?;
    Some((found.dev(), found.ino()))
}

/// Finds the project that `folder` is in.
pub(crate) fn discover(folder: &Path) -> Result<Project, ToolFailure> {
    let found = if folder.is_dir() {
        Project::discover(folder).map_err(|error| error.to_string())
    } else {
        Err("there is no such folder".to_owned())
    };
    found.map_err(|words| ToolFailure {
        what: format!("The project {} cannot be used: {words}", folder.display()),
        hint: Some("Pass the path of the project's folder as `project`".to_owned()),
    })
}

/// The folder that a variable names.
pub(crate) fn from_environment() -> Option<PathBuf> {
    let set = VARIABLES.iter().filter_map(env::var_os).find(|value| !value.is_empty());
    set.map(PathBuf::from)
}

/// The folder that a root of a client is; `None` for what is no folder here.
pub(crate) fn from_uri(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.is_absolute().then_some(path)
}

/// Returns the branch that is checked out in the work tree that `folder` is in; `None` where there is none.
pub fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let folder = if git.is_file() {
        git.parent()?.join(small_file(&git)?.trim().strip_prefix("gitdir:")?.trim())
    } else {
        git
    };
    let head = small_file(&folder.join("HEAD"))?;
    Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

/// Reads a file of git, which is one line. A pipe or a device in its place is not opened: reading it might never end.
fn small_file(path: &Path) -> Option<String> {
    const LIMIT: u64 = 16 << 10;
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

/// What the disk says, in English.
pub(crate) fn unable(error: &(impl texts::Explain + ?Sized)) -> ToolFailure {
    let explained = error.en();
    ToolFailure { what: explained.what, hint: explained.hint }
}

#[cfg(test)]
mod tests {
    use super::from_uri;
    use std::path::PathBuf;

    #[test]
    fn roots_are_folders() {
        for (uri, path) in [
            ("file:///home/me/a%20b", Some("/home/me/a b")),
            ("file://localhost/x", Some("/x")),
            ("file:///%E4%B8%AD", Some("/\u{4e2d}")),
            ("file://host/x", None),
            ("https://example.com/x", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("/x", None),
        ] {
            assert_eq!(from_uri(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}
