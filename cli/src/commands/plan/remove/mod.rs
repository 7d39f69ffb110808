//! `aide plan remove`

mod help;

use super::folders::{self, PLAN, Paths};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{AgainMessage, Message, RecordMessage};
use crate::yes::{can_ask, says_yes};
use agent::plan::RemovalOutcome;
use clap::ArgMatches;
use protocol::agent::Id;
use serde_json::json;

/// `aide plan remove`
pub(crate) static COMMAND: Command = Command { name: "remove", build, run };

/// Shown to a program that finds the folders in use.
const PURPOSE: &str = "plan remove";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout).required(true))
        .arg(layout.flag("yes", words.yes))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = Paths::from_args(context, matches)?.open()?;
    let plan = folders::known(Some(&folders), &text(matches, PLAN).unwrap_or_default())?;
    let json = is_set(matches, "json");
    // What is refused is not asked about.
    let open = folders.open_tasks(&plan)?;
    if !open.is_empty() {
        return Err(not_ended(&plan, &open));
    }
    if !is_set(matches, "yes") {
        if !can_ask(json) {
            let name = || plan.to_string();
            let what = Message::again(AgainMessage::CannotAskToRemove { plan: name() });
            return Err(Failure::new(what, Message::again(AgainMessage::RemoveWithYes { plan: name() })));
        }
        context.output.ask(&Message::again(AgainMessage::ReallyRemove { plan: plan.to_string() }));
        if !says_yes() {
            context.output.warning(&Message::record(RecordMessage::NothingRemoved));
            return Ok(FAILED);
        }
    }
    match folders.remove(&plan, PURPOSE)? {
        RemovalOutcome::NotEnded { open } => return Err(not_ended(&plan, &open)),
        RemovalOutcome::Removed if json => {
            context.output.json(&json!({ "plan_id": plan, "removed": true }).to_string())?;
        }
        RemovalOutcome::Removed => {
            context.output.ok(&Message::again(AgainMessage::PlanRemoved { plan: plan.to_string() }));
        }
    }
    Ok(DONE)
}

fn not_ended(plan: &Id, open: &[Id]) -> Failure {
    let tasks = open.iter().map(ToString::to_string).collect();
    let what = AgainMessage::PlanGoesOn { plan: plan.to_string(), tasks };
    Failure::new(Message::again(what), Message::again(AgainMessage::RunOrLook { plan: plan.to_string() }))
}
