//! Which commit recorded the newest entry.
//!
//! The state is part of that commit, so its hash cannot stand in it: the commit says so itself, by a trailer. It is also
//! noted beside the index, for a repository whose hooks rewrite messages, and for entries that nothing was committed for.

use crate::error::GitError;
use crate::git::{AIDE, Repository};
use files::ExternalDir;
use model::flow::{FlowStatus, STEP_TRAILER, TaskId, step_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use store::{flow_archive_path, flow_status_path};

/// Below the repository's own folder.
const NOTE: &str = "newest.json";
const NOTE_LIMIT: u64 = 1 << 16;

/// The contents of the note: of each project in the repository, by the path from the top of the work tree.
type Notes = BTreeMap<String, Note>;

/// What is noted of a project.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    step: String,
    commit: Option<String>,
}

/// What the latest commit says.
#[derive(Debug)]
pub(crate) struct LatestCommit {
    hash: String,
    message: String,
}

/// The latest commit, which nearly always is that of the newest entry.
pub(crate) fn latest(repository: &Repository) -> Result<Option<LatestCommit>, GitError> {
    if repository.head.is_none() {
        return Ok(None);
    }
    let text = log(repository, &["-1"])?;
    Ok(commits(&text)
        .next()
        .map(|(hash, message)| LatestCommit { hash: hash.to_owned(), message: message.to_owned() }))
}

/// The commit of the newest entry of `status`, if there is one.
pub(crate) fn commit(repository: &Repository, status: &FlowStatus) -> Result<Option<String>, GitError> {
    match status.newest() {
        Some(newest) if newest.git_commit.is_none() => commit_of(repository, status, latest(repository)?),
        newest => Ok(newest.and_then(|newest| newest.git_commit.clone())),
    }
}

/// The same where the latest commit is known already.
pub(crate) fn commit_of(
    repository: &Repository,
    status: &FlowStatus,
    latest: Option<LatestCommit>,
) -> Result<Option<String>, GitError> {
    let Some(newest) = status.newest() else { return Ok(None) };
    if let Some(commit) = &newest.git_commit {
        return Ok(Some(commit.clone()));
    }
    let step = step_name(&status.task_id, newest.step);
    let is_born = repository.head.is_some();
    if let Some(latest) = latest.filter(|latest| says(&latest.message, &step)) {
        return Ok(Some(latest.hash));
    }
    match notes(repository).remove(&repository.prefix).filter(|note| note.step == step) {
        Some(Note { commit: None, .. }) => return Ok(None),
        Some(Note { commit: Some(commit), .. })
            if repository.says(None, &["merge-base", "--is-ancestor", &commit, "HEAD"]).unwrap_or(false) =>
        {
            return Ok(Some(commit));
        }
        _ => {}
    }
    // Another clone, or history was rewritten, or it is on a branch that is not checked out any more.
    let grep = grep(&step);
    if is_born && let Some(commit) = find(repository, &["-1", "--basic-regexp", &grep], &step)? {
        return Ok(Some(commit));
    }
    find(repository, &["-1", "--basic-regexp", &grep, "--all"], &step)
}

/// The first commit whose message says that it recorded `step`, among those that `git log` lists with `arguments`.
///
/// Any line of the message counts: a hook may have written below the trailer, and squashed commits keep their messages.
pub(crate) fn find(
    repository: &Repository,
    arguments: &[&str],
    step: &str,
) -> Result<Option<String>, GitError> {
    let text = log(repository, arguments)?;
    let found = commits(&text).find(|(_, message)| says(message, step));
    Ok(found.map(|(hash, _)| hash.to_owned()))
}

/// What `git log` says of commits, for [`commits`].
fn log(repository: &Repository, arguments: &[&str]) -> Result<String, GitError> {
    let mut all = vec!["log", "-z", "--no-show-signature", "--encoding=UTF-8", "--format=%H%n%B"];
    all.extend(arguments);
    let output = repository.run(None, &all)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The task whose step was recorded last on the branch that is checked out.
pub(crate) fn latest_task(repository: &Repository) -> Result<Option<TaskId>, GitError> {
    if repository.head.is_none() {
        return Ok(None);
    }
    let grep = format!("--grep=^ *{STEP_TRAILER}: ");
    // Other projects in the repository have tasks of their own.
    let (status, logs) = (flow_status_path(), flow_archive_path(""));
    let text = log(repository, &["-1", "--first-parent", "--basic-regexp", &grep, "--", &status, &logs])?;
    Ok(commits(&text).find_map(|(_, message)| {
        let steps =
            message.lines().filter_map(|line| line.trim().strip_prefix(STEP_TRAILER)?.strip_prefix(": "));
        // Of several commits that were made one, the last is the newest.
        steps.filter_map(|step| step.rsplit_once('/')?.0.parse().ok()).next_back()
    }))
}

/// Whether the newest entry of `status` is the latest that was recorded here: its commit is `latest`, or none was made.
pub(crate) fn is_latest(repository: &Repository, latest: Option<&LatestCommit>, status: &FlowStatus) -> bool {
    let step = step_name(&status.task_id, status.current_step);
    latest.is_some_and(|latest| says(&latest.message, &step))
        || notes(repository).remove(&repository.prefix).is_some_and(|note| {
            note.step == step && (note.commit.is_none() || note.commit == repository.head)
        })
}

/// Whether the commit of the newest entry of `status` is on the branch itself, and not on one that was merged into it.
pub(crate) fn is_on_own_line(repository: &Repository, status: &FlowStatus) -> Result<bool, GitError> {
    let step = step_name(&status.task_id, status.current_step);
    let note = notes(repository).remove(&repository.prefix).filter(|note| note.step == step);
    let Some(commit) = note.and_then(|note| note.commit) else { return Ok(false) };
    if !repository.says(None, &["merge-base", "--is-ancestor", &commit, "HEAD"]).unwrap_or(false) {
        return Ok(false);
    }
    let range = format!("{commit}..HEAD");
    let listed = repository.run(None, &["rev-list", "--first-parent", "--parents", &range])?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    // The first parent of the oldest of them.
    let before = text.lines().last().map(|line| line.split(' ').nth(1) == Some(commit.as_str()));
    Ok(before.unwrap_or(true))
}

/// Whether all commits of `task` are on branches that are not checked out.
pub(crate) fn is_elsewhere(repository: &Repository, task: &TaskId) -> Result<bool, GitError> {
    // Its first step is the oldest of its commits.
    let grep = format!("--grep=^ *{STEP_TRAILER}: {}/", task.as_str());
    let has = |further: &[&str]| -> Result<bool, GitError> {
        let arguments = [&["-1", "--basic-regexp", &grep], further].concat();
        Ok(!log(repository, &arguments)?.is_empty())
    };
    Ok(!(repository.head.is_some() && has(&[])?) && has(&["--all"])?)
}

/// Hashes and messages.
fn commits(log: &str) -> impl Iterator<Item = (&str, &str)> {
    log.split('\0').filter_map(|commit| commit.split_once('\n'))
}

/// Whether a message says that its commit recorded `step`.
fn says(message: &str, step: &str) -> bool {
    let trailer = format!("{STEP_TRAILER}: {step}");
    message.lines().any(|line| line.trim() == trailer)
}

/// What makes `git log` list only commits that recorded `step`.
fn grep(step: &str) -> String {
    let mut pattern = format!("--grep=^ *{STEP_TRAILER}: ");
    for c in step.chars() {
        if r"\.[]*^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + " *$"
}

/// Notes which commit recorded the entry `step` of the project at `prefix`.
pub(crate) fn note(folder: &ExternalDir, prefix: &str, step: String, commit: Option<&str>) {
    let mut notes = read(folder);
    notes.insert(prefix.to_owned(), Note { step, commit: commit.map(str::to_owned) });
    // It only saves a search.
    if let Ok(bytes) = serde_json::to_vec(&notes) {
        let _ = folder.remove(NOTE);
        let _ = folder.create(NOTE, &bytes);
    }
}

/// The tasks that are recorded for all projects in the repository, in all its work trees. Only their names distinguish their
/// commits and, once the branches are merged, their files.
pub(crate) fn tasks(repository: &Repository) -> Vec<TaskId> {
    let mut places = vec![repository.git_dir.clone(), repository.common_dir.clone()];
    let trees = fs::read_dir(repository.common_dir.join("worktrees")).into_iter().flatten().flatten();
    places.extend(trees.map(|tree| tree.path()));
    let notes = places.iter().flat_map(|place| notes_in(place).into_values());
    notes.filter_map(|note| note.step.rsplit_once('/')?.0.parse().ok()).collect()
}

fn notes(repository: &Repository) -> Notes {
    notes_in(&repository.git_dir)
}

fn notes_in(git_dir: &Path) -> Notes {
    let folder = ExternalDir::named(&git_dir.join(AIDE));
    folder.map(|folder| read(&folder)).unwrap_or_default()
}

fn read(folder: &ExternalDir) -> Notes {
    let bytes = folder.read(NOTE, NOTE_LIMIT).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
