//! Providers: programs and endpoints that answer a prompt. Nobody else starts a model or connects out.
//!
//! [`provider`] makes one of what is configured. It is asked with a [`Request`], says to a [`Ledger`] what it sends and
//! what comes back, before it looks at it, and returns a [`Reply`]. What was recorded is [`read`] again without asking.
//!
//! Nothing is written here, and no sentence is made for people: errors are data. A key is in memory only while one question
//! is asked; it stands in no error, no record and no log.

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
#[cfg(test)]
mod testing;
mod words;

pub use activity::{Activity, InFlight, Received};
pub use answer::{Answer, BadAnswer, FinishReason, Format, MAX_LINE, UnknownFormat, Usage};
pub use cause::Cause;
pub use configured::provider;
pub use environment::Environment;
pub use error::{Awaited, KeyError, LlmError};
pub use formats::read;
pub use formats::sse::Events as ServerSentEvents;
pub use ledger::{Ledger, NoLedger, RecordedAnswer, RecordedRequest};
pub use limits::Limits;
pub use model::provider::{CommandConfig, EndpointConfig, KeySource, Preset, ProviderConfig, ProviderKind};
pub use probe::{Login, Probe};
pub use process::Cancellation;
pub use provider::{Image, Provider, Reply, Request};
