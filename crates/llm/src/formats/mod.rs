//! Each way to write an answer.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod plain;
pub(crate) mod sse;
mod values;

use serde_json::Value;

/// The text under a name.
fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// The number under a name; 0 where there is none.
fn count(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}
