//! What is served of the present task.

use super::Shared;
use super::history::{lost, page_number, reading, unreadable};
use crate::answer::html;
use crate::assets::PLAIN;
use crate::gate::RequestLang;
use app::{FlowQuery, FlowSeen, Hall, Lost};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use model::flow::FlowStatus;
use settings::FlowConfig;
use std::sync::Arc;
use store::{Decisions, Project};
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
    reading(move || {
        let Some(home) = Home::of(&hall) else { return StatusCode::NOT_FOUND.into_response() };
        match home.present() {
            Ok((_, status)) => home.version_of(status.as_ref()).into_response(),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.explain(lang).what).into_response(),
        }
    })
    .await
}

fn render(hall: &Hall, lang: Lang, query: FlowQuery) -> Response {
    let Some(home) = Home::of(hall) else { return lost(lang, Lost::Missing) };
    let (config, status) = match home.present() {
        Ok(found) => found,
        Err(error) => return unreadable(lang, &*error),
    };
    let entries = status.as_ref().map(|status| query.entries(status)).unwrap_or_default();
    let commits: Vec<&str> = entries.iter().filter_map(|entry| entry.git_commit.as_deref()).collect();
    // Without git the rest is still worth seeing.
    let changes = flow::changes(home.project, &commits).unwrap_or_default();
    let version = home.version_of(status.as_ref());
    let elsewhere = hall.elsewhere();
    let seen = FlowSeen { status: status.as_ref(), phases: &config.phases, changes, version, elsewhere };
    match app::render_flow(lang, query, &seen, home.decisions, PLAIN) {
        Ok(page) => html(StatusCode::OK, page),
        Err(error) => unreadable(lang, &error),
    }
}

/// The project whose task is shown.
struct Home<'h> {
    hall: &'h Hall,
    project: &'h Project,
    decisions: &'h Decisions,
}

impl<'h> Home<'h> {
    /// That of the server; `None` where it belongs to no project.
    fn of(hall: &'h Hall) -> Option<Self> {
        Some(Self { hall, project: hall.project()?, decisions: hall.decisions()? })
    }

    /// The configuration, and the present task, if there is one.
    fn present(&self) -> Result<(FlowConfig, Option<FlowStatus>), Box<dyn Explain>> {
        let config = self.hall.flow_config()?;
        let status = flow::present(self.project, &config)?;
        Ok((config, status))
    }

    fn version_of(&self, status: Option<&FlowStatus>) -> String {
        let step = status.map(|status| format!("{}/{}", status.task_id, status.current_step));
        let commit = status.and_then(FlowStatus::newest).and_then(|entry| entry.git_commit.clone());
        // A decision shows as well.
        let decided = self.decisions.records().map_or(0, |records| records.len());
        format!("{} {} {decided}", step.unwrap_or_default(), commit.unwrap_or_default())
    }
}
