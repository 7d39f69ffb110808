//! `aide plan result`

mod help;

use super::authored;
use super::folders::{self, PLAN, Paths};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{AgainMessage, Message, PlanMessage};
use agent::plan::{Artifact, Folders, PlanError};
use clap::ArgMatches;
use protocol::agent::{Id, PlanState, PlanStatus};
use serde_json::json;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// `aide plan result`
pub(crate) static COMMAND: Command = Command { name: "result", build, run };

/// So much of a file is printed, in bytes.
const SHOWN: u64 = 256 << 10;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = Paths::from_args(context, matches)?.look()?;
    let plan = match text(matches, PLAN) {
        Some(given) => folders::known(folders.as_ref(), &given)?,
        None => only(context, folders.as_ref())?,
    };
    let Some(folders) = folders else { return Ok(DONE) };
    let artifacts = folders.results(&plan)?;
    let state = folders.status(&plan)?.as_ref().map_or(PlanState::Other, PlanStatus::state);
    if is_set(matches, "json") {
        let files = artifacts.iter().map(|artifact| {
            json!({
                "name": artifact.name, "task_id": artifact.task_id, "output_name": artifact.output_name,
                "file": artifact.file, "path": artifact.path, "bytes": artifact.bytes,
                "sha256": artifact.sha256, "deliverable": artifact.is_deliverable,
            })
        });
        let object = json!({
            "plan_id": plan, "state": state.name(), "artifacts": files.collect::<Vec<_>>(),
        });
        context.output.json(&object.to_string())?;
        return Ok(if artifacts.is_empty() { crate::failure::FAILED } else { DONE });
    }
    if artifacts.is_empty() {
        let hint = if state == PlanState::Completed {
            AgainMessage::MarkDeliverable
        } else {
            AgainMessage::RunOrLook { plan: plan.to_string() }
        };
        let what = AgainMessage::NoResult { plan: plan.to_string() };
        return Err(Failure::new(Message::again(what), Message::again(hint)));
    }
    let root = context.folder()?;
    for (index, artifact) in artifacts.iter().enumerate() {
        if index > 0 {
            context.output.text("\n")?;
        }
        context.output.found(&Message::again(AgainMessage::Artifact {
            name: artifact.name.clone(),
            task: artifact.task_id.to_string(),
            path: shown(&artifact.path, root),
            bytes: artifact.bytes,
        }))?;
        if let Some(words) = words_of(artifact) {
            context.output.text(&words)?;
            if !words.ends_with('\n') {
                context.output.text("\n")?;
            }
        }
    }
    if state != PlanState::Completed {
        context.output.warning(&Message::again(AgainMessage::NotOver { plan: plan.to_string() }));
    }
    Ok(DONE)
}

/// The plan that is meant where none is named.
fn only(context: &Context, folders: Option<&Folders>) -> Result<Id, Failure> {
    let mut all = Vec::new();
    if let Some(folders) = folders {
        all.extend(folders.plans().map_err(PlanError::from)?);
        // A command that was executed by itself may name a plan that there is not.
        let mut activated = Vec::new();
        for plan in &all {
            if folders.manifest(plan)?.is_some() {
                activated.push(plan.clone());
            }
        }
        if !activated.is_empty() {
            all = activated;
        }
    }
    let mut plans = all.into_iter();
    match (plans.next(), plans.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(Message::plan(PlanMessage::NoPlans), authored::how_to_begin(context)?)),
        (Some(first), Some(second)) => {
            let names = [first, second].into_iter().chain(plans).map(|plan| plan.to_string()).collect();
            let what = Message::again(AgainMessage::SeveralPlans);
            Err(Failure::new(what, Message::plan(PlanMessage::KnownPlans { names })))
        }
    }
}

/// A path as it is found from the current folder.
pub(in crate::commands::plan) fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// The text that a file is, unless it is none or too long.
fn words_of(artifact: &Artifact) -> Option<String> {
    if artifact.bytes > SHOWN {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(&artifact.path).ok()?.take(SHOWN + 1).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}
