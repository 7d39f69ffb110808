//! `aide daemon stop`

use super::help;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon::{self, Place, Stopped};
use crate::failure::Failure;
use clap::ArgMatches;

/// `aide daemon stop`
pub(super) static STOP: Command = Command { name: "stop", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(STOP.name, words.stop, "{finger} daemon stop [OPTIONS]", words.stop_after)
        .arg(layout.flag("force", words.force))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    stop(context, &Place::of_user()?, is_set(matches, "force"))
}

/// Ends the daemon, and tells what has come of it.
pub(super) fn stop(context: &Context, place: &Place, force: bool) -> Result<u8, Failure> {
    context.output.line(match daemon::stop(place, force)? {
        Stopped::Now => "Daemon stopped",
        Stopped::Remains => "Invalid PID file removed",
        Stopped::Before => "No PID file found, daemon not running",
    });
    Ok(DONE)
}
