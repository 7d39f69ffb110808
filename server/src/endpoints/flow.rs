//! What is served of the present task, and of those before it.
//!
//! `/flow`, and `/flow/TASK` for a past task (`server/src/endpoints/flow.rs`, `app/src/page/flow.rs`), are plain HTML as well,
//! with their own style sheet, so that the form does not load more. A few lines of script request `/flow/version` every two
//! seconds and reload the page when the response changes. `timeline.rs` assigns decisions to the phases in which they were made,
//! for both the page and the report (`flow_report.rs`).

use super::Shared;
use super::pages::{InRoom, lost, page_number, unreadable};
use crate::answer::html;
use crate::assets::PLAIN;
use crate::gate::RequestLang;
use ::flow::FlowError;
use app::{FlowQuery, FlowView, Hall, NotFound, PastTask, ProjectRoom};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use model::flow::{FlowStatus, TaskId};
use settings::FlowConfig;
use std::sync::Arc;
use texts::{Explain, Lang};

/// `GET /flow?page=…` and `GET /p/{project}/flow?page=…`
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    InRoom(room): InRoom,
    uri: Uri,
) -> Response {
    let query = FlowQuery { page: page_number(&uri), task: None, room };
    render(&shared.hall, lang, &query)
}

/// `GET /flow/<task>?page=…` and the same in `/p/{project}`: a task by its name, also one of the past.
pub(super) async fn past(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    InRoom(room): InRoom,
    uri: Uri,
) -> Response {
    // Not decoded: no name of a task has anything to be escaped.
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    match name.parse() {
        Ok(task) => {
            let query = FlowQuery { page: page_number(&uri), task: Some(task), room };
            render(&shared.hall, lang, &query)
        }
        Err(_) => lost(lang, shared.hall.elsewhere(), NotFound::Task),
    }
}

/// `GET /flow/version` and `GET /p/{project}/flow/version`: what changes whenever the page does.
pub(super) async fn version(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    InRoom(room): InRoom,
) -> Response {
    let Some(project) = ShownProject::find(&shared.hall, &room) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match project.present() {
        Ok((_, status)) => project.version_of(status.as_ref()).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.explain(lang).what).into_response(),
    }
}

fn render(hall: &Hall, lang: Lang, query: &FlowQuery) -> Response {
    let Some(project) = ShownProject::find(hall, &query.room) else {
        return lost(lang, hall.elsewhere(), NotFound::Project);
    };
    let elsewhere = hall.elsewhere_in(Some(&project.room));
    let found = match &query.task {
        None => project.present(),
        Some(task) => project.task(task),
    };
    let (config, status) = match found {
        Ok((_, None)) if query.task.is_some() => return lost(lang, elsewhere, NotFound::Task),
        Ok(found) => found,
        Err(error) => return unreadable(lang, elsewhere, &*error),
    };
    // Errors in them do not concern the current task.
    let past = if query.task.is_none() && query.page <= 1 {
        project.past(&config).unwrap_or_default()
    } else {
        Vec::new()
    };
    let entries = status.as_ref().map(|status| query.entries(status)).unwrap_or_default();
    let commits: Vec<&str> = entries.iter().filter_map(|entry| entry.git_commit.as_deref()).collect();
    // Without git the rest is still worth seeing.
    let changes = flow::changes(&project.room.project, &commits).unwrap_or_default();
    let version = project.version_of(status.as_ref());
    let shown = FlowView {
        status: status.as_ref(),
        phases: &config.phases,
        changes,
        version,
        past,
        elsewhere: elsewhere.clone(),
    };
    match app::render_flow(lang, query, &shown, &project.room.decisions, PLAIN) {
        Ok(page) => html(StatusCode::OK, page),
        Err(error) => unreadable(lang, elsewhere, &error),
    }
}

/// The project whose task is shown.
struct ShownProject<'h> {
    hall: &'h Hall,
    room: ProjectRoom,
}

impl<'h> ShownProject<'h> {
    /// The project that is called so; `None` where there is none.
    fn find(hall: &'h Hall, room: &str) -> Option<Self> {
        Some(Self { hall, room: hall.project_room(room)? })
    }

    /// The configuration, and the present task, if there is one.
    fn present(&self) -> Result<(FlowConfig, Option<FlowStatus>), Box<dyn Explain>> {
        let config = self.hall.flow_config(&self.room.project)?;
        let status = flow::present(&self.room.project, &config)?;
        Ok((config, status))
    }

    /// The configuration, and the task that is called so, if there is one.
    fn task(&self, task: &TaskId) -> Result<(FlowConfig, Option<FlowStatus>), Box<dyn Explain>> {
        let config = self.hall.flow_config(&self.room.project)?;
        let status = flow::task(&self.room.project, &config, task)?;
        Ok((config, status))
    }

    /// The tasks before the present one, the latest first.
    fn past(&self, config: &FlowConfig) -> Result<Vec<PastTask>, FlowError> {
        let (_, earlier) = flow::tasks(&self.room.project, config)?;
        Ok(earlier.into_iter().map(|task| PastTask { id: task.id, status: task.status.ok() }).collect())
    }

    fn version_of(&self, status: Option<&FlowStatus>) -> String {
        let step = status.map(|status| format!("{}/{}", status.task_id, status.current_step));
        let commit = status.and_then(FlowStatus::newest).and_then(|entry| entry.git_commit.clone());
        // A decision shows as well.
        let decided = self.room.decisions.records().map_or(0, |records| records.len());
        format!("{} {} {decided}", step.unwrap_or_default(), commit.unwrap_or_default())
    }
}
