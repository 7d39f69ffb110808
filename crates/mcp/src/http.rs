//! The same over HTTP: one address, to which messages are posted. Clients of the newest revision say everything in each request;
//! those of the others have a session.
//!
//! Who may come in is not decided here, but by the gate in front of this.
//!
//! `mcp::Http` answers whole requests from any source; `server/src/endpoints/mcp.rs` passes it those of `/mcp` together with the
//! number of their connection, and holds the connection as long as the response continues. It has a thread of its own, and a few
//! that wait for the disk, so that no part of the daemon waits for the work on an agent's project. Clients of 2026-07-28 have no
//! session: each request makes a `Server`, and all of them share one state (`Shared`). A result has arrived when its client sends
//! another message that was read after the result was written: on standard input, in the same session, or on the same connection;
//! `crates/mcp/src/delivery.rs` describes the substitute for clients that have neither. Several messages at once (`batch.rs`) are
//! accepted in the one revision that has them.

use crate::answer_body::{AnswerBody, DeliveryWatch, Message};
use crate::backend::{Backend, Options};
use crate::batch;
use crate::delivery::{
    Arrivals, Caller, Connection, Delivery, LogicalTime, Post, Request, RequestKey, Speaker,
};
use crate::lines::{IdFinder, MAX_LINE};
use crate::message::{self, contains};
use crate::server::{Server, Shared};
use crate::tasks::TaskSubscription;
use crate::{note_arrivals, runtime};
use bytes::Bytes;
use futures_util::future::join_all;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{ErrorCode, ErrorData};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long the body of a request may be, in bytes.
pub const MAX_BODY: usize = MAX_LINE;
/// How many sessions of earlier revisions there may be.
const MAX_SESSIONS: usize = 1000;
/// After such a time without a word from either side a session is over. Its client begins another one.
const SESSION: Duration = Duration::from_secs(60 * 60);
/// Messages that begin a session, or give up a call, are shorter than this.
const MAX_SMALL: usize = 64 << 10;
const SESSION_ID: &str = "mcp-session-id";
const REVISION: &str = "mcp-protocol-version";
/// So long after a client was heard whose connection was still open it is looked at again.
const CLOSING: Duration = Duration::from_secs(1);
/// Methods that a client begins with.
const BEGINNINGS: [&str; 2] = ["initialize", "server/discover"];
/// What an answer is fetched by.
const FETCHES: [&str; 2] = ["decide_result", "decide_wait"];

/// What is read of a request to know who sends it.
#[derive(Deserialize)]
struct RequestHead {
    method: String,
    #[serde(default)]
    params: Params,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    name: Option<String>,
    arguments: Option<ToolArguments>,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Deserialize)]
struct ToolArguments {
    project: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    client: ClientInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClientInfo {
    name: String,
    version: String,
}

/// Answers one request by the Model Context Protocol.
type Service = dyn Fn(http::Request<Full<Bytes>>) -> Pin<Box<dyn Future<Output = Response<Message>> + Send>>
    + Send
    + Sync;

/// The server of all clients that come over HTTP.
pub struct Http {
    service: Arc<Service>,
    sessions: Arc<LocalSessionManager>,
    delivery: Arc<Delivery>,
    arrivals: Arrivals,
    /// It has a thread of its own, and a few that wait for the disk: whatever they wait for, the caller's go on.
    runtime: Handle,
    posts: AtomicU64,
    /// Makes of credentials what tells them apart here and nothing else.
    hashing: RandomState,
    /// Sessions of the revision that has batches.
    batching: Mutex<HashSet<Arc<str>>>,
    closing: watch::Sender<bool>,
    ending: CancellationToken,
}

impl Http {
    /// Begins to serve whatever [`Self::answer`] is given, until this is dropped.
    ///
    /// # Errors
    ///
    /// When there are no more threads.
    pub fn start(backend: Arc<dyn Backend>, options: Options) -> io::Result<Self> {
        Self::begin(|delivery, arrivals, closing| {
            let shared = Shared::new(backend, options, (delivery, arrivals), closing);
            move || Server::new(Arc::clone(&shared))
        })
    }

    /// Begins to serve what `make` makes for each client: that of a test, in the place of this one.
    ///
    /// # Errors
    ///
    /// When there are no more threads.
    pub fn serving<S: ServerHandler + Send + 'static>(
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::begin(|_, _, _| make)
    }

    fn begin<S: ServerHandler + Send + 'static, M: Fn() -> S + Send + Sync + 'static>(
        begin: impl FnOnce(Arc<Delivery>, Arrivals, watch::Receiver<bool>) -> M,
    ) -> io::Result<Self> {
        let runtime = runtime()?;
        let handle = runtime.handle().clone();
        let (closing, is_closing) = watch::channel(false);
        let (arrivals, arrived) = Arrivals::new();
        let mut until = is_closing.clone();
        thread::Builder::new().name("mcp".to_owned()).spawn(move || {
            runtime.spawn(note_arrivals(arrived));
            // Without a sender it is over as well.
            let _ = runtime.block_on(until.wait_for(|is_closing| *is_closing));
            runtime.shutdown_background();
        })?;
        let delivery = Arc::new(Delivery::default());
        let make = begin(Arc::clone(&delivery), arrivals.clone(), is_closing);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION);
        let sessions = Arc::new(sessions);
        let ending = CancellationToken::new();
        // Host and Origin are the gate's.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(ending.clone());
        let service = StreamableHttpService::new(move || Ok(make()), Arc::clone(&sessions), config);
        let service: Arc<Service> = Arc::new(move |request| {
            let service = service.clone();
            Box::pin(async move { service.handle(request).await })
        });
        Ok(Self {
            service,
            sessions,
            delivery,
            arrivals,
            runtime: handle,
            posts: AtomicU64::new(0),
            hashing: RandomState::new(),
            batching: Mutex::default(),
            closing,
            ending,
        })
    }

    /// Answers a request that came by this `connection`. If what is returned is dropped, its client does not wait any
    /// more.
    pub async fn answer(
        &self,
        connection: Connection,
        request: http::Request<Bytes>,
    ) -> Response<AnswerBody> {
        let (parts, body) = request.into_parts();
        if parts.method == Method::POST && batch::is_batch(&body) {
            return self.answer_batch(&connection, &parts, &body).await;
        }
        self.answer_one(connection, parts, body).await
    }

    /// Answers all messages of a batch at once, where the revision has them.
    async fn answer_batch(
        &self,
        connection: &Connection,
        parts: &Parts,
        body: &[u8],
    ) -> Response<AnswerBody> {
        if !self.takes_batches(&parts.headers).await {
            return misread(body);
        }
        let messages = match batch::read(body) {
            Ok(messages) => messages,
            Err(words) => return refused(StatusCode::BAD_REQUEST, None, ErrorCode::INVALID_REQUEST, words),
        };
        let answers = messages.into_iter().map(async |message| match message {
            Ok(message) => {
                let mut parts = parts.clone();
                // That of all of them.
                parts.headers.remove(CONTENT_LENGTH);
                self.answer_one(connection.clone(), parts, message).await
            }
            Err(error) => refused(StatusCode::BAD_REQUEST, error.id, error.code, error.words),
        });
        batch::merge(join_all(answers).await).await
    }

    /// Whether what comes with these headers may be a batch.
    async fn takes_batches(&self, headers: &HeaderMap) -> bool {
        match self.session(headers).await {
            Some(Speaker::Session(id)) => self.batching().contains(&id),
            _ => headers.get(REVISION).is_some_and(|revision| revision == batch::REVISION),
        }
    }

    fn batching(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.batching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the session of an answer is one of the revision that has batches.
    async fn note_batching(&self, answer: &HeaderMap) {
        let Some(id) = answer.get(SESSION_ID).and_then(|id| id.to_str().ok()) else { return };
        let sessions = self.sessions.sessions.read().await;
        let mut batching = self.batching();
        batching.retain(|id| sessions.contains_key(id));
        batching.insert(id.into());
    }

    /// Notes what has arrived at a client without a session that connects for each request.
    fn note_arrivals_by(&self, post: &Post, read: LogicalTime) {
        let (arrived, is_open) = self.delivery.arrived_by(post, read);
        self.arrivals.note(arrived);
        if is_open {
            let (delivery, arrivals) = (Arc::clone(&self.delivery), self.arrivals.clone());
            self.runtime.spawn(async move {
                tokio::time::sleep(CLOSING).await;
                arrivals.note(delivery.closed());
            });
        }
    }

    /// What is to be known of a request of a client without a session; `None` where its body is no request.
    fn post(&self, connection: Connection, headers: &HeaderMap, body: &[u8]) -> Option<Post> {
        let said: RequestHead = serde_json::from_slice(body).ok()?;
        let ClientInfo { name, version } = said.params.meta.client;
        let shown = [AUTHORIZATION, COOKIE].map(|header| headers.get(header).map(HeaderValue::as_bytes));
        let caller = Caller {
            credentials: self.hashing.hash_one(shown),
            name,
            version,
            project: said.params.arguments.and_then(|arguments| arguments.project),
        };
        let fetches = said.method == "tasks/get"
            || said.method == "tools/call" && FETCHES.contains(&&*said.params.name.unwrap_or_default());
        Some(Post { caller, connection, begins: BEGINNINGS.contains(&&*said.method), fetches })
    }

    async fn answer_one(
        &self,
        connection: Connection,
        mut parts: Parts,
        body: Bytes,
    ) -> Response<AnswerBody> {
        let read = self.delivery.now();
        let number = connection.number;
        let session = self.session(&parts.headers).await;
        // Who gives up a call may not have read what it was answered.
        let gives_up = body.len() < MAX_SMALL && contains(&body, b"\"notifications/cancelled\"");
        if parts.method == Method::POST && !gives_up {
            self.arrivals.note(self.delivery.arrived(&Speaker::Connection(number), read));
            if let Some(session) = &session {
                self.arrivals.note(self.delivery.arrived(session, read));
            }
        }
        let post = if session.is_none() && parts.method == Method::POST {
            self.post(connection, &parts.headers, &body).map(Arc::new)
        } else {
            None
        };
        if let Some(post) = post.as_ref().filter(|_| !gives_up) {
            self.note_arrivals_by(post, read);
        }
        let begins = session.is_none() && body.len() < MAX_SMALL && contains(&body, b"\"initialize\"");
        if begins && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            let words = format!("too many sessions: at most {MAX_SESSIONS} can be open at a time");
            return refused(StatusCode::SERVICE_UNAVAILABLE, None, ErrorCode::INTERNAL_ERROR, words);
        }
        let speaker = session.unwrap_or(Speaker::Connection(number));
        let asked =
            RequestKey { speaker, request: Request::Post(self.posts.fetch_add(1, Ordering::Relaxed)) };
        parts.extensions.insert(asked.clone());
        let followed = followed(&parts, &body);
        if let Some(followed) = &followed {
            parts.extensions.insert(followed.clone());
        }
        let request = http::Request::from_parts(parts, Full::new(body.clone()));
        let answering = AbortOnDrop(self.runtime.spawn((self.service)(request)));
        let Ok(response) = answering.ended().await else {
            let words = "the server is shutting down".to_owned();
            return refused(StatusCode::SERVICE_UNAVAILABLE, None, ErrorCode::INTERNAL_ERROR, words);
        };
        // The form of the body was checked before: what it says is no message.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return misread(&body);
        }
        if begins && batch::is_begun_by(&body) {
            self.note_batching(response.headers()).await;
        }
        let watched = DeliveryWatch {
            delivery: Arc::clone(&self.delivery),
            asked,
            post,
            arrivals: self.arrivals.clone(),
        };
        response.map(|body| AnswerBody::watched(body, watched, followed))
    }

    /// The client of a session that there is.
    async fn session(&self, headers: &HeaderMap) -> Option<Speaker> {
        let id: Arc<str> = headers.get(SESSION_ID)?.to_str().ok()?.into();
        self.sessions.sessions.read().await.contains_key(&id).then_some(Speaker::Session(id))
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.ending.cancel();
        self.closing.send_replace(true);
    }
}

/// An answer that is being made. When this is dropped, it is not.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> AbortOnDrop<T> {
    async fn ended(mut self) -> Result<T, tokio::task::JoinError> {
        (&mut self.0).await
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The tasks that a request is to follow.
fn followed(parts: &http::request::Parts, body: &[u8]) -> Option<TaskSubscription> {
    let method = parts.headers.get("mcp-method")?;
    if method != message::LISTEN || body.len() >= MAX_SMALL {
        return None;
    }
    let message: Value = serde_json::from_slice(body).ok()?;
    TaskSubscription::read(message.get("params"))
}

/// Says what is wrong with a body that is no message.
fn misread(body: &[u8]) -> Response<AnswerBody> {
    let (id, code, words) = match serde_json::from_slice(body) {
        Err(error) => {
            (IdFinder::find(body), ErrorCode::PARSE_ERROR, format!("the message is not JSON: {error}"))
        }
        Ok(Value::Object(members)) => {
            let (code, words) = message::refusal(&members);
            (members.get("id").filter(|id| message::is_id(id)).cloned(), code, words)
        }
        Ok(Value::Array(_)) => {
            (None, ErrorCode::INVALID_REQUEST, batch::not_taken("send each message in its own POST request"))
        }
        Ok(_) => (None, ErrorCode::INVALID_REQUEST, "a message must be a JSON object".to_owned()),
    };
    refused(StatusCode::BAD_REQUEST, id, code, words)
}

fn refused(status: StatusCode, id: Option<Value>, code: ErrorCode, words: String) -> Response<AnswerBody> {
    let error = ErrorData::new(code, words, None);
    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
    let mut response = Response::new(AnswerBody::new(Full::from(message).boxed()));
    *response.status_mut() = status;
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}
