//! A server that speaks as that of OpenAI does.

mod connection;
#[cfg(test)]
mod tests;

use crate::key::Key;
use crate::ledger::RecordedRequest;
use crate::provider::settle;
use crate::retry::backoff;
use crate::{Environment, Format, Image, Ledger, Limits, LlmError, Provider, Reply, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use connection::Connection;
use model::provider::EndpointConfig;
use process::Cancellation;
use reqwest::Url;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A server that answers.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) name: String,
    pub(crate) model: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) config: EndpointConfig,
    pub(crate) environment: Environment,
    pub(crate) limits: Limits,
    /// Waits before it is asked again, and says whether it need not be.
    pub(crate) pause: fn(&Cancellation, Duration) -> bool,
}

impl Endpoint {
    /// Where it is asked.
    fn url(&self) -> Result<Url, LlmError> {
        let mut url = Url::parse(&self.config.base_url).map_err(|_| LlmError::BadUrl)?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some()
        {
            return Err(LlmError::BadUrl);
        }
        let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_fragment(None);
        Ok(url)
    }

    /// What it is asked.
    fn body(&self, request: &Request, counts_tokens: bool) -> Value {
        let mut body = json!({
            "messages": [{ "role": "user", "content": content(request) }],
            "stream": true,
        });
        let EndpointConfig { json_mode, temperature, max_tokens, .. } = &self.config;
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body[name] = value;
            }
        };
        set("model", self.model.as_deref().map(Value::from));
        set("stream_options", counts_tokens.then(|| json!({ "include_usage": true })));
        set("response_format", (request.wants_json && *json_mode).then(|| json!({ "type": "json_object" })));
        set("temperature", temperature.map(Value::from));
        set("max_tokens", max_tokens.map(Value::from));
        body
    }
}

/// What a person says there: words, and images beside them.
fn content(request: &Request) -> Value {
    if request.images.is_empty() {
        return json!(request.prompt);
    }
    let image = |image: &Image| {
        let data = STANDARD.encode(&image.data);
        json!({ "type": "image_url", "image_url": { "url": format!("data:{};base64,{data}", image.media_type) } })
    };
    let words = json!({ "type": "text", "text": request.prompt });
    std::iter::once(words).chain(request.images.iter().map(image)).collect()
}

impl Provider for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> Format {
        Format::OpenAi
    }

    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        let started = Instant::now();
        let url = self.url()?;
        let key = Key::find(&self.config.key, &self.environment, &self.limits, cancellation)?;
        let mut target = url.clone();
        // It may hold what is secret.
        target.set_query(None);
        let connection = Connection::new(&url, target.as_str(), key.as_ref(), &self.limits)?;
        let mut counts_tokens = true;
        let mut attempt = 1;
        loop {
            let recorded = RecordedRequest {
                attempt,
                provider: &self.name,
                format: Format::OpenAi,
                target: target.as_str(),
                model: self.model.as_deref(),
                prompt: &request.prompt,
                wants_json: request.wants_json,
                idempotency_key: request.idempotency_key.as_deref(),
            };
            ledger.request(&recorded).map_err(|source| LlmError::NotRecorded { source, raw: None })?;
            let asked = Instant::now();
            let body = self.body(request, counts_tokens).to_string();
            let left = self.timeout.saturating_sub(started.elapsed());
            let error = match connection.ask(body, request.idempotency_key.as_deref(), left, cancellation) {
                Ok(raw) => return settle(ledger, Format::OpenAi, attempt, raw, asked.elapsed()),
                Err(LlmError::TimedOut { awaited: crate::Awaited::End, said, .. }) => {
                    LlmError::TimedOut { awaited: crate::Awaited::End, after: self.timeout, said }
                }
                Err(error) => error,
            };
            ledger.failure(attempt, &error);
            tracing::debug!(provider = self.name, attempt, %error, "no answer");
            if attempt >= self.limits.attempts {
                return Err(error);
            }
            if counts_tokens && is_about_counting(&error) {
                // Some refuse what they do not know. The tokens are not told then.
                counts_tokens = false;
            } else if error.may_be_retried() {
                let pause = match &error {
                    LlmError::Http { retry_after: Some(time), .. } => *time,
                    _ => backoff(&self.limits, attempt, getrandom::u32().unwrap_or(u32::MAX)),
                };
                if started.elapsed().saturating_add(pause) >= self.timeout {
                    return Err(error);
                }
                if (self.pause)(cancellation, pause) {
                    return Err(LlmError::Cancelled);
                }
            } else {
                return Err(error);
            }
            attempt += 1;
        }
    }
}

/// Whether the request was refused because it asks for the number of tokens.
fn is_about_counting(error: &LlmError) -> bool {
    matches!(error, LlmError::Http { status: 400 | 422, message, .. } if message.contains("stream_options"))
}
