//! Where a call belongs: the folder that it names or its client works in, and what stands at the addresses of resources.

use super::{SeenResources, Server, blocking, internal};
use crate::backend::{Place, ToolFailure};
use crate::client::is_modern;
use crate::project;
use crate::resources::{Content, ResourceUri};
use crate::work::{self, Arguments};
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a client may take to say where it works.
const ROOTS: Duration = Duration::from_secs(3);

impl Server {
    /// Returns what stands at an address; `None` where there is nothing.
    pub(super) async fn content(
        &self,
        readable: ResourceUri,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<Content>, ErrorData> {
        if readable == ResourceUri::Skill {
            return Ok(Some(Content::Skill));
        }
        let folder = self.folder(&Arguments::new(), context).await.map_err(internal)?;
        let (backend, opened) = (Arc::clone(&self.shared.backend), Arc::clone(&self.shared.opened));
        let content = blocking(move || {
            let project = project::discover(&folder)?;
            let place = opened.get(&project)?;
            readable.content(&*backend, &project, place.as_ref())
        });
        content.await.map_err(internal)
    }

    /// Returns those of `uris` whose content is not what it was when they were looked at last. The first look finds none.
    pub(super) async fn changed(
        &self,
        uris: &[String],
        seen: &mut SeenResources,
        context: &RequestContext<RoleServer>,
    ) -> Vec<String> {
        let mut changed = Vec::new();
        for uri in uris {
            let Some(readable) = ResourceUri::at(uri) else { continue };
            // What cannot be read now is looked at again.
            let Ok(content) = self.content(readable, context).await else { continue };
            if seen.get(uri).is_some_and(|before| *before != content) {
                changed.push(uri.clone());
            }
            seen.insert(uri.clone(), content);
        }
        changed
    }

    /// Does something with the decisions of the project that `folder` is in; `None` where it has none.
    pub(super) async fn at<T: Send + 'static>(
        &self,
        folder: PathBuf,
        work: impl FnOnce(&Place) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<Option<T>, ToolFailure> {
        let opened = Arc::clone(&self.shared.opened);
        blocking(move || {
            let project = project::discover(&folder)?;
            opened.get(&project)?.map(|place| work(&place)).transpose()
        })
        .await
    }

    /// The folder that a call is about.
    pub(super) async fn folder(
        &self,
        arguments: &Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Result<PathBuf, ToolFailure> {
        let current = || {
            let no_folder = |error: std::io::Error| ToolFailure {
                what: format!("There is no current folder: {error}"),
                hint: Some("Pass the path of the project's folder as `project`".to_owned()),
            };
            env::current_dir().map_err(no_folder)
        };
        if let Some(named) = work::text(arguments, "project")?.filter(|named| !named.trim().is_empty()) {
            let named = PathBuf::from(named);
            if self.shared.options.names_project && !named.is_absolute() {
                return Err(ToolFailure {
                    what: format!("`project` must be an absolute path, not {}", json!(named)),
                    hint: None,
                });
            }
            return Ok(if named.is_absolute() { named } else { current()?.join(named) });
        }
        if self.shared.options.names_project {
            return Err(ToolFailure {
                what: "`project` is missing: this server belongs to no project".to_owned(),
                hint: Some("Pass the absolute path of the project's folder as `project`".to_owned()),
            });
        }
        if let Some(project) = self.shared.options.project.clone().or_else(project::from_environment) {
            return Ok(project);
        }
        match self.roots(context).await {
            Some(root) => Ok(root),
            None => current(),
        }
    }

    /// Whether there is such a resource. A server that belongs to no project has those alone that belong to none either: a client
    /// cannot say which project it means.
    pub(super) fn has_resource(&self, uri: &str) -> bool {
        match ResourceUri::at(uri) {
            Some(ResourceUri::Skill) => true,
            Some(_) => !self.shared.options.names_project,
            None => false,
        }
    }

    /// The first folder that a client of an earlier revision says it works in.
    pub(super) async fn roots(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        let has_roots =
            context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if is_modern(context) || !has_roots {
            return None;
        }
        let mut known = self.own.roots.lock().await;
        if known.is_none() {
            let asked = tokio::time::timeout(ROOTS, context.peer.list_roots()).await;
            let folder = match asked {
                Ok(Ok(found)) => found.roots.iter().find_map(|root| project::from_uri(&root.uri)),
                _ => None,
            };
            *known = Some(folder.filter(|folder| folder.is_dir()));
        }
        known.clone().flatten()
    }
}
