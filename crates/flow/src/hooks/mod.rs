//! What happens around a change of phase, and may forbid it.

mod changelog;
mod decisions;
mod plantuml;
mod program;
mod user_hooks;

use crate::change::Change;
use crate::error::{FlowError, GitError};
use crate::git::Repository;
use crate::notice::Notice;
use model::flow::{Action, FlowStatus, Summary};
use process::Cancellation;
use settings::FlowConfig;
use std::path::Path;
use store::Project;

/// The phases that `aide` itself has something to say about.
const DESIGN: &str = "flow-design";
const DOCS: &str = "docs";

/// The task, and what is about to happen to it.
pub(crate) struct HookContext<'s> {
    pub(crate) project: &'s Project,
    pub(crate) config: &'s FlowConfig,
    /// Where commits are made, if they are.
    pub(crate) repository: Option<&'s Repository>,
    pub(crate) status: Option<&'s FlowStatus>,
    /// The commit of the newest entry.
    pub(crate) newest: Option<&'s str>,
    pub(crate) change: &'s Change,
    pub(crate) summary: &'s Summary,
    /// Ends the programs that are running.
    pub(crate) cancellation: &'s Cancellation,
}

impl HookContext<'_> {
    fn root(&self) -> &Path {
        self.project.root()
    }

    /// The commit that entered the present phase.
    fn entered(&self) -> Option<&str> {
        let entries = self.status?.present_phase();
        let commit = entries.first()?.git_commit.as_deref();
        if entries.len() == 1 { commit.or(self.newest) } else { commit }
    }

    /// What to compare the files with to see what the present phase has changed: the commit before the one that entered
    /// it; `None` when that is not known.
    fn before_phase(&self, repository: &Repository) -> Result<Option<String>, GitError> {
        let Some(entered) = self.entered() else { return Ok(None) };
        if repository.ask(&["rev-parse", "-q", "--verify", &format!("{entered}^{{commit}}")])?.is_none() {
            return Ok(None);
        }
        let parent = repository.ask(&["rev-parse", "-q", "--verify", &format!("{entered}^")])?;
        match parent {
            Some(parent) => Ok(Some(parent)),
            // It is the first of all.
            None => repository.ask(&["hash-object", "-t", "tree", "/dev/null"]),
        }
    }
}

/// Whatever may forbid the action, or makes files that belong into its commit.
pub(crate) fn before(context: &HookContext<'_>, notices: &mut Vec<Notice>) -> Result<(), FlowError> {
    let change = context.change;
    if let Some(from) = change.from.as_deref().filter(|_| change.enters()) {
        if change.action == Action::NextPart {
            decisions::check(context, from)?;
            if from == DOCS {
                changelog::check(context, notices)?;
            }
        }
        if from == DESIGN {
            plantuml::run(context, notices)?;
        }
    }
    user_hooks::run(context)?;
    Ok(())
}

/// What is said once the action is done.
pub(crate) fn after(config: &FlowConfig, change: &Change, notices: &mut Vec<Notice>) {
    if change.enters() && change.to == DOCS && config.changelog.enabled {
        notices.push(Notice::ChangelogReminder { path: config.changelog.path.clone() });
    }
}
