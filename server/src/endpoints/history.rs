//! What is served of earlier decisions: the list, each of them, and its export.

use super::Shared;
use crate::answer::html;
use crate::assets::PLAIN;
use crate::gate::RequestLang;
use app::{Export, Hall, HistoryQuery, Lost};
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{StatusCode, Uri};
use model::SessionId;
use std::sync::Arc;
use texts::{Explain, Lang};

/// `GET /history?q=…&page=…`
pub(super) async fn list(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    uri: Uri,
) -> Response {
    let mut query = HistoryQuery { search: String::new(), page: 1 };
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        match &*name {
            "q" => value.trim().clone_into(&mut query.search),
            "page" => query.page = value.parse().unwrap_or(1).max(1),
            _ => {}
        }
    }
    let hall = Arc::clone(&shared.hall);
    reading(move || {
        let Some(decisions) = hall.decisions() else { return lost(lang, Lost::Missing) };
        match app::render_history(hall.elsewhere(), decisions, lang, &query, PLAIN) {
            Ok(page) => html(StatusCode::OK, page),
            Err(error) => unreadable(lang, &error),
        }
    })
    .await
}

/// `GET /history/<session>` and `GET /history/<session>.md`
pub(super) async fn one(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    uri: Uri,
) -> Response {
    // Not decoded: no name of a session has anything to be escaped.
    let name = uri.path().strip_prefix("/history/").unwrap_or_default();
    let (id, is_export) = name.strip_suffix(".md").map_or((name, false), |id| (id, true));
    let Ok(id) = id.parse::<SessionId>() else { return lost(lang, Lost::Missing) };
    let hall = Arc::clone(&shared.hall);
    reading(move || show(&hall, lang, &id, is_export)).await
}

fn show(hall: &Hall, lang: Lang, id: &SessionId, is_export: bool) -> Response {
    let Some(decisions) = hall.decisions() else { return lost(lang, Lost::Missing) };
    match decisions.record(id) {
        Ok(Some(record)) if is_export => match Export::new(id.to_string(), &record) {
            Some(export) => markdown(id, export.markdown(lang)),
            None => lost(lang, Lost::Missing),
        },
        Ok(Some(record)) => html(StatusCode::OK, app::render_record(lang, id, &record, PLAIN)),
        // What is still open is answered there.
        Ok(None) if !is_export && hall.form_named(&id.to_string()).is_some() => {
            let path = if hall.open().len() > 1 { format!("/d/{id}") } else { "/".to_owned() };
            Redirect::to(&format!("{path}?lang={}", lang.code())).into_response()
        }
        Ok(None) => lost(lang, Lost::Missing),
        Err(error) => unreadable(lang, &error),
    }
}

fn markdown(id: &SessionId, text: String) -> Response {
    let content_type = (CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned());
    // The name of a session is digits, dashes and a `T`.
    let disposition = (CONTENT_DISPOSITION, format!("attachment; filename=\"aide-{id}.md\""));
    ([content_type, disposition], text).into_response()
}

pub(super) fn lost(lang: Lang, lost: Lost) -> Response {
    let status = match lost {
        Lost::Missing => StatusCode::NOT_FOUND,
        Lost::Unreadable(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    html(status, app::render_lost(lang, lost, PLAIN))
}

/// Says why something cannot be shown.
pub(super) fn unreadable(lang: Lang, error: &dyn Explain) -> Response {
    lost(lang, Lost::Unreadable(error.explain(lang).what))
}

/// Which page of a list is asked for by `?page=…`; the first counts from 1.
pub(super) fn page_number(uri: &Uri) -> usize {
    let mut pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let page = pairs.find_map(|(name, value)| value.parse().ok().filter(|_| name == "page"));
    page.unwrap_or(1_usize).max(1)
}

/// Runs what may read many files beside the requests that must not wait for it.
pub(super) async fn reading(read: impl FnOnce() -> Response + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(read).await {
        Ok(response) => response,
        // It panicked, or the server is about to end.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
