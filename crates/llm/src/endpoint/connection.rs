//! One question over HTTP.

use crate::formats::openai::{Failure, ResponseEnd, ResponseProgress, codes_in};
use crate::key::Key;
use crate::retry::retry_after;
use crate::words::{error_message, one_line};
use crate::{AnswerStage, Ledger, Limits, LlmError};
use model::provider::EndpointConfig;
use process::Cancellation;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
    RETRY_AFTER,
};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use std::error::Error;
use std::io::Read;
use std::time::{Duration, SystemTime};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

/// How much of an error is read, in bytes.
const MAX_ERROR: usize = 64 << 10;
/// After how much silence the other side is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// How compressed data begins that is called gzip.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// How long an endpoint may say nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SilenceLimits {
    /// Before it begins to answer.
    pub(crate) first_byte: Duration,
    /// While it answers.
    pub(crate) idle: Duration,
}

/// The way to one address.
pub(crate) struct Connection<'c> {
    client: Client,
    url: &'c Url,
    /// The address as shown in errors.
    target: &'c str,
    key: Option<&'c Key>,
    config: &'c EndpointConfig,
    limits: &'c Limits,
    silence: SilenceLimits,
}

impl<'c> Connection<'c> {
    pub(crate) fn new(
        url: &'c Url,
        target: &'c str,
        key: Option<&'c Key>,
        (config, limits, silence): (&'c EndpointConfig, &'c Limits, SilenceLimits),
    ) -> Result<Self, LlmError> {
        let unable =
            |error: &dyn Error| LlmError::Connect { target: target.to_owned(), message: reason(error) };
        let client = outbound::client(url).map_err(|error| unable(&error))?;
        let client = client
            .connect_timeout(limits.connect)
            // Who is gone without a word is found out, however long an answer may take.
            .tcp_keepalive(KEEPALIVE)
            .pool_max_idle_per_host(0)
            .build();
        let client = client.map_err(|error| unable(&error))?;
        Ok(Self { client, url, target, key, config, limits, silence })
    }

    /// Sends `body`, and returns what comes back. It takes at most `left`; `ledger` hears of what has arrived.
    pub(crate) fn ask(
        &self,
        body: String,
        idempotency_key: Option<&str>,
        left: Duration,
        (ledger, cancellation): (&dyn Ledger, &Cancellation),
    ) -> Result<Vec<u8>, LlmError> {
        self.wait(self.exchange(body, idempotency_key, ledger), left, cancellation)
    }

    /// Gets what is there, with these headers in the place of others.
    pub(crate) fn get(
        &self,
        headers: HeaderMap,
        left: Duration,
        cancellation: &Cancellation,
    ) -> Result<Vec<u8>, LlmError> {
        self.wait(self.fetch(headers), left, cancellation)
    }

    /// Waits for `asked`, at most for `left`.
    fn wait(
        &self,
        asked: impl Future<Output = Result<Vec<u8>, LlmError>>,
        left: Duration,
        cancellation: &Cancellation,
    ) -> Result<Vec<u8>, LlmError> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| self.unreachable(&error))?;
        let (sender, cancelled) = oneshot::channel();
        let _listener = cancellation.on_cancel(move || {
            let _ = sender.send(());
        });
        let result = runtime.block_on(async {
            let deadline = Instant::now().checked_add(left);
            let limited = async {
                match deadline {
                    Some(deadline) => timeout_at(deadline, asked).await,
                    None => Ok(asked.await),
                }
            };
            tokio::select! {
                biased;
                _ = cancelled => Err(LlmError::Cancelled),
                result = limited => result.unwrap_or_else(|_| Err(timed_out(AnswerStage::End, left))),
            }
        });
        // Without waiting for a name that is still being looked up.
        runtime.shutdown_background();
        match (result, self.key) {
            (Ok(raw), Some(key)) => Ok(key.hide_in_bytes(raw)),
            (Ok(raw), None) => Ok(raw),
            (Err(error), _) => Err(self.without_key(error)),
        }
    }

    async fn exchange(
        &self,
        body: String,
        idempotency_key: Option<&str>,
        ledger: &dyn Ledger,
    ) -> Result<Vec<u8>, LlmError> {
        let request = self.client.post(self.url.clone()).headers(self.headers(idempotency_key)?).body(body);
        let response = self.send(request).await?;
        if response.status().is_success() {
            self.answer(response, ledger).await
        } else {
            Err(self.refusal(response).await)
        }
    }

    async fn fetch(&self, headers: HeaderMap) -> Result<Vec<u8>, LlmError> {
        let mut response = self.send(self.client.get(self.url.clone()).headers(headers)).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let mut raw = Vec::new();
        loop {
            match timeout(self.silence.idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) if raw.len() + bytes.len() > self.limits.max_body => {
                    return Err(LlmError::TooMuch { limit: self.limits.max_body });
                }
                Ok(Ok(Some(bytes))) => raw.extend_from_slice(&bytes),
                Ok(Ok(None)) => return Ok(raw),
                Ok(Err(error)) => return Err(LlmError::Cut { message: reason(&error.without_url()) }),
                Err(_) => return Err(timed_out(AnswerStage::More, self.silence.idle)),
            }
        }
    }

    /// Returns what begins to come back.
    async fn send(&self, request: RequestBuilder) -> Result<Response, LlmError> {
        let (connect, first_byte) = (self.limits.connect, self.silence.first_byte);
        match timeout(connect.saturating_add(first_byte), request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() => Err(self.unreachable(&error.without_url())),
            Ok(Err(error)) if error.is_builder() => Err(self.unreachable(&error.without_url())),
            Ok(Err(error)) => Err(LlmError::Cut { message: reason(&error.without_url()) }),
            Err(_) => Err(timed_out(AnswerStage::Beginning, connect.saturating_add(first_byte))),
        }
    }

    pub(crate) fn headers(&self, idempotency_key: Option<&str>) -> Result<HeaderMap, LlmError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Some(key) = self.key {
            let (name, value) = match &self.config.api_key_header {
                Some(name) => (header_name(name), key.reveal().to_owned()),
                None => (Some(AUTHORIZATION), format!("Bearer {}", key.reveal())),
            };
            let mut value = HeaderValue::from_str(&value).map_err(|_| crate::KeyError::NotAKey)?;
            value.set_sensitive(true);
            headers.extend(name.map(|name| (name, value)));
        }
        if let Some(key) = idempotency_key {
            headers.insert(HeaderName::from_static("idempotency-key"), header_value(key));
        }
        for (name, value) in &self.config.extra_headers {
            if let (Some(name), Ok(value)) = (header_name(name), HeaderValue::from_str(value)) {
                headers.insert(name, value);
            }
        }
        Ok(headers)
    }

    /// The body of an answer.
    async fn answer(&self, mut response: Response, ledger: &dyn Ledger) -> Result<Vec<u8>, LlmError> {
        let (idle, max_body) = (self.silence.idle, self.limits.max_body);
        let too_much = LlmError::TooMuch { limit: max_body };
        if response.content_length().is_some_and(|length| length > max_body as u64) {
            return Err(too_much);
        }
        let status = response.status().as_u16();
        let content_type = text_of(&response, CONTENT_TYPE);
        let mut is_compressed =
            text_of(&response, CONTENT_ENCODING).is_some_and(|coding| coding.contains("gzip"));
        let mut raw = Vec::new();
        let mut progress = ResponseProgress::default();
        while !progress.is_done() {
            match timeout(idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) => {
                    if raw.len() + bytes.len() > max_body {
                        return Err(too_much);
                    }
                    is_compressed |= raw.is_empty() && bytes.starts_with(GZIP);
                    if !is_compressed {
                        progress.push(&bytes);
                        ledger.received(progress.received());
                    }
                    raw.extend_from_slice(&bytes);
                }
                Ok(Ok(None)) => break,
                // What matters is there.
                Ok(Err(_)) | Err(_) if progress.is_finished() => break,
                Ok(Err(error)) => return Err(LlmError::Cut { message: reason(&error.without_url()) }),
                Err(_) => return Err(timed_out(AnswerStage::More, idle)),
            }
        }
        if is_compressed {
            // The request did not ask for it.
            raw = unpacked(&raw, max_body)?;
            progress.push(&raw);
        }
        let http = |status, code, message| LlmError::Http {
            target: self.target.to_owned(),
            status,
            code,
            message,
            retry_after: None,
        };
        match progress.end() {
            ResponseEnd::Complete => Ok(raw),
            ResponseEnd::Cut => Err(LlmError::Cut { message: "the end of the answer is missing".to_owned() }),
            ResponseEnd::Failed(Failure { message, status: told, code }) => {
                Err(http(told.unwrap_or(status), code, message))
            }
            ResponseEnd::Other => {
                let beginning = one_line(&String::from_utf8_lossy(&raw));
                let message = one_line(&format!("{} {beginning}", content_type.unwrap_or_default()));
                Err(http(status, None, message))
            }
        }
    }

    /// What is said instead of an answer.
    async fn refusal(&self, mut response: Response) -> LlmError {
        let status = response.status();
        let after =
            text_of(&response, RETRY_AFTER).and_then(|header| retry_after(&header, SystemTime::now()));
        let (code, message) = if status.is_redirection() {
            let to = text_of(&response, LOCATION).unwrap_or_default();
            // Without what could be secret in it.
            (None, one_line(&format!("redirects to {}", to.split(['?', '#']).next().unwrap_or_default())))
        } else {
            let mut body = Vec::new();
            while let Ok(Ok(Some(bytes))) = timeout(self.silence.idle, response.chunk()).await {
                body.extend_from_slice(&bytes);
                if body.len() > MAX_ERROR {
                    break;
                }
            }
            said(status, &body)
        };
        LlmError::Http {
            target: self.target.to_owned(),
            status: status.as_u16(),
            code,
            message,
            retry_after: after,
        }
    }

    /// Why there is no connection: as long as the certificate or the proxy is what it is, there will be none.
    fn unreachable(&self, error: &dyn Error) -> LlmError {
        let (target, message) = (self.target.to_owned(), reason(error));
        let words = message.to_ascii_lowercase();
        if words.contains("certificate") {
            LlmError::Certificate { target, message }
        } else if words.contains("proxy") || words.contains("unsupported scheme") {
            LlmError::Proxy { target, message }
        } else {
            LlmError::Connect { target, message }
        }
    }

    /// An endpoint may repeat the key that it refuses.
    fn without_key(&self, error: LlmError) -> LlmError {
        let Some(key) = self.key else { return error };
        match error {
            LlmError::Http { target, status, code, message, retry_after } => {
                let (code, message) = (code.map(|code| key.hide_in(&code)), key.hide_in(&message));
                LlmError::Http { target, status, code, message, retry_after }
            }
            error => error,
        }
    }
}

/// What was compressed.
fn unpacked(raw: &[u8], max_body: usize) -> Result<Vec<u8>, LlmError> {
    let mut plain = Vec::new();
    let limit = u64::try_from(max_body).unwrap_or(u64::MAX);
    let read = flate2::read::MultiGzDecoder::new(raw).take(limit.saturating_add(1)).read_to_end(&mut plain);
    match read {
        Ok(length) if length > max_body => Err(LlmError::TooMuch { limit: max_body }),
        Ok(_) => Ok(plain),
        Err(_) => Err(LlmError::Cut { message: "the end of the compressed answer is missing".to_owned() }),
    }
}

fn header_name(name: &str) -> Option<HeaderName> {
    HeaderName::from_bytes(name.as_bytes()).ok()
}

fn timed_out(awaited: AnswerStage, after: Duration) -> LlmError {
    LlmError::TimedOut { awaited, after, said: String::new() }
}

fn text_of(response: &Response, name: HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// A text as a header can hold it.
fn header_value(text: &str) -> HeaderValue {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    let plain = is_plain.then(|| HeaderValue::from_str(text).ok()).flatten();
    let escaped = || {
        let escaped: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        HeaderValue::from_str(&escaped).unwrap_or(HeaderValue::from_static(""))
    };
    plain.unwrap_or_else(escaped)
}

/// The code and the sentence in the body of an error; what it begins with, where there is none.
fn said(status: StatusCode, body: &[u8]) -> (Option<String>, String) {
    let value = serde_json::from_slice::<serde_json::Value>(body).ok();
    let value = value.map(|value| value.get(0).cloned().unwrap_or(value));
    let code = value.as_ref().and_then(|value| codes_in(value.get("error").unwrap_or(value), value).1);
    let message = value.as_ref().and_then(error_message);
    let message = message.unwrap_or_else(|| one_line(&String::from_utf8_lossy(body)));
    let message =
        if message.is_empty() { status.canonical_reason().unwrap_or_default().to_owned() } else { message };
    (code, message)
}

/// The last reason of an error, on one line.
fn reason(error: &dyn Error) -> String {
    one_line(&outbound::last_reason(error))
}
