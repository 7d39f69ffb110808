//! Everything that is served, in one table.
//!
//! One table (`server/src/endpoints/mod.rs`) has a row for each method of each path: the handler, the form of the body, the
//! reader of a refusal, whether a link on another site may lead there, whether the endpoint writes or is held, and its limits.
//! Router and gate are both made from it (`gate/rules.rs`), and the paths are matched by the same library.

mod api;
mod files;
mod flow;
mod form;
mod functions;
mod history;
mod inbox;
mod mcp;
mod page;
mod pages;
mod plans;
mod v1;
mod workflows;

pub use v1::{Api, HostError, QuestionHost};

use crate::Access;
use crate::assets::ASSETS;
use crate::compress;
use crate::gate::{self, Endpoint, Gate, LinkSettings};
use ::mcp::Http;
use app::{Hall, ReadPool};
use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use http::{HeaderMap, StatusCode, Uri};
use std::sync::Arc;
use texts::Lang;
use tower::util::MapRequest;

/// What every endpoint may use.
pub(crate) struct Shared {
    pub(crate) hall: Arc<Hall>,
    pub(crate) access: Arc<Access>,
    /// The API for programs; only a daemon has it.
    pub(crate) api: Option<Api>,
}

/// The table: one row for each method of each path. Whatever is not here does not exist.
fn table() -> Vec<Endpoint<Arc<Shared>>> {
    let mut table = vec![
        Endpoint::page("/", page::show).linkable(),
        Endpoint::page("/index.html", page::show).linkable(),
        // One of several sets.
        Endpoint::page("/d/{session}", page::one),
        Endpoint::data("/inbox/version", inbox::version).held(),
        // A ticket.
        Endpoint::page("/t/{ticket}", page::door).linkable().login(),
        Endpoint::form("/t/{ticket}", page::enter).login(),
        // The form without script, and repeated requests for its address.
        Endpoint::page("/submit", form::back).instant(),
        Endpoint::form("/submit", form::submit),
        Endpoint::page("/d/{session}/submit", form::back_to).instant(),
        Endpoint::form("/d/{session}/submit", form::submit_files).with_files(files::LIMIT),
        Endpoint::page("/history", history::list),
        Endpoint::page("/history/{session}", history::one).or_file(".md"),
        Endpoint::page("/flow", flow::show),
        Endpoint::page("/flow/{task}", flow::past),
        Endpoint::data("/flow/version", flow::version),
        // Of one of several projects.
        Endpoint::page("/p/{project}/history", history::list),
        Endpoint::page("/p/{project}/history/{session}", history::one).or_file(".md"),
        Endpoint::page("/p/{project}/flow", flow::show),
        Endpoint::page("/p/{project}/flow/{task}", flow::past),
        Endpoint::data("/p/{project}/flow/version", flow::version),
        Endpoint::page("/plans", plans::page::list),
        Endpoint::page("/plans/{plan}", plans::page::one),
        Endpoint::data("/version/plans", plans::page::version_of_all),
        Endpoint::data("/version/plans/{plan}", plans::page::version),
        Endpoint::data("/api/plans", plans::api::plans),
        Endpoint::data("/api/plans/{plan}/status", plans::api::status),
        Endpoint::data("/api/plans/{plan}/deliveries", plans::api::deliveries),
        Endpoint::data("/api/plans/{plan}/decisions", plans::api::decisions),
        Endpoint::data("/api/plans/{plan}/acks", plans::api::acks),
        Endpoint::data("/api/plans/{plan}/release_manifest", plans::api::release_manifest),
        Endpoint::data("/api/agents", plans::api::agents),
        Endpoint::data("/api/agents/{agent}", plans::api::agent),
        // For scripts.
        Endpoint::data("/api/items", api::items),
        Endpoint::json("/api/submit", api::submit),
        Endpoint::data("/d/{session}/api/items", api::items_of),
        Endpoint::json("/d/{session}/api/submit", api::submit_to),
        Endpoint::json("/d/{session}/files/{item}", files::attach).with_files(files::LIMIT),
        Endpoint::json("/d/{session}/files/{item}/remove", files::remove),
        // For the hydrated page.
        Endpoint::function("/fn/submit", functions::call),
        Endpoint::function("/fn/draft", functions::call),
        Endpoint::function("/fn/listen", functions::call).held(),
    ];
    let assets = ASSETS.iter().map(|asset| {
        let answer = move |headers: HeaderMap| async move { asset.respond(&headers) };
        Endpoint::data(asset.path, answer).instant()
    });
    table.extend(assets);
    table
}

/// All of it behind the gate, without what only a daemon has.
pub fn router(hall: Arc<Hall>, access: Access) -> Router {
    route(hall, access, table(), None)
}

/// The same with what programs drive a daemon by, and with `mcp`, by which agents ask.
pub fn daemon_router(hall: Arc<Hall>, access: Access, api: Api, mcp: Option<&Arc<Http>>) -> Router {
    let mut table = table();
    table.extend(v1::table());
    table.extend(workflows::table());
    table.extend(mcp.map(mcp::table).unwrap_or_default());
    route(hall, access, table, Some(api))
}

/// Nothing but `mcp`, by which agents ask.
pub fn mcp_router(mcp: &Arc<Http>, access: Access) -> Router {
    let access = Arc::new(access);
    let (router, rules) = gate::split(mcp::table(mcp));
    let reads = ReadPool::default();
    let gate = Gate::new(rules, access, reads, LinkSettings::Decide, |_, _| Lang::En);
    router.layer(from_fn_with_state(Arc::new(gate), gate::guard))
}

/// Nothing but the sockets of a daemon, for a port of their own.
pub fn socket_router(hall: Arc<Hall>, access: Access, api: Api) -> Router {
    route(hall, access, v1::socket_table(), Some(api))
}

fn route(hall: Arc<Hall>, access: Access, mut table: Vec<Endpoint<Arc<Shared>>>, api: Option<Api>) -> Router {
    let access = Arc::new(access);
    if access.login().is_none() {
        table.retain(|endpoint| !endpoint.rules.is_login);
    }
    let (router, rules) = gate::split(table);
    let speaker = Arc::clone(&hall);
    let reads = hall.reads().clone();
    let settings = if api.is_some() { LinkSettings::Daemon } else { LinkSettings::Decide };
    let gate = Gate::new(rules, Arc::clone(&access), reads, settings, move |asked, accepted| {
        speaker.language(asked, accepted)
    });
    let root = access.root();
    let router = router
        .layer(from_fn(compress::pages))
        .layer(from_fn_with_state(Arc::new(gate), gate::guard))
        .with_state(Arc::new(Shared { hall, access, api }));
    if root.is_empty() { router } else { below(root, router) }
}

/// Serves `router` below the path `root` as well: some reverse proxies take away the path that leads to a server, others
/// do not.
fn below(root: &'static str, router: Router) -> Router {
    let strip = move |mut request: Request| {
        if let Some(stripped) = strip(request.uri(), root) {
            *request.uri_mut() = stripped;
        }
        request
    };
    Router::new().fallback_service(MapRequest::new(router, strip))
}

/// Returns `uri` without `root`; `None` where its path does not begin with it.
fn strip(uri: &Uri, root: &str) -> Option<Uri> {
    let path = uri.path().strip_prefix(root)?;
    let path = match path {
        "" => "/",
        path if path.starts_with('/') => path,
        _ => return None,
    };
    let path_and_query = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path_and_query.parse().ok()?);
    Uri::from_parts(parts).ok()
}

/// An endpoint, as documents and tests see it.
#[derive(Debug, Clone)]
pub struct EndpointInfo {
    /// The method; `HEAD` is not listed.
    pub method: http::Method,
    /// The path; what stands in braces is any name.
    pub path: &'static str,
    /// Whether `HEAD` is answered as well.
    pub answers_head: bool,
    /// The one content type that a body may have, where there is a body.
    pub media_type: Option<&'static str>,
    /// Whether it is the login itself.
    pub is_login: bool,
}

/// All endpoints of [`router`], in the order of its table.
pub fn endpoints() -> Vec<EndpointInfo> {
    infos(table())
}

/// The pages that [`daemon_router`] has beside those.
pub fn daemon_pages() -> Vec<EndpointInfo> {
    infos(workflows::table())
}

/// What programs drive [`daemon_router`] by.
pub fn daemon_endpoints() -> Vec<EndpointInfo> {
    infos(v1::table())
}

/// Where agents ask, in [`daemon_router`] and [`mcp_router`].
pub fn mcp_endpoints() -> Vec<EndpointInfo> {
    infos(mcp::rows(async |_| StatusCode::NOT_FOUND))
}

fn infos(table: Vec<Endpoint<Arc<Shared>>>) -> Vec<EndpointInfo> {
    let info = |endpoint: Endpoint<_>| EndpointInfo {
        method: endpoint.rules.method,
        path: endpoint.rules.path,
        answers_head: endpoint.rules.answers_head,
        media_type: endpoint.rules.form.media_type(),
        is_login: endpoint.rules.is_login,
    };
    table.into_iter().map(info).collect()
}
