//! `[agent]`: who answers for agents, and how long a person is waited for.

use model::provider::ProviderConfig;

/// What is configured of agents.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentConfig {
    /// `agent.provider`: the provider of agents that name none.
    pub provider: Option<String>,
    /// `agent.human_timeout`: how long a person is waited for, in seconds; 0 waits for ever.
    pub human_timeout: u64,
    /// `agent.settle_time`: how long what arrives and is not whole must have been still before it is given up, in seconds.
    pub settle_time: u64,
    /// `[[agent.providers]]`, each with a name of its own.
    pub providers: Vec<ProviderConfig>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self { provider: None, human_timeout: 0, settle_time: 2, providers: Vec::new() }
    }
}

impl AgentConfig {
    /// The provider of this name.
    pub fn find(&self, name: &str) -> Option<&ProviderConfig> {
        self.providers.iter().find(|provider| provider.name == name)
    }
}
