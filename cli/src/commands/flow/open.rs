//! `aide flow open`

use super::{FlowContext, show};
use crate::commands::decide;
use crate::commands::plan;
use crate::failure::Failure;
use crate::host::Resident;
use crate::link;
use crate::messages::Message;
use crate::network;
use crate::server_flags::ServerFlags;
use crate::trust;
use clap::ArgMatches;
use settings::ServerSettings;
use std::ffi::OsStr;
use store::ServerInfo;

/// Shows the page of a task: on the server that runs here, or else on one that this command is, until it is ended.
pub(super) fn run(
    scene: &FlowContext<'_>,
    matches: &ArgMatches,
    task: Option<&OsStr>,
) -> Result<u8, Failure> {
    let (context, project) = (scene.context, scene.project);
    let below = match task {
        Some(_) => format!("/flow/{}", show::find(scene, task)?.task_id),
        None => "/flow".to_owned(),
    };
    let decisions = project.decisions()?;
    if let Some(server) = decisions.live_server()?.filter(network::can_reach) {
        let page = page(&server, &below);
        context.output.info(&Message::OpenLink { url: shown(&server, &page) });
        return decide::open_page(context, &decisions, &server, &page);
    }
    let settings = trust::server_settings(project, context.layers()?, &ServerFlags::read_address(matches))?;
    trust::warn(context, project, settings.ignored);
    let resident = Resident {
        project: project.clone(),
        decisions: project.decisions()?,
        plans: plan::default_folders(context)?,
        settings: ServerSettings { timeout: None, ..settings.value },
    };
    resident.run(context, |server| {
        let page = page(server, &below);
        context.output.info(&Message::ServerStarted);
        context.output.info(&Message::OpenLink { url: shown(server, &page) });
        context.output.notice(&Message::ServesUntilEnded);
        // It is served whether or not a browser shows it.
        if let Err(failure) = decide::open_page(context, &decisions, server, &page) {
            context.output.warning_of(&failure);
        }
    })
}

/// Where `server` shows what is at `below` of this project.
fn page(server: &ServerInfo, below: &str) -> String {
    let room = if server.room.is_empty() { String::new() } else { format!("/p/{}", server.room) };
    format!("{}{room}{below}", server.url.trim_end_matches('/'))
}

/// A link that lets in leads to the questions; the page of the task is one step from there.
fn shown(server: &ServerInfo, page: &str) -> String {
    if link::needs_login(server) { link::login(server) } else { page.to_owned() }
}
