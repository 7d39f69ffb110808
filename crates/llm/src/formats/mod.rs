//! Each way to write an answer.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod plain;
pub(crate) mod sse;
mod values;

use crate::{Answer, BadAnswer, Format};
use serde_json::Value;

/// The answer that `raw` holds, which came from a provider of this format. The same bytes are always the same answer.
///
/// # Errors
///
/// When they hold none.
pub fn read(format: Format, raw: &[u8]) -> Result<Answer, BadAnswer> {
    let answer = match format {
        Format::Plain => plain::read(raw),
        Format::Claude => claude::read(raw),
        Format::Codex => codex::read(raw),
        Format::Gemini => gemini::read(raw),
        Format::OpenAi => openai::read(raw),
    }?;
    if answer.text.trim().is_empty() {
        return Err(BadAnswer::NoResult { said: answer.notes.last().cloned().unwrap_or_default() });
    }
    Ok(answer)
}

/// The text under a name.
fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// The number under a name; 0 where there is none.
fn count(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}
