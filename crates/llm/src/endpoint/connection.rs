//! One question over HTTP.

use crate::formats::openai::{End, Failure, Progress};
use crate::key::Key;
use crate::retry::retry_after;
use crate::words::{error_message, one_line};
use crate::{Awaited, Limits, LlmError};
use process::Cancellation;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Response, StatusCode, Url};
use std::error::Error;
use std::time::{Duration, SystemTime};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

/// How much of an error is read, in bytes.
const MAX_ERROR: usize = 64 << 10;

/// The way to one address.
pub(crate) struct Connection<'c> {
    client: Client,
    url: &'c Url,
    /// The address as it is told.
    target: &'c str,
    key: Option<&'c Key>,
    limits: &'c Limits,
}

impl<'c> Connection<'c> {
    pub(crate) fn new(
        url: &'c Url,
        target: &'c str,
        key: Option<&'c Key>,
        limits: &'c Limits,
    ) -> Result<Self, LlmError> {
        let unable =
            |error: &dyn Error| LlmError::Connect { target: target.to_owned(), message: reason(error) };
        let client = outbound::client(url).map_err(|error| unable(&error))?;
        let client = client.connect_timeout(limits.connect).pool_max_idle_per_host(0).build();
        let client = client.map_err(|error| unable(&error))?;
        Ok(Self { client, url, target, key, limits })
    }

    /// Sends `body`, and returns what comes back. It takes at most `left`.
    pub(crate) fn ask(
        &self,
        body: String,
        idempotency_key: Option<&str>,
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
            let asked = self.exchange(body, idempotency_key);
            let limited = async {
                match deadline {
                    Some(deadline) => timeout_at(deadline, asked).await,
                    None => Ok(asked.await),
                }
            };
            tokio::select! {
                biased;
                _ = cancelled => Err(LlmError::Cancelled),
                result = limited => result.unwrap_or_else(|_| Err(timed_out(Awaited::End, left))),
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

    async fn exchange(&self, body: String, idempotency_key: Option<&str>) -> Result<Vec<u8>, LlmError> {
        let Limits { connect, first_byte, .. } = *self.limits;
        let request = self.client.post(self.url.clone()).headers(self.headers(idempotency_key)?).body(body);
        let response = match timeout(connect.saturating_add(first_byte), request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() => return Err(self.unreachable(&error.without_url())),
            Ok(Err(error)) => return Err(LlmError::Cut { message: reason(&error.without_url()) }),
            Err(_) => return Err(timed_out(Awaited::Beginning, connect.saturating_add(first_byte))),
        };
        if response.status().is_success() {
            self.answer(response).await
        } else {
            Err(self.refusal(response).await)
        }
    }

    fn headers(&self, idempotency_key: Option<&str>) -> Result<HeaderMap, LlmError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Some(key) = self.key {
            let value = HeaderValue::from_str(&format!("Bearer {}", key.reveal()));
            let mut value = value.map_err(|_| crate::KeyError::NotAKey)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        if let Some(key) = idempotency_key {
            headers.insert(HeaderName::from_static("idempotency-key"), header_value(key));
        }
        Ok(headers)
    }

    /// The body of an answer.
    async fn answer(&self, mut response: Response) -> Result<Vec<u8>, LlmError> {
        let Limits { idle, max_body, .. } = *self.limits;
        let too_much = LlmError::TooMuch { limit: max_body };
        if response.content_length().is_some_and(|length| length > max_body as u64) {
            return Err(too_much);
        }
        let status = response.status().as_u16();
        let content_type = text_of(&response, CONTENT_TYPE);
        let mut raw = Vec::new();
        let mut progress = Progress::default();
        while !progress.is_done() {
            match timeout(idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) => {
                    if raw.len() + bytes.len() > max_body {
                        return Err(too_much);
                    }
                    progress.push(&bytes);
                    raw.extend_from_slice(&bytes);
                }
                Ok(Ok(None)) => break,
                // What matters is there.
                Ok(Err(_)) | Err(_) if progress.is_finished() => break,
                Ok(Err(error)) => return Err(LlmError::Cut { message: reason(&error.without_url()) }),
                Err(_) => return Err(timed_out(Awaited::More, idle)),
            }
        }
        match progress.end() {
            End::Complete => Ok(raw),
            End::Cut => Err(LlmError::Cut { message: "the end of the stream is missing".to_owned() }),
            End::Failed(Failure { message, status: told }) => {
                Err(LlmError::Http { status: told.unwrap_or(status), message, retry_after: None })
            }
            End::Other => {
                let beginning = one_line(&String::from_utf8_lossy(&raw));
                let message = one_line(&format!("{} {beginning}", content_type.unwrap_or_default()));
                Err(LlmError::Http { status, message, retry_after: None })
            }
        }
    }

    /// What is said instead of an answer.
    async fn refusal(&self, mut response: Response) -> LlmError {
        let status = response.status();
        let after =
            text_of(&response, RETRY_AFTER).and_then(|header| retry_after(&header, SystemTime::now()));
        let message = if status.is_redirection() {
            let to = text_of(&response, LOCATION).unwrap_or_default();
            // Without what could be secret in it.
            one_line(&format!("redirects to {}", to.split(['?', '#']).next().unwrap_or_default()))
        } else {
            let mut body = Vec::new();
            while let Ok(Ok(Some(bytes))) = timeout(self.limits.idle, response.chunk()).await {
                body.extend_from_slice(&bytes);
                if body.len() > MAX_ERROR {
                    break;
                }
            }
            said(status, &body)
        };
        LlmError::Http { status: status.as_u16(), message, retry_after: after }
    }

    fn unreachable(&self, error: &dyn Error) -> LlmError {
        LlmError::Connect { target: self.target.to_owned(), message: reason(error) }
    }

    /// An endpoint may repeat the key that it refuses.
    fn without_key(&self, error: LlmError) -> LlmError {
        let Some(key) = self.key else { return error };
        match error {
            LlmError::Http { status, message, retry_after } => {
                LlmError::Http { status, message: key.hide_in(&message), retry_after }
            }
            error => error,
        }
    }
}

fn timed_out(awaited: Awaited, after: Duration) -> LlmError {
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

/// The sentence in the body of an error; what it begins with, where there is none.
fn said(status: StatusCode, body: &[u8]) -> String {
    let value = serde_json::from_slice::<serde_json::Value>(body).ok();
    let value = value.map(|value| value.get(0).cloned().unwrap_or(value));
    let message = value.as_ref().and_then(error_message);
    let message = message.unwrap_or_else(|| one_line(&String::from_utf8_lossy(body)));
    if message.is_empty() { status.canonical_reason().unwrap_or_default().to_owned() } else { message }
}

/// The last reason of an error, on one line.
fn reason(error: &dyn Error) -> String {
    one_line(&outbound::last_reason(error))
}
