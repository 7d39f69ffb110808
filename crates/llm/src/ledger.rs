//! The caller's record of requests and answers.

use crate::{AnswerProgress, Format, LlmError};
use std::io;
use std::time::Duration;

/// Keeps what is asked and answered, so that a process that goes on after a kill asks for no answer again that it has kept.
pub trait Ledger {
    /// Records a request before it is sent.
    ///
    /// # Errors
    ///
    /// When it cannot. The request is then not sent.
    fn request(&self, request: &RecordedRequest<'_>) -> io::Result<()>;

    /// Records an answer as it came, no later than what follows from it. [`read`](crate::read) reads it again. A response without
    /// an answer, or with half of one, is a [`failure`](Self::failure): the same question may be asked again later.
    ///
    /// # Errors
    ///
    /// When it cannot. The caller gets the error, and the answer.
    fn answer(&self, answer: &RecordedAnswer<'_>) -> io::Result<()>;

    /// Takes note of an attempt that has brought no answer.
    fn failure(&self, attempt: u32, error: &LlmError) {
        let _ = (attempt, error);
    }

    /// Takes note of how much of an answer has arrived, as often as more arrives.
    fn received(&self, received: AnswerProgress) {
        let _ = received;
    }

    /// Takes note that the request is sent again after `pause`, because of `error`.
    fn retrying(&self, error: &LlmError, pause: Duration) {
        let _ = (error, pause);
    }
}

/// Keeps nothing, for an answer that is looked at once and may be paid for again.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLedger;

impl Ledger for NoLedger {
    fn request(&self, _: &RecordedRequest<'_>) -> io::Result<()> {
        Ok(())
    }

    fn answer(&self, _: &RecordedAnswer<'_>) -> io::Result<()> {
        Ok(())
    }
}

/// One attempt to get an answer. It holds no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedRequest<'r> {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The provider's name.
    pub provider: &'r str,
    /// How its answers are written.
    pub format: Format,
    /// The program, or the address without its query.
    pub target: &'r str,
    /// The model, if one is named.
    pub model: Option<&'r str>,
    /// The prompt.
    pub prompt: &'r str,
    /// Whether JSON is wanted.
    pub wants_json: bool,
    /// What marks the same request.
    pub idempotency_key: Option<&'r str>,
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedAnswer<'r> {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// How it is written.
    pub format: Format,
    /// All of it. The key does not stand in it, even if the endpoint has repeated it.
    pub raw: &'r [u8],
    /// How long it took.
    pub took: Duration,
}
