//! `aide daemon start` and `aide daemon restart`

use super::super::mcp;
use super::{help, stop};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon::{
    self, Crew, DaemonFlags, DaemonOutcome, IN_BACKGROUND, LaunchOutcome, LogTo, READY, RecoveryReport,
};
use crate::failure::Failure;
use crate::progress::{Progress, Work};
use crate::user_daemon::{Place, note_version};
use clap::ArgMatches;
use client::DaemonRegistration;
use std::env;
use std::time::{Duration, Instant};

/// How often the log of a process in the background says at most how far it is.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

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
        let told = (recovery_report(context, in_background), ready);
        let ended = daemon::run(context, &place, (&settings, flags), (&crew, mcp::for_daemon), log, told)?;
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

/// Shows how far the recovery is; a process in the background, whose caller has ended, writes it to its log.
fn recovery_report(context: &Context, in_background: bool) -> RecoveryReport {
    if in_background {
        let mut last: Option<Instant> = None;
        return Box::new(move |done, total| {
            if done == total || last.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL) {
                last = Some(Instant::now());
                tracing::info!(done, total, "recovering workflows");
            }
        });
    }
    let mut progress = Progress::new(&context.output, Work::Recovery);
    Box::new(move |done, total| progress.at(done as u64, total as u64))
}

fn told_start(context: &Context, pid: u32) {
    context.output.line(&format!("Daemon started with PID {pid}"));
}

fn told_before(context: &Context, running: &DaemonRegistration) {
    context.output.line(&format!("Daemon already running with PID {}", running.pid));
    note_version(context, running);
}
