//! A server beside those of the projects: it shows what is open in some of them, where a person reaches it better, until nothing
//! is open there any more.
//!
//! It is known to no other command. Each project's own server goes on as before; the first answer counts.

use super::{Server, ServerInfo};
use super::{failed, flow_config, server_failed, stopped_early, undo};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::link;
use crate::signals::Signals;
use crate::user_files;
use app::{Hall, ProjectRoom};
use decide::LOOK_INTERVAL;
use server::{Access, Key};
use std::sync::Arc;
use store::{Decisions, Project, Scope, Secret};
use workflow::project_id;

/// What is served, and where.
pub(crate) struct GatheredHost {
    pub(crate) rooms: Vec<(Project, Decisions)>,
    /// `localhost` or an IP address.
    pub(crate) host: String,
    /// The first port to try.
    pub(crate) port: u16,
    /// Whether everybody needs a login, also on an address of this machine alone.
    pub(crate) needs_login: bool,
}

impl GatheredHost {
    /// Serves until nothing is open there any more, or a signal comes; the exit code. `ready` gets the link once the page can be
    /// fetched: with a ticket, where a login is needed.
    pub(crate) fn run(
        self,
        context: &Context,
        ready: impl FnOnce(&ServerInfo, &str) -> Result<u8, Failure>,
    ) -> Result<u8, Failure> {
        let bound = server::bind(&self.host, self.port, None)?;
        let key = Key::generate().map_err(|error| server_failed(error.to_string()))?;
        let (host, port) = (bound.host, bound.port);
        let info = ServerInfo {
            pid: std::process::id(),
            port,
            url: bound.default_url(),
            started_at: store::now(),
            scope: Scope::Project,
            bind: self.host.clone(),
            auth: if self.needs_login { "always" } else { "auto" }.to_owned(),
            secret: Secret(key.to_hex()),
            ..ServerInfo::default()
        };
        let access = if self.needs_login {
            Access::guarded(host, port, "", key)
        } else {
            Access::owned(host, port, "", key)
        };
        let hall = self.hall(context);
        let runtime = server::runtime().map_err(|error| failed(&error))?;
        let code = runtime.block_on(async {
            let mut signals = Signals::listen().map_err(|error| failed(&error))?;
            let mut server = Server::start(bound, Arc::clone(&hall), access);
            ready(&info, &link::home(&info))?;
            let code = tokio::select! {
                biased;
                stopped = &mut server.task => return Err(stopped_early(stopped)),
                code = signals.next() => code,
                () = ended(&hall) => DONE,
            };
            server.end(&hall, code == DONE, &mut signals).await?;
            Ok(code)
        });
        // Whatever still runs (half a request, an idle connection) has had its time.
        runtime.shutdown_background();
        code
    }

    fn hall(self, context: &Context) -> Arc<Hall> {
        let mut rooms = self.rooms.into_iter();
        let lang = context.language.page;
        let hall = match (rooms.len(), rooms.next()) {
            // The page of one project is its own, without the name of a room.
            (1, Some((project, decisions))) => Hall::resident(project, decisions, lang),
            (_, first) => {
                let hall = Hall::without_home(lang);
                for (project, decisions) in first.into_iter().chain(rooms) {
                    let name = project_id(&project.root().to_string_lossy());
                    hall.add_project(ProjectRoom { name, project, decisions });
                }
                hall
            }
        };
        Arc::new(hall.with_flow(flow_config).with_undo(undo).with_search(user_files::search_cache()))
    }
}

/// Completes when nothing is open any more.
async fn ended(hall: &Hall) {
    loop {
        tokio::time::sleep(LOOK_INTERVAL).await;
        hall.look();
        if hall.open().is_empty() {
            return;
        }
    }
}
