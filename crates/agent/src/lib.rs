//! Work in agents' folders: executes commands, delivers files along a plan's DAG, and asks a person where only a person can help.
//!
//! Agents share only folders. This crate opens files only through `files`, starts programs and asks models only through
//! `llm`, and words nothing for people.
//!
//! # Where things are
//!
//! The work in agents' folders: one folder and a plan's part of it (`folder/`), the inputs (`inputs.rs`, `pattern.rs`), prompt, answer,
//! template and outputs as data (`prompt.rs`, `answer.rs`, `template.rs`, `outputs.rs`), one command from its acceptance to its
//! end (`execution.rs`, `execution/`), files that arrive (`ingest.rs`), an agent that takes messages tick by tick (`heartbeat/`).
//! The actions of a plan are computed from known facts, without files and clocks: which commands are issued (`dag/`), what
//! happens to a message (`routing/`), how far the plan is (`monitor/`); `plan/` reads and writes the files for that, `gateway/`
//! asks people; `human/` turns a request into questions, and answers into a response. No words, no arguments, no clock of its own.

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
mod pattern;
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
