//! `aide daemon status`

use super::{help, load};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon_control::{self, DaemonReport};
use crate::failure::{Failure, UNREACHABLE};
use crate::link;
use crate::user_daemon::{Place, note_version};
use clap::ArgMatches;
use serde_json::json;

/// `aide daemon status`
pub(super) static COMMAND: Command = Command { name: "status", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.status, "{finger} daemon status [OPTIONS]", words.status_after)
        .arg(layout.flag("json", words.json).short('j'))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let running = Place::of_user()?.running()?;
    let (load, modules) = match running.as_ref().map(daemon_control::look) {
        None => (None, None),
        Some(Ok(DaemonReport { load, modules })) => (load, Some(modules)),
        Some(Err(failure)) => (None, Some(Err(failure))),
    };
    if is_set(matches, "json") {
        let problem = modules.as_ref().and_then(|modules| modules.as_ref().err());
        let problem = problem.map(|failure| failure.explain(context.output.lang()).what);
        let status = json!({
            "pid": running.as_ref().map(|running| running.pid),
            "isRunning": running.is_some(),
            "answers": modules.as_ref().map(Result::is_ok),
            "problem": problem,
            "httpPort": running.as_ref().map(|running| running.http_port),
            "wsPort": running.as_ref().map(|running| running.ws_port),
            "url": running.as_ref().map(link::of_daemon),
            "version": running.as_ref().map(|running| &running.version),
            "startedAt": running.as_ref().map(|running| &running.started_at),
            "restarted": running.as_ref().and_then(|running| running.restarted.as_ref()),
            "modules": modules.as_ref().and_then(|modules| modules.as_ref().ok()),
            "load": load,
        });
        context.output.json(&status.to_string())?;
        return Ok(if modules.is_some_and(|modules| modules.is_err()) { UNREACHABLE } else { DONE });
    }
    let Some(running) = running else {
        context.output.line("Daemon is stopped");
        return Ok(DONE);
    };
    context.output.line("Daemon is running");
    for (name, value) in [
        ("PID", running.pid.to_string()),
        ("Pages", link::of_daemon(&running)),
        ("API", running.http_url.clone()),
        ("WebSocket", running.ws_url.clone()),
        ("Version", running.version.clone()),
        ("Started", running.started_at.clone()),
    ] {
        context.output.line(&format!("{name}: {value}"));
    }
    if let Some(reason) = &running.restarted {
        context.output.line(&format!("Restarted: was stuck, {reason}"));
    }
    if let Some(load) = &load {
        for (name, value) in load::lines(context.output.lang(), load) {
            context.output.line(&format!("{name}: {value}"));
        }
    }
    note_version(context, &running);
    match modules {
        Some(Err(failure)) => Err(failure.with_code(UNREACHABLE)),
        _ => Ok(DONE),
    }
}
