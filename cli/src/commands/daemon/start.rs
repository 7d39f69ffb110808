//! `aide daemon start` and `aide daemon restart`

use super::{foreground, help, stop};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon_control::{self, DaemonFlags, LaunchOutcome};
use crate::failure::Failure;
use crate::user_daemon::Place;
use clap::ArgMatches;
use client::DaemonRegistration;
use daemon::Crew;

/// `aide daemon start`
pub(super) static START: Command = Command { name: "start", build: build_start, run: run_start };

/// `aide daemon restart`
pub(super) static RESTART: Command = Command { name: "restart", build: build_restart, run: run_restart };

fn build_start(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(START.name, words.start, "{finger} daemon start [OPTIONS]", words.start_after)
        .args(DaemonFlags::arguments(layout))
        .arg(layout.flag("foreground", words.foreground))
}

fn build_restart(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(RESTART.name, words.restart, "{finger} daemon restart [OPTIONS]", words.restart_after)
        .args(DaemonFlags::arguments(layout))
        .arg(layout.flag("force", words.force))
}

fn run_start(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let flags = DaemonFlags::read(context, matches);
    if is_set(matches, "foreground") {
        return foreground::run(context, &flags);
    }
    // Errors in the configuration are reported before anything is started.
    daemon_control::settings(context, &flags)?;
    let crew = foreground::crew(context)?;
    start(context, &Place::of_user()?, &flags, &crew)
}

fn run_restart(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let place = Place::of_user()?;
    let last = place.open()?.and_then(|dir| DaemonRegistration::last(&dir));
    let flags =
        DaemonFlags::read(context, matches).or(&last.map(DaemonRegistration::into_flags).unwrap_or_default());
    daemon_control::settings(context, &flags)?;
    let crew = foreground::crew(context)?;
    stop::stop(context, &place, is_set(matches, "force"))?;
    start(context, &place, &flags, &crew)
}

fn start(context: &Context, place: &Place, flags: &DaemonFlags, crew: &Crew) -> Result<u8, Failure> {
    match daemon_control::start(context, place, flags)? {
        LaunchOutcome::Now(running) => {
            foreground::told_start(context, running.pid);
            foreground::warn_of_unknown_providers(context, crew);
        }
        LaunchOutcome::Before(running) => foreground::told_before(context, &running),
        LaunchOutcome::Failed(code) => return Ok(code),
    }
    Ok(DONE)
}
