//! `aide flow`

mod act;
mod back;
mod list;
mod log;
mod show;
mod status;

use crate::args::FlowRequest;
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{Message, Need};
use crate::output::Tone;
use crate::trust;
use model::flow::{FlowStatus, HistoryEntry};
use serde_json::{Value, json};
use settings::FlowConfig;
use std::ffi::OsStr;
use store::Project;

pub(super) fn run(context: &Context, request: FlowRequest) -> Result<u8, Failure> {
    let project = context.project()?;
    let followed = trust::flow_config(project, context.layers()?)?;
    let warn = || trust::warn(context, project, followed.ignored.iter().copied());
    let scene = Scene { context, project, config: followed.value };
    match request {
        FlowRequest::Act { action, phase, summary, json } => {
            warn();
            act::run(&scene, action, phase.as_deref(), &summary, json)
        }
        FlowRequest::BackConfirm { key, cancel, json } => {
            warn();
            back::confirm(&scene, key.as_deref(), cancel, json)
        }
        FlowRequest::Status { watch: false, json } => status::run(&scene, json),
        FlowRequest::Status { watch: true, json } => status::watch(&scene, json),
        FlowRequest::List { json } => list::run(&scene, json),
        FlowRequest::Log { task, format } => {
            check_format(format.as_deref())?;
            log::run(&scene, task.as_deref())
        }
        FlowRequest::Show { task, json } => show::run(&scene, task.as_deref(), json),
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
struct Scene<'c> {
    context: &'c Context,
    project: &'c Project,
    config: FlowConfig,
}

impl Scene<'_> {
    fn failure(&self, error: flow::FlowError) -> Failure {
        Failure::of_action(error, &self.config.phases)
    }

    fn tell(&self, tone: Tone, message: crate::messages::FlowMessage) {
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
