//! Which tools may be used: what is configured, unless a person has said something else since.

use super::ToolConfig;
use journal::Tool;
use protocol::workflow::{ToolName, ToolPolicy};
use std::collections::BTreeMap;

/// What is configured of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// How they work.
    pub config: ToolConfig,
    /// Whether they may be used, where that is said.
    pub policies: BTreeMap<ToolName, ToolPolicy>,
}

impl ToolSettings {
    /// Returns the configured policy of a tool.
    pub fn policy(&self, tool: ToolName) -> ToolPolicy {
        self.policies.get(&tool).copied().unwrap_or_else(|| tool.default_policy())
    }

    /// The effective policy of a tool with the row `said`.
    pub(crate) fn effective(&self, tool: ToolName, said: Option<&Tool>) -> ToolPolicy {
        let configured = self.policy(tool);
        // A later change of the configuration takes precedence.
        said.filter(|said| said.configured == configured).map_or(configured, |said| said.policy)
    }
}
