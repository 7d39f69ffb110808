//! `agent_profile.json`: who an agent is.

use super::macros::object;
use super::{Extra, Id, Text};

object! {
    /// Who an agent is.
    AgentProfile {
        /// Its id: the name of its folder.
        agent_id: Option<Id>,
        /// What people call it.
        agent_name: Option<String>,
        /// What its LLM is told before every command.
        prompt: Option<String>,
        /// The same, where `prompt` is missing.
        system_prompt: Option<String>,
        /// The provider that it asks, by its name in the configuration.
        provider: Option<Text>,
        /// When it rests. Nobody looks at it.
        lifecycle: Option<Extra>,
        /// How often it looks for messages. Nobody looks at it: `heartbeat_config.json` says so.
        heartbeat: Option<Extra>,
        /// Whom it sees. Nobody looks at it: the DAG says who gets what.
        visibility_list: Option<Extra>,
        /// How it would judge whether it can do a task. Nobody looks at it.
        self_assessment_prompt: Option<String>,
    }
}

impl AgentProfile {
    /// Returns what its LLM is told before every command, if anything is.
    pub fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref().or(self.system_prompt.as_deref())
    }
}
