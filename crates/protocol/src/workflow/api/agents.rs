//! Agents of the pool, and the tools that they may call.

use crate::workflow::macros::payload;
use crate::workflow::{AgentState, ToolName, ToolPolicy};

payload! {
    /// An agent in the pool.
    AgentView {
        /// Id of the agent.
        id: String,
        /// Type of the agent.
        kind as "type": String,
        /// Name of the agent.
        name: String,
        /// Availability: `available`, `deployed`, `busy`, `blocked`, `error` or `released`.
        status: String,
        /// State of the agent.
        fsm_state: AgentState,
        /// Names of the agent's capabilities.
        capabilities: Vec<String>,
        /// Id of the session that the agent is assigned to; absent if there is none.
        session_id: Option<String>,
        /// Id of the workflow that the agent is assigned to; absent if there is none.
        workflow_id: Option<String>,
        /// Id of the agent's current task; absent if there is none.
        task_id: Option<String>,
        /// Time of the current deployment (ISO 8601, UTC); absent if there is none.
        deployed_at: Option<String>,
        /// Total number of deployments.
        total_deployments: u64,
        /// Total number of failures.
        error_count: u64,
        /// Reason of the last failure; absent if there was none.
        last_error_reason: Option<String>,
        /// Time of the last failure (ISO 8601, UTC); absent if there was none.
        last_error_at: Option<String>,
    }
}

payload! {
    /// Capabilities of an agent.
    AgentCapabilities {
        /// Id of the agent.
        agent_id: String,
        /// Names of the capabilities.
        capabilities: Vec<String>,
        /// The capabilities with their levels.
        details: Vec<Capability>,
    }
}

payload! {
    /// A capability of an agent.
    Capability {
        /// Name of the capability.
        kind as "type": String,
        /// Level of the capability, from 1 to 10.
        level: u64,
    }
}

payload! {
    /// A tool that agents can call.
    ToolView {
        /// Name of the tool.
        name: ToolName,
        /// Policy in effect.
        policy: ToolPolicy,
        /// Configured policy, which differs from `policy` if a user has overridden it.
        configured: ToolPolicy,
        /// Required parameters of a call.
        parameters: Vec<String>,
        /// Whether everything that the tool needs besides a project is available: web search requires configuration.
        available: bool,
    }
}

payload! {
    /// The policy of a tool was set.
    ToolPolicyAnswer {
        /// Always true.
        success: bool,
        /// Name of the tool.
        name: ToolName,
        /// Policy in effect.
        policy: ToolPolicy,
    }
}
