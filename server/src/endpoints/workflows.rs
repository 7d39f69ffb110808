//! The pages of workflows, and what a person does there. Only a daemon has them.
//!
//! `/workflows` and `/workflows/{workflow}` (`server/src/endpoints/workflows.rs`, `app/src/page/workflows`) are plain HTML that
//! only a daemon has; each button posts a form to the address of the page, and the response leads back to that page. The pages
//! show one response of `crates/workflow` as of one moment and of limited size (`watch.rs`). Pure functions of `model` determine
//! which phases are past and where a task is drawn (`workflow/line.rs`, `workflow/graph.rs`); `drawn.rs` makes SVG of that. A
//! script (`follow.rs`) reads the stream of events from the event that the page names, requests the page again, and replaces the
//! parts (`data-live`) that have changed, keeping the user's input, the focus and the caret.

use super::pages::{lost, unreadable};
use super::v1::refusal_of;
use super::{Api, Shared};
use crate::answer::html;
use crate::assets::PLAIN;
use crate::gate::{Endpoint, RequestLang};
use app::{Hall, NotFound, SetId, WorkflowPageContext, WorkflowQuery, WorkflowsQuery};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{StatusCode, Uri};
use model::form::with_plain_breaks;
use model::{Origin, Via};
use protocol::workflow::{ErrorCode, Refusal};
use std::collections::BTreeMap;
use std::sync::Arc;
use texts::Lang;
use workflow::{EventPageRequest, Failure, Runtime};

/// How many workflows a page lists.
const PAGE: usize = 50;

/// How many events a page shows.
const EVENTS: u32 = 50;

/// A row for each method of each path.
pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![
        Endpoint::page("/workflows", list),
        Endpoint::page("/workflows/{workflow}", one),
        Endpoint::form("/workflows/{workflow}", act),
        Endpoint::page("/workflows/{workflow}/events/{event}", event),
    ]
}

/// `GET /workflows?state=…&project=…&search=…&page=…`
async fn list(State(shared): State<Arc<Shared>>, RequestLang(lang): RequestLang, uri: Uri) -> Response {
    let Some(api) = &shared.api else { return StatusCode::NOT_FOUND.into_response() };
    let (hall, query) = (&shared.hall, WorkflowsQuery::read(uri.query().unwrap_or_default()));
    let skip = (query.page - 1).saturating_mul(PAGE);
    match api.runtime().list_page(&query.sought, skip, PAGE) {
        Ok(list) => html(StatusCode::OK, app::render_workflows(lang, &query, &list, hall.elsewhere(), PLAIN)),
        Err(failure) => failed(lang, hall, failure),
    }
}

/// `GET /workflows/{workflow}?group=…&before=…&tasks=…`
async fn one(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(id): Path<String>,
    uri: Uri,
) -> Response {
    let Some(api) = &shared.api else { return StatusCode::NOT_FOUND.into_response() };
    let query = WorkflowQuery::read(uri.query().unwrap_or_default());
    show(api, &shared.hall, lang, &id, query, None)
}

/// `GET /workflows/{workflow}/events/{event}`
async fn event(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path((id, event)): Path<(String, String)>,
) -> Response {
    let Some(api) = &shared.api else { return StatusCode::NOT_FOUND.into_response() };
    let elsewhere = shared.hall.elsewhere();
    let found = match event.parse::<i64>() {
        Ok(seq) => api.runtime().watched_event(&id, seq),
        Err(_) => api.runtime().watched_event(&id, 0),
    };
    match found {
        Ok(Some(happened)) => html(StatusCode::OK, app::render_event(lang, &id, &happened, elsewhere, PLAIN)),
        Ok(None) => lost(lang, elsewhere, NotFound::Event(id)),
        Err(failure) => failed(lang, &shared.hall, failure),
    }
}

/// The page, with the error of the action, if there is one.
fn show(
    api: &Api,
    hall: &Hall,
    lang: Lang,
    id: &str,
    query: WorkflowQuery,
    refused: Option<&Refusal>,
) -> Response {
    let wanted = EventPageRequest { group: query.group, before: query.before, limit: EVENTS };
    let status = refused.map_or(200, |refusal| refusal.code.status());
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match api.runtime().watched(id, wanted) {
        Ok(workflow) => {
            let complaint = refused.map(|refusal| lang.workflows().refusal(refusal));
            let elsewhere = hall.elsewhere();
            let context = WorkflowPageContext { query, asked: asked(hall, id), elsewhere, complaint };
            html(status, app::render_workflow(lang, &workflow, &context, PLAIN))
        }
        Err(failure) => failed(lang, hall, failure),
    }
}

/// The open questions of a workflow that have a page of their own, by their names.
fn asked(hall: &Hall, id: &str) -> BTreeMap<String, SetId> {
    let asked = hall.open_forms().into_iter().filter_map(|form| match &form.pending().origin {
        Origin::Workflow { workflow: Some(of), decision, .. } if of == id => {
            Some((decision.clone(), form.id().clone()))
        }
        _ => None,
    });
    asked.collect()
}

fn failed(lang: Lang, hall: &Hall, failure: Failure) -> Response {
    match failure {
        Failure::Refused(refusal) if refusal.code == ErrorCode::WorkflowNotFound => {
            lost(lang, hall.elsewhere(), NotFound::Workflow)
        }
        failure => unreadable(lang, hall.elsewhere(), &failure),
    }
}

/// What was pressed on the page, and what was given with it.
#[derive(Default)]
struct PostedForm {
    action: String,
    decision: String,
    input: String,
    /// What was chosen, or written instead.
    choices: Vec<String>,
}

impl PostedForm {
    fn read(body: &[u8]) -> Self {
        let mut posted = Self::default();
        for (name, value) in form_urlencoded::parse(body) {
            match &*name {
                "action" => posted.action = value.into_owned(),
                "decision" => posted.decision = value.into_owned(),
                "input" => posted.input = with_plain_breaks(&value),
                "choice" => posted.choices.push(value.into_owned()),
                _ => {}
            }
        }
        posted
    }

    /// Does it to this workflow.
    fn act(&self, runtime: &Runtime, id: &str) -> Result<(), Failure> {
        let done = match &*self.action {
            "pause" => runtime.pause(None, id, false),
            "pause-hard" => runtime.pause(None, id, true),
            "resume" => runtime.resume(None, id),
            "resume-interrupted" => runtime.resume_workflow(None, id),
            "cancel" => runtime.cancel(None, id),
            "input" => runtime.input_via(None, id, &self.input, Via::Page),
            "answer" => return self.answer(runtime, id),
            _ => return Err(Refusal::invalid("action is none that there is", "action").into()),
        };
        done.map(drop)
    }

    /// Answers a question of this workflow. Several options are named by their numbers, since a name may have a comma.
    fn answer(&self, runtime: &Runtime, id: &str) -> Result<(), Failure> {
        let decision = runtime.decision(&self.decision)?;
        if decision.workflow_id.as_deref() != Some(id) {
            let refusal = Refusal::new(ErrorCode::DecisionNotFound, "Decision not found");
            return Err(refusal.with("decisionId", &*self.decision).into());
        }
        let options = decision.options.unwrap_or_default();
        let response = match &self.choices[..] {
            [] => return Err(Refusal::missing("Missing response", "response").into()),
            [choice] if options.contains(choice) => choice.clone(),
            [words] => with_plain_breaks(words),
            choices => {
                let number = |choice: &String| {
                    let at = options.iter().position(|option| option == choice);
                    at.map(|at| (at + 1).to_string())
                };
                let numbers: Option<Vec<_>> = choices.iter().map(number).collect();
                numbers.ok_or_else(|| Refusal::invalid("no such option", "response"))?.join(",")
            }
        };
        if model::is_blank(&response) {
            return Err(Refusal::missing("Missing response", "response").into());
        }
        runtime.respond_via(None, &self.decision, &response, Via::Page).map(drop)
    }
}

/// `POST /workflows/{workflow}`: leads back to the page, or shows it with why nothing was done.
async fn act(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(id): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Response {
    let Some(api) = shared.api.clone() else { return StatusCode::NOT_FOUND.into_response() };
    let query = WorkflowQuery::read(uri.query().unwrap_or_default());
    match PostedForm::read(&body).act(api.runtime(), &id) {
        Ok(()) => Redirect::to(&query.address(&id, lang)).into_response(),
        Err(failure) => show(&api, &shared.hall, lang, &id, query, Some(&refusal_of(failure))),
    }
}
