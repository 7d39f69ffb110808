//! The request gate: in front of every route, method and asset.
//!
//! A server on loopback is reachable by every web page the person has open. The gate lets through what a page of
//! this very server, or a program of the same user, would send, and nothing else. The order of the checks:
//! who is addressed, what is asked, who asks, in which form, how much. What there is to be asked, and how, it knows from
//! the table of endpoints.
//!
//! The gate is the outermost layer, in front of every path, asset and error. It checks, in this order: the addressed host
//! (`Host`), the target (path, method), the origin (`Origin`, `Sec-Fetch-Site`), the form (content type), whether a login is
//! needed and present (`login.rs`), size and speed (body). `Access` lists the exact names that this server answers to; a host
//! name from the configured `url` is among them only if a login is needed, because a name can be pointed here. When the server
//! listens on all addresses, the name is the IP address to which the connection came. A `Key` makes tickets by sealing them
//! (HMAC), so that a command that may read `server.json` makes a link without asking the server: nothing is sent to a program
//! that may be listening on its port.
//!
//! The kernel is asked which user's program connects, once for each connection and when the gate needs the answer
//! (`serve/owner/`): `SockDiag` answers in microseconds, `ProcNet` reads whole tables if that is not available. Settings that a
//! stranger's repository could use have an effect after `aide trust` only (`ProjectPolicy` in the table of keys,
//! `cli/src/trust.rs`); the settings of a restarted server are read from the project's folder and are therefore subject to the
//! same records. Texts of an agent are escaped by Leptos, by `escape.rs` where Leptos does not (`textarea`, inner HTML), and by
//! `ammonia` after Markdown. Terminal output passes `terminal_safe` or `json_safe`. Excerpts and everything below `.aide/` are
//! opened relative to a folder's handle, one name at a time, following no symlink (`files::Dir`).

mod body;
mod rejection;
mod rules;

pub(crate) use body::{discard, rejection as body_rejection};
pub(crate) use rejection::{LinkSettings, Rejection};
pub(crate) use rules::{Caller, Endpoint, split};

use crate::access::OpenTo;
use crate::{Access, ConnectionInfo, InFlight, Owner, PeerOwner, WriteError};
use app::site;
use app::{ReadError, ReadPool, UnknownAddress};
use axum::body::Body;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{Extension, FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{
    ACCEPT, ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN,
    REFERER, TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, Method, StatusCode, request::Parts};
use http_body::Body as _;
use http_body_util::BodyExt;
use rules::{Class, Form, PathRules, RuleBook, Rules};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use texts::Lang;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How long it may take to find what is asked for, the turn to look for it included.
const ANSWER_DEADLINE: Duration = ReadPool::DEADLINE;

/// Where programs drive the daemon: whatever is refused there is refused in the form of that contract.
pub(crate) const API: &str = "/api/v1/";

/// Chooses a language, from what was asked for by `?lang=` and from what the browser accepts.
type LangChooser = dyn Fn(Option<&str>, Option<&str>) -> Lang + Send + Sync;

/// Who may come in, and what they may ask for.
pub(crate) struct Gate {
    rules: RuleBook,
    access: Arc<Access>,
    reads: ReadPool,
    speaker: Box<LangChooser>,
    settings: LinkSettings,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("rules", &self.rules)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

impl Gate {
    pub(crate) fn new(
        rules: RuleBook,
        access: Arc<Access>,
        reads: ReadPool,
        settings: LinkSettings,
        speaker: impl Fn(Option<&str>, Option<&str>) -> Lang + Send + Sync + 'static,
    ) -> Self {
        Self { rules, access, reads, speaker: Box::new(speaker), settings }
    }

    /// Everything that can be told from the head of a request: the rules that it keeps.
    async fn check<'r>(&self, parts: &Parts, found: Option<&'r PathRules>) -> Result<&'r Rules, Rejection> {
        check_host(parts, self)?;
        let found = found.ok_or_else(|| Rejection::NotFound(unknown_caller(parts)))?;
        let rules = found.for_method(&parts.method).map_err(Rejection::MethodNotAllowed)?;
        check_origin(parts, &self.access)?;
        check_fetch_site(parts, rules)?;
        check_media_type(parts, rules.form)?;
        check_login(parts, &self.access, rules).await?;
        Ok(rules)
    }

    /// The language to answer `parts` in; what a page asks for on its own is answered in the language it is shown in.
    fn language(&self, parts: &Parts, is_function: bool) -> Lang {
        let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let asked = |query: &str| {
            let query = form_urlencoded::parse(query.as_bytes());
            query.into_iter().find(|(name, _)| name == "lang").map(|(_, code)| code.into_owned())
        };
        let page = || if is_function { text(REFERER)?.split_once('?') } else { None };
        let asked = parts.uri.query().and_then(asked).or_else(|| page().and_then(|(_, query)| asked(query)));
        (self.speaker)(asked.as_deref(), text(ACCEPT_LANGUAGE))
    }
}

/// The language to answer a request in: the one asked for by `?lang=`, else the configured one, else the browser's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestLang(pub(crate) Lang);

impl<S: Send + Sync> FromRequestParts<S> for RequestLang {
    type Rejection = ExtensionRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ExtensionRejection> {
        Ok(Extension::from_request_parts(parts, state).await?.0)
    }
}

/// The gate as a layer: refuses, or passes the request on with its body read.
pub(crate) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let root = gate.access.root();
    site::within(root, guard_within(gate, request, next)).await
}

async fn guard_within(gate: Arc<Gate>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (mut parts, body) = request.into_parts();
    let method = parts.method.clone();
    let found = gate.rules.for_path(parts.uri.path());
    let lang = gate.language(&parts, found.is_some_and(PathRules::is_function));
    // Without a connection it is a test's.
    let in_flight: InFlight = parts.extensions.get().cloned().unwrap_or_default();
    let is_for_programs = found.is_some_and(PathRules::is_for_programs) || parts.uri.path().starts_with(API);
    let refuse = |rejection: Rejection| {
        if is_for_programs { rejection.respond_to_program() } else { rejection.respond(lang) }
    };
    let response = match admit(&gate, &parts, body, found, &in_flight).await {
        Ok((body, rules)) => {
            parts.extensions.insert(RequestLang(lang));
            // Another thread may wait for it.
            let response = site::within(site::root(), next.run(Request::from_parts(parts, body)));
            let name = || format!("{method} {}", rules.path);
            match rules.class {
                Class::Quick => read(name(), response, &gate.reads, refuse).await,
                Class::Write => write(name(), response, &in_flight, refuse).await,
                // An upload has a deadline for its body.
                Class::Instant | Class::Upload => response.await,
                Class::Held => hold(response, &in_flight, refuse).await,
            }
        }
        Err(rejection) => {
            tracing::debug!(reason = ?rejection, "request refused");
            refuse(rejection)
        }
    };
    // Never the path itself, which may be a ticket.
    let endpoint = found.map_or("none", PathRules::path);
    let (status, took) = (response.status().as_u16(), began.elapsed());
    tracing::debug!(%method, endpoint, status, ?took, "request answered");
    crate::headers::complete(response).await
}

/// Checks head and body; the body, and the rules that both keep.
async fn admit<'r>(
    gate: &Gate,
    parts: &Parts,
    body: Body,
    found: Option<&'r PathRules>,
    in_flight: &InFlight,
) -> Result<(Body, &'r Rules), Rejection> {
    let rules = gate.check(parts, found).await?;
    let body = if rules.form.is_streamed() {
        body::stream(parts, body, rules.body, in_flight.clone())?
    } else {
        let body = body::read(parts, body, rules.body).await?;
        in_flight.answering();
        body
    };
    Ok((body, rules))
}

/// Waits for the answer to what only reads. That may wait for the disk and for the journal, so it has a thread of its own.
async fn read(
    name: String,
    response: impl Future<Output = Response> + Send + 'static,
    reads: &ReadPool,
    refuse: impl FnOnce(Rejection) -> Response,
) -> Response {
    let runtime = Handle::current();
    // What waits without blocking ends at the deadline, and its turn with it.
    let answer = move || runtime.block_on(async { timeout(ANSWER_DEADLINE, response).await });
    match reads.run(name, answer).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) | Err(ReadError::Late) => refuse(Rejection::Stuck),
        Err(ReadError::Lost) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Waits for news, holding up no other request.
async fn hold(
    response: impl Future<Output = Response>,
    in_flight: &InFlight,
    refuse: impl FnOnce(Rejection) -> Response,
) -> Response {
    let Some(hold) = in_flight.hold() else { return refuse(Rejection::TooManyHeld) };
    let Ok(response) = timeout(ANSWER_DEADLINE, response).await else { return refuse(Rejection::Stuck) };
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    // An answer that goes on is held as long as it does.
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _ = &hold;
            frame
        }))
    })
}

/// Waits for the answer to what writes. That waits for the disk, and for others that write: on a thread of its own, so
/// that no other request has to. Once begun it has no deadline: it goes on, and an answer that it failed would be wrong.
async fn write(
    name: String,
    response: impl Future<Output = Response> + Send + 'static,
    in_flight: &InFlight,
    refuse: impl FnOnce(Rejection) -> Response,
) -> Response {
    let runtime = Handle::current();
    match in_flight.write(name, move || runtime.block_on(response)).await {
        Ok(response) => response,
        Err(WriteError::Late) => refuse(Rejection::Busy),
        Err(WriteError::Lost) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn check_host(parts: &Parts, gate: &Gate) -> Result<(), Rejection> {
    let host =
        single(&parts.headers, &HOST).map_err(|_| Rejection::Malformed)?.ok_or(Rejection::Malformed)?;
    let well_formed = !host.is_empty()
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']'))
        && (host.starts_with('[') || host.matches(':').count() <= 1);
    if !well_formed {
        return Err(Rejection::Malformed);
    }
    if !gate.access.knows_authority(host, connection(parts)) {
        return Err(Rejection::WrongHost(opened(parts, host, gate)));
    }
    // An absolute-form target names an authority of its own, which must not be another one.
    match parts.uri.authority() {
        Some(authority) if !authority.as_str().eq_ignore_ascii_case(host) => Err(Rejection::Malformed),
        _ => Ok(()),
    }
}

/// Whether a browser has opened this as a page.
fn is_opened(parts: &Parts) -> bool {
    let types = single(&parts.headers, ACCEPT).ok().flatten();
    parts.method == Method::GET && types.is_some_and(|types| types.contains("text/html"))
}

/// Who asks for what there is not.
fn unknown_caller(parts: &Parts) -> Caller {
    if parts.uri.path().starts_with("/api/") {
        Caller::Script
    } else if is_opened(parts) {
        Caller::Page
    } else {
        Caller::Function
    }
}

/// What a browser has opened under the name `host`, which is not one of the server's; `None` for other requests.
fn opened(parts: &Parts, host: &str, gate: &Gate) -> Option<UnknownAddress> {
    let header = |name| single(&parts.headers, name).ok().flatten();
    is_opened(parts).then(|| {
        let scheme = if header(HeaderName::from_static("x-forwarded-proto")) == Some("https") {
            "https"
        } else {
            "http"
        };
        let link = format!("{scheme}://{host}/");
        let settings = gate.settings.for_link(&link, gate.access.would_allow(host));
        UnknownAddress { address: host.to_owned(), settings }
    })
}

fn check_origin(parts: &Parts, access: &Access) -> Result<(), Rejection> {
    match single(&parts.headers, &ORIGIN) {
        Ok(None) => Ok(()),
        Ok(Some(origin)) if access.knows_origin(origin, connection(parts)) => Ok(()),
        _ => Err(Rejection::CrossSite),
    }
}

/// Browsers say where a request was started. A link to the page may stand anywhere; all else must come from the
/// page itself or from the address bar.
fn check_fetch_site(parts: &Parts, rules: &Rules) -> Result<(), Rejection> {
    let header = |name| single(&parts.headers, name).map_err(|()| Rejection::CrossSite);
    let is_link = rules.is_linkable
        && header("sec-fetch-mode")? == Some("navigate")
        && header("sec-fetch-dest")? == Some("document");
    match header("sec-fetch-site")? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if is_link => Ok(()),
        Some(_) => Err(Rejection::CrossSite),
    }
}

fn check_media_type(parts: &Parts, form: Form) -> Result<(), Rejection> {
    let Some(expected) = form.media_type() else { return Ok(()) };
    if form == Form::MaybeJson && has_no_body(parts) {
        return Ok(());
    }
    let given = single(&parts.headers, &CONTENT_TYPE).unwrap_or_default().unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(expected) && !parts.headers.contains_key(CONTENT_ENCODING) {
        Ok(())
    } else {
        Err(Rejection::MediaType(expected))
    }
}

/// Whether a request says that it comes without a body, and not what it would be.
fn has_no_body(parts: &Parts) -> bool {
    let header = |name| single(&parts.headers, name);
    header(CONTENT_TYPE) == Ok(None)
        && matches!(header(CONTENT_LENGTH), Ok(None | Some("0")))
        && header(TRANSFER_ENCODING) == Ok(None)
}

/// A program sends the key, a browser the cookie, a ticket holder the ticket; for some programs, knowing their owner is enough.
async fn check_login(parts: &Parts, access: &Access, rules: &Rules) -> Result<(), Rejection> {
    let caller = rules.caller_of(parts.uri.path());
    let refused = match access.open_to() {
        _ if rules.is_login => return Ok(()),
        OpenTo::Everyone => return Ok(()),
        OpenTo::Owner => match owner(parts).await {
            Owner::Us | Owner::Root | Owner::Unknown => return Ok(()),
            Owner::Other => Rejection::OtherUser(caller),
        },
        OpenTo::KnownOwner => match owner(parts).await {
            Owner::Us | Owner::Root => return Ok(()),
            Owner::Other => Rejection::OtherUser(caller),
            Owner::Unknown => Rejection::NotLoggedIn(caller),
        },
        OpenTo::NoOne => Rejection::NotLoggedIn(caller),
    };
    let Some(login) = access.login() else { return Err(refused) };
    match single(&parts.headers, &AUTHORIZATION) {
        // A client that sends a key is not a browser; its cookies do not count.
        Ok(Some(value)) if login.knows_bearer(value) => return Ok(()),
        Ok(Some(_)) | Err(()) => return Err(refused),
        Ok(None) => {}
    }
    if !login.knows_cookie(&parts.headers) {
        return Err(refused);
    }
    // Other servers of this host get the cookie as well. Browsers name the origin of everything that changes something.
    let does_something = rules.is_socket || !parts.method.is_safe();
    if does_something && !parts.headers.contains_key(ORIGIN) {
        return Err(Rejection::CrossSite);
    }
    Ok(())
}

/// Whose program sends the request. Without a connection it is a test's.
async fn owner(parts: &Parts) -> Owner {
    match parts.extensions.get::<PeerOwner>() {
        Some(owner) => owner.get().await,
        None => Owner::Unknown,
    }
}

/// The connection that the request came by, where there is one.
pub(crate) fn connection(parts: &Parts) -> Option<ConnectionInfo> {
    parts.extensions.get().copied()
}

/// The only value of a header; two of them, or one that is not ASCII, are an error.
fn single(headers: &HeaderMap, name: impl http::header::AsHeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::rules::BodyLimits;
    use super::{ANSWER_DEADLINE, Endpoint, Gate, Rejection, RequestLang, body, guard, split};
    use crate::serve::{ServerInFlight, WRITE_DEADLINE};
    use crate::{Access, InFlight};
    use app::ReadPool;
    use axum::Router;
    use axum::body::{Body, Bytes};
    use axum::extract::Request;
    use axum::middleware::from_fn_with_state;
    use axum::response::{IntoResponse, Response};
    use http::StatusCode;
    use http_body::Frame;
    use http_body_util::BodyExt;
    use std::future::pending;
    use std::pin::{Pin, pin};
    use std::sync::{Arc, Condvar, Mutex};
    use std::task::{Context, Poll};
    use std::time::Duration;
    use texts::Lang;
    use tokio::sync::Semaphore;
    use tokio::time::{Instant, advance};
    use tower::ServiceExt as _;

    /// A disk that does not answer until the test releases or drops it.
    struct Disk(Arc<SilentState>);

    struct SilentState {
        answers: (Mutex<bool>, Condvar),
        /// A permit for each thread that has begun to wait.
        begun: Semaphore,
    }

    impl SilentState {
        fn wait(&self) -> StatusCode {
            self.begun.add_permits(1);
            let (answers, changed) = &self.answers;
            drop(changed.wait_while(answers.lock().unwrap(), |answers| !*answers).unwrap());
            StatusCode::OK
        }
    }

    impl Disk {
        fn silent() -> Self {
            Self(Arc::new(SilentState { answers: Default::default(), begun: Semaphore::new(0) }))
        }

        fn answer(&self) {
            *self.0.answers.0.lock().unwrap() = true;
            self.0.answers.1.notify_all();
        }

        /// Completes when so many more threads have begun to wait.
        async fn have_begun(&self, count: usize) {
            self.0.begun.acquire_many(u32::try_from(count).unwrap()).await.unwrap().forget();
        }

        /// Whether no more threads have begun to wait than was asked for.
        fn has_no_more(&self) -> bool {
            self.0.begun.available_permits() == 0
        }

        /// One endpoint that reads it, one that writes to it, one that waits without blocking, one that is known without it,
        /// and two that panic.
        fn router(&self) -> Router {
            let (read, written) = (Arc::clone(&self.0), Arc::clone(&self.0));
            let panics = async || -> StatusCode { panic!("on purpose") };
            router_with(vec![
                Endpoint::data("/read", async move || read.wait()),
                Endpoint::report("/api/v1/write", async move || written.wait()),
                Endpoint::ask("/api/v1/pending", pending::<Response>),
                Endpoint::data("/known", async || StatusCode::OK).instant(),
                Endpoint::data("/panic", panics),
                Endpoint::report("/api/v1/panic", panics),
            ])
        }
    }

    impl Drop for Disk {
        /// A runtime waits for its threads.
        fn drop(&mut self) {
            self.answer();
        }
    }

    fn get(path: &str) -> Request {
        Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap()
    }

    /// A request on a connection of this server.
    fn post(path: &str, server: &Arc<ServerInFlight>) -> Request {
        let mut request = Request::post(path).header("host", "localhost:3721").body(Body::empty()).unwrap();
        request.extensions_mut().insert(server.connection());
        request
    }

    async fn json(response: Response) -> serde_json::Value {
        serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_known_is_answered_while_all_reads_wait_for_the_disk() {
        let disk = Disk::silent();
        let router = disk.router();
        // This runtime has one thread that serves.
        let ask = || tokio::spawn(router.clone().oneshot(get("/read")));
        let mut reads: Vec<_> = (0..2).map(|_| ask()).collect();
        disk.have_begun(2).await;
        assert_eq!(router.clone().oneshot(get("/known")).await.unwrap().status(), StatusCode::OK);
        reads.extend((2..ReadPool::LIMIT).map(|_| ask()));
        disk.have_begun(ReadPool::LIMIT - 2).await;
        for (path, status) in [
            ("/known", StatusCode::OK),
            ("/nothing", StatusCode::NOT_FOUND),
            ("/api/v1/write", StatusCode::METHOD_NOT_ALLOWED),
        ] {
            assert_eq!(router.clone().oneshot(get(path)).await.unwrap().status(), status, "{path}");
        }
        let mut late = pin!(router.clone().oneshot(get("/read")));
        assert!(is_pending(late.as_mut()).await);
        advance(ANSWER_DEADLINE).await;
        for read in reads {
            assert_eq!(read.await.unwrap().unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
        }
        let late = late.await.unwrap();
        assert_eq!(late.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(json(late).await["detail"].is_string());
        assert!(disk.has_no_more(), "it has never had a turn");
        assert_eq!(router.clone().oneshot(get("/known")).await.unwrap().status(), StatusCode::OK);
        disk.answer();
        for _ in 0..=ReadPool::LIMIT {
            assert_eq!(router.clone().oneshot(get("/read")).await.unwrap().status(), StatusCode::OK);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_that_waits_without_blocking_ends_at_the_deadline_and_its_turn_with_it() {
        let router = Disk::silent().router();
        for _ in 0..=ReadPool::LIMIT {
            let mut answer = pin!(router.clone().oneshot(get("/api/v1/pending")));
            assert!(is_pending(answer.as_mut()).await);
            // It may begin only now, and has its whole time then.
            let answer = loop {
                tokio::select! {
                    biased;
                    answer = &mut answer => break answer.unwrap(),
                    () = advance(ANSWER_DEADLINE) => {}
                }
            };
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(json(answer).await["code"], "UNAVAILABLE");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_whose_turn_does_not_come_is_refused_and_one_that_was_begun_is_not() {
        const LIMIT: usize = ServerInFlight::WRITE_LIMIT as usize;
        let (disk, server) = (Disk::silent(), ServerInFlight::new(1));
        let router = disk.router();
        let tell = || router.clone().oneshot(post("/api/v1/write", &server));
        let writes: Vec<_> = (0..LIMIT).map(|_| tokio::spawn(tell())).collect();
        disk.have_begun(LIMIT).await;
        let mut late = pin!(tell());
        assert!(is_pending(late.as_mut()).await);
        advance(WRITE_DEADLINE).await;
        let late = late.await.unwrap();
        assert_eq!(late.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(json(late).await["code"], "UNAVAILABLE");
        assert!(disk.has_no_more(), "it was not begun");
        assert!(writes.iter().all(|write| !write.is_finished()));
        disk.answer();
        for write in writes {
            assert_eq!(write.await.unwrap().unwrap().status(), StatusCode::OK);
        }
        assert_eq!(tell().await.unwrap().status(), StatusCode::OK);
        server.written().await;
    }

    #[tokio::test]
    async fn a_handler_that_panics_is_an_internal_error_and_gives_its_turn_back() {
        let server = ServerInFlight::new(1);
        let router = Disk::silent().router();
        for _ in 0..=ReadPool::LIMIT.max(ServerInFlight::WRITE_LIMIT as usize) {
            for request in [get("/panic"), post("/api/v1/panic", &server)] {
                let answer = router.clone().oneshot(request).await.unwrap();
                assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
            }
        }
        server.written().await;
    }

    #[tokio::test]
    async fn the_end_waits_for_what_is_being_written_also_when_the_connection_is_gone() {
        let (disk, server) = (Disk::silent(), ServerInFlight::new(1));
        // The connection is cut off as soon as the writing has begun.
        tokio::select! {
            biased;
            _ = disk.router().oneshot(post("/api/v1/write", &server)) => panic!("answered"),
            () = disk.have_begun(1) => {}
        }
        let mut end = pin!(server.written());
        assert!(is_pending(end.as_mut()).await);
        disk.answer();
        end.await;
    }

    const MIB: usize = 1_048_576;

    /// What `/files` was sent, byte for byte, or why it was not.
    async fn files(RequestLang(lang): RequestLang, body: Body) -> Response {
        let mut count = 0;
        let mut body = body;
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => count += frame.data_ref().map_or(0, Bytes::len),
                Err(error) => return body::rejection(error).respond(lang),
            }
        }
        count.to_string().into_response()
    }

    /// Endpoints behind a gate: one for files, and one that is held.
    fn router() -> Router {
        let news = async || Body::new(ChannelBody(tokio::sync::mpsc::channel(1).1)).into_response();
        router_with(vec![
            Endpoint::form("/files", files).with_files(64 * MIB),
            Endpoint::function("/news", news).held(),
        ])
    }

    fn router_with(table: Vec<Endpoint<()>>) -> Router {
        let (router, rules) = split(table);
        let access = Arc::new(Access::open([127, 0, 0, 1].into(), 3721, ""));
        let gate =
            Gate::new(rules, access, ReadPool::default(), super::LinkSettings::Decide, |_, _| Lang::En);
        router.layer(from_fn_with_state(Arc::new(gate), guard))
    }

    /// A body that brings what it is fed.
    struct ChannelBody(tokio::sync::mpsc::Receiver<Bytes>);

    impl http_body::Body for ChannelBody {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
        }
    }

    fn request(path: &str, media_type: &str, body: Body) -> Request {
        Request::post(path)
            .header("host", "localhost:3721")
            .header("content-type", media_type)
            .body(body)
            .unwrap()
    }

    /// How much of a body is read that comes in chunks of a size, each after a pause, or why it is not; and how long it
    /// takes.
    async fn feed(chunk: usize, pause: u64, count: usize) -> (Result<usize, Rejection>, u64) {
        let begun = Instant::now();
        let (feeder, fed) = tokio::sync::mpsc::channel(1);
        tokio::spawn(async move {
            for _ in 0..count {
                tokio::time::sleep(Duration::from_secs(pause)).await;
                if feeder.send(Bytes::from(vec![0; chunk])).await.is_err() {
                    return;
                }
            }
        });
        let (parts, ()) = Request::new(()).into_parts();
        let limits = BodyLimits::up_to(64 * MIB);
        let mut body =
            body::stream(&parts, Body::new(ChannelBody(fed)), limits, InFlight::default()).unwrap();
        let mut read = Ok(0);
        while let (Ok(count), Some(frame)) = (&mut read, body.frame().await) {
            match frame {
                Ok(frame) => *count += frame.data_ref().map_or(0, Bytes::len),
                Err(error) => read = Err(body::rejection(error)),
            }
        }
        (read, begun.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_read_as_it_comes_keeps_pace_and_limit() {
        // 64 MiB, in about a quarter of the time that they may take.
        assert_eq!(feed(MIB, 4, 64).await, (Ok(64 * MIB), 256));
        // One more.
        assert_eq!(feed(MIB, 0, 65).await, (Err(Rejection::TooLarge(64 * MIB)), 0));
        // It nearly stops.
        let (read, took) = feed(1, 1, 1000).await;
        assert_eq!(read, Err(Rejection::TooSlow));
        assert!((4..=6).contains(&took), "{took}");
        // It keeps pace, but takes too long in all.
        let (read, took) = feed(20 * 1024, 4, 1000).await;
        assert_eq!(read, Err(Rejection::TooSlow));
        assert!((955..=965).contains(&took), "{took}");
    }

    #[tokio::test]
    async fn what_says_that_it_is_too_large_is_not_read() {
        let mut large =
            request("/files", "multipart/form-data; boundary=x", Body::from(vec![0; 64 * MIB + 1]));
        large.headers_mut().insert("expect", "100-continue".parse().unwrap());
        assert_eq!(router().oneshot(large).await.unwrap().status(), StatusCode::PAYLOAD_TOO_LARGE);
        let form = request("/files", "application/x-www-form-urlencoded", Body::empty());
        assert_eq!(router().oneshot(form).await.unwrap().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    #[tokio::test]
    async fn an_answer_is_waited_for_once_all_of_its_body_is_there() {
        let server = ServerInFlight::new(1);
        let in_flight = server.connection();
        let (feeder, fed) = tokio::sync::mpsc::channel(1);
        let mut upload = request("/files", "multipart/form-data; boundary=x", Body::new(ChannelBody(fed)));
        upload.extensions_mut().insert(in_flight.clone());
        let answer = tokio::spawn(router().oneshot(upload));
        feeder.send(Bytes::from_static(b"a")).await.unwrap();
        // The first one is on its way when there is room for the second.
        feeder.send(Bytes::from_static(b"b")).await.unwrap();
        assert!(in_flight.is_idle(), "who still sends can be cut off");
        assert!(!is_pending(pin!(server.written())).await, "nobody is kept from writing");
        drop(feeder);
        assert_eq!(answer.await.unwrap().unwrap().status(), StatusCode::OK);
        assert!(in_flight.is_awaited());
    }

    #[tokio::test]
    async fn what_is_held_is_held_as_long_as_its_answer_goes_on() {
        let server = ServerInFlight::new(1);
        let ask = async || {
            let mut request = request("/news", "application/json", Body::empty());
            request.extensions_mut().insert(server.connection());
            router().oneshot(request).await.unwrap()
        };
        let first = ask().await;
        assert_eq!(first.status(), StatusCode::OK);
        let second = ask().await;
        assert_eq!(second.status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(first);
        assert_eq!(ask().await.status(), StatusCode::OK);
    }

    async fn is_pending(mut future: Pin<&mut impl Future>) -> bool {
        std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
    }
}
