//! What may happen to a workflow: pure functions and data, without input or output, without a clock, without randomness.

pub mod agent;
mod context;
pub mod decide;
pub mod decision;
mod event;
mod requirement;
mod scratch;
mod state;
mod table;
pub mod task;

pub use context::{Context, ProgressStep, RecordedTransition, Review, TriggerPayload};
pub use event::{Event, MailEnding, Scope};
pub use requirement::{Fitness, Requirement};
pub use scratch::{Moment, Scratch};
pub use state::{State, Workflow};
pub use table::{
    GivenRoute, Guard, Guards, RULES, Rule, RuleTarget, SourcePhases, TransitionOutcome, TransitionRefusal,
    next,
};

/// Milliseconds since 1970, or as a length of time.
pub type Millis = i64;
