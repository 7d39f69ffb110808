//! Requests over HTTP, with a limit for each attempt and few attempts.

use crate::Undelivered;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, StatusCode, Url};
use std::time::Duration;

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(8);
/// How long is waited before each further attempt.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];

/// What is sent.
pub(crate) struct OutgoingRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) token: Option<String>,
    pub(crate) body: Option<String>,
}

/// Sends it, again where that may help and `is_wanted` says so.
pub(crate) fn send(outgoing: &OutgoingRequest, is_wanted: &dyn Fn() -> bool) -> Result<(), Undelivered> {
    let failed = |reason: String| Undelivered::Unreachable { host: host_of(&outgoing.url), reason };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(error.to_string()))?;
    runtime.block_on(async {
        let client = outbound::client(&outgoing.url).map_err(|error| failed(error.to_string()))?;
        let client =
            client.timeout(ATTEMPT).build().map_err(|error| failed(outbound::last_reason(&error)))?;
        let mut pauses = PAUSES.into_iter();
        loop {
            let error = match attempt(&client, outgoing).await {
                Ok(()) => return Ok(()),
                Err(AttemptError::Final(error)) => return Err(error),
                Err(AttemptError::Again(error)) => error,
            };
            let Some(pause) = pauses.next() else { return Err(error) };
            tokio::time::sleep(pause).await;
            if !is_wanted() {
                return Err(Undelivered::Unwanted);
            }
        }
    })
}

enum AttemptError {
    Again(Undelivered),
    Final(Undelivered),
}

async fn attempt(client: &Client, outgoing: &OutgoingRequest) -> Result<(), AttemptError> {
    let host = host_of(&outgoing.url);
    let mut request = client.request(outgoing.method.clone(), outgoing.url.clone());
    if let Some(token) = &outgoing.token {
        let header = HeaderValue::try_from(format!("Bearer {token}"));
        let Ok(mut header) = header else {
            let reason = "the token is no text of a header".to_owned();
            return Err(AttemptError::Final(Undelivered::Unreachable { host, reason }));
        };
        header.set_sensitive(true);
        request = request.header(AUTHORIZATION, header);
    }
    if let Some(body) = &outgoing.body {
        request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
    }
    let answer = request.send().await.map_err(|error| {
        // Without the address, which may hold a key.
        let reason = outbound::last_reason(&error.without_url());
        AttemptError::Again(Undelivered::Unreachable { host: host.clone(), reason })
    })?;
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let refused = Undelivered::Refused { host, status: status.as_u16() };
    let is_passing = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    Err(if is_passing { AttemptError::Again(refused) } else { AttemptError::Final(refused) })
}

/// Host and port, without what may be secret.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
