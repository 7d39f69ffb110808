//! Which folders a plan is carried out in, and which plan is meant.

use super::help;
use crate::command_line::layout::{Layout, text};
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use agent::AGENTS;
use agent::plan::{Folders, RUNTIME};
use clap::ArgMatches;
use model::agent::Id;
use std::path::PathBuf;

pub(super) const PLAN: &str = "PLAN";

/// Adds the flags that name the folders.
pub(super) fn flags(layout: Layout, command: clap::Command) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    command.arg(layout.value("agents", "DIR", words.agents)).arg(layout.value(
        "runtime",
        "DIR",
        words.runtime,
    ))
}

/// The folders that are named, else those of the project.
pub(super) fn open(context: &Context, matches: &ArgMatches) -> Result<Folders, Failure> {
    let named = |flag, below| match text(matches, flag) {
        Some(path) => Ok(PathBuf::from(path)),
        None => context.project().map(|project| project.root().join(".aide").join(below)),
    };
    Ok(Folders::open(&named("agents", AGENTS)?, &named("runtime", RUNTIME)?)?)
}

/// The plan that is named, if one is.
pub(super) fn plan(folders: &Folders, matches: &ArgMatches) -> Result<Option<Id>, Failure> {
    let Some(name) = text(matches, PLAN) else { return Ok(None) };
    let plans = folders.plans()?;
    let name = name.to_string_lossy().into_owned();
    match plans.iter().find(|plan| plan.as_str() == name) {
        Some(plan) => Ok(Some(plan.clone())),
        None => {
            let names: Vec<String> = plans.iter().map(ToString::to_string).collect();
            let hint = match names.is_empty() {
                true => PlanMessage::ActivateFirst,
                false => PlanMessage::KnownPlans { names },
            };
            Err(Failure::new(Message::plan(PlanMessage::UnknownPlan { name }), Message::plan(hint)))
        }
    }
}

/// A document as one line of JSON.
pub(super) fn json(document: &impl model::agent::Format) -> Result<String, Failure> {
    serde_json::to_string(document)
        .map_err(|error| Failure::new(Message::Internal { words: error.to_string() }, None))
}
