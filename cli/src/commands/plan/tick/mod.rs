//! `aide plan tick`

mod help;
mod json;

use super::folders::{self, PLAN, Paths};
use super::people;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, PlanMessage, RunMessage};
use crate::output::Tone;
use agent::gateway::GatewayEvent;
use agent::plan::{PlanEvent, System, SystemPart, Tick};
use clap::ArgMatches;
use texts::Need;

/// `aide plan tick`
pub(crate) static COMMAND: Command = Command { name: "tick", build, run };

/// Purpose of the folders' locks, shown to other processes.
const PURPOSE: &str = "plan tick";
const PARTS: &[&str] = &["router", "monitor"];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout))
        .arg(layout.value("only", "PART", words.only))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let parts = match text(matches, "only") {
        None => SystemPart::All,
        Some(part) if part == "router" => SystemPart::Router,
        Some(part) if part == "monitor" => SystemPart::Monitor,
        Some(part) => {
            return Err(Failure::flag("--only", part.to_string_lossy().into_owned(), Need::OneOf(PARTS)));
        }
    };
    let folders = Paths::from_args(context, matches)?.open()?;
    let plan = text(matches, PLAN).map(|given| folders::known(Some(&folders), &given)).transpose()?;
    let mut system = System::open(folders, &SystemClock, PURPOSE)?;
    if parts != SystemPart::Monitor {
        if !system.folders().plans()?.is_empty() {
            system.folders().ensure_gateway()?;
        }
        people::ask(context, system.folders(), &context.project()?.decisions()?)?;
    }
    let tick = system.tick(parts, plan.as_ref())?;
    let asked = if parts != SystemPart::Monitor && !tick.happened.is_empty() {
        // What was just asked for is on the page at once.
        people::ask(context, system.folders(), &context.project()?.decisions()?)?
    } else {
        Vec::new()
    };
    let code = if tick.trouble.is_empty() && tick.paused.is_empty() { DONE } else { FAILED };
    if is_set(matches, "json") {
        context.output.json(&json::from_tick(&tick, context.language.messages).to_string())?;
    } else {
        print(context, tick)?;
        for session in asked.into_iter().filter_map(GatewayEvent::asked) {
            context.output.found(&Message::run(RunMessage::HowToAnswer { session }))?;
        }
    }
    Ok(code)
}

fn print(context: &Context, tick: Tick) -> Result<(), Failure> {
    let output = &context.output;
    if tick.happened.is_empty() && tick.trouble.is_empty() && tick.paused.is_empty() {
        return output.found(&Message::plan(PlanMessage::NothingToDo));
    }
    for (plan, happened) in tick.happened {
        let is_bad = matches!(happened, PlanEvent::GivenUp { .. } | PlanEvent::Alerted { .. });
        let message = Message::plan(PlanMessage::Event { plan, happened: Box::new(happened) });
        match is_bad {
            true => output.marked_entry(Tone::Warning, &message)?,
            false => output.found(&message)?,
        }
    }
    for (plan, code) in tick.paused {
        output.warning(&Message::plan(PlanMessage::Paused { plan, code }));
    }
    for (plan, error) in tick.trouble {
        output.warning(&Message::plan(PlanMessage::Trouble { plan, why: error.into() }));
    }
    Ok(())
}
