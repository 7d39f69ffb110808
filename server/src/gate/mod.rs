//! The request gate: in front of every route, method and asset.
//!
//! A server on loopback is reachable by every web page the person has open. The gate lets through what a page of
//! this very server, or a program of the same user, would send, and nothing else. The order of the checks:
//! who is addressed, what is asked, who asks, in which form, how much. What there is to be asked, and how, it knows from
//! the table of endpoints.

mod body;
mod rejection;
mod rules;

pub(crate) use rejection::Rejection;
pub(crate) use rules::{Endpoint, split};

use crate::access::OpenTo;
use crate::{Access, ConnectionInfo, InFlight, Owner, PeerOwner};
use axum::body::Body;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{Extension, FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST, ORIGIN, REFERER};
use http::{HeaderMap, Method, StatusCode, request::Parts};
use rules::{Class, Form, PathRules, RuleBook, Rules};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use texts::Lang;
use tokio::runtime::Handle;

/// How long it may take to find what is asked for.
const ANSWER_DEADLINE: Duration = Duration::from_secs(30);

/// Chooses a language, from what was asked for by `?lang=` and from what the browser accepts.
type Speaker = dyn Fn(Option<&str>, Option<&str>) -> Lang + Send + Sync;

/// Who may come in, and what they may ask for.
pub(crate) struct Gate {
    rules: RuleBook,
    access: Arc<Access>,
    speaker: Box<Speaker>,
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
        speaker: impl Fn(Option<&str>, Option<&str>) -> Lang + Send + Sync + 'static,
    ) -> Self {
        Self { rules, access, speaker: Box::new(speaker) }
    }

    /// Everything that can be told from the head of a request: the rules that it keeps.
    async fn check<'r>(&self, parts: &Parts, found: Option<&'r PathRules>) -> Result<&'r Rules, Rejection> {
        check_host(parts, &self.access)?;
        let rules =
            found.ok_or(Rejection::NotFound)?.of(&parts.method).map_err(Rejection::MethodNotAllowed)?;
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
    let (mut parts, body) = request.into_parts();
    let found = gate.rules.of(parts.uri.path());
    let lang = gate.language(&parts, found.is_some_and(PathRules::is_function));
    let response = match admit(&gate, &parts, body, found).await {
        Ok((body, rules)) => {
            // Without a connection it is a test's.
            let in_flight: InFlight = parts.extensions.get().cloned().unwrap_or_default();
            in_flight.answering();
            parts.extensions.insert(RequestLang(lang));
            let response = next.run(Request::from_parts(parts, body));
            match rules.class {
                Class::Quick => read(response, lang).await,
                Class::Write => write(response, &in_flight).await,
                Class::Held => hold(response, &in_flight, lang).await,
            }
        }
        Err(rejection) => rejection.respond(lang),
    };
    crate::headers::complete(response).await
}

/// Checks head and body; the body, and the rules that both keep.
async fn admit<'r>(
    gate: &Gate,
    parts: &Parts,
    body: Body,
    found: Option<&'r PathRules>,
) -> Result<(Body, &'r Rules), Rejection> {
    let rules = gate.check(parts, found).await?;
    Ok((body::read(parts, body, rules.body).await?, rules))
}

/// Waits for the answer to what only reads.
async fn read(response: impl Future<Output = Response>, lang: Lang) -> Response {
    let answered = tokio::time::timeout(ANSWER_DEADLINE, response).await;
    answered.unwrap_or_else(|_| Rejection::Stuck.respond(lang))
}

/// Waits for news, which nobody else waits for.
async fn hold(response: impl Future<Output = Response>, in_flight: &InFlight, lang: Lang) -> Response {
    match in_flight.hold() {
        Some(_hold) => read(response, lang).await,
        None => Rejection::Stuck.respond(lang),
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

fn check_host(parts: &Parts, access: &Access) -> Result<(), Rejection> {
    let host =
        single(&parts.headers, &HOST).map_err(|_| Rejection::Malformed)?.ok_or(Rejection::Malformed)?;
    let well_formed = !host.is_empty()
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']'))
        && (host.starts_with('[') || host.matches(':').count() <= 1);
    if !well_formed {
        return Err(Rejection::Malformed);
    }
    if !access.knows_authority(host, connection(parts)) {
        return Err(Rejection::WrongHost);
    }
    // An absolute-form target names an authority of its own, which must not be another one.
    match parts.uri.authority() {
        Some(authority) if !authority.as_str().eq_ignore_ascii_case(host) => Err(Rejection::Malformed),
        _ => Ok(()),
    }
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
    let given = single(&parts.headers, &CONTENT_TYPE).unwrap_or_default().unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(expected) && !parts.headers.contains_key(CONTENT_ENCODING) {
        Ok(())
    } else {
        Err(Rejection::MediaType(expected))
    }
}

/// A program shows the key, a browser the cookie, and whoever comes with a ticket shows that; of some it is enough to know
/// whose programs they are.
async fn check_login(parts: &Parts, access: &Access, rules: &Rules) -> Result<(), Rejection> {
    let caller = rules.caller_of(parts.uri.path());
    let refused = match access.open_to() {
        _ if rules.is_login => return Ok(()),
        OpenTo::Everybody => return Ok(()),
        OpenTo::Owner => match owner(parts).await {
            Owner::Us | Owner::Root | Owner::Unknown => return Ok(()),
            Owner::Other => Rejection::OtherUser(caller),
        },
        OpenTo::Nobody => Rejection::NotLoggedIn(caller),
    };
    let Some(login) = access.login() else { return Err(refused) };
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
