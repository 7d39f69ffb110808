//! `aide plan lint`

mod help;

use super::authored::{self, Review};
use super::folders::{self, Paths};
use super::providers::Providers;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, PlanMessage};
use crate::output::Tone;
use clap::ArgMatches;
use protocol::agent::{Code, Id};
use serde_json::json;
use std::collections::BTreeSet;

/// `aide plan lint`
pub(crate) static COMMAND: Command = Command { name: "lint", build, run };

const DIR: &str = "DIR";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(DIR, words.dir))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folder = authored::folder(context, text(matches, DIR), COMMAND.name)?;
    let paths = Paths::of_plan(context, matches, &folder, COMMAND.name)?;
    let review = Review::read(&folder, &paths)?;
    // The providers matter only for a plan without errors.
    let complaints = match &review.plan {
        Some(plan) if review.errors() == 0 => {
            let agents: BTreeSet<&Id> = plan.dag.nodes.iter().map(|node| &node.assigned_agent_id).collect();
            Providers::new(context)?.complaints((&paths.agents, context.folder()?), agents.into_iter())
        }
        _ => Vec::new(),
    };
    let (errors, hints) = (review.errors(), review.hints() + complaints.len());
    let code = if errors == 0 { DONE } else { FAILED };
    let output = &context.output;
    if is_set(matches, "json") {
        let lang = context.language.messages;
        let mut object = review.to_json(lang);
        if let Some(findings) = object["findings"].as_array_mut() {
            findings.extend(complaints.iter().map(|complaint| {
                json!({
                    "file": "config.toml", "path": "agent.providers", "code": Code::LlmFailed.name(),
                    "fatal": false, "message": complaint.explain(lang).what,
                })
            }));
        }
        output.json(&object.to_string())?;
        return Ok(code);
    }
    for entry in review.entries {
        let tone = if entry.is_fatal { Tone::Failure } else { Tone::Warning };
        output.marked_entry(tone, &Message::plan(entry.message))?;
    }
    for complaint in &complaints {
        output.entry_about(complaint)?;
    }
    match review.plan {
        Some(plan) if errors == 0 => {
            let (plan, tasks) = (plan.dag.plan_id.clone(), plan.dag.nodes.len());
            output.marked_entry(Tone::Ok, &Message::plan(PlanMessage::IsValid { plan, tasks, hints }))?;
        }
        _ => output.marked_entry(Tone::Failure, &Message::plan(PlanMessage::HasErrors { errors, hints }))?,
    }
    Ok(code)
}
