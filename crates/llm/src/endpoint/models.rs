//! Which models an endpoint has.

use super::Endpoint;
use crate::key::Key;
use crate::words::one_line;
use crate::{BadAnswer, LlmError};
use process::Cancellation;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::time::Duration;

/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Who lists its models in a form of its own, beside the one of OpenAI's kind.
const ANTHROPIC: &str = "api.anthropic.com";

impl Endpoint {
    /// Returns the models that it tells of, as they are written in `model`. Where there is no list of OpenAI's kind, ollama's own
    /// is asked for.
    pub(crate) fn models(&self, cancellation: &Cancellation) -> Result<Vec<String>, LlmError> {
        let key = Key::find(&self.config.key, &self.environment, &self.limits, cancellation)?;
        let mut url = self.below("models")?;
        if url.host_str() == Some(ANTHROPIC) {
            url.query_pairs_mut().append_pair("limit", "1000");
        }
        let error = match self.list(&url, key.as_ref(), cancellation) {
            Err(error @ LlmError::Http { status: 404 | 405, .. }) => error,
            result => return result,
        };
        url.set_path("/api/tags");
        self.list(&url, key.as_ref(), cancellation).map_err(|_| error)
    }

    fn list(
        &self,
        url: &Url,
        key: Option<&Key>,
        cancellation: &Cancellation,
    ) -> Result<Vec<String>, LlmError> {
        let mut target = url.clone();
        // It may hold what is secret.
        target.set_query(None);
        let connection = self.connection(url, target.as_str(), key)?;
        let mut headers = connection.headers(None)?;
        if url.host_str() == Some(ANTHROPIC) {
            as_anthropic_wants(&mut headers, key)?;
        }
        let raw = connection.get(headers, TIMEOUT, cancellation)?;
        let told = serde_json::from_slice(&raw)
            .map_err(|error| BadAnswer::NotJson { message: error.to_string() })?;
        names(&told).ok_or_else(|| {
            let said = one_line(&String::from_utf8_lossy(&raw));
            BadAnswer::NoResult { said }.into()
        })
    }
}

fn as_anthropic_wants(headers: &mut HeaderMap, key: Option<&Key>) -> Result<(), LlmError> {
    headers.remove(AUTHORIZATION);
    if let Some(key) = key {
        let mut value = HeaderValue::from_str(key.reveal()).map_err(|_| crate::KeyError::NotAKey)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static("x-api-key"), value);
    }
    let version = HeaderName::from_static("anthropic-version");
    headers.entry(version).or_insert(HeaderValue::from_static("2023-06-01"));
    Ok(())
}

/// The names in a list of any of these servers: `data` with an `id` each (OpenAI, Anthropic), or `models` with a `name`
/// (Gemini, ollama).
fn names(told: &Value) -> Option<Vec<String>> {
    let list = ["data", "models"].iter().find_map(|name| told.get(*name)).or(Some(told))?.as_array()?;
    let name = |model: &Value| {
        let name = ["id", "name", "model"].iter().find_map(|name| model.get(*name)?.as_str());
        let name = name.or_else(|| model.as_str())?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Some(list.iter().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn models_are_listed_in_many_forms() {
        for (told, expected) in [
            (
                r#"{"object":"list","data":[{"id":"a","object":"model"},{"id":"b/c"}]}"#,
                Some(&["a", "b/c"][..]),
            ),
            (
                r#"{"data":[{"type":"model","id":"claude-x","display_name":"X"}],"has_more":false}"#,
                Some(&["claude-x"]),
            ),
            (r#"{"models":[{"name":"models/gemini-x","version":"1"}]}"#, Some(&["gemini-x"])),
            (r#"{"data":[{"id":"models/gemini-x"}]}"#, Some(&["gemini-x"])),
            (
                r#"{"models":[{"name":"qwen3:latest","model":"qwen3:latest","size":1}]}"#,
                Some(&["qwen3:latest"]),
            ),
            (r#"{"data":[]}"#, Some(&[])),
            (r#"["a"]"#, Some(&["a"])),
            (r#"{"ok":true}"#, None),
        ] {
            let told = serde_json::from_str(told).expect("JSON");
            let expected = expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(names(&told), expected, "{told}");
        }
    }
}
