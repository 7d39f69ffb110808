//! Members of a request that not every endpoint knows. One that refuses such a member is asked again without it, and from then
//! on: as long as this process asks it.

use crate::LlmError;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What may be left out, longer names before those that they contain.
const OPTIONAL: &[&str] = &[
    "stream_options",
    "response_format",
    "max_completion_tokens",
    "max_tokens",
    "reasoning_effort",
    "temperature",
    "stream",
];
/// Words by which not the member is refused, but how much it asks for.
const TOO_MUCH: &[&str] =
    &["too large", "too high", "too long", "exceed", "at most", "less than", "context length", "maximum"];

/// What an endpoint has refused.
#[derive(Debug, Default)]
pub(crate) struct RefusedFeatures {
    names: Mutex<BTreeSet<&'static str>>,
}

impl RefusedFeatures {
    /// Whether a member is left out.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    /// Takes note of a member that `error` refuses, if it is one of those that were `sent`; true if there is a new one.
    pub(crate) fn learn(&self, error: &LlmError, sent: impl Fn(&str) -> bool) -> bool {
        let LlmError::Http { status: 400 | 404 | 405 | 415 | 422 | 501, code, message, .. } = error else {
            return false;
        };
        let words = format!("{} {message}", code.as_deref().unwrap_or_default()).to_ascii_lowercase();
        let is_named = |name: &str| {
            let parts = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            parts.into_iter().any(|part| part == name)
        };
        let is_limit = TOO_MUCH.iter().any(|part| words.contains(part));
        let refused = OPTIONAL.iter().copied().find(|name| {
            let is_about_amount = is_limit && name.starts_with("max_");
            sent(name) && is_named(name) && !is_about_amount
        });
        let Some(name) = refused else { return false };
        tracing::warn!(name, "the endpoint rejects a member of the request; it is omitted from now on");
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert(name)
    }
}
