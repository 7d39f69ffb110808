//! The pages of plans.

use super::known;
use crate::answer::html;
use crate::assets::PLAIN;
use crate::endpoints::Shared;
use crate::endpoints::pages::{lost, page_number, unreadable};
use crate::gate::RequestLang;
use agent::plan::Folders;
use app::{Hall, NotFound, PlanPageContext, PlansQuery, SetId};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use model::Origin;
use protocol::agent::Id;
use std::collections::BTreeMap;
use std::sync::Arc;
use texts::{Explain, Lang};

/// `GET /plans?page=…`
pub(in crate::endpoints) async fn list(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    uri: Uri,
) -> Response {
    let query = PlansQuery { page: page_number(&uri) };
    let hall = &shared.hall;
    let page = hall
        .look_at_plans()
        .and_then(|folders| app::render_plans(lang, query, folders.as_ref(), hall.elsewhere(), PLAIN));
    page.map_or_else(|error| unreadable(lang, hall.elsewhere(), &error), |page| html(StatusCode::OK, page))
}

/// `GET /plans/<plan>`
pub(in crate::endpoints) async fn one(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(name): Path<String>,
) -> Response {
    show(&shared.hall, lang, &name)
}

fn show(hall: &Hall, lang: Lang, name: &str) -> Response {
    let (folders, plan) = match known(hall, name) {
        Ok(Some(known)) => known,
        Ok(None) => return lost(lang, hall.elsewhere(), NotFound::Plan),
        Err(error) => return unreadable(lang, hall.elsewhere(), &error),
    };
    let context = PlanPageContext { asked: asked(hall, &plan), elsewhere: hall.elsewhere() };
    match app::render_plan(lang, &folders, &plan, &context, PLAIN) {
        Ok(page) => html(StatusCode::OK, page),
        Err(error) => unreadable(lang, hall.elsewhere(), &error),
    }
}

/// The requests of a plan that a person can answer now, and where.
fn asked(hall: &Hall, plan: &Id) -> BTreeMap<String, SetId> {
    let open = hall.open_forms().into_iter();
    let asked = open.filter_map(|form| match &form.pending().origin {
        Origin::Agent { plan: of, request, .. } if plan.as_str() == of => {
            Some((request.clone(), form.id().clone()))
        }
        _ => None,
    });
    asked.collect()
}

/// `GET /version/plans`: what changes whenever the page of all plans does.
pub(in crate::endpoints) async fn version_of_all(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
) -> Response {
    let folders = shared.hall.look_at_plans();
    let version = folders.and_then(|folders| folders.map_or(Ok(String::new()), |it| it.version_of_all()));
    version.map_or_else(
        |error| (StatusCode::INTERNAL_SERVER_ERROR, error.explain(lang).what).into_response(),
        IntoResponse::into_response,
    )
}

/// `GET /version/plans/<plan>`: what changes whenever its page does.
pub(in crate::endpoints) async fn version(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(name): Path<String>,
) -> Response {
    let hall = &shared.hall;
    let version_of = |(folders, plan): (Folders, Id)| app::plan_version(&folders, &plan, &asked(hall, &plan));
    match known(hall, &name).and_then(|known| known.map(version_of).transpose()) {
        Ok(Some(version)) => version.into_response(),
        Ok(None) => (StatusCode::NOT_FOUND, lang.plans().no_plan).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.explain(lang).what).into_response(),
    }
}
