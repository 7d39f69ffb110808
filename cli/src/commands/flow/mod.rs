//! `aide flow`

mod act;
mod args;
mod back;
mod consent;
mod done;
mod help;
mod list;
mod log;
mod open;
mod restore;
mod show;
mod status;

use crate::command_line::Command;
use crate::context::Context;
use crate::failure::Failure;
use crate::known;
use crate::messages::Message;
use crate::output::Tone;
use crate::trust;
use args::Request;
use clap::ArgMatches;
use model::flow::{Action, FlowStatus, HistoryEntry};
use serde_json::{Value, json};
use settings::FlowConfig;
use std::ffi::OsStr;
use store::Project;
use texts::Need;

/// `aide flow`
pub(crate) static COMMAND: Command = Command { name: "flow", build: args::build, run };

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let Some(request) = args::read(matches) else { return Command::run_one_of(&[], context, matches) };
    let project = context.project()?;
    let followed = trust::flow_config(project, context.layers()?)?;
    let warn = || trust::warn(context, project, followed.ignored.iter().copied());
    let scene = FlowContext { context, project, config: followed.value };
    // What is committed fails by itself.
    let commits = match &request {
        Request::Act { action, .. } => *action != Action::BackPart || !scene.config.back_confirm,
        Request::BackConfirm { cancel, .. } => !cancel,
        Request::Restore { .. } => true,
        _ => false,
    };
    if !commits && let Some(error) = flow::repository_missing(project, &scene.config) {
        // What is recorded can be seen all the same.
        context.output.warning_about(&Failure::from(flow::FlowError::from(error)));
    }
    match request {
        Request::Act { action, phase, summary, flags } => {
            warn();
            known::note(project.root());
            act::run(&scene, action, phase.as_deref(), &summary, flags)
        }
        Request::BackConfirm { key, cancel, flags } => {
            warn();
            back::confirm(&scene, key.as_deref(), cancel, flags)
        }
        Request::Restore { step, summary, flags } => {
            warn();
            restore::run(&scene, &step, summary.as_deref(), flags)
        }
        Request::Open { task } => {
            let matches = matches.subcommand().map_or(matches, |(_, below)| below);
            open::run(&scene, matches, task.as_deref())
        }
        Request::Status { watch: false, json } => status::run(&scene, json),
        Request::Status { watch: true, json } => status::watch(&scene, json),
        Request::List { json } => list::run(&scene, json),
        Request::Log { task, format } => {
            check_format(format.as_deref())?;
            log::run(&scene, task.as_deref())
        }
        Request::Show { task, json } => show::run(&scene, task.as_deref(), json),
    }
}

/// There is one format of a report.
fn check_format(flag: Option<&OsStr>) -> Result<(), Failure> {
    match flag.map(|value| value.to_string_lossy()) {
        Some(value) if value != "md" => {
            Err(Failure::flag("--format", value.into_owned(), Need::ReportFormat))
        }
        _ => Ok(()),
    }
}

/// Where a command of `flow` works.
struct FlowContext<'c> {
    context: &'c Context,
    project: &'c Project,
    config: FlowConfig,
}

impl FlowContext<'_> {
    fn print(&self, tone: Tone, message: crate::messages::FlowMessage) {
        self.context.output.outcome(tone, &Message::flow(message));
    }
}

/// The state of a task, with all that is known of it.
fn to_json(status: &FlowStatus) -> Value {
    json!(status)
}

/// An entry as its action tells it: the same fields, whatever is missing as `null`.
fn entry_json(status: &FlowStatus, entry: &HistoryEntry) -> Value {
    json!({
        "task_id": status.task_id.as_str(),
        "action": entry.action,
        "phase": entry.phase,
        "step": entry.step,
        "summary": entry.summary,
        "timestamp": entry.timestamp,
        "git_commit": entry.git_commit,
    })
}
