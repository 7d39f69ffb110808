//! A server that speaks as that of OpenAI does.

mod connection;
mod features;
mod models;
#[cfg(test)]
mod tests;

use crate::key::Key;
use crate::ledger::RecordedRequest;
use crate::provider::settle;
use crate::retry::{PauseFn, Retries};
use crate::{
    BadAnswer, Environment, FinishReason, Format, Image, Ledger, Limits, LlmError, Provider, Reply, Request,
    read,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use connection::{Connection, SilenceLimits};
use features::RefusedFeatures;
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
    pub(crate) pause: PauseFn,
    /// What it does not know.
    pub(crate) refused: RefusedFeatures,
}

impl Endpoint {
    /// Where it is asked.
    fn url(&self) -> Result<Url, LlmError> {
        self.below("chat/completions")
    }

    /// An address below the configured one.
    fn below(&self, path: &str) -> Result<Url, LlmError> {
        let mut url = Url::parse(&self.config.base_url).map_err(|_| LlmError::BadUrl)?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some()
        {
            return Err(LlmError::BadUrl);
        }
        let path = format!("{}/{path}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_fragment(None);
        Ok(url)
    }

    /// What it is asked, without what it has refused.
    fn body(&self, request: &Request) -> Value {
        let mut body = json!({ "messages": [{ "role": "user", "content": content(request) }] });
        let config = &self.config;
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value
                && !self.refused.has(name)
            {
                body[name] = value;
            }
        };
        set("stream", Some(true.into()));
        set("model", self.model.as_deref().map(Value::from));
        if !self.refused.has("stream") {
            set("stream_options", Some(json!({ "include_usage": true })));
        }
        let wants_json = request.wants_json && config.json_mode;
        set("response_format", wants_json.then(|| json!({ "type": "json_object" })));
        set("temperature", config.temperature.map(Value::from));
        set("max_tokens", config.max_tokens.map(Value::from));
        // What one name says the other says as well, for those who know only that.
        let renamed = config.max_tokens.filter(|_| self.refused.has("max_tokens"));
        set("max_completion_tokens", config.max_completion_tokens.or(renamed).map(Value::from));
        set("reasoning_effort", config.reasoning_effort.as_deref().map(Value::from));
        if let Value::Object(body) = &mut body {
            body.extend(config.extra_body.clone());
        }
        body
    }

    /// Whether an answer is as long as it may be, whatever it says of its end.
    fn is_full(&self, raw: &[u8]) -> bool {
        let most = self.config.max_completion_tokens.or(self.config.max_tokens).map(u64::from);
        let written = read(Format::OpenAi, raw).ok().and_then(|answer| answer.usage);
        most.zip(written).is_some_and(|(most, usage)| usage.output_tokens >= most)
    }

    fn connection<'c>(
        &'c self,
        url: &'c Url,
        target: &'c str,
        key: Option<&'c Key>,
    ) -> Result<Connection<'c>, LlmError> {
        let silence = SilenceLimits {
            first_byte: self.config.first_byte_timeout.unwrap_or(self.timeout),
            idle: self.config.idle_timeout.unwrap_or(self.timeout),
        };
        Connection::new(url, target, key, (&self.config, &self.limits, silence))
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
        let url = self.url()?;
        let mut retries = Retries::new(&self.limits, self.timeout, self.pause, cancellation);
        let key = Key::find(&self.config.key, &self.environment, &self.limits, cancellation)?;
        let mut target = url.clone();
        // It may hold what is secret.
        target.set_query(None);
        let connection = self.connection(&url, target.as_str(), key.as_ref())?;
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
            let body = self.body(request);
            let came = connection.ask(
                body.to_string(),
                request.idempotency_key.as_deref(),
                retries.left(),
                (ledger, cancellation),
            );
            let settled = came.and_then(|raw| match self.is_full(&raw) {
                true => Err(BadAnswer::Unfinished { reason: FinishReason::Length }.into()),
                false => settle(ledger, Format::OpenAi, attempt, raw, asked.elapsed()),
            });
            let error = match settled {
                Ok(reply) => return Ok(reply),
                Err(error @ (LlmError::NotRecorded { .. } | LlmError::Cancelled)) => return Err(error),
                // It was recorded.
                Err(LlmError::BadAnswer(bad)) if bad.is_correctable() => return Err(bad.into()),
                Err(error) => error,
            };
            ledger.failure(attempt, &error);
            tracing::debug!(provider = self.name, attempt, %error, "no answer");
            if !self.refused.learn(&error, |name| body.get(name).is_some()) {
                retries.wait(ledger, error)?;
            }
            attempt += 1;
        }
    }
}
