//! Requests about tools: which there are, and whether they may be used.

use crate::failure::Failure;
use crate::runtime::{RequestKey, Runtime};
use crate::tools::Toolbox;
use journal::{Query, Tool, ViewExt as _};
use protocol::workflow::api::{ToolPolicyAnswer, ToolView};
use protocol::workflow::{ErrorCode, Refusal, ToolName, ToolPolicy};
use std::path::PathBuf;

impl Runtime {
    /// Returns the tools for work in the project in `folder`.
    pub fn toolbox(&self, folder: Option<PathBuf>) -> Toolbox {
        Toolbox::new(folder, self.tools.config.clone())
    }

    /// Returns all tools.
    ///
    /// # Errors
    ///
    /// When what was said of them cannot be read.
    pub fn tools(&self) -> Result<Vec<ToolView>, Failure> {
        let said = self.journal.view()?.find(&Query::tools())?;
        let view = |tool: &ToolName| ToolView {
            name: *tool,
            policy: self.tools.effective(*tool, said.iter().find(|said| said.name == *tool)),
            configured: self.tools.policy(*tool),
            parameters: tool.parameters().iter().map(|name| (*name).to_owned()).collect(),
            available: *tool != ToolName::WebSearch || self.tools.config.search.is_some(),
        };
        Ok(ToolName::ALL.iter().map(view).collect())
    }

    /// Says whether a tool may be used, from its next call on, until something else is configured or said.
    ///
    /// # Errors
    ///
    /// When there is no such tool or policy, and when it cannot be written.
    pub fn set_tool_policy(
        &self,
        request: Option<&RequestKey>,
        tool: &str,
        policy: &str,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let missing = || Refusal::new(ErrorCode::NotFound, "Tool not found").with("name", tool);
            let name = ToolName::read(tool).ok_or_else(missing)?;
            let invalid =
                || Refusal::invalid(r#"Invalid policy. Must be "allow", "ask" or "deny""#, "policy");
            let policy = ToolPolicy::named(policy).ok_or_else(invalid)?;
            let configured = self.tools.policy(name);
            let kept = draft.row::<Tool>(&Tool::key_of(name))?;
            let is_said =
                kept.as_ref().is_some_and(|kept| (kept.policy, kept.configured) == (policy, configured));
            if !is_said {
                let version = kept.map_or(0, |kept| kept.version);
                draft.put(Tool { name, policy, configured, changed: draft.now(), version });
            }
            Ok(ToolPolicyAnswer { success: true, name, policy })
        })
    }
}
