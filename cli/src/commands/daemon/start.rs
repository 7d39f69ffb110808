//! `aide daemon start` and `aide daemon restart`

use super::super::mcp;
use super::{help, stop};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon::{self, Crew, DaemonFlags, DaemonOutcome, IN_BACKGROUND, LaunchOutcome, LogTo, READY};
use crate::failure::Failure;
use crate::user_daemon::{Place, note_version};
use clap::ArgMatches;
use client::DaemonRegistration;
use std::env;

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
        return run_here(context, &flags);
    }
    // Errors in the configuration are reported before anything is started.
    daemon::settings(context, &flags)?;
    let crew = Crew::read(context)?;
    start(context, &Place::of_user()?, &flags, &crew)
}

fn run_restart(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let place = Place::of_user()?;
    let last = place.open()?.and_then(|dir| DaemonRegistration::last(&dir));
    let flags =
        DaemonFlags::read(context, matches).or(&last.map(DaemonRegistration::into_flags).unwrap_or_default());
    daemon::settings(context, &flags)?;
    let crew = Crew::read(context)?;
    stop::stop(context, &place, is_set(matches, "force"))?;
    start(context, &place, &flags, &crew)
}

fn start(context: &Context, place: &Place, flags: &DaemonFlags, crew: &Crew) -> Result<u8, Failure> {
    match daemon::start(context, place, flags)? {
        LaunchOutcome::Now(running) => {
            told_start(context, running.pid);
            crew.warn(context);
        }
        LaunchOutcome::Before(running) => told_before(context, &running),
        LaunchOutcome::Failed(code) => return Ok(code),
    }
    Ok(DONE)
}

/// Runs the daemon in this process until a signal or a request ends it.
fn run_here(context: &Context, flags: &DaemonFlags) -> Result<u8, Failure> {
    let in_background = env::var_os(IN_BACKGROUND.0).is_some_and(|value| value == IN_BACKGROUND.1);
    if in_background {
        // Away from the terminal it was started in, so that neither its end nor its Ctrl-C is this process's. The leader of
        // a group cannot leave it; then it is on its own already.
        let _ = rustix::process::setsid();
        // The caller has warned.
        context.has_warned.set(true);
    }
    let settings = daemon::settings(context, flags)?;
    let crew = Crew::read(context)?;
    let place = Place::of_user()?;
    let log = if in_background { LogTo::File } else { LogTo::Terminal };
    loop {
        let ready = |running: &DaemonRegistration| {
            if in_background {
                context.output.line(READY);
            } else {
                told_start(context, running.pid);
                crew.warn(context);
            }
        };
        let ended = daemon::run(context, &place, (&settings, flags), (&crew, mcp::for_daemon), log, ready)?;
        match ended {
            DaemonOutcome::Ended(code) => return Ok(code),
            // The process that started this one waits until the other daemon answers.
            DaemonOutcome::AlreadyRunning if in_background => context.output.line(READY),
            DaemonOutcome::AlreadyRunning => match daemon::answering(&place)? {
                Some(running) => told_before(context, &running),
                // It was about to end.
                None => continue,
            },
        }
        return Ok(DONE);
    }
}

fn told_start(context: &Context, pid: u32) {
    context.output.line(&format!("Daemon started with PID {pid}"));
}

fn told_before(context: &Context, running: &DaemonRegistration) {
    context.output.line(&format!("Daemon already running with PID {}", running.pid));
    note_version(context, running);
}
