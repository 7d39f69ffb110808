//! Data of workflows, and the state machines of tasks and agents: states, triggers, events (contract/workflows §3 to §5).
//!
//! A machine is a table ([`TASK_RULES`], [`AGENT_RULES`]) and a pure function over it: it takes state and trigger, and returns the
//! next state, if there is one. That of a workflow is in the crate `aide-core`. Nothing here keeps state.

mod agent;
pub mod api;
mod error;
mod event;
mod frame;
pub mod graph;
mod line;
mod macros;
mod phase;
mod question;
pub mod requests;
mod selection;
mod status;
mod task;
mod tool;

pub use agent::{AGENT_RULES, AgentRule, AgentState, AgentTrigger};
pub use error::{ErrorCode, Refusal};
pub use event::*;
pub use frame::{BadFrame, ClientFrame};
pub use line::{Stage, phase_line};
pub use phase::{Answer, Route, SimpleStatus, SingleStage, Trigger, WorkflowState};
pub use question::{Question, RecoveryQuestion};
pub use selection::{MAX_ENTRIES, MAX_PATTERN, Selection, SelectionFull};
pub use status::{DecisionStatus, MailStatus, ResourceStatus, SessionKind};
pub use task::{AssignmentPhase, TASK_RULES, TaskRule, TaskState, TaskStatus, TaskTrigger};
pub use tool::{ASK_OPTIONS, Consent, Effect, MissingParameter, ToolName, ToolPolicy};
