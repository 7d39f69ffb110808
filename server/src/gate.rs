//! The request gate: in front of every route, method and asset.
//!
//! A server on loopback is reachable by every web page the person has open. The gate lets through what a page of
//! this very server, or a program of the same user, would send, and nothing else. The order of the checks:
//! who is addressed, what is asked, who asks, in which form, how much.

use crate::login::{BadTicket, TICKET_PATH};
use crate::routes::{self, LISTEN, Shared, error_response};
use crate::{Access, ConnectionInfo, InFlight};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{
    ALLOW, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderMap, Method, StatusCode, request::Parts};
use http_body::Body as _;
use http_body_util::BodyExt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use texts::{Lang, fill};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// The largest body, in bytes: the documented 1 MiB.
pub(crate) const BODY_LIMIT: usize = 1_048_576;
/// How much of a body above that limit is read and thrown away.
const DISCARD_LIMIT: usize = 16 * BODY_LIMIT;
/// How long a body may take to arrive.
const BODY_DEADLINE: Duration = Duration::from_secs(15);
/// How long a body may take to bring the next [`BODY_PACE`] bytes.
const BODY_PAUSE: Duration = Duration::from_secs(5);
/// 1 KiB for each second.
const BODY_PACE: usize = 5 * 1024;
/// How long it may take to find what is asked for.
const ANSWER_DEADLINE: Duration = Duration::from_secs(30);

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// Why a request is not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Malformed,
    WrongHost,
    NotFound,
    MethodNotAllowed(&'static str),
    CrossSite,
    /// A login is needed; who asks for it decides in which form that is said.
    NotLoggedIn(Caller),
    BadTicket(BadTicket),
    MediaType(&'static str),
    TooLarge,
    TooSlow,
    /// The answer was not found in time.
    Stuck,
}

/// Who reads the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A person, who wants to see the page.
    Page,
    /// A person, who has sent the form.
    Form,
    /// The page, on its own.
    Function,
    Script,
}

/// The gate as a layer: refuses, or passes the request on with its body read.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let lang = routes::language(&parts, &shared.session);
    let body = match check(&parts, &shared.access) {
        Ok(()) => read_body(&parts, body).await,
        Err(refused) => Err(refused),
    };
    let response = match body {
        Ok(body) => {
            // Without a connection it is a test's.
            let in_flight: InFlight = parts.extensions.get().cloned().unwrap_or_default();
            in_flight.answering();
            let is_held = parts.uri.path() == LISTEN;
            let is_write = parts.method == Method::POST && !is_held;
            let response = next.run(Request::from_parts(parts, body));
            if is_held {
                hold(response, &in_flight, lang).await
            } else if is_write {
                write(response, &in_flight).await
            } else {
                read(response, lang).await
            }
        }
        Err(refused) => refused.respond(lang),
    };
    crate::headers::complete(response).await
}

/// Waits for the answer to what only reads.
async fn read(response: impl Future<Output = Response>, lang: Lang) -> Response {
    let answered = tokio::time::timeout(ANSWER_DEADLINE, response).await;
    answered.unwrap_or_else(|_| Refused::Stuck.respond(lang))
}

/// Waits for news, which nobody else waits for.
async fn hold(response: impl Future<Output = Response>, in_flight: &InFlight, lang: Lang) -> Response {
    match in_flight.hold() {
        Some(_hold) => read(response, lang).await,
        None => Refused::Stuck.respond(lang),
    }
}

/// Waits for the answer to what writes. That waits for the disk, and for others that write: on a thread of its own, so
/// that nobody else has to. It has no deadline: what was begun goes on, and nobody is to be told that it failed.
async fn write(response: impl Future<Output = Response> + Send + 'static, in_flight: &InFlight) -> Response {
    let write = in_flight.write().await;
    let runtime = Handle::current();
    let answered = tokio::task::spawn_blocking(move || {
        let response = runtime.block_on(response);
        drop(write);
        response
    });
    // Without an answer it has panicked.
    answered.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// Everything that can be told from the head of a request.
pub(crate) fn check(parts: &Parts, access: &Access) -> Result<(), Refused> {
    check_host(parts, access)?;
    let has_door = access.login().is_some();
    let (allowed, media_type) = allowed_methods(parts.uri.path(), has_door).ok_or(Refused::NotFound)?;
    if !allowed.split(", ").any(|method| method == parts.method.as_str()) {
        return Err(Refused::MethodNotAllowed(allowed));
    }
    check_origin(parts, access)?;
    check_fetch_site(parts)?;
    check_media_type(parts, media_type)?;
    check_login(parts, access)
}

/// The methods of each path, and the one content type its posts may have.
fn allowed_methods(path: &str, has_door: bool) -> Option<(&'static str, Option<&'static str>)> {
    match path {
        // Whoever only looks at a link uses up no ticket.
        path if has_door && path.starts_with(TICKET_PATH) => Some(("GET", None)),
        "/" | "/index.html" | "/api/items" => Some(("GET, HEAD", None)),
        "/history" | "/flow" | "/flow/version" => Some(("GET, HEAD", None)),
        path if path.strip_prefix("/history/").is_some_and(|session| !session.contains('/')) => {
            Some(("GET, HEAD", None))
        }
        "/submit" => Some(("GET, HEAD, POST", Some(FORM))),
        "/api/submit" | "/fn/submit" | "/fn/draft" | LISTEN => Some(("POST", Some(JSON))),
        path if crate::assets::ASSETS.iter().any(|asset| asset.path == path) => Some(("GET, HEAD", None)),
        _ => None,
    }
}

fn check_host(parts: &Parts, access: &Access) -> Result<(), Refused> {
    let host = single(&parts.headers, &HOST).map_err(|_| Refused::Malformed)?.ok_or(Refused::Malformed)?;
    let well_formed = !host.is_empty()
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']'))
        && (host.starts_with('[') || host.matches(':').count() <= 1);
    if !well_formed {
        return Err(Refused::Malformed);
    }
    if !access.knows_authority(host, connection(parts)) {
        return Err(Refused::WrongHost);
    }
    // An absolute-form target names an authority of its own, which must not be another one.
    match parts.uri.authority() {
        Some(authority) if !authority.as_str().eq_ignore_ascii_case(host) => Err(Refused::Malformed),
        _ => Ok(()),
    }
}

fn check_origin(parts: &Parts, access: &Access) -> Result<(), Refused> {
    match single(&parts.headers, &ORIGIN) {
        Ok(None) => Ok(()),
        Ok(Some(origin)) if access.knows_origin(origin, connection(parts)) => Ok(()),
        _ => Err(Refused::CrossSite),
    }
}

/// Browsers say where a request was started. A link to the page may stand anywhere; all else must come from the
/// page itself or from the address bar.
fn check_fetch_site(parts: &Parts) -> Result<(), Refused> {
    let header = |name| single(&parts.headers, name).map_err(|()| Refused::CrossSite);
    let path = parts.uri.path();
    let is_link = (matches!(path, "/" | "/index.html") || path.starts_with(TICKET_PATH))
        && matches!(parts.method, Method::GET | Method::HEAD)
        && header("sec-fetch-mode")? == Some("navigate")
        && header("sec-fetch-dest")? == Some("document");
    match header("sec-fetch-site")? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if is_link => Ok(()),
        Some(_) => Err(Refused::CrossSite),
    }
}

fn check_media_type(parts: &Parts, expected: Option<&'static str>) -> Result<(), Refused> {
    let Some(expected) = expected.filter(|_| parts.method == Method::POST) else { return Ok(()) };
    let given = single(&parts.headers, &CONTENT_TYPE).unwrap_or_default().unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(expected) && !parts.headers.contains_key(CONTENT_ENCODING) {
        Ok(())
    } else {
        Err(Refused::MediaType(expected))
    }
}

/// A program shows the key, a browser the cookie, and whoever comes with a ticket shows that.
fn check_login(parts: &Parts, access: &Access) -> Result<(), Refused> {
    let path = parts.uri.path();
    if access.is_open() || access.login().is_some() && path.starts_with(TICKET_PATH) {
        return Ok(());
    }
    let refused = Refused::NotLoggedIn(match path {
        "/submit" if parts.method == Method::POST => Caller::Form,
        "/" | "/index.html" | "/submit" | "/history" | "/flow" => Caller::Page,
        path if path.starts_with("/history/") && !path.ends_with(".md") => Caller::Page,
        path if path.starts_with("/fn/") => Caller::Function,
        _ => Caller::Script,
    });
    let login = access.login().ok_or(refused)?;
    match single(&parts.headers, &AUTHORIZATION) {
        // Whoever shows a key is no browser; its cookies do not count.
        Ok(Some(value)) if login.knows_bearer(value) => return Ok(()),
        Ok(Some(_)) | Err(()) => return Err(refused),
        Ok(None) => {}
    }
    if !login.knows_cookie(&parts.headers) {
        return Err(refused);
    }
    // Other servers of this host get the cookie as well. Browsers name the origin of everything that changes something.
    if parts.method == Method::POST && !parts.headers.contains_key(ORIGIN) {
        return Err(Refused::CrossSite);
    }
    Ok(())
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

async fn read_body(parts: &Parts, mut body: Body) -> Result<Body, Refused> {
    let collected = if body.size_hint().lower() > BODY_LIMIT as u64 {
        // Whoever asks first is not invited, and sends nothing.
        if parts.headers.contains_key(EXPECT) {
            return Err(Refused::TooLarge);
        }
        Err(Refused::TooLarge)
    } else {
        tokio::time::timeout(BODY_DEADLINE, collect(&mut body)).await.unwrap_or(Err(Refused::TooSlow))
    };
    if collected == Err(Refused::TooLarge) {
        tokio::spawn(discard(body));
    }
    collected.map(Body::from)
}

/// The whole body, as long as it keeps the pace and the limit.
async fn collect(body: &mut Body) -> Result<Bytes, Refused> {
    let mut bytes = Vec::new();
    let mut pace = Pace::new();
    loop {
        let frame =
            tokio::time::timeout_at(pace.deadline(), body.frame()).await.map_err(|_| Refused::TooSlow)?;
        let Some(frame) = frame else { return Ok(bytes.into()) };
        // What is no data is a trailer, which nobody reads.
        let Ok(data) = frame.map_err(|_| Refused::Malformed)?.into_data() else { continue };
        if bytes.len() + data.len() > BODY_LIMIT {
            return Err(Refused::TooLarge);
        }
        bytes.extend_from_slice(&data);
        pace.has_brought(bytes.len());
    }
}

/// Reads what is left of a body that is too large while the answer is on its way: many clients send all before they read,
/// and would find the connection reset instead of the answer. Ends where a body that is read would, and at a limit of its
/// own; then the connection is cut.
async fn discard(mut body: Body) {
    let all = async {
        let (mut count, mut pace) = (0, Pace::new());
        while count < DISCARD_LIMIT {
            let frame = tokio::time::timeout_at(pace.deadline(), body.frame()).await;
            let Ok(Some(Ok(frame))) = frame else { return };
            count += frame.data_ref().map_or(0, Bytes::len);
            pace.has_brought(count);
        }
    };
    // Either way there is nothing more to do.
    let _ = tokio::time::timeout(BODY_DEADLINE, all).await;
}

/// Whether a body comes as fast as it must.
struct Pace {
    since: Instant,
    expected: usize,
}

impl Pace {
    fn new() -> Self {
        Self { since: Instant::now(), expected: BODY_PACE }
    }

    /// When the next bytes must be there.
    fn deadline(&self) -> Instant {
        self.since + BODY_PAUSE
    }

    fn has_brought(&mut self, count: usize) {
        if count >= self.expected {
            *self = Self { since: Instant::now(), expected: count + BODY_PACE };
        }
    }
}

impl Refused {
    pub(crate) fn respond(self, lang: Lang) -> Response {
        let words = lang.page();
        match self {
            Self::Malformed => {
                error_response(StatusCode::BAD_REQUEST, words.http_refused, words.http_bad_request)
            }
            Self::WrongHost => {
                error_response(StatusCode::MISDIRECTED_REQUEST, words.http_refused, words.http_bad_host)
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "Not Found").into_response(),
            Self::MethodNotAllowed(allowed) => {
                (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, allowed)], "Method Not Allowed").into_response()
            }
            Self::CrossSite => {
                error_response(StatusCode::FORBIDDEN, words.http_refused, words.http_cross_site)
            }
            Self::NotLoggedIn(caller) => {
                let mut response = routes::not_logged_in(lang, caller);
                response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
                response
            }
            Self::BadTicket(bad) => {
                let mut response = routes::bad_ticket(lang, bad);
                if bad == BadTicket::TooMany {
                    response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("60"));
                }
                response
            }
            Self::MediaType(expected) => {
                let detail = fill(words.http_media_type, &[("expected", expected)]);
                error_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, words.http_refused, &detail)
            }
            Self::TooLarge => error_response(
                StatusCode::PAYLOAD_TOO_LARGE,
                words.http_too_large,
                words.http_too_large_detail,
            ),
            Self::TooSlow => {
                error_response(StatusCode::REQUEST_TIMEOUT, words.http_refused, words.http_too_slow)
            }
            Self::Stuck => {
                error_response(StatusCode::SERVICE_UNAVAILABLE, words.http_stuck, words.http_stuck_detail)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ANSWER_DEADLINE, read, write};
    use crate::serve::ServerInFlight;
    use axum::response::IntoResponse;
    use http::StatusCode;
    use std::future::pending;
    use texts::Lang;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_found_is_not_waited_for_without_end() {
        let began = Instant::now();
        let response = read(pending(), Lang::En).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(began.elapsed() >= ANSWER_DEADLINE);
    }

    #[tokio::test]
    async fn the_end_waits_for_what_is_being_written_also_when_nobody_waits_for_the_answer() {
        let server = ServerInFlight::new(1);
        let in_flight = server.connection();
        let (disk, slow) = tokio::sync::oneshot::channel::<()>();
        let answer = async {
            slow.await.unwrap();
            StatusCode::OK.into_response()
        };
        // The connection is cut off as soon as the writing has begun.
        tokio::select! {
            biased;
            _ = write(answer, &in_flight) => panic!("answered"),
            () = tokio::task::yield_now() => {}
        }
        let mut end = std::pin::pin!(server.written());
        assert!(is_pending(end.as_mut()).await);
        disk.send(()).unwrap();
        end.await;
    }

    async fn is_pending(mut future: std::pin::Pin<&mut impl Future<Output = ()>>) -> bool {
        std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending()))
            .await
    }
}
