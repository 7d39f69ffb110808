//! A request of a program, and what it is answered.

use super::{Api, QuestionHost, Shared};
use crate::InFlight;
use crate::answer::refusal_response;
use crate::feed::Subject;
use app::{ReadError, ReadPool};
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use journal::JournalError;
use protocol::agent::Timestamp;
use protocol::workflow::{ErrorCode, Refusal};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use texts::Lang;
use tokio::time::{Instant, timeout_at};
use workflow::{Failure, RequestKey, Runtime};

/// How long the name of a request may be.
const MAX_KEY: usize = 255;

/// JSON, or why there is none.
pub(super) type Reply = Result<String, Failure>;

/// A request of a program.
pub(super) struct Call {
    pub(super) api: Api,
    pub(super) in_flight: InFlight,
    pub(super) reads: ReadPool,
    /// What stands in the place of the names in the path.
    names: Vec<(String, String)>,
    query: Vec<(String, String)>,
    body: Map<String, Value>,
    request: Option<RequestKey>,
    /// Where a stream broke off.
    pub(super) last_event: Option<String>,
}

impl FromRequest<Arc<Shared>> for Call {
    type Rejection = Response;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, Response> {
        let Some(api) = shared.api.clone() else { return Err(StatusCode::NOT_FOUND.into_response()) };
        let (mut parts, body) = request.into_parts();
        let names = RawPathParams::from_request_parts(&mut parts, shared).await;
        let names = names.map_err(|_| not_utf8())?;
        let names = names.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let pairs = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let query = pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        // Without a connection it is a test's.
        let in_flight = parts.extensions.get().cloned().unwrap_or_default();
        let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
        let key =
            key_of(parts.headers.get("idempotency-key")).map_err(|refusal| refusal_response(&refusal))?;
        let last_event =
            parts.headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let bytes = Bytes::from_request(Request::from_parts(parts, body), shared).await;
        let bytes = bytes.map_err(|_| refusal_response(&not_json("the body could not be read")))?;
        let request = key.filter(|_| !method.is_safe());
        let request = request.map(|key| RequestKey::new(format!("{method} {path}"), key, &bytes));
        // The body of a safe request is ignored.
        let body = if method.is_safe() { Ok(Map::new()) } else { object(&bytes) };
        let body = body.map_err(|refusal| refusal_response(&refusal))?;
        let reads = shared.hall.reads().clone();
        Ok(Self { api, in_flight, reads, names, query, body, request, last_event })
    }
}

fn not_utf8() -> Response {
    refusal_response(&Refusal::new(ErrorCode::NotFound, "Not Found"))
}

fn not_json(why: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::InvalidJson, "Invalid JSON").with("message", why.into())
}

/// The body as an object; none at all is an empty one.
fn object(bytes: &[u8]) -> Result<Map<String, Value>, Refusal> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Refusal::new(ErrorCode::InvalidRequest, "The body must be a JSON object")),
        Err(error) => Err(not_json(error.to_string())),
    }
}

fn key_of(header: Option<&HeaderValue>) -> Result<Option<String>, Refusal> {
    let Some(header) = header else { return Ok(None) };
    let text = header.to_str().ok().filter(|text| !text.is_empty() && text.len() <= MAX_KEY);
    let words = "Idempotency-Key must be 1 to 255 visible characters";
    text.map(|text| Some(text.to_owned())).ok_or_else(|| Refusal::invalid(words, "Idempotency-Key"))
}

impl Call {
    pub(super) fn runtime(&self) -> &Runtime {
        &self.api.runtime
    }

    /// The host that shows the questions of projects, if there is one.
    pub(super) fn host(&self) -> Option<&dyn QuestionHost> {
        self.api.host.as_deref()
    }

    /// What makes the request the same when it comes again.
    pub(super) fn request(&self) -> Option<&RequestKey> {
        self.request.as_ref()
    }

    /// What stands in the place of a name in the path.
    pub(super) fn name(&self, name: &str) -> &str {
        self.names.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// What is asked for behind the `?`; of what is said twice, the first counts, and nothing is as good as not said.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let value = self.query.iter().find(|(known, _)| known == name).map(|(_, value)| &**value);
        value.filter(|value| !value.is_empty())
    }

    /// A number behind the `?`.
    pub(super) fn number(&self, name: &str, usual: u32, most: u32) -> Result<u32, Refusal> {
        let Some(text) = self.query(name) else { return Ok(usual) };
        let number = text.parse().ok().filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| {
            let code = if name == "limit" { ErrorCode::InvalidLimit } else { ErrorCode::InvalidRequest };
            let refusal = Refusal::new(code, format!("{name} must be a number from 1 to {most}"));
            refusal.with("field", name)
        })
    }

    /// A member of the body that may be any JSON, `null` as well.
    pub(super) fn anything(&self, name: &str) -> Option<&Value> {
        self.body.get(name)
    }

    /// A member of the body; `null` is none.
    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.body.get(name).filter(|value| !value.is_null())
    }

    /// A member that is a text, if it is there.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        match self.member(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::invalid(format!("{name} must be a string"), name)),
        }
    }

    /// A member that must be a text; `words` say what is missing without it.
    pub(super) fn required(&self, name: &str, words: &str) -> Result<&str, Refusal> {
        let text = self.text(name)?.filter(|text| !model::is_blank(text));
        text.ok_or_else(|| Refusal::missing(words, name))
    }

    /// A member that is true or false; false if it is not there.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.member(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Refusal::invalid(format!("{name} must be true or false"), name)),
        }
    }

    /// A member that is an object; an empty one if it is not there.
    pub(super) fn object(&self, name: &str) -> Result<Map<String, Value>, Refusal> {
        match self.member(name) {
            None => Ok(Map::new()),
            Some(Value::Object(object)) => Ok(object.clone()),
            Some(_) => Err(Refusal::invalid(format!("{name} must be an object"), name)),
        }
    }

    /// A member that is an array of texts; an empty one if it is not there.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let invalid = || Refusal::invalid(format!("{name} must be an array of strings"), name);
        match self.member(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(texts)) => {
                let texts = texts.iter().map(|text| text.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().ok_or_else(invalid)
            }
            Some(_) => Err(invalid()),
        }
    }

    /// The current time, as responses have it.
    pub(super) fn now(&self) -> String {
        Timestamp::from_unix_millis(self.runtime().now()).as_str().to_owned()
    }

    /// Looks again whenever something has happened to `subject`, until `look` finds what it looks for, or the time is up.
    pub(super) async fn wait<T: Send + 'static>(
        &self,
        subject: Subject,
        patience: Duration,
        look: impl Fn(&Runtime) -> Result<Option<T>, Failure> + Send + Sync + 'static,
    ) -> Result<Option<T>, Failure> {
        let end = Instant::now() + patience;
        let _waiting = (!patience.is_zero()).then(|| self.api.clients.waiting(self.runtime().now()));
        let mut interest = self.api.feed.interest(subject);
        let look = Arc::new(look);
        loop {
            interest.mark_unchanged();
            let (look, runtime) = (Arc::clone(&look), Arc::clone(&self.api.runtime));
            let found = self.reads.run("a request that waits", move || look(&runtime)).await;
            if let Some(found) = found.map_err(not_read)?? {
                return Ok(Some(found));
            }
            tokio::select! {
                biased;
                changed = timeout_at(end, interest.changed()) => {
                    // The time is up, or there will be no further events.
                    if changed != Ok(true) {
                        return Ok(None);
                    }
                }
                () = self.in_flight.ending() => return Ok(None),
            }
        }
    }
}

/// Why a request is refused that something could not be read for.
pub(in crate::endpoints) fn not_read(why: ReadError) -> Failure {
    match why {
        ReadError::Late => Refusal::new(ErrorCode::Unavailable, Lang::En.page().http_stuck_detail).into(),
        ReadError::Lost => Failure::Lost,
    }
}

/// Writes an answer.
pub(super) fn json(value: &impl Serialize) -> Reply {
    serde_json::to_string(value)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()).into())
}

pub(super) fn respond(reply: Reply) -> Response {
    match reply {
        Ok(body) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
        Err(failure) => refusal_response(&refusal_of(failure)),
    }
}

pub(in crate::endpoints) fn refusal_of(failure: Failure) -> Refusal {
    let internal = |words: String| Refusal::new(ErrorCode::InternalError, words);
    match failure {
        Failure::Refused(refusal) => refusal,
        Failure::Journal(error @ JournalError::Busy) => {
            Refusal::new(ErrorCode::Unavailable, error.to_string())
        }
        Failure::Lost => internal("The request ended unexpectedly".to_owned()),
        Failure::Journal(error) => {
            tracing::error!(%error, "journal");
            let kind = match &error {
                JournalError::Damaged { .. } => "damaged",
                JournalError::Full { .. } => "full",
                JournalError::Unsynced { .. } => "unsynced",
                _ => "storage",
            };
            // Not the words: they name files.
            internal(format!("The journal cannot be used: {kind}")).with("reason", kind)
        }
    }
}
