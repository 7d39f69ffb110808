//! States of an agent in the pool, and their transitions.

use super::macros::payload_names;

payload_names! {
    /// State of an agent in the pool.
    AgentState {
        /// The agent has no task.
        Idle = "idle",
        /// The agent has accepted a task and has not started it.
        Reserved = "reserved",
        /// The agent is working on its task.
        Running = "running",
        /// The agent has failed.
        Error = "error",
        /// The agent was released.
        Released = "released",
    }
}

payload_names! {
    /// Trigger of a state transition of an agent.
    AgentTrigger {
        /// The agent has accepted a task.
        DispatchAck = "dispatch_ack",
        /// The agent has started its task.
        TaskExecutionStarted = "task_execution_started",
        /// The agent has completed a step.
        AgentStepCompleted = "agent_step_completed",
        /// The task of the agent has a result.
        TaskExecutionResultSuccess = "task_execution_result_success",
        /// The task of the agent has failed.
        TaskExecutionResultFailure = "task_execution_result_failure",
        /// The agent can be used again.
        RecoverOrReset = "recover_or_reset",
    }
}

/// One row of [`AGENT_RULES`].
#[derive(Debug, Clone, Copy)]
pub struct AgentRule {
    /// State before the trigger.
    pub from: AgentState,
    /// The trigger.
    pub trigger: AgentTrigger,
    /// State after the trigger.
    pub to: AgentState,
}

/// All transitions of an agent.
pub const AGENT_RULES: &[AgentRule] = &[
    rule(AgentState::Idle, AgentTrigger::DispatchAck, AgentState::Reserved),
    rule(AgentState::Reserved, AgentTrigger::TaskExecutionStarted, AgentState::Running),
    rule(AgentState::Running, AgentTrigger::AgentStepCompleted, AgentState::Running),
    rule(AgentState::Running, AgentTrigger::TaskExecutionResultSuccess, AgentState::Idle),
    rule(AgentState::Running, AgentTrigger::TaskExecutionResultFailure, AgentState::Error),
    rule(AgentState::Error, AgentTrigger::RecoverOrReset, AgentState::Idle),
    rule(AgentState::Released, AgentTrigger::DispatchAck, AgentState::Reserved),
];

const fn rule(from: AgentState, trigger: AgentTrigger, to: AgentState) -> AgentRule {
    AgentRule { from, trigger, to }
}

impl AgentState {
    /// Returns the state after `trigger`; `None` if the transition is not allowed.
    pub fn next(self, trigger: AgentTrigger) -> Option<Self> {
        AGENT_RULES.iter().find(|rule| rule.from == self && rule.trigger == trigger).map(|rule| rule.to)
    }

    /// Returns the simplified status: `idle`, `running` or `error`.
    pub fn simple(self) -> &'static str {
        match self {
            Self::Idle | Self::Released => "idle",
            Self::Reserved | Self::Running => "running",
            Self::Error => "error",
        }
    }
}
