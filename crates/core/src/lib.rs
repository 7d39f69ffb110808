//! What may happen to a workflow: pure functions and data, without input or output, without a clock, without randomness.
//!
//! [`decide`] determines the [`Event`]s that follow from a [`Command`] in a [`State`], and [`State::apply`] applies one.

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
