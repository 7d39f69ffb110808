//! What may happen to a workflow: pure functions and data, without input or output, without a clock, without randomness.
//!
//! [`decide`] determines the [`Event`]s that follow from a [`Command`] in a [`State`], and [`State::apply`] applies one.
//!
//! # Where things are
//!
//! Transitions of a workflow as pure functions and data: `decide(State, Moment, Command)` determines the `Event`s (`decide.rs`,
//! `decide/`), `State::apply` applies one (`state.rs`, `event.rs`); the table of phases (`table.rs`), tasks (`task.rs`, `task/`):
//! the lists that clients send, the steps that lead to a reported state, what each step and each attempt changes, progress and
//! output, what a task needs of its agent (`requirement.rs`), the state of agents and which one gets a task (`agent.rs`), the
//! questions, answers and ends of decisions (`decision/`), the context of a workflow and the payload of a trigger, whose members
//! are read and written by name here only (`context.rs`), what a checkpoint holds and how a session continues from one
//! (`checkpoint.rs`). No input or output, no clock, no randomness.

pub mod agent;
pub mod checkpoint;
mod context;
mod decide;
pub mod decision;
mod event;
mod requirement;
mod scope;
mod scratch;
mod state;
mod table;
pub mod task;
mod workflow;

pub use context::{Context, ProgressStep, RecordedTransition, Review, TriggerPayload};
pub use decide::{Command, Initiator, NeededAgents, OpeningMessage, PhaseRequest, SendingAgent, decide};
pub use event::{Event, MailEnding};
pub use requirement::{Fitness, Requirement};
pub use scope::Scope;
pub use scratch::Moment;
pub use state::{State, pending_decision};
pub use table::{
    GivenRoute, Guard, Guards, RULES, Rule, RuleTarget, SourcePhases, TransitionOutcome, TransitionRefusal,
    next,
};
pub use workflow::Workflow;

/// Milliseconds since 1970, or as a length of time.
pub type Millis = i64;
