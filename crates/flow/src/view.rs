//! Tasks as they stand, with the commits of all their entries.

use crate::error::FlowError;
use crate::git::Repository;
use crate::newest;
use crate::transaction::{self, Exclusive};
use model::flow::{FlowStatus, TaskId};
use std::time::Duration;
use store::{EarlierTask, FlowConfig, Former, Project};

/// The present task, its newest commit found.
///
/// # Errors
///
/// When its state cannot be read.
pub fn present(project: &Project, config: &FlowConfig) -> Result<Option<FlowStatus>, FlowError> {
    let files = project.flow()?;
    let (repository, former) = repository(project, config)?.unzip();
    let status = match former.flatten() {
        // It may yet be refused.
        Some(Former { status, .. }) => status.map(|bytes| files.parse(&bytes)).transpose()?,
        None => files.present()?,
    };
    let Some(mut status) = status else { return Ok(None) };
    if let Some(repository) = repository {
        // Without it the state is still worth seeing.
        let commit = newest::commit(&repository, &status).ok().flatten();
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
    Ok(project.flow()?.earlier_task(id)?)
}

/// The repository, if there is one, after what a killed action has left there was brought to an end; and what an action
/// has replaced that is under way. Looking at it waits for nobody.
fn repository(
    project: &Project,
    config: &FlowConfig,
) -> Result<Option<(Repository, Option<Former>)>, FlowError> {
    if !config.git.enabled {
        return Ok(None);
    }
    let Ok(mut repository) = Repository::of(project.root()) else { return Ok(None) };
    let Some(former) = transaction::former(&repository) else { return Ok(Some((repository, None))) };
    // Whoever acts at this moment brings it to an end himself.
    let entered = Exclusive::enter(&mut repository, "status", Duration::ZERO)?;
    Ok(Some((repository, entered.is_err().then_some(former))))
}
