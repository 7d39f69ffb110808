//! `aide plan serve`

mod help;

use super::folders::{self, Paths};
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::Context;
use crate::failure::Failure;
use crate::host::Resident;
use crate::link;
use crate::messages::Message;
use crate::server_flags::ServerFlags;
use crate::trust;
use app::PlanFolders;
use clap::ArgMatches;
use settings::ServerSettings;
use store::ServerInfo;

/// `aide plan serve`
pub(crate) static COMMAND: Command = Command { name: "serve", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .args(ServerFlags::address(layout))
        .args(folders::flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let Paths { agents, runtime } = Paths::from_args(context, matches)?;
    let project = context.project()?;
    let settings = trust::server_settings(project, context.layers()?, &ServerFlags::read_address(matches))?;
    trust::warn(context, project, settings.ignored);
    let resident = Resident {
        project: project.clone(),
        decisions: project.decisions()?,
        plans: PlanFolders { agents, runtime },
        // The timeout for an answer does not apply to a server that waits for none.
        settings: ServerSettings { timeout: None, ..settings.value },
    };
    resident.run(context, |server| {
        context.output.info(&Message::ServerStarted);
        context.output.info(&Message::OpenLink { url: link_to_plans(server) });
        context.output.notice(&Message::ServesUntilEnded);
    })
}

/// A link that lets in leads to the inbox; the page of plans is one step from there.
fn link_to_plans(server: &ServerInfo) -> String {
    if link::needs_login(server) {
        return link::home(server);
    }
    format!("{}/plans", server.url.trim_end_matches('/'))
}
