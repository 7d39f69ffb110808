//! What the pages have in common: where they look, and what is said where there is nothing to see.

use crate::answer::html;
use crate::assets::PLAIN;
use app::{NotFound, OtherPages};
use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, Uri};
use std::convert::Infallible;
use texts::{Explain, Lang};

/// The room that the path names after `/p/`; empty where it names none, which is the project that the server was started in.
pub(super) struct InRoom(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for InRoom {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // Not decoded: no name of a room has anything to be escaped.
        let below = parts.uri.path().strip_prefix("/p/").and_then(|path| path.split_once('/'));
        Ok(Self(below.map(|(room, _)| room.to_owned()).unwrap_or_default()))
    }
}

pub(super) fn lost(lang: Lang, elsewhere: OtherPages, lost: NotFound) -> Response {
    let status = match lost {
        NotFound::Unreadable(_) => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::NOT_FOUND,
    };
    html(status, app::render_lost(lang, elsewhere, lost, PLAIN))
}

/// Says why something cannot be shown.
pub(super) fn unreadable(lang: Lang, elsewhere: OtherPages, error: &dyn Explain) -> Response {
    lost(lang, elsewhere, NotFound::Unreadable(error.explain(lang).what))
}

/// Which page of a list is asked for by `?page=…`; the first counts from 1.
pub(super) fn page_number(uri: &Uri) -> usize {
    let mut pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let page = pairs.find_map(|(name, value)| value.parse().ok().filter(|_| name == "page"));
    page.unwrap_or(1_usize).max(1)
}
