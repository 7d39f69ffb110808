//! `aide plan tick`

mod help;

use super::folders;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, PlanMessage};
use agent::plan::{Parts, System, Tick};
use clap::ArgMatches;
use serde_json::{Value, json};

/// `aide plan tick`
pub(crate) static COMMAND: Command = Command { name: "tick", build, run };

/// What whoever finds the folders in use is told.
const PURPOSE: &str = "plan tick";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(folders::PLAN, words.plan))
        .arg(layout.value("only", "PART", words.only).value_parser(["router", "monitor"]))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let only = folders::plan(&folders, matches)?;
    let parts = match matches.get_one::<String>("only").map(String::as_str) {
        Some("router") => Parts::Router,
        Some("monitor") => Parts::Monitor,
        _ => Parts::All,
    };
    let mut system = System::open(folders, &SystemClock, PURPOSE)?;
    let tick = system.tick(parts, only.as_ref())?;
    let code = if tick.trouble.is_empty() { DONE } else { FAILED };
    if is_set(matches, "json") {
        context.output.json(&told(context, &tick).to_string())?;
    } else {
        if tick.happened.is_empty() && tick.paused.is_empty() && tick.trouble.is_empty() {
            context.output.info(&Message::plan(PlanMessage::NothingHappened));
        }
        for (plan, code) in &tick.paused {
            context.output.warning(&Message::plan(PlanMessage::Paused { plan: plan.clone(), code: *code }));
        }
        for (plan, happened) in tick.happened {
            context.output.info(&Message::plan(PlanMessage::Happened { plan, happened }));
        }
    }
    for (_, error) in tick.trouble {
        context.output.failure(&error.into());
    }
    Ok(code)
}

fn told(context: &Context, tick: &Tick) -> Value {
    let lang = context.output.lang();
    let happened: Vec<Value> = tick
        .happened
        .iter()
        .map(|(plan, happened)| json!({ "plan_id": plan, "message": texts::happened(lang, happened) }))
        .collect();
    let status: Vec<Value> = tick.standing.values().map(|standing| json!(standing.status)).collect();
    json!({ "happened": happened, "paused": tick.paused, "plans": status })
}
