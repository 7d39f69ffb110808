//! What is served of earlier decisions: the list, each of them, and its export.
//!
//! `/history` and the pages below it (`server/src/endpoints/history.rs`, `crates/decide/src/history.rs`, `history.rs` and
//! `record.rs` in `app/src/page`) are plain HTML (Markdown for the export) and keep no state: each request reads the records that
//! it shows, and a search reads on until its page is full. This happens on a thread of its own, so that no submission waits for
//! it. A record that cannot be read is listed with the reason.

use super::Shared;
use super::pages::{InRoom, lost, page_number, unreadable};
use crate::answer::html;
use crate::assets::PLAIN;
use crate::gate::RequestLang;
use app::site;
use app::{Export, Hall, HistoryQuery, NotFound, OtherPages, SetId};
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{StatusCode, Uri};
use model::SessionId;
use std::sync::Arc;
use texts::Lang;

/// `GET /history?q=…&page=…` and `GET /p/{project}/history?…`
pub(super) async fn list(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    InRoom(room): InRoom,
    uri: Uri,
) -> Response {
    let mut pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let search = pairs.find(|(name, _)| name == "q").map(|(_, value)| value.trim().to_owned());
    let query = HistoryQuery { search: search.unwrap_or_default(), page: page_number(&uri), room };
    let hall = &shared.hall;
    let room = hall.project_room(&query.room);
    let elsewhere = hall.elsewhere_in(room.as_ref());
    let Some(room) = room else { return lost(lang, elsewhere, NotFound::Project) };
    let found = (&room.decisions, hall.search_cache());
    match app::render_history(elsewhere, found, lang, &query, PLAIN) {
        Ok(page) => html(StatusCode::OK, page),
        Err(error) => unreadable(lang, hall.elsewhere(), &error),
    }
}

/// `GET /history/<session>`, `GET /history/<session>.md`, and the same in `/p/{project}`, or in the room of what else asks.
pub(super) async fn one(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    InRoom(room): InRoom,
    uri: Uri,
) -> Response {
    // Not decoded: no name of a session has anything to be escaped.
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let (id, is_export) = name.strip_suffix(".md").map_or((name, false), |id| (id, true));
    let hall = &shared.hall;
    let Ok(session) = id.parse::<SessionId>() else {
        return lost(lang, hall.elsewhere(), NotFound::Decision);
    };
    show(hall, lang, &SetId::new(&room, session), is_export)
}

/// The page of the set `set`, or its export; of one that is open, the way there.
pub(super) fn show(hall: &Hall, lang: Lang, set: &SetId, is_export: bool) -> Response {
    let elsewhere = match hall.project_room(set.room()) {
        Some(room) => hall.elsewhere_in(Some(&room)),
        // Of what is asked elsewhere than in a project, no list is kept.
        None => OtherPages { room: set.room().to_owned(), ..OtherPages::default() },
    };
    match hall.record(set) {
        Ok(Some(record)) if is_export => match Export::new(set.session().to_string(), &record) {
            Some(export) => markdown(set.session(), export.markdown(lang)),
            None => lost(lang, elsewhere, NotFound::Decision),
        },
        Ok(Some(record)) => {
            let delivery = hall.delivery(set);
            html(StatusCode::OK, app::render_record(lang, set, &elsewhere, (&record, delivery), PLAIN))
        }
        // What is still open is answered there.
        Ok(None) if !is_export && hall.form(set).is_some() => {
            let is_alone = set.room().is_empty() && hall.open().len() <= 1;
            let path = if is_alone { site::address("/") } else { site::address(format_args!("/d/{set}")) };
            Redirect::to(&format!("{path}?lang={}", lang.code())).into_response()
        }
        Ok(None) => lost(lang, elsewhere, NotFound::Decision),
        Err(error) => unreadable(lang, elsewhere, &error),
    }
}

fn markdown(id: &SessionId, text: String) -> Response {
    let content_type = (CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned());
    // The name of a session is digits, dashes and a `T`.
    let disposition = (CONTENT_DISPOSITION, format!("attachment; filename=\"aide-{id}.md\""));
    ([content_type, disposition], text).into_response()
}
