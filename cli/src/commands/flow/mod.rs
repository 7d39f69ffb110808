//! `aide flow`

mod act;
mod back;
mod list;
mod log;
mod show;
mod status;

use super::Context;
use crate::args::FlowRequest;
use crate::failure::Failure;
use crate::flow_settings;
use crate::messages::Message;
use crate::output::Tone;
use crate::settings;
use model::flow::{FlowStatus, HistoryEntry};
use serde_json::{Value, json};
use store::{FlowConfig, Project};

pub(super) fn run(context: &Context, request: FlowRequest) -> Result<u8, Failure> {
    let project = context.project()?;
    let (config, untrusted) = flow_settings::flow(&project)?;
    let scene = Scene { context, project, config };
    match request {
        FlowRequest::Act { action, phase, summary, json } => {
            scene.warn(&untrusted);
            act::run(&scene, action, phase.as_deref(), &summary, json)
        }
        FlowRequest::BackConfirm { key, cancel, json } => {
            scene.warn(&untrusted);
            back::confirm(&scene, key.as_deref(), cancel, json)
        }
        FlowRequest::Status { watch: false, json } => status::run(&scene, json),
        FlowRequest::Status { watch: true, json } => status::watch(&scene, json),
        FlowRequest::List { json } => list::run(&scene, json),
        FlowRequest::Log { task, format } => {
            settings::report_format(format.as_deref())?;
            log::run(&scene, task.as_deref())
        }
        FlowRequest::Show { task, json } => show::run(&scene, task.as_deref(), json),
    }
}

/// Where a command of `flow` works.
struct Scene<'c> {
    context: &'c Context,
    project: Project,
    config: FlowConfig,
}

impl Scene<'_> {
    /// Warns of what the configuration says and is not followed, because it is not trusted.
    fn warn(&self, untrusted: &[&'static str]) {
        if !untrusted.is_empty() {
            let (file, keys) = (self.project.config_file(), untrusted.join(", "));
            self.context.output.warning(&Message::NotTrusted { file, keys });
        }
    }

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
