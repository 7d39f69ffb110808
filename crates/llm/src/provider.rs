//! What all providers have in common.

use crate::ledger::{Ledger, RecordedAnswer};
use crate::{Answer, Format, LlmError, read};
use process::Cancellation;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

/// Who answers.
pub trait Provider: Debug + Send + Sync {
    /// What it is called by.
    fn name(&self) -> &str;

    /// How its answers are written.
    fn format(&self) -> Format;

    /// Asks, and waits for the answer. All that is sent and all that comes back goes to `ledger` first. A cancellation ends
    /// the program, or closes the connection, at once.
    ///
    /// # Errors
    ///
    /// When there is no answer. An endpoint was then asked as often as it may be.
    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError>;
}

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The prompt.
    pub prompt: String,
    /// The answer is to be JSON. The prompt has to say so as well.
    pub wants_json: bool,
    /// The same for the same question: an endpoint that knows it answers only once.
    pub idempotency_key: Option<String>,
    /// In which folder a program runs; in that of this process, when there is none.
    pub folder: Option<PathBuf>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What was answered.
    pub answer: Answer,
    /// As it came, and was recorded.
    pub raw: Vec<u8>,
    /// How long it took, without the attempts before.
    pub took: Duration,
    /// How often was asked.
    pub attempts: u32,
}

impl Request {
    /// A prompt with nothing beside it.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), ..Self::default() }
    }
}

/// Records what came, and reads it.
pub(crate) fn settle(
    ledger: &dyn Ledger,
    format: Format,
    attempt: u32,
    raw: Vec<u8>,
    took: Duration,
) -> Result<Reply, LlmError> {
    if let Err(source) = ledger.answer(&RecordedAnswer { attempt, format, raw: &raw, took }) {
        return Err(LlmError::NotRecorded { source, raw: Some(raw) });
    }
    let answer = read(format, &raw)?;
    Ok(Reply { answer, raw, took, attempts: attempt })
}
