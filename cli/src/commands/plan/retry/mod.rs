//! `aide plan retry`

mod help;

use super::folders::{self, Paths};
use super::user;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{AgainMessage, Message};
use agent::plan::{Folders, PlanError, RetryOrder, RetryOutcome};
use clap::ArgMatches;
use protocol::agent::{Id, State};
use serde_json::json;

/// `aide plan retry`
pub(crate) static COMMAND: Command = Command { name: "retry", build, run };

const TASK: &str = "TASK";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(TASK, words.task).required(true))
        .arg(layout.value("note", "TEXT", words.note))
        .arg(layout.value("plan", "PLAN", words.plan))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = Paths::from_args(context, matches)?.open()?;
    let name = text(matches, TASK).unwrap_or_default().to_string_lossy().into_owned();
    let failed = failed(&folders)?;
    let failed_tasks = || failed.iter().map(|(_, task)| task.to_string()).collect::<Vec<_>>();
    let unknown = |task: String| {
        let hint = match failed_tasks() {
            tasks if tasks.is_empty() => AgainMessage::NothingFailed,
            tasks => AgainMessage::FailedTasks { tasks },
        };
        Failure::new(Message::again(AgainMessage::UnknownTask { task }), Message::again(hint))
    };
    let Ok(task) = name.parse::<Id>() else { return Err(unknown(name)) };
    let plan = match text(matches, "plan") {
        Some(given) => folders::known(Some(&folders), &given)?,
        None => {
            let of_task = failed.iter().filter(|(_, failed)| *failed == task);
            let plans: Vec<&Id> = of_task.map(|(plan, _)| plan).collect();
            match plans.as_slice() {
                [only] => (*only).clone(),
                [] => plan_with(&folders, &task)?.ok_or_else(|| unknown(name))?,
                several => {
                    let names = several.iter().map(ToString::to_string).collect();
                    let what = Message::again(AgainMessage::WhichPlan { task: task.to_string() });
                    return Err(Failure::new(what, Message::again(AgainMessage::NamePlan { names })));
                }
            }
        }
    };
    let note = text(matches, "note").map(|note| note.to_string_lossy().into_owned());
    let retried = folders.retry(&plan, &task, RetryOrder { by: user(), note }, &SystemClock)?;
    let fail = |what, hint| Err(Failure::new(Message::again(what), Message::again(hint)));
    match retried {
        RetryOutcome::Requested { command_seq, dependents } => {
            if is_set(matches, "json") {
                let object = json!({
                    "plan_id": plan, "task_id": task, "command_seq": command_seq, "dependents": dependents,
                });
                context.output.json(&object.to_string())?;
                return Ok(DONE);
            }
            context.output.ok(&Message::again(AgainMessage::Retrying { task: task.to_string() }));
            if !dependents.is_empty() {
                let tasks = dependents.iter().map(ToString::to_string).collect();
                context.output.info(&Message::again(AgainMessage::DependentsFollow { tasks }));
            }
            context.output.info(&Message::again(AgainMessage::NextPass));
            Ok(DONE)
        }
        RetryOutcome::UnknownTask { .. } => Err(unknown(task.to_string())),
        RetryOutcome::NotEnded { state } => {
            let hint = match failed_tasks() {
                tasks if tasks.is_empty() => AgainMessage::NothingFailed,
                tasks => AgainMessage::FailedTasks { tasks },
            };
            fail(AgainMessage::NotEnded { task: task.to_string(), state }, hint)
        }
        RetryOutcome::NeverBegun { failed } => {
            let tasks = failed.iter().map(ToString::to_string).collect();
            fail(AgainMessage::NeverBegun { task: task.to_string() }, AgainMessage::FailedTasks { tasks })
        }
    }
}

/// The tasks that have failed, with their plans.
fn failed(folders: &Folders) -> Result<Vec<(Id, Id)>, Failure> {
    let mut failed = Vec::new();
    for plan in folders.plans().map_err(PlanError::from)? {
        // One that cannot be read hides no other.
        let status = folders.status(&plan).ok().flatten();
        let tasks = status.into_iter().flat_map(|status| status.tasks);
        let tasks = tasks.filter(|task| task.state == State::Failed);
        failed.extend(tasks.map(|task| (plan.clone(), task.task_id)));
    }
    Ok(failed)
}

/// A plan that has such a task.
fn plan_with(folders: &Folders, task: &Id) -> Result<Option<Id>, Failure> {
    let plans = folders.plans().map_err(PlanError::from)?;
    let has_it = |plan: &Id| folders.documents(plan).is_ok_and(|it| it.active.dag.node(task).is_some());
    Ok(plans.into_iter().find(has_it))
}
