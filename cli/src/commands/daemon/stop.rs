//! `aide daemon stop`

use super::help;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon_control::{self, StopOutcome};
use crate::everywhere::{OpenOverview, OpenProject};
use crate::failure::Failure;
use crate::messages::Message;
use crate::user_daemon::{self, Place};
use clap::ArgMatches;
use store::Scope;

/// `aide daemon stop`
pub(super) static STOP: Command = Command { name: "stop", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(STOP.name, words.stop, "{finger} daemon stop [OPTIONS]", words.stop_after)
        .arg(layout.flag("force", words.force))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let open = open_sets(context);
    let code = stop(context, &Place::of_user()?, is_set(matches, "force"))?;
    if open > 0 {
        context.output.warning_with(&Message::StillServed { sets: open }, &Message::SeeAll);
    }
    Ok(code)
}

/// How many sets of questions the daemon shows, with those of its workflows; none where no daemon runs.
fn open_sets(context: &Context) -> usize {
    if user_daemon::running().is_none() {
        return 0;
    }
    let found = OpenOverview::look(context);
    let shown = |open: &OpenProject| open.server.as_ref().is_some_and(|server| server.scope == Scope::User);
    let of_projects = found.projects.iter().filter(|open| shown(open)).map(|open| open.entries.len());
    of_projects.sum::<usize>() + found.daemon.map_or(0, |(_, asked)| asked.len())
}

/// Ends the daemon, and tells what has come of it.
pub(super) fn stop(context: &Context, place: &Place, force: bool) -> Result<u8, Failure> {
    context.output.line(match daemon_control::stop(place, force)? {
        StopOutcome::Now => "Daemon stopped",
        StopOutcome::Remains => "Invalid PID file removed",
        StopOutcome::Before => "No PID file found, daemon not running",
    });
    Ok(DONE)
}
