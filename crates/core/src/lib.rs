//! What may happen to a workflow: pure functions and data, without input or output, without a clock, without randomness.

mod context;

pub use context::{Context, ProgressStep, RecordedTransition, Review, TriggerPayload};
