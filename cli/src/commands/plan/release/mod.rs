//! `aide plan release`

mod help;

use super::folders::{self, PLAN, Paths};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, PlanMessage};
use crate::output::Tone;
use agent::plan::{Folders, PLAN_MANIFEST, PlanError};
use clap::ArgMatches;
use protocol::agent::{Id, ReleaseDecision};
use serde_json::json;
use std::ffi::OsStr;

/// `aide plan release`
pub(crate) static COMMAND: Command = Command { name: "release", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout).required(true))
        .arg(layout.value("agent", "AGENT", words.agent).required(true))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = Paths::from_args(context, matches)?.open()?;
    let plan = folders::known(Some(&folders), &text(matches, PLAN).unwrap_or_default())?;
    let agent = agent(&folders, &text(matches, "agent").unwrap_or_default())?;
    let released = folders.release(&plan, &agent, &SystemClock).map_err(|error| match error {
        PlanError::Missing { path } if path.ends_with(PLAN_MANIFEST) => {
            let what = Message::plan(PlanMessage::NoManifest { plan: plan.clone() });
            Failure::new(what, Message::plan(PlanMessage::AddManifest))
        }
        error => error.into(),
    })?;
    let is_approved = released.manifest.decision == ReleaseDecision::Approve;
    let code = if is_approved { DONE } else { FAILED };
    let output = &context.output;
    if is_set(matches, "json") {
        let rejected: Vec<_> =
            released.rejected.iter().map(|(name, why)| json!({ "name": name, "reason": why })).collect();
        let object = json!({
            "plan_id": plan,
            "release_id": released.manifest.release_id,
            "decision": released.manifest.decision,
            "missing": released.missing,
            "rejected": rejected,
        });
        output.json(&object.to_string())?;
        return Ok(code);
    }
    let tone = if is_approved { Tone::Ok } else { Tone::Failure };
    let release = released.manifest.release_id;
    output.marked_entry(tone, &Message::plan(PlanMessage::Released { release, is_approved }))?;
    for name in released.missing {
        output.entry(2, &Message::plan(PlanMessage::EvidenceMissing { name }))?;
    }
    for (name, why) in released.rejected {
        output.entry(2, &Message::plan(PlanMessage::EvidenceRejected { name, why }))?;
    }
    Ok(code)
}

/// The agent of this name, which must have a folder.
fn agent(folders: &Folders, given: &OsStr) -> Result<Id, Failure> {
    let agents = folders.agents().map_err(PlanError::from)?;
    let name = given.to_string_lossy().into_owned();
    let agent = name.parse().ok().filter(|agent| agents.contains(agent));
    agent.ok_or_else(|| {
        let names = agents.iter().map(ToString::to_string).collect();
        let hint = Message::plan(PlanMessage::KnownAgents { names });
        Failure::new(Message::plan(PlanMessage::UnknownAgent { name }), hint)
    })
}
