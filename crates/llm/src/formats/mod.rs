//! Each way to write an answer.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod opencode;
pub(crate) mod plain;
pub(crate) mod sse;
mod surrogates;
mod thoughts;
mod values;

use crate::{Answer, BadAnswer, Cause, Format};
use serde_json::Value;

/// The answer that `raw` holds, which came from a provider of this format. The same bytes are always the same answer.
///
/// # Errors
///
/// When they hold none.
pub fn read(format: Format, raw: &[u8]) -> Result<Answer, BadAnswer> {
    let mut answer = match format {
        Format::Plain => plain::read(raw),
        Format::Claude => claude::read(raw),
        Format::Codex => codex::read(raw),
        Format::Gemini => gemini::read(raw),
        Format::Opencode => opencode::read(raw),
        Format::OpenAi => openai::read(raw),
    }?;
    let text = thoughts::without(&answer.text);
    if text.len() < answer.text.len() {
        answer.text = text.to_owned();
    }
    if answer.text.trim().is_empty() {
        return Err(BadAnswer::NoResult { said: answer.notes.last().cloned().unwrap_or_default() });
    }
    Ok(answer)
}

/// A program's sentence, with the status that it has got from its model where the sentence does not name the cause.
fn with_status(message: String, status: Option<&Value>) -> String {
    let status = status.and_then(Value::as_u64).filter(|status| (400..600).contains(status));
    match status {
        Some(status) if Cause::from_message(&message).is_none() => format!("status {status}: {message}"),
        _ => message,
    }
}

/// The text under a name.
fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// The number under a name; 0 where there is none.
fn count(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}
