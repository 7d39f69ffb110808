//! Work in agents' folders: executes commands, delivers files along a plan's DAG, and asks a person where only a person can help.
//!
//! Agents share only folders. This crate opens files only through `files`, starts programs and asks models only through
//! `llm`, and words nothing for people.

pub mod dag;
pub mod gateway;
pub mod heartbeat;
pub mod human;
pub mod monitor;
pub mod plan;
pub mod routing;

mod answer;
mod cause;
mod clock;
mod current_call;
mod document;
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
    Blocker, CommandAdmission, CommandEnd, CommandFailure, ExecutionError, Executor, HumanWait, Progress,
    Rules, Spending, Work,
};
pub use folder::{AGENTS, AgentFolder, Event, FolderError, LogName, PlanFolder, profile_in};
pub use hash::sha256;
pub use inputs::{AmbiguousInput, InlineLimits, MissingInput};
pub use template::render;
pub use waiting::{Finish, Waker, finish};
