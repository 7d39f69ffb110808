//! What happens in agents' folders: a command is executed, files are delivered along a plan's DAG, and a person is asked
//! where nobody else can go on.
//!
//! Agents share nothing but folders. No file is opened here but through `files`, no program started and no model asked but
//! through `llm`, and nothing is worded for people.

pub mod dag;
pub mod gateway;
pub mod heartbeat;
pub mod monitor;
pub mod plan;
pub mod routing;

mod answer;
mod clock;
mod current_call;
mod execution;
mod folder;
mod formats;
mod hash;
mod identity;
mod ingest;
mod inputs;
mod names;
mod outputs;
mod prompt;
mod settling;
mod template;
mod transfer;
mod waiting;

pub use answer::{Answer, Violation};
pub use clock::Clock;
pub use current_call::{CurrentCall, ModelCall};
pub use execution::{
    Accepted, Blocked, Ended, ExecutionError, Executor, Failed, HumanWait, Progress, Rules, Spent, Work,
};
pub use folder::{AGENTS, AgentFolder, Event, FolderError, LogName, PlanFolder, profile_in};
pub use hash::sha256;
pub use inputs::{AmbiguousInput, InlineLimits, MissingInput};
pub use template::render;
pub use waiting::{Finish, Waker, finish};
