//! What an action is about to commit that is not its own, and what a commit has in the end.

use crate::change::{Change, Request};
use crate::error::{FlowError, GitError};
use crate::git::Repository;
use crate::secret::looks_secret;
use crate::view;
use model::flow::{Action, Phases, Summary};
use settings::{AddStrategy, FlowConfig};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use store::Project;

/// What belongs to the project's tasks, decisions and settings; it belongs to no other person.
const OWN: &str = ".aide";

/// Which new files may be committed although they look like secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consent {
    /// All of them.
    All,
    /// These, from the project's root.
    To(BTreeSet<PathBuf>),
}

impl Consent {
    /// To none of them.
    pub fn none() -> Self {
        Self::To(BTreeSet::new())
    }

    fn covers(&self, path: &Path) -> bool {
        match self {
            Self::All => true,
            Self::To(paths) => paths.contains(path),
        }
    }
}

/// What an action would commit besides its own, from the project's root.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Of a task that begins: what was changed before.
    pub changed_before: Vec<PathBuf>,
    /// New files that look like secrets.
    pub secrets: Vec<PathBuf>,
}

/// A commit that was made.
#[derive(Debug, PartialEq, Eq)]
pub struct CreatedCommit {
    /// Its hash.
    pub hash: String,
    /// How many files it changes.
    pub files: usize,
    /// Those that it adds and that look like secrets: from the project's root, or from the top of the work tree where they are
    /// outside of it.
    pub secrets: Vec<PathBuf>,
}

/// Looks what `request` would commit besides its own.
///
/// # Errors
///
/// Why it would be refused.
pub fn survey(project: &Project, config: &FlowConfig, request: &Request) -> Result<Survey, FlowError> {
    if !config.git.enabled {
        return Ok(Survey::default());
    }
    Summary::new(&request.summary).map_err(FlowError::Summary)?;
    let present = view::present(project, config)?;
    Change::new(request, Phases::new(&config.phases), present.as_ref())?;
    let repository = Repository::open(project.root())?;
    repository.check(config.git.allow_detached)?;
    let changed_before = match request.action {
        Action::Start => changed_before(&repository, config.strategy())?,
        _ => Vec::new(),
    };
    let secrets = match config.strategy() {
        AddStrategy::All => secrets(&repository, &untracked(&repository)?),
        AddStrategy::Tracked | AddStrategy::Staged => Vec::new(),
    };
    Ok(Survey { changed_before, secrets })
}

/// The files that a commit after `strategy` would have, without those of `aide`.
pub(crate) fn changed_before(
    repository: &Repository,
    strategy: AddStrategy,
) -> Result<Vec<PathBuf>, GitError> {
    let untracked = if strategy == AddStrategy::All { "-uall" } else { "-uno" };
    let list =
        ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty", untracked, "--", ":/"];
    let output = repository.run(None, &list)?;
    let mut files = Vec::new();
    for entry in output.stdout.split(|byte| *byte == 0) {
        let Some(([index, tree, _], path)) = entry.split_first_chunk::<3>() else { continue };
        let is_added = !matches!(index, b' ' | b'?');
        let path = Path::new(OsStr::from_bytes(path));
        // Everything that is added is committed, wherever it is; all else only from the project itself.
        let inside = path.strip_prefix(&repository.prefix).ok();
        let counts = is_added || strategy != AddStrategy::Staged && *tree != b' ' && inside.is_some();
        let is_repository = path.as_os_str().as_bytes().ends_with(b"/");
        let shown = inside.unwrap_or(path);
        if counts && !is_repository && !shown.starts_with(OWN) {
            files.push(shown.to_owned());
        }
    }
    Ok(files)
}

/// The files below the project that git neither knows nor ignores, and the repositories among them, with a slash at the end.
pub(crate) fn untracked(repository: &Repository) -> Result<Vec<PathBuf>, GitError> {
    repository.paths(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])
}

/// Those of `files` that look like secrets.
pub(crate) fn secrets(repository: &Repository, files: &[PathBuf]) -> Vec<PathBuf> {
    let is_file = |path: &&PathBuf| !path.as_os_str().as_bytes().ends_with(b"/");
    files.iter().filter(is_file).filter(|path| looks_secret(&repository.root, path)).cloned().collect()
}

/// Those of `secrets` that `consent` does not cover.
pub(crate) fn withheld(secrets: &[PathBuf], consent: &Consent) -> Vec<PathBuf> {
    secrets.iter().filter(|path| !consent.covers(path)).cloned().collect()
}

/// What the commit `hash` has. Without it nothing can be said, and nothing is lost.
pub(crate) fn committed(repository: &Repository, hash: &str) -> CreatedCommit {
    let list = ["diff-tree", "--root", "--no-commit-id", "--name-status", "--no-renames", "-r", "-z", hash];
    let listed = repository.paths(&list).unwrap_or_default();
    let top = repository.root.ancestors().nth(Path::new(&repository.prefix).components().count());
    let top = top.unwrap_or(&repository.root);
    let mut files = 0;
    let mut secrets = Vec::new();
    for pair in listed.chunks_exact(2) {
        let [status, path] = pair else { continue };
        files += 1;
        if status.as_os_str() == "A" && looks_secret(top, path) {
            secrets.push(path.strip_prefix(&repository.prefix).unwrap_or(path).to_owned());
        }
    }
    CreatedCommit { hash: hash.to_owned(), files, secrets }
}
