//! Why a request is not let through, and what it is answered.

use super::rules::Caller;
use crate::answer::{error_response, html, refusal_response};
use crate::assets::{LAST, PLAIN};
use crate::login::BadTicket;
use app::{Notice, SubmitFailure, UnknownAddress};
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use protocol::workflow::{ErrorCode, Refusal};
use std::sync::Arc;
use texts::{Lang, fill};

/// Why a request is not let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rejection {
    Malformed,
    /// With what a browser has opened, if it was one.
    WrongHost(Option<UnknownAddress>),
    /// There is no such path; a person is shown a page that leads on, a script JSON, anything else a line.
    NotFound(Caller),
    /// With the methods that there are.
    MethodNotAllowed(Arc<str>),
    CrossSite,
    /// A login is needed; who asks for it decides in which form that is said.
    NotLoggedIn(Caller),
    /// The same, for another user of this machine than the one that runs the server.
    OtherUser(Caller),
    BadTicket(BadTicket),
    MediaType(&'static str),
    /// With the limit, in bytes.
    TooLarge(usize),
    TooSlow,
    /// The answer was not found in time.
    Stuck,
    /// It writes, and its turn did not come in time: nothing was changed.
    Busy,
    /// Too many requests are held open already.
    TooManyHeld,
}

/// Where the link to a server is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkSettings {
    /// A server of questions: `decide.url` and `decide.auth`.
    Decide,
    /// A daemon: `daemon.url`.
    Daemon,
}

impl LinkSettings {
    /// Returns the commands after which the server may be opened by `link`; `works` when its name needs no login. None where
    /// no setting would help: a daemon that listens on loopback takes no other names than addresses.
    pub(crate) fn for_link(self, link: &str, works: bool) -> Vec<String> {
        let set = |key: &str, value: &str| format!("aide config set --user {key} {value}");
        match (self, works) {
            (Self::Decide, true) => vec![set("decide.url", link)],
            (Self::Decide, false) => vec![set("decide.url", link), set("decide.auth", "always")],
            (Self::Daemon, true) => vec![set("daemon.url", link)],
            (Self::Daemon, false) => Vec::new(),
        }
    }
}

impl Rejection {
    pub(crate) fn respond(self, lang: Lang) -> Response {
        let words = lang.page();
        match self {
            Self::Malformed => {
                error_response(StatusCode::BAD_REQUEST, words.http_refused, words.http_bad_request)
            }
            Self::WrongHost(Some(address)) => {
                let page = app::render_notice(lang, &Notice::UnknownAddress(address), LAST);
                html(StatusCode::MISDIRECTED_REQUEST, page)
            }
            Self::WrongHost(None) => {
                error_response(StatusCode::MISDIRECTED_REQUEST, words.http_refused, words.http_bad_host)
            }
            Self::NotFound(Caller::Page) => {
                html(StatusCode::NOT_FOUND, app::render_notice(lang, &Notice::NoPage, PLAIN))
            }
            Self::NotFound(Caller::Script) => {
                error_response(StatusCode::NOT_FOUND, words.http_not_found, words.http_not_found_detail)
            }
            Self::NotFound(_) => (StatusCode::NOT_FOUND, "Not Found").into_response(),
            Self::MethodNotAllowed(allowed) => {
                (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, &*allowed)], "Method Not Allowed").into_response()
            }
            Self::CrossSite => {
                error_response(StatusCode::FORBIDDEN, words.http_refused, words.http_cross_site)
            }
            Self::NotLoggedIn(caller) => {
                let words = lang.page();
                let texts = (words.logged_out_page, words.http_login);
                not_logged_in(lang, caller, [Notice::LoggedOut, Notice::NotSent], texts)
            }
            Self::OtherUser(caller) => {
                let words = lang.page();
                let texts = (words.other_user_page, words.http_other_user);
                not_logged_in(lang, caller, [Notice::OtherUser, Notice::OtherUserNotSent], texts)
            }
            Self::BadTicket(bad) => {
                let mut response = bad_ticket(lang, bad);
                if bad == BadTicket::TooMany {
                    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
                }
                response
            }
            Self::MediaType(expected) => {
                let detail = fill(words.http_media_type, &[("expected", expected)]);
                error_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, words.http_refused, &detail)
            }
            Self::TooLarge(limit) => {
                let limit = (limit >> 20).to_string();
                let detail = fill(words.http_too_large_detail, &[("limit", &limit)]);
                error_response(StatusCode::PAYLOAD_TOO_LARGE, words.http_too_large, &detail)
            }
            Self::TooManyHeld => {
                error_response(StatusCode::SERVICE_UNAVAILABLE, words.http_stuck, words.http_held_detail)
            }
            Self::TooSlow => {
                error_response(StatusCode::REQUEST_TIMEOUT, words.http_refused, words.http_too_slow)
            }
            Self::Stuck => {
                error_response(StatusCode::SERVICE_UNAVAILABLE, words.http_stuck, words.http_stuck_detail)
            }
            Self::Busy => {
                error_response(StatusCode::SERVICE_UNAVAILABLE, words.http_stuck, words.http_busy_detail)
            }
        }
    }
}

impl Rejection {
    /// The same in the form of the daemon's contract, whose words are the same in every language.
    pub(crate) fn respond_to_program(self) -> Response {
        let words = Lang::En.page();
        let (code, text) = match &self {
            Self::Malformed => (ErrorCode::InvalidRequest, words.http_bad_request.to_owned()),
            Self::WrongHost(_) => (ErrorCode::Misdirected, words.http_bad_host.to_owned()),
            Self::NotFound(_) => (ErrorCode::NotFound, "Not Found".to_owned()),
            Self::MethodNotAllowed(_) => (ErrorCode::MethodNotAllowed, "Method Not Allowed".to_owned()),
            Self::CrossSite => (ErrorCode::Forbidden, words.http_cross_site.to_owned()),
            Self::NotLoggedIn(_) | Self::BadTicket(_) => (
                ErrorCode::Unauthorized,
                "Login required: send the secret in daemon.json as Authorization: Bearer".to_owned(),
            ),
            Self::OtherUser(_) => (
                ErrorCode::Unauthorized,
                "This daemon belongs to another user: send the secret in its daemon.json as Authorization: Bearer"
                    .to_owned(),
            ),
            Self::MediaType(expected) => {
                (ErrorCode::UnsupportedMediaType, fill(words.http_media_type, &[("expected", expected)]))
            }
            Self::TooLarge(limit) => {
                let limit = (limit >> 20).to_string();
                (ErrorCode::PayloadTooLarge, fill(words.http_too_large_detail, &[("limit", &limit)]))
            }
            Self::TooSlow => (ErrorCode::RequestTimeout, words.http_too_slow.to_owned()),
            Self::TooManyHeld => (ErrorCode::Unavailable, words.http_held_detail.to_owned()),
            Self::Stuck => (ErrorCode::Unavailable, words.http_stuck_detail.to_owned()),
            Self::Busy => (ErrorCode::Unavailable, words.http_busy_detail.to_owned()),
        };
        let refusal = Refusal::new(code, text);
        let mut response = refusal_response(&refusal);
        match self {
            Self::MethodNotAllowed(allowed) => {
                if let Ok(allowed) = HeaderValue::from_str(&allowed) {
                    response.headers_mut().insert(ALLOW, allowed);
                }
            }
            Self::NotLoggedIn(_) | Self::OtherUser(_) => {
                response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response
    }
}

/// Says that a login is needed, and how to get in: by a page, in place of the page or of the answer to its form; in words for
/// the page itself, or for scripts.
fn not_logged_in(lang: Lang, caller: Caller, pages: [Notice; 2], (page, script): (&str, &str)) -> Response {
    let [shown, not_sent] = pages;
    let status = StatusCode::UNAUTHORIZED;
    let mut response = match caller {
        Caller::Page => html(status, app::render_notice(lang, &shown, LAST)),
        Caller::Form => html(status, app::render_notice(lang, &not_sent, LAST)),
        // In the form of the page's own failures: it shows them, and keeps what was typed.
        Caller::Function => (status, Json(SubmitFailure::Stale(page.to_owned()))).into_response(),
        Caller::Script | Caller::Program => error_response(status, lang.page().http_refused, script),
    };
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Says why a link does not let in.
fn bad_ticket(lang: Lang, bad: BadTicket) -> Response {
    let (status, notice) = match bad {
        BadTicket::Wrong | BadTicket::Over => (StatusCode::UNAUTHORIZED, Notice::TicketOver),
        BadTicket::TooMany => (StatusCode::TOO_MANY_REQUESTS, Notice::TooManyTickets),
    };
    html(status, app::render_notice(lang, &notice, LAST))
}
