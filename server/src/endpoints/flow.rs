//! What is served of the present task.

use super::Shared;
use super::history::{page_number, reading, unreadable};
use crate::answer::html;
use crate::assets::PLAIN;
use crate::gate::RequestLang;
use app::{FlowQuery, FlowSeen, Hall};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use model::flow::FlowStatus;
use settings::FlowConfig;
use std::sync::Arc;
use texts::{Explain, Lang};

/// `GET /flow?page=…`
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    uri: Uri,
) -> Response {
    let query = FlowQuery { page: page_number(&uri) };
    let hall = Arc::clone(&shared.hall);
    reading(move || render(&hall, lang, query)).await
}

/// `GET /flow/version`: what changes whenever the page does.
pub(super) async fn version(State(shared): State<Arc<Shared>>, RequestLang(lang): RequestLang) -> Response {
    let hall = Arc::clone(&shared.hall);
    reading(move || match present(&hall) {
        Ok((_, status)) => version_of(&hall, status.as_ref()).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.explain(lang).what).into_response(),
    })
    .await
}

fn render(hall: &Hall, lang: Lang, query: FlowQuery) -> Response {
    let (config, status) = match present(hall) {
        Ok(found) => found,
        Err(error) => return unreadable(lang, &*error),
    };
    let entries = status.as_ref().map(|status| query.entries(status)).unwrap_or_default();
    let commits: Vec<&str> = entries.iter().filter_map(|entry| entry.git_commit.as_deref()).collect();
    // Without git the rest is still worth seeing.
    let changes = flow::changes(hall.project(), &commits).unwrap_or_default();
    let version = version_of(hall, status.as_ref());
    let elsewhere = hall.elsewhere();
    let seen = FlowSeen { status: status.as_ref(), phases: &config.phases, changes, version, elsewhere };
    match app::render_flow(lang, query, &seen, hall.decisions(), PLAIN) {
        Ok(page) => html(StatusCode::OK, page),
        Err(error) => unreadable(lang, &error),
    }
}

/// The configuration, and the present task, if there is one.
fn present(hall: &Hall) -> Result<(FlowConfig, Option<FlowStatus>), Box<dyn Explain>> {
    let config = hall.flow_config()?;
    let status = flow::present(hall.project(), &config)?;
    Ok((config, status))
}

fn version_of(hall: &Hall, status: Option<&FlowStatus>) -> String {
    let step = status.map(|status| format!("{}/{}", status.task_id, status.current_step));
    let commit = status.and_then(FlowStatus::newest).and_then(|entry| entry.git_commit.clone());
    // A decision shows as well.
    let decided = hall.decisions().records().map_or(0, |records| records.len());
    format!("{} {} {decided}", step.unwrap_or_default(), commit.unwrap_or_default())
}
