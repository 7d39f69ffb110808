//! Which task is the current one.
//!
//! `flow-status.json` belongs to the checkout, the tasks' own files to the branch. After `git switch`, `git merge`, `git reset` or
//! in a fresh clone the branch says which task it is: by the latest step on its own line of commits, without those that were merged.

use crate::commit_lookup::{self, LatestCommit};
use crate::error::FlowError;
use crate::git::Repository;
use model::flow::FlowStatus;
use store::{Checkout, FlowFiles, TaskFile, flow_task_path};

/// The current task, where what the checkout says was read as `checkout`, and the latest commit as `latest`.
///
/// # Errors
///
/// When a file that counts cannot be read.
pub(crate) fn current(
    files: &FlowFiles,
    repository: Option<&Repository>,
    latest: Option<&LatestCommit>,
    checkout: Option<Checkout>,
) -> Result<Option<FlowStatus>, FlowError> {
    let Some(repository) = repository else {
        // Without branches, only a kill may have kept an action from being noted everywhere.
        return Ok(checkout.map(|checkout| match checkout.own {
            TaskFile::Other(own) => *own,
            TaskFile::Same | TaskFile::Missing => checkout.status,
        }));
    };
    let of_checkout = match checkout {
        Some(Checkout { status, own: TaskFile::Same, .. }) => {
            // What git does not see is the same on every branch.
            if commit_lookup::is_latest(repository, latest, &status)
                || repository.says(None, &["check-ignore", "-q", "--", &flow_task_path(&status.task_id)])?
            {
                return Ok(Some(status));
            }
            Some(status)
        }
        // An earlier version has written it.
        Some(Checkout { status, own: TaskFile::Missing, .. }) => {
            if !commit_lookup::is_elsewhere(repository, &status.task_id)? {
                return Ok(Some(status));
            }
            None
        }
        Some(Checkout { own: TaskFile::Other(_), .. }) | None => None,
    };
    let of_branch = match commit_lookup::latest_task(repository)? {
        Some(task) => files.earlier_task(&task)?,
        None => None,
    };
    Ok(match (of_checkout, of_branch) {
        (Some(status), Some(of_branch)) => {
            let is_older = of_branch.task_id < status.task_id;
            // A hook may have rewritten the message by which its commit would be found.
            let counts = of_branch.task_id == status.task_id
                || is_older && commit_lookup::is_on_own_line(repository, &status)?;
            Some(if counts { status } else { of_branch })
        }
        (Some(status), None) => Some(status),
        (None, Some(of_branch)) => Some(of_branch),
        (None, None) => files.latest_task()?,
    })
}
