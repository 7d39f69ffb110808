//! What all providers have in common.

use crate::ledger::{Ledger, RecordedAnswer};
use crate::{Answer, Format, LlmError, read};
use process::Cancellation;
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Who answers.
pub trait Provider: Debug + Send + Sync {
    /// What it is called by.
    fn name(&self) -> &str;

    /// How its answers are written.
    fn format(&self) -> Format;

    /// Asks, and waits for the answer. What is sent and what is answered goes to `ledger` first. A cancellation ends
    /// the program, or closes the connection, at once.
    ///
    /// # Errors
    ///
    /// When there is no answer. It was then asked as often as it may be.
    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError>;

    /// Returns the provider to ask now, where that may have changed since this one was made; `None` where it is this one.
    fn current(&self) -> Option<Arc<dyn Provider>> {
        None
    }
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
    /// What an endpoint is shown with the prompt. A program is shown nothing: the prompt has to say where it finds them.
    pub images: Vec<Image>,
}

/// An image.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// What kind, as a media type: `image/png`.
    pub media_type: &'static str,
    /// Its bytes.
    pub data: Vec<u8>,
}

impl Image {
    /// The image that these bytes are; `None` if they are none of a kind that models see: PNG, JPEG, GIF or WebP.
    pub fn read(data: Vec<u8>) -> Option<Self> {
        let media_type = match data.as_slice() {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return None,
        };
        Some(Self { media_type, data })
    }
}

impl Debug for Image {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.media_type, self.data.len())
    }
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

/// Reads what came, and records it if it is an answer, or one that the model may correct.
pub(crate) fn settle(
    ledger: &dyn Ledger,
    format: Format,
    attempt: u32,
    raw: Vec<u8>,
    took: Duration,
) -> Result<Reply, LlmError> {
    let read = read(format, &raw);
    if let Err(bad) = &read
        && !bad.is_correctable()
    {
        return Err(bad.clone().into());
    }
    if let Err(source) = ledger.answer(&RecordedAnswer { attempt, format, raw: &raw, took }) {
        return Err(LlmError::NotRecorded { source, raw: Some(raw) });
    }
    Ok(Reply { answer: read?, raw, took, attempts: attempt })
}
