//! A plan that has ended, or was never run, is forgotten with everything that lies for it.

use super::PlanError;
use super::documents::{ACTIVE_DAG_REF, TASK_DAG};
use super::folders::Folders;
use super::results::ARTIFACTS;
use crate::folder::AgentFolder;
use files::{Dir, FileError, FileType, Lock, durable};
use protocol::agent::Id;

/// What lies below the system's folder for each plan, beside the plan itself.
const KEPT: [&str; 3] = [ARTIFACTS, "alerts", "deadletter"];
/// What an agent has of each plan.
const OF_AGENT: [&str; 3] = ["inbox", "outbox", "workspace"];
const PLANS: &str = "plans";

/// The result of removing a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalOutcome {
    /// Nothing of it is left.
    Removed,
    /// These of its tasks have not ended.
    NotEnded {
        /// The tasks.
        open: Vec<Id>,
    },
}

impl Folders {
    /// The tasks of a plan that have not ended, once it was run.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn open_tasks(&self, plan: &Id) -> Result<Vec<Id>, PlanError> {
        let tasks = self.status(plan)?.into_iter().flat_map(|status| status.tasks);
        Ok(tasks.filter(|task| !task.state.is_terminal()).map(|task| task.task_id).collect())
    }

    /// Removes a plan that has ended or was never run, with what its agents were sent and have sent for it. Killed meanwhile, the
    /// plan is still known, and can be removed again.
    ///
    /// # Errors
    ///
    /// When another program carries plans out or runs one of the agents, and whatever the disk says.
    pub fn remove(&self, plan: &Id, purpose: &str) -> Result<RemovalOutcome, PlanError> {
        let _router = self.route(purpose)?;
        let open = self.open_tasks(plan)?;
        if !open.is_empty() {
            return Ok(RemovalOutcome::NotEnded { open });
        }
        for agent in self.agents()? {
            let mut has_any = false;
            for side in OF_AGENT {
                has_any |= self.agents.folder_at([agent.as_str(), side, plan.as_str()])?.is_some();
            }
            if !has_any {
                continue;
            }
            // No other program works in it meanwhile.
            let _held = AgentFolder::open(&self.agents.path().join(agent.as_str()), purpose)?;
            for side in OF_AGENT {
                if let Some(folder) = self.agents.folder_at([agent.as_str(), side])? {
                    remove_tree(&self.lock()?, &folder, plan.as_str())?;
                }
            }
        }
        let lock = self.lock()?;
        for kept in KEPT {
            if let Some(folder) = self.runtime.folder(kept)? {
                remove_tree(&lock, &folder, plan.as_str())?;
            }
        }
        if let Some(plans) = self.runtime.folder(PLANS)? {
            remove_tree(&lock, &plans, plan.as_str())?;
        }
        Ok(RemovalOutcome::Removed)
    }
}

/// Removes a folder with everything in it. What makes it a plan goes last.
fn remove_tree(lock: &Lock, parent: &Dir, name: &str) -> Result<(), FileError> {
    let Some(folder) = parent.folder(name)? else { return Ok(()) };
    let mut entries = folder.entries()?;
    entries.sort_by_key(|(name, _)| [TASK_DAG, ACTIVE_DAG_REF].contains(&name.as_str()));
    for (entry, kind) in entries {
        if kind == FileType::Directory {
            remove_tree(lock, &folder, &entry)?;
        } else {
            durable::remove(lock, &folder, &entry)?;
        }
    }
    folder.sync()?;
    parent.remove_folder(name)?;
    parent.sync()
}
