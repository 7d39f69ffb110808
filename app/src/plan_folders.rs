//! Where plans are.

use agent::AGENTS;
use agent::plan::{Folders, PlanError, RUNTIME};
use std::path::PathBuf;
use store::Project;

/// The folders that plans lie in: that of the agents, and that of the system.
#[derive(Debug, Clone)]
pub struct PlanFolders {
    /// With a folder for each agent.
    pub agents: PathBuf,
    /// With what the system knows.
    pub runtime: PathBuf,
}

impl PlanFolders {
    /// Those of a project.
    pub fn for_project(project: &Project) -> Self {
        let folder = project.root().join(".aide");
        Self { agents: folder.join(AGENTS), runtime: folder.join(RUNTIME) }
    }

    /// Whether there are plans, as far as can be told without reading them.
    pub fn have_plans(&self) -> bool {
        self.runtime.join("plans").is_dir()
    }

    /// Opens them to look; `None` where there was never a plan.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn look(&self) -> Result<Option<Folders>, PlanError> {
        match Folders::look(&self.agents, &self.runtime) {
            Err(PlanError::Missing { .. }) => Ok(None),
            folders => folders,
        }
    }
}
