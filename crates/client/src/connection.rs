//! Requests, and what is answered.

use crate::{Address, ClientError};
use protocol::workflow::{ErrorCode, Refusal};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::time::Duration;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);
/// How often an unanswered request is sent, each time with the same key.
const ATTEMPTS: u32 = 3;
/// The header with the cursor of what comes behind a part of a list.
const NEXT_CURSOR: &str = "next-cursor";
/// How much of an answer is read, in bytes.
const MAX_ANSWER: usize = 256 << 20;

/// A way to a daemon.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    /// Opens a connection for each request, so that no probe waits behind another request.
    probes: reqwest::Client,
    address: Address,
    limit: Option<Duration>,
}

impl Client {
    /// A client of the daemon there. An answer that takes longer than `limit` is not waited for, nor is one of a daemon that answers
    /// no other request either ([`ClientError::Unresponsive`]).
    ///
    /// # Errors
    ///
    /// When the certificates of the system cannot be read.
    pub fn new(address: Address, limit: Option<Duration>) -> Result<Self, ClientError> {
        let unable = |reason: String| ClientError::Unreachable { url: address.http().to_owned(), reason };
        let client = || {
            let client = outbound::client(&address.http).map_err(|error| unable(error.to_string()))?;
            Ok(client.connect_timeout(CONNECT))
        };
        let http = client()?.build().map_err(|error| unable(reason(error)))?;
        let probes = client()?.pool_max_idle_per_host(0).build().map_err(|error| unable(reason(error)))?;
        Ok(Self { http, probes, address, limit })
    }

    /// Where the daemon is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Asks something.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, ClientError> {
        Ok(self.get_part(path, query).await?.0)
    }

    /// Asks for a part of a list; returns the cursor of what comes behind it as well.
    pub(crate) async fn get_part<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<(T, Option<String>), ClientError> {
        let mut url = self.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let request = || self.request(&self.http, Method::GET, url.clone());
        self.in_time(self.while_alive(self.ask_part(request))).await
    }

    /// Has something done, once.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + Sync),
    ) -> Result<T, ClientError> {
        let url = self.url(path);
        let unsayable = |error: serde_json::Error| self.unintelligible(error.to_string());
        let body = serde_json::to_string(body).map_err(unsayable)?;
        let key = new_key()?;
        let request = || {
            let request = self.request(&self.http, Method::POST, url.clone()).header("idempotency-key", &key);
            request.header(CONTENT_TYPE, "application/json").body(body.clone())
        };
        self.in_time(self.while_alive(self.ask(request))).await
    }

    /// Has something removed, once.
    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &[&str]) -> Result<T, ClientError> {
        let (url, key) = (self.url(path), new_key()?);
        let request =
            || self.request(&self.http, Method::DELETE, url.clone()).header("idempotency-key", &key);
        self.in_time(self.while_alive(self.ask(request))).await
    }

    /// Waits for something no longer than an answer may take.
    pub(crate) async fn in_time<T>(
        &self,
        what: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        match self.limit {
            None => what.await,
            Some(after) => match tokio::time::timeout(after, what).await {
                Ok(result) => result,
                Err(_) => Err(ClientError::TimedOut { after }),
            },
        }
    }

    /// What lets this program in.
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        let secret = &self.address.secret;
        let mut value = HeaderValue::from_str(&format!("Bearer {}", secret.0)).ok()?;
        value.set_sensitive(true);
        (!secret.is_empty()).then_some(value)
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.address.http.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// `GET /api/v1/modules`, on a connection of its own. It reads the journal, as nearly every request does.
    pub(crate) fn probe_request(&self) -> RequestBuilder {
        self.request(&self.probes, Method::GET, self.url(&["api", "v1", "modules"]))
    }

    fn request(&self, http: &reqwest::Client, method: Method, url: Url) -> RequestBuilder {
        let request = http.request(method, url);
        match self.authorization() {
            Some(value) => request.header(AUTHORIZATION, value),
            None => request,
        }
    }

    async fn ask<T: DeserializeOwned>(&self, request: impl Fn() -> RequestBuilder) -> Result<T, ClientError> {
        Ok(self.ask_part(request).await?.0)
    }

    async fn ask_part<T: DeserializeOwned>(
        &self,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<(T, Option<String>), ClientError> {
        let mut attempt = 1;
        loop {
            match self.exchange(request()).await {
                // It may have been done: the next one has the same key.
                Err(error) if attempt < ATTEMPTS && !error.is_connect() => attempt += 1,
                Err(error) => return Err(self.unreachable(reason(error))),
                Ok((status, next, bytes)) => return Ok((self.read_answer(status, &bytes)?, next)),
            }
        }
    }

    async fn exchange(
        &self,
        request: RequestBuilder,
    ) -> Result<(u16, Option<String>, Vec<u8>), reqwest::Error> {
        let mut response: Response = request.send().await?;
        let status = response.status().as_u16();
        let next = response.headers().get(NEXT_CURSOR).and_then(|next| next.to_str().ok()).map(str::to_owned);
        let mut bytes = Vec::new();
        while let Some(more) = response.chunk().await? {
            bytes.extend_from_slice(&more);
            if bytes.len() > MAX_ANSWER {
                break;
            }
        }
        Ok((status, next, bytes))
    }

    fn read_answer<T: DeserializeOwned>(&self, status: u16, bytes: &[u8]) -> Result<T, ClientError> {
        if (200..300).contains(&status) {
            return serde_json::from_slice(bytes).map_err(|error| self.unintelligible(error.to_string()));
        }
        match serde_json::from_slice(bytes) {
            Ok(refusal) => Err(ClientError::Refused { status, refusal: Box::new(refusal) }),
            Err(_) => Err(self.refused_by_another(status, bytes)),
        }
    }

    /// Something between here and there says no, or what is there is no daemon.
    fn refused_by_another(&self, status: u16, bytes: &[u8]) -> ClientError {
        let said = serde_json::from_slice::<Value>(bytes).ok();
        let words =
            said.as_ref().and_then(|said| said.get("error")?.as_str()).unwrap_or("no daemon answers there");
        let code = match status {
            400 => ErrorCode::InvalidRequest,
            404 => ErrorCode::NotFound,
            504 => ErrorCode::Timeout,
            _ => return self.unintelligible(format!("HTTP {status}: {words}")),
        };
        ClientError::Refused { status, refusal: Box::new(Refusal::new(code, words)) }
    }

    pub(crate) fn unreachable(&self, reason: String) -> ClientError {
        ClientError::Unreachable { url: self.address.http().to_owned(), reason }
    }

    pub(crate) fn unresponsive(&self) -> ClientError {
        ClientError::Unresponsive { url: self.address.http().to_owned() }
    }

    pub(crate) fn unintelligible(&self, reason: String) -> ClientError {
        ClientError::Unintelligible { url: self.address.http().to_owned(), reason }
    }
}

/// The last reason of an error.
pub(crate) fn reason(error: reqwest::Error) -> String {
    outbound::last_reason(&error.without_url())
}

/// A name that no other request has.
pub(crate) fn new_key() -> Result<String, ClientError> {
    let mut bytes = [0; 16];
    let random = getrandom::fill(&mut bytes);
    let failed =
        |error: getrandom::Error| ClientError::Unreachable { url: String::new(), reason: error.to_string() };
    random.map_err(failed)?;
    Ok(format!("aide-{:032x}", u128::from_le_bytes(bytes)))
}
