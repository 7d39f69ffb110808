//! What an agent of the pool is doing.

use super::macros::names;

names! {
    /// What an agent of the pool is doing.
    AgentState {
        /// Nothing.
        Idle = "idle",
        /// It has taken a task.
        Reserved = "reserved",
        /// It does the task.
        Running = "running",
        /// It has failed.
        Error = "error",
        /// It was given back.
        Released = "released",
    }
}

names! {
    /// What can happen to an agent.
    AgentTrigger {
        /// It has taken a task.
        DispatchAck = "dispatch_ack",
        /// It has begun.
        TaskExecutionStarted = "task_execution_started",
        /// It has come a step further.
        AgentStepCompleted = "agent_step_completed",
        /// Its task has a result.
        TaskExecutionResultSuccess = "task_execution_result_success",
        /// Its task has failed.
        TaskExecutionResultFailure = "task_execution_result_failure",
        /// It may be used again.
        RecoverOrReset = "recover_or_reset",
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct AgentRule {
    /// What the agent is doing.
    pub from: AgentState,
    /// What happens.
    pub trigger: AgentTrigger,
    /// What it is doing then.
    pub to: AgentState,
}

/// What can happen to an agent in which state.
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
    /// Returns what the agent is doing after `trigger`; `None` when that cannot happen now.
    pub fn next(self, trigger: AgentTrigger) -> Option<Self> {
        AGENT_RULES.iter().find(|rule| rule.from == self && rule.trigger == trigger).map(|rule| rule.to)
    }

    /// Returns it in a word: `idle`, `running` or `error`.
    pub fn simple(self) -> &'static str {
        match self {
            Self::Idle | Self::Released => "idle",
            Self::Reserved | Self::Running => "running",
            Self::Error => "error",
        }
    }
}
