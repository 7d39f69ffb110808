//! What is kept of one execution, in `workspace/<plan>/trace/<message>/`: what it was made from, every request before it is
//! sent, every answer before it is read, and what came of it before any of that is published.
//!
//! | file | what |
//! |---|---|
//! | `input_trace.json` | when it began, and with which inputs |
//! | `request_<n>.json` | the n-th question: 1, and 2 where the first answer had to be repaired |
//! | `answer_<n>` | its answer, as it came |
//! | `output_trace.json` | how it ended: the result, and the messages that carry it |

use files::{Dir, FileError, Lock, durable, json};
use protocol::agent::{Code, Id, PayloadPath, RelPath, ResultDocument, Sha256, Timestamp};
use serde::{Deserialize, Serialize};

const INPUTS: &str = "input_trace.json";
const OUTPUTS: &str = "output_trace.json";
/// So long may a stored answer be, in bytes: longer than any provider may give.
const ANSWER_LIMIT: u64 = 1 << 30;

/// What one execution was made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct InputTrace {
    pub(crate) started_at: Timestamp,
    pub(crate) inputs: Vec<UsedFile>,
    /// What it began without.
    pub(crate) missing: Vec<String>,
}

/// A file that was used.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct UsedFile {
    pub(crate) path: RelPath,
    pub(crate) sha256: Sha256,
    pub(crate) message_id: Option<Id>,
    pub(crate) size_bytes: u64,
    /// Whether the prompt has its text.
    pub(crate) inlined: bool,
}

/// A question, stored before it is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RequestTrace {
    pub(crate) provider: String,
    pub(crate) format: String,
    pub(crate) target: String,
    pub(crate) model: Option<String>,
    pub(crate) attempt: u32,
    pub(crate) requested_at: Timestamp,
    pub(crate) prompt_sha256: Sha256,
    pub(crate) prompt: String,
}

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum TraceStatus {
    Succeeded,
    Failed,
}

/// The outcome of an execution, stored before any of it is published.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OutputTrace {
    pub(crate) status: TraceStatus,
    pub(crate) message: String,
    pub(crate) code: Option<Code>,
    pub(crate) error: Option<String>,
    /// Of one that has succeeded.
    pub(crate) document: Option<ResultDocument>,
    /// Which answer it was made from.
    pub(crate) answer: Option<u32>,
    pub(crate) artifacts: Vec<PublishedMessage>,
    pub(crate) warnings: Vec<String>,
    pub(crate) finished_at: Timestamp,
}

/// A message that carries an output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PublishedMessage {
    pub(crate) output_name: Id,
    pub(crate) message_id: Id,
    pub(crate) files: Vec<PublishedFile>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PublishedFile {
    pub(crate) path: PayloadPath,
    pub(crate) sha256: Sha256,
    pub(crate) content_type: Option<String>,
    pub(crate) size_bytes: u64,
}

/// The folder of one execution.
#[derive(Debug)]
pub(crate) struct Trace<'a> {
    pub(crate) dir: Dir,
    pub(crate) lock: &'a Lock,
}

impl Trace<'_> {
    pub(crate) fn inputs(&self) -> Result<Option<InputTrace>, FileError> {
        json::read(&self.dir, INPUTS)
    }

    pub(crate) fn write_inputs(&self, inputs: &InputTrace) -> Result<(), FileError> {
        self.write(INPUTS, inputs)
    }

    pub(crate) fn request(&self, number: u32) -> Result<Option<RequestTrace>, FileError> {
        json::read(&self.dir, &format!("request_{number}.json"))
    }

    pub(crate) fn write_request(&self, number: u32, request: &RequestTrace) -> Result<(), FileError> {
        self.write(&format!("request_{number}.json"), request)
    }

    pub(crate) fn answer(&self, number: u32) -> Result<Option<Vec<u8>>, FileError> {
        self.dir.read(&format!("answer_{number}"), ANSWER_LIMIT)
    }

    pub(crate) fn write_answer(&self, number: u32, raw: &[u8]) -> Result<(), FileError> {
        durable::replace(self.lock, &self.dir, &format!("answer_{number}"), raw)
    }

    pub(crate) fn outputs(&self) -> Result<Option<OutputTrace>, FileError> {
        json::read(&self.dir, OUTPUTS)
    }

    pub(crate) fn write_outputs(&self, outputs: &OutputTrace) -> Result<(), FileError> {
        self.write(OUTPUTS, outputs)
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), FileError> {
        let text = json::text(&self.dir, name, value, json::MAX_JSON)?;
        durable::replace(self.lock, &self.dir, name, &text)
    }
}
