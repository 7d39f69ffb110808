//! Tasks as they stand, with the commits of all their entries.

use crate::commit_lookup::{self, LatestCommit};
use crate::current::current;
use crate::error::{FlowError, GitError};
use crate::git::Repository;
use crate::transaction::{self, ActionGuard};
use model::flow::{FlowStatus, TaskId};
use settings::FlowConfig;
use std::thread;
use std::time::Duration;
use store::{EarlierTask, FormerState, Project};

/// The present task, its newest commit found.
///
/// # Errors
///
/// When its state cannot be read.
pub fn present(project: &Project, config: &FlowConfig) -> Result<Option<FlowStatus>, FlowError> {
    let files = project.flow()?;
    // Git is asked while the file is read: each takes as long as the other.
    let (seen, early) = thread::scope(|scope| {
        let seen = scope.spawn(|| look(project, config));
        let early = files.checkout();
        (seen.join().unwrap_or(Ok(GitView::default())), early)
    });
    let seen = seen?;
    let status = match seen.former {
        // It may yet be refused.
        Some(FormerState { status, .. }) => status.map(|bytes| files.parse(&bytes)).transpose()?,
        None => {
            let checkout = if seen.is_recovered { files.checkout()? } else { early? };
            current(&files, seen.repository.as_ref(), seen.latest.as_ref(), checkout)?
        }
    };
    let Some(mut status) = status else { return Ok(None) };
    if let Some(repository) = seen.repository
        && let Some(newest) = status.newest()
        && newest.git_commit.is_none()
    {
        // Without it the state is still worth seeing.
        let commit = commit_lookup::commit_of(&repository, &status, seen.latest).ok().flatten();
        if let Some(entry) = status.history.last_mut() {
            entry.git_commit = commit;
        }
    }
    Ok(Some(status))
}

/// The present task, and the earlier ones, the latest first.
///
/// # Errors
///
/// When the folder cannot be read. A file that cannot be read is one of the list.
pub fn tasks(
    project: &Project,
    config: &FlowConfig,
) -> Result<(Option<FlowStatus>, Vec<EarlierTask>), FlowError> {
    let present = present(project, config)?;
    let files = project.flow()?;
    let mut earlier = files.earlier()?;
    // A kill may have left the present task among the earlier ones as well.
    earlier.retain(|task| present.as_ref().is_none_or(|present| present.task_id != task.id));
    Ok((present, earlier))
}

/// One task, be it the present one or an earlier one.
///
/// # Errors
///
/// When its state cannot be read.
pub fn task(project: &Project, config: &FlowConfig, id: &TaskId) -> Result<Option<FlowStatus>, FlowError> {
    // An earlier one is to be seen whatever has become of the present one.
    let present = present(project, config);
    match present {
        Ok(Some(present)) if present.task_id == *id => return Ok(Some(present)),
        _ => {}
    }
    let Some(mut status) = project.flow()?.earlier_task(id)? else { return Ok(None) };
    // One that came with another branch was not ended here.
    if config.git.enabled
        && let Ok(repository) = Repository::open(project.root())
        && let Ok(Some(commit)) = commit_lookup::commit(&repository, &status)
        && let Some(entry) = status.history.last_mut()
    {
        entry.git_commit = Some(commit);
    }
    Ok(Some(status))
}

/// Why nothing is known from git although the project's `.git` says that there is a repository.
pub fn repository_missing(project: &Project, config: &FlowConfig) -> Option<GitError> {
    if !config.git.enabled {
        return None;
    }
    Repository::open(project.root()).err().filter(|error| matches!(error, GitError::LeadsNowhere { .. }))
}

/// What git has to say.
#[derive(Default)]
struct GitView {
    /// Where there is one.
    repository: Option<Repository>,
    latest: Option<LatestCommit>,
    /// What an action has replaced that is under way.
    former: Option<FormerState>,
    /// What a killed action has left was brought to an end just now.
    is_recovered: bool,
}

/// Looks at the repository, without waiting.
fn look(project: &Project, config: &FlowConfig) -> Result<GitView, FlowError> {
    if !config.git.enabled {
        return Ok(GitView::default());
    }
    let Ok(mut repository) = Repository::open(project.root()) else { return Ok(GitView::default()) };
    let (mut former, mut is_recovered) = (transaction::former(&repository), false);
    if former.is_some() {
        match ActionGuard::enter(&mut repository, "status", Duration::ZERO) {
            Ok(_) => (former, is_recovered) = (None, true),
            // The process that acts at this moment finishes it.
            Err(FlowError::Busy(_)) => {}
            Err(error) => return Err(error),
        }
    }
    // Without it the state is still worth seeing.
    let latest = commit_lookup::latest(&repository).ok().flatten();
    Ok(GitView { repository: Some(repository), latest, former, is_recovered })
}
