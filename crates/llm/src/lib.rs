//! Providers: programs and endpoints that answer a prompt. No other crate starts or connects to a model.
//!
//! [`provider`] makes one from its configuration. It takes a [`Request`], reports to a [`Ledger`] what it sends, and what comes
//! back before it looks at it, and returns a [`Reply`]. Recorded answers are [`read`] again without asking.
//!
//! Nothing is written here, and nothing is worded for people: errors are data. A key is in memory only while one question is
//! asked; it is in no error, no record and no log.
//!
//! # Where things are
//!
//! Language models: a `Provider` is a program (`command/`) or an endpoint compatible with OpenAI (`endpoint/`); limits, retries,
//! keys; it reports to the caller's `Ledger` what it sends and receives, an `Activity` shows its progress, and `read`
//! (`answer.rs`, `formats/`) parses the received bytes into an answer, and can do so again without asking.

mod activity;
mod answer;
mod cause;
mod command;
mod configured;
mod endpoint;
mod environment;
mod error;
mod formats;
mod key;
mod ledger;
mod limits;
mod probe;
mod provider;
mod retry;
mod terminal;
#[cfg(test)]
mod testing;
mod words;

pub use activity::{Activity, InFlight};
pub use answer::{Answer, AnswerProgress, BadAnswer, FinishReason, Format, MAX_LINE, UnknownFormat, Usage};
pub use cause::Cause;
pub use configured::provider;
pub use environment::Environment;
pub use error::{AnswerStage, KeyError, LlmError};
pub use formats::read;
pub use formats::sse::SseParser as ServerSentEvents;
pub use ledger::{Ledger, NoLedger, RecordedAnswer, RecordedRequest};
pub use limits::Limits;
pub use model::provider::{CommandConfig, EndpointConfig, KeySource, Preset, ProviderConfig, ProviderKind};
pub use probe::{Login, Probe};
pub use process::Cancellation;
pub use provider::{Image, Provider, Reply, Request};
