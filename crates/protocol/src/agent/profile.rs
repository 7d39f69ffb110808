//! `agent_profile.json`: profile of an agent.

use super::macros::document;
use super::{Extra, Id, Text};

document! {
    /// Profile of an agent.
    AgentProfile {
        /// Id of the agent: the name of its folder; absent if not repeated.
        agent_id: Option<Id>,
        /// Display name of the agent; absent if there is none.
        agent_name: Option<String>,
        /// System prompt that precedes every command to the LLM; absent if there is none.
        prompt: Option<String>,
        /// Used as `prompt` if that is absent.
        system_prompt: Option<String>,
        /// Name of the LLM provider in the configuration; absent for the default.
        provider: Option<Text>,
        /// When the agent rests. Ignored.
        lifecycle: Option<Extra>,
        /// How often the agent checks for messages. Ignored: `heartbeat_config.json` sets it.
        heartbeat: Option<Extra>,
        /// The agents that it sees. Ignored: the DAG defines which agent receives what.
        visibility_list: Option<Extra>,
        /// How the agent would assess whether it can do a task. Ignored.
        self_assessment_prompt: Option<String>,
    }
}

impl AgentProfile {
    /// Returns the prompt that precedes every command to the LLM; `None` if there is none.
    pub fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref().or(self.system_prompt.as_deref())
    }
}
