//! What agents can have done, as the engine knows it.

use crate::runtime::Runtime;
use crate::tools::Toolbox;
use llm::Cancellation;
use protocol::workflow::{ToolName, ToolPolicy};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// A tool, and whether it may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Which.
    pub name: ToolName,
    /// Whether it may be used.
    pub policy: ToolPolicy,
}

/// Does what agents want to have done.
pub trait Tools: Send + Sync {
    /// The tools available in this folder.
    fn list(&self, folder: Option<&Path>) -> Vec<Tool>;

    /// Whether the web can be searched, which is configured: it is asked under a view of the journal, so it looks at none.
    fn can_search(&self) -> bool;

    /// Executes the call in the project of a session; returns the result. The permission was checked before.
    ///
    /// # Errors
    ///
    /// Why it cannot be done, in words for the agent.
    fn run(
        &self,
        folder: Option<&Path>,
        tool: ToolName,
        params: &Map<String, Value>,
        cancellation: &Cancellation,
    ) -> Result<Value, String>;
}

/// The tools of a daemon, each as it may be used just now.
#[derive(Debug, Clone)]
pub struct DaemonTools(Arc<Runtime>);

impl DaemonTools {
    /// Returns those of this runtime.
    pub fn new(runtime: Arc<Runtime>) -> Self {
        Self(runtime)
    }

    fn toolbox_for(&self, folder: Option<&Path>) -> Toolbox {
        self.0.toolbox(folder.map(Path::to_path_buf))
    }
}

impl Tools for DaemonTools {
    fn list(&self, folder: Option<&Path>) -> Vec<Tool> {
        let toolbox = self.toolbox_for(folder);
        let known = self.0.tools().unwrap_or_default();
        let tool = |name: &ToolName| {
            let view = known.iter().find(|view| view.name == *name);
            // If the policy of a tool cannot be read, the tool is not allowed.
            Tool { name: *name, policy: view.map_or(ToolPolicy::Deny, |view| view.policy) }
        };
        ToolName::ALL.iter().filter(|name| toolbox.is_there(**name)).map(tool).collect()
    }

    fn can_search(&self) -> bool {
        self.toolbox_for(None).is_there(ToolName::WebSearch)
    }

    fn run(
        &self,
        folder: Option<&Path>,
        tool: ToolName,
        params: &Map<String, Value>,
        cancellation: &Cancellation,
    ) -> Result<Value, String> {
        self.toolbox_for(folder).run(tool, params, cancellation).map_err(|error| error.to_string())
    }
}
