//! The change log is written before the documents are left.

use super::HookContext;
use crate::error::FlowError;
use crate::error::{GitError, HookError};
use crate::notice::Notice;

/// Looks whether the change log was changed in the phase that is about to be left.
pub(super) fn check(context: &HookContext<'_>, notices: &mut Vec<Notice>) -> Result<(), FlowError> {
    let config = &context.config.changelog;
    if !config.enabled {
        return Ok(());
    }
    let path = config.path.clone();
    let problem = if !context.root().join(&path).is_file() {
        HookError::NoChangelog { path: path.clone() }
    } else if is_changed(context, &path)? {
        return Ok(());
    } else {
        HookError::ChangelogUnchanged { path: path.clone() }
    };
    if config.required {
        return Err(problem.into());
    }
    notices.push(Notice::ChangelogMissed { path });
    Ok(())
}

fn is_changed(context: &HookContext<'_>, path: &str) -> Result<bool, GitError> {
    // Without git, this cannot be known.
    let Some(repository) = context.repository else { return Ok(true) };
    // Whatever the name has in it, it is a name.
    let path = format!(":(literal){path}");
    if !repository.list(&["ls-files", "-z", "-o", "--", &path])?.is_empty() {
        return Ok(true);
    }
    match context.before_phase(repository)? {
        Some(before) => Ok(!repository.says(None, &["diff", "--quiet", &before, "--", &path])?),
        None => Ok(!repository.list(&["status", "-z", "--porcelain", "--", &path])?.is_empty()),
    }
}
