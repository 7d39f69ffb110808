//! Plans and agents as JSON (contract/plans §14): documents as they are, lists as `{total,offset,limit,items}`.

use super::known;
use crate::answer::error_response;
use crate::endpoints::Shared;
use crate::gate::RequestLang;
use agent::plan::{DeliveryFilter, Folders, Listing, PlanError, Window};
use app::Hall;
use axum::Json;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{FromRequestParts, Path};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{StatusCode, Uri};
use protocol::agent::{Id, PlanState};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use texts::{Explain, Lang, fill};

/// How many entries a part of a list has, where nothing is said.
const USUAL: usize = 50;
/// How many it can have.
const MAX_ENTRIES: usize = 500;

/// Why there is no JSON to answer with.
enum Refusal {
    NoPlan,
    NoAgent,
    NoDocument,
    /// A parameter, and what it must be.
    Parameter(&'static str, ParameterKind),
    Failed(PlanError),
}

enum ParameterKind {
    Number { least: usize, most: usize },
    TrueOrFalse,
}

impl From<PlanError> for Refusal {
    fn from(error: PlanError) -> Self {
        Self::Failed(error)
    }
}

/// `GET /api/plans`
pub(in crate::endpoints) async fn plans(request: PlansRequest) -> Response {
    let read = |folders: &Folders, window: Window| {
        let plans = folders.plans()?;
        let total = plans.len();
        let items = plans.into_iter().skip(window.offset).take(window.limit);
        Ok(Listing { total, items: items.map(|plan| summary(folders, plan)).collect() })
    };
    request.list(read)
}

/// A plan among all.
fn summary(folders: &Folders, plan: Id) -> Value {
    // What is wrong with one hides no other.
    let (status, open) = (folders.status(&plan), folders.open_requests(&plan));
    let state = match &status {
        Ok(Some(status)) => Some(status.state()),
        Ok(None) => Some(PlanState::Other),
        Err(_) => None,
    };
    let status = status.ok().flatten();
    json!({
        "plan_id": plan,
        "state": state.map(PlanState::name),
        "updated_at": status.as_ref().map(|status| &status.updated_at),
        "summary": status.as_ref().and_then(|status| status.summary.as_ref()),
        "blocked_summary": status.as_ref().map(|status| &status.blocked_summary),
        "open_requests": open.ok().map(|open| open.len()),
    })
}

/// `GET /api/plans/<plan>/status`
pub(in crate::endpoints) async fn status(request: PlansRequest, Path(name): Path<String>) -> Response {
    request.answer_for_plan(&name, |folders, plan, _| document(folders.status(plan)?))
}

/// `GET /api/plans/<plan>/release_manifest`
pub(in crate::endpoints) async fn release_manifest(
    request: PlansRequest,
    Path(name): Path<String>,
) -> Response {
    request.answer_for_plan(&name, |folders, plan, _| document(folders.released(plan)?))
}

/// `GET /api/plans/<plan>/deliveries`
pub(in crate::endpoints) async fn deliveries(request: PlansRequest, Path(name): Path<String>) -> Response {
    let read = |folders: &Folders, plan: &Id, query: &Query| {
        let (window, filter) = (query.window()?, query.filter()?);
        Ok(list(window, folders.deliveries(plan, &filter, window)?))
    };
    request.answer_for_plan(&name, read)
}

/// `GET /api/plans/<plan>/decisions`
pub(in crate::endpoints) async fn decisions(request: PlansRequest, Path(name): Path<String>) -> Response {
    let read = |folders: &Folders, plan: &Id, query: &Query| {
        let window = query.window()?;
        Ok(list(window, folders.decisions(plan, window)?))
    };
    request.answer_for_plan(&name, read)
}

/// `GET /api/plans/<plan>/acks`
pub(in crate::endpoints) async fn acks(request: PlansRequest, Path(name): Path<String>) -> Response {
    let read = |folders: &Folders, plan: &Id, query: &Query| {
        let window = query.window()?;
        Ok(list(window, folders.acks(plan, window)?))
    };
    request.answer_for_plan(&name, read)
}

/// `GET /api/agents`
pub(in crate::endpoints) async fn agents(request: PlansRequest) -> Response {
    request.list(Folders::agent_statuses)
}

/// `GET /api/agents/<agent>`
pub(in crate::endpoints) async fn agent(request: PlansRequest, Path(name): Path<String>) -> Response {
    let read = |hall: &Hall, _: &Query| {
        let (Ok(agent), Some(folders)) = (name.parse::<Id>(), hall.look_at_plans()?) else {
            return Err(Refusal::NoAgent);
        };
        let status = folders.agent_status(&agent)?.ok_or(Refusal::NoAgent)?;
        Ok(json!(status))
    };
    request.answer(read)
}

/// A request for JSON: what it is answered from, in which language, and what was asked for behind the `?`.
pub(in crate::endpoints) struct PlansRequest {
    hall: Arc<Hall>,
    lang: Lang,
    query: Query,
}

impl FromRequestParts<Arc<Shared>> for PlansRequest {
    type Rejection = ExtensionRejection;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Self::Rejection> {
        let RequestLang(lang) = RequestLang::from_request_parts(parts, shared).await?;
        Ok(Self { hall: Arc::clone(&shared.hall), lang, query: Query::from_uri(&parts.uri) })
    }
}

impl PlansRequest {
    fn answer(self, read: impl FnOnce(&Hall, &Query) -> Result<Value, Refusal>) -> Response {
        match read(&self.hall, &self.query) {
            Ok(json) => Json(json).into_response(),
            Err(refusal) => refusal.respond(self.lang),
        }
    }

    /// Answers with what is read of one plan.
    fn answer_for_plan(
        self,
        name: &str,
        read: impl FnOnce(&Folders, &Id, &Query) -> Result<Value, Refusal>,
    ) -> Response {
        let read = |hall: &Hall, query: &Query| {
            let (folders, plan) = known(hall, name)?.ok_or(Refusal::NoPlan)?;
            read(&folders, &plan, query)
        };
        self.answer(read)
    }

    /// Answers with a part of a list, which is empty where there are no plans yet.
    fn list<T: Serialize>(
        self,
        read: impl FnOnce(&Folders, Window) -> Result<Listing<T>, PlanError>,
    ) -> Response {
        let read = |hall: &Hall, query: &Query| {
            let window = query.window()?;
            let listing = match hall.look_at_plans()? {
                Some(folders) => read(&folders, window)?,
                None => Listing { total: 0, items: Vec::new() },
            };
            Ok(list(window, listing))
        };
        self.answer(read)
    }
}

fn document(document: Option<impl Serialize>) -> Result<Value, Refusal> {
    document.map(|document| json!(document)).ok_or(Refusal::NoDocument)
}

fn list(window: Window, listing: Listing<impl Serialize>) -> Value {
    let Window { offset, limit } = window;
    json!({ "total": listing.total, "offset": offset, "limit": limit, "items": listing.items })
}

/// What was asked for behind the `?`. Of what is said twice, the first counts; what is unknown does not.
struct Query(Vec<(String, String)>);

impl Query {
    fn from_uri(uri: &Uri) -> Self {
        let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    fn number(&self, name: &'static str, usual: usize, least: usize, most: usize) -> Result<usize, Refusal> {
        let Some(text) = self.get(name) else { return Ok(usual) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or(Refusal::Parameter(name, ParameterKind::Number { least, most }))
    }

    fn window(&self) -> Result<Window, Refusal> {
        let offset = self.number("offset", 0, 0, usize::MAX)?;
        Ok(Window { offset, limit: self.number("limit", USUAL, 1, MAX_ENTRIES)? })
    }

    fn filter(&self) -> Result<DeliveryFilter, Refusal> {
        let text = |name| self.get(name).map(str::to_owned);
        let without_skipped = match self.get("include_skipped") {
            None | Some("true") => false,
            Some("false") => true,
            Some(_) => return Err(Refusal::Parameter("include_skipped", ParameterKind::TrueOrFalse)),
        };
        Ok(DeliveryFilter { message_id: text("message_id"), task_id: text("task_id"), without_skipped })
    }
}

impl Refusal {
    fn respond(self, lang: Lang) -> Response {
        let words = lang.plans();
        let missing = |detail| error_response(StatusCode::NOT_FOUND, words.not_found, detail);
        match self {
            Self::NoPlan => missing(words.no_plan),
            Self::NoAgent => missing(words.no_agent),
            Self::NoDocument => missing(words.no_document),
            Self::Parameter(name, wanted) => {
                let wanted = match wanted {
                    ParameterKind::TrueOrFalse => words.true_or_false.to_owned(),
                    ParameterKind::Number { least, most: usize::MAX } => {
                        fill(words.at_least, &[("least", &least.to_string())])
                    }
                    ParameterKind::Number { least, most } => {
                        fill(words.between, &[("least", &least.to_string()), ("most", &most.to_string())])
                    }
                };
                let detail = fill(words.bad_parameter, &[("name", name), ("wanted", &wanted)]);
                error_response(StatusCode::BAD_REQUEST, words.invalid, &detail)
            }
            Self::Failed(error) => {
                let detail = error.explain(lang).what;
                error_response(StatusCode::INTERNAL_SERVER_ERROR, words.unreadable, &detail)
            }
        }
    }
}
