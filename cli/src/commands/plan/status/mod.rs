//! `aide plan status`

mod help;

use super::folders;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use crate::plans::task_line;
use agent::plan::Folders;
use clap::ArgMatches;
use model::agent::{Id, PlanStatus};
use serde_json::json;
use std::thread;
use std::time::Duration;

/// `aide plan status`
pub(crate) static COMMAND: Command = Command { name: "status", build, run };

/// How often is looked whether something has changed.
const PAUSE: Duration = Duration::from_millis(500);

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(folders::PLAN, words.plan))
        .arg(layout.flag("watch", words.watch))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let only = folders::plan(&folders, matches)?;
    let as_json = is_set(matches, "json");
    let mut before = None;
    loop {
        let statuses = read(&folders, only.as_ref())?;
        if before.as_ref() != Some(&statuses) {
            show(context, &statuses, only.is_some(), as_json, before.is_some())?;
        }
        let is_over = !statuses.is_empty()
            && statuses.iter().flat_map(|status| &status.tasks).all(|task| task.state.is_terminal());
        if !is_set(matches, "watch") || is_over {
            return Ok(DONE);
        }
        before = Some(statuses);
        thread::sleep(PAUSE);
    }
}

fn read(folders: &Folders, only: Option<&Id>) -> Result<Vec<PlanStatus>, Failure> {
    let plans: Vec<Id> = match only {
        Some(plan) => vec![plan.clone()],
        None => folders.plans()?.into_iter().collect(),
    };
    let mut statuses = Vec::new();
    for plan in plans {
        statuses.extend(folders.status(&plan)?);
    }
    Ok(statuses)
}

fn show(
    context: &Context,
    statuses: &[PlanStatus],
    is_one: bool,
    as_json: bool,
    is_again: bool,
) -> Result<(), Failure> {
    if as_json {
        return match statuses {
            [one] if is_one => context.output.json(&folders::json(one)?),
            all => context.output.json(&json!({ "plans": all }).to_string()),
        };
    }
    if statuses.is_empty() {
        context.output.info(&Message::plan(PlanMessage::NoPlans));
        context.output.info(&Message::plan(PlanMessage::ActivateFirst));
        return Ok(());
    }
    if is_again && context.output.is_terminal() {
        context.output.clear();
    }
    for status in statuses {
        let completed = status.summary.as_ref().and_then(|summary| summary.completed).unwrap_or(0);
        let total = status.tasks.len() as u64;
        let head = PlanMessage::Status { plan: status.plan_id.clone(), completed, total };
        context.output.entry(0, &Message::plan(head))?;
        for task in &status.tasks {
            let (tone, line) = task_line(task, None);
            context.output.marked_entry(tone, &Message::plan(line))?;
        }
    }
    Ok(())
}
