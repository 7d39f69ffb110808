//! The documented JSON, for scripts.

use super::Shared;
use crate::answer::{error_body, error_response};
use crate::gate::RequestLang;
use app::Form;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use decide::SubmitError;
use http::StatusCode;
use model::{Ending, SyntaxError};
use serde_json::{Value, json};
use std::sync::Arc;
use texts::Lang;

/// `GET /api/items`: the questions in the slot.
pub(super) async fn items(State(shared): State<Arc<Shared>>, RequestLang(lang): RequestLang) -> Response {
    shared.hall.slot().map_or_else(|| no_set(lang), |form| document(&form).into_response())
}

/// `GET /d/{session}/api/items`: those of any set.
pub(super) async fn items_of(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(set): Path<String>,
) -> Response {
    shared.hall.form_named(&set).map_or_else(|| no_set(lang), |form| document(&form).into_response())
}

fn no_set(lang: Lang) -> Response {
    error_response(StatusCode::NOT_FOUND, lang.history().missing, lang.inbox().no_set)
}

/// The questions as they were sent, with the source lines they name.
fn document(form: &Form) -> Json<Value> {
    let mut document = form.questions().document().clone();
    let items = document.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten();
    // Items about one file mostly follow each other: it is read once for them.
    let mut last = None;
    for (value, item) in items.zip(&form.questions().input().items) {
        let Some(location) = &item.location else { continue };
        let source = match last.take() {
            Some((file, source)) if file == &location.file => source,
            _ => form.project().and_then(|project| project.source(&location.file)),
        };
        let (_, source) = last.insert((&location.file, source));
        let excerpt = source.as_ref().and_then(|source| source.excerpt(location.start, location.end));
        if let (Some(excerpt), Some(object)) = (excerpt, value.as_object_mut()) {
            object.insert("source_content".to_owned(), excerpt.lines.join("\n").into());
        }
    }
    Json(Value::Object(document))
}

/// `POST /api/submit`: the documented answers, to the questions in the slot.
pub(super) async fn submit(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    body: Bytes,
) -> Response {
    shared.hall.slot().map_or_else(|| no_set(lang), |form| accept(&form, lang, &body))
}

/// `POST /d/{session}/api/submit`: the same to any set.
pub(super) async fn submit_to(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(set): Path<String>,
    body: Bytes,
) -> Response {
    match (shared.hall.form_named(&set), shared.hall.ending_of(&set)) {
        (Some(form), _) => accept(&form, lang, &body),
        (None, Some(ending)) => refused(SubmitError::Ended(ending), lang),
        (None, None) => no_set(lang),
    }
}

fn accept(form: &Form, lang: Lang, body: &[u8]) -> Response {
    let words = lang.page();
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            let detail = texts::syntax(lang, &SyntaxError::NotUtf8 { offset: error.valid_up_to() });
            return error_response(StatusCode::BAD_REQUEST, words.http_invalid, &detail);
        }
    };
    match form.submit_json(text) {
        Ok(()) => Json(json!({ "success": true, "message": words.http_saved })).into_response(),
        Err(refusal) => refused(refusal, lang),
    }
}

fn refused(refusal: SubmitError, lang: Lang) -> Response {
    let words = lang.page();
    let (status, detail) = (app::status_of(&refusal), app::detail_of(&refusal, lang));
    match refusal {
        SubmitError::Ended(Ending::Decided(output)) => {
            let mut body = error_body(words.http_conflict, &detail);
            body.insert("result".to_owned(), json!(output));
            (status, Json(Value::Object(body))).into_response()
        }
        SubmitError::Ended(_) => error_response(status, words.http_closed, &detail),
        SubmitError::Storage(_) => error_response(status, words.http_save_failed, &detail),
        _ => error_response(status, words.http_invalid, &detail),
    }
}
