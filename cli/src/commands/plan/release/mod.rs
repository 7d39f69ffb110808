//! `aide plan release`

mod help;

use super::folders;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, PlanMessage};
use agent::FolderError;
use clap::ArgMatches;
use model::agent::{Id, ReleaseDecision};

/// `aide plan release`
pub(crate) static COMMAND: Command = Command { name: "release", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(folders::PLAN, words.plan).required(true))
        .arg(layout.value("agent", "NAME", words.agent).required(true))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let Some(plan) = folders::plan(&folders, matches)? else { return Ok(DONE) };
    let name = text(matches, "agent").unwrap_or_default().to_string_lossy().into_owned();
    let agent = name.parse::<Id>().map_err(|_| FolderError::NotAnId { name: name.clone() })?;
    if !folders.agents()?.contains(&agent) {
        return Err(FolderError::Missing { path: name.into() }.into());
    }
    let released = folders.release(&plan, &agent, &SystemClock)?;
    let is_approved = released.manifest.decision == ReleaseDecision::Approve;
    if is_set(matches, "json") {
        context.output.json(&folders::json(&released.manifest)?)?;
        return Ok(if is_approved { DONE } else { FAILED });
    }
    let release = released.manifest.release_id.clone();
    if is_approved {
        context.output.ok(&Message::plan(PlanMessage::Approved { release }));
        return Ok(DONE);
    }
    let what = Message::plan(PlanMessage::Rejected { release });
    let mut failure = Failure::new(what, Message::plan(PlanMessage::SeeEvidence));
    let missing = released.missing.into_iter().map(|name| PlanMessage::MissingEvidence { name });
    let rejected =
        released.rejected.into_iter().map(|(name, why)| PlanMessage::RejectedEvidence { name, why });
    failure.lines.extend(missing.chain(rejected).map(Message::plan));
    Err(failure)
}
