//! A plan of one's own, to begin with.

use super::PlanError;
use super::folders::Folders;
use files::{Dir, durable};
use protocol::agent::Id;
use std::path::Path;

/// The profile of an agent.
const PROFILE: &str = "agent_profile.json";

/// What to write.
#[derive(Debug)]
pub struct Scaffold<'s> {
    /// The folder of the plan's author.
    pub folder: &'s Path,
    /// The files in it, by their paths.
    pub files: &'s [(String, Vec<u8>)],
    /// The agents, with their profiles.
    pub agents: &'s [(Id, Vec<u8>)],
}

/// The result of writing a plan and its agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScaffoldReport {
    /// The files that were written, as they were named.
    pub files: Vec<String>,
    /// The agents that are new.
    pub agents: Vec<Id>,
    /// The agents that were there, and stay as they are.
    pub kept: Vec<Id>,
}

impl Folders {
    /// Opens the folders, and makes them if they are not there.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn ensure_both(agents: &Path, runtime: &Path) -> Result<Self, PlanError> {
        Dir::ensure(agents)?;
        Self::open(agents, runtime)
    }

    /// Writes a plan and its agents. Nothing that is there is changed.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn scaffold(&self, scaffold: &Scaffold<'_>) -> Result<ScaffoldReport, PlanError> {
        let lock = self.lock()?;
        let root = Dir::ensure(scaffold.folder)?;
        let mut done = ScaffoldReport::default();
        for (agent, profile) in scaffold.agents {
            let is_new = self.agents.kind(agent.as_str())?.is_none();
            let folder = self.agents.ensure_folder(agent.as_str())?;
            let has_profile = folder.kind(PROFILE)?.is_some();
            if !has_profile {
                durable::publish_once(&lock, &folder, PROFILE, profile)?;
            }
            if is_new || !has_profile { &mut done.agents } else { &mut done.kept }.push(agent.clone());
        }
        // The DAG comes last: without it the folder is no plan yet.
        for (path, bytes) in scaffold.files {
            let mut way: Vec<&str> = path.split('/').collect();
            let Some(name) = way.pop() else { continue };
            let folder = root.ensure_folders(way)?;
            if durable::publish_once(&lock, &folder, name, bytes)? {
                done.files.push(path.clone());
            }
        }
        Ok(done)
    }
}
