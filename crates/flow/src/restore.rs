//! The files as they were at a step, in a work tree of their own.
//!
//! It lies in `.aide/steps/`, which ignores itself: git does not list it, and programs that search the project pass it by.
//! Nothing is checked out there but a commit, so that `aide flow` commits nothing in it; and it always has a folder
//! `.aide`, so that it is never taken for a part of the project around it.

use crate::error::{FlowError, GitError};
use crate::git::Repository;
use crate::view;
use files::ExternalDir;
use model::flow::{Action, FlowStatus, HistoryEntry};
use settings::FlowConfig;
use std::fs;
use std::path::{Path, PathBuf};
use store::Project;

/// Below the project.
const STEPS: [&str; 2] = [".aide", "steps"];

/// Where a step can be seen.
#[derive(Debug, PartialEq, Eq)]
pub struct RestoredStep {
    /// The step.
    pub step: u64,
    /// The commit that has its files: its own, or the latest before it.
    pub commit: String,
    /// The work tree, which `git worktree remove` removes.
    pub worktree: PathBuf,
    /// The project in it.
    pub project: PathBuf,
}

/// Shows the files as they were at `step` of the present task, or at the step that one is back at: the one before the latest
/// that was not taken back. Where they are shown already, nothing is done.
///
/// # Errors
///
/// When there is no such step, nothing was committed for it, or git fails.
pub fn restore(project: &Project, config: &FlowConfig, step: Option<u64>) -> Result<RestoredStep, FlowError> {
    let status = view::present(project, config)?.ok_or(FlowError::NoTask)?;
    let step = step.or_else(|| step_back(&status)).ok_or(FlowError::NoStepBefore)?;
    if !status.history.iter().any(|entry| entry.step == step) {
        return Err(FlowError::UnknownStep { step, last: status.current_step });
    }
    // An action that changed nothing has the files of the one before.
    let until = status.history.iter().filter(|entry| entry.step <= step);
    let commit = until.filter_map(|entry| entry.git_commit.clone()).next_back();
    let commit = commit.ok_or(FlowError::StepWithoutCommit { step })?;
    let repository = Repository::open(project.root())?;
    let [aide, steps] = STEPS;
    let folder = ExternalDir::below(&project.root().join(aide), &[steps])?;
    folder.create(".gitignore", b"*\n")?;
    let worktree = folder.path_of(&format!("{}.{step}", status.task_id));
    if !shows(&repository, &worktree, &commit) {
        // Also where git remembers one that the user has deleted.
        let mut arguments: Vec<_> = ["worktree", "add", "-q", "-f", "--detach"].map(Into::into).into();
        arguments.extend([worktree.clone().into_os_string(), commit.clone().into()]);
        repository.run(None, &arguments)?;
    }
    // Its prefix ends with a slash, also where it is nothing else.
    let shown: PathBuf = worktree.join(&repository.prefix).components().collect();
    let own = shown.join(aide);
    fs::create_dir_all(&own).map_err(|source| GitError::Io { path: own, source })?;
    Ok(RestoredStep { step, commit, worktree, project: shown })
}

/// Whether `worktree` is one of the repository that was made for `commit`. What has been changed in it since stays.
fn shows(repository: &Repository, worktree: &Path, commit: &str) -> bool {
    Repository::open(worktree).is_ok_and(|found| {
        found.common_dir == repository.common_dir
            && found.git_dir != repository.git_dir
            && found.prefix.is_empty()
            && found.head.as_deref() == Some(commit)
    })
}

/// Returns the step that the task is back at, if its last step was one back. Problems and errors that were recorded are no steps:
/// they leave the work as it is.
pub fn back_at(status: &FlowStatus) -> Option<&HistoryEntry> {
    let (left, is_back) = steps_left(status);
    left.last().copied().filter(|_| is_back)
}

/// The step before the latest that was not taken back, or the latest itself if the task has just gone back to it.
fn step_back(status: &FlowStatus) -> Option<u64> {
    let (mut left, is_back) = steps_left(status);
    if !is_back {
        left.pop();
    }
    left.last().map(|entry| entry.step)
}

/// The steps that were not taken back, and whether the last one was a step back.
fn steps_left(status: &FlowStatus) -> (Vec<&HistoryEntry>, bool) {
    let (mut left, mut is_back) = (Vec::new(), false);
    for entry in &status.history {
        match entry.action {
            Action::Issue | Action::Error => {}
            Action::BackStep => {
                left.pop();
                is_back = true;
            }
            _ => {
                left.push(entry);
                is_back = false;
            }
        }
    }
    (left, is_back)
}
