//! `aide plan activate`

mod help;

use super::authored::{self, Entry, Review};
use super::folders::{self, Paths};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::known;
use crate::messages::{AgainMessage, Message, PlanMessage};
use crate::output::Tone;
use agent::plan::{Activation, Folders};
use clap::ArgMatches;
use protocol::agent::{DagKind, Id, State};
use serde_json::json;
use texts::Need;

/// `aide plan activate`
pub(crate) static COMMAND: Command = Command { name: "activate", build, run };

const DIR: &str = "DIR";
/// So much of the hash tells DAGs apart for people: `sha256:` and twelve digits.
const SHORT: usize = "sha256:".len() + 12;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(DIR, words.dir))
        .arg(layout.value("kind", "KIND", words.kind))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let kind = dag_kind(matches)?;
    let folder = authored::folder(context, text(matches, DIR), COMMAND.name)?;
    let paths = Paths::of_plan(context, matches, &folder, COMMAND.name)?;
    let review = Review::read(&folder, &paths)?;
    let errors = review.errors();
    let json = is_set(matches, "json");
    let plan = match review.plan {
        Some(plan) if errors == 0 => plan,
        _ if json => {
            context.output.json(&review.to_json(context.language.messages).to_string())?;
            return Ok(FAILED);
        }
        _ => return Err(not_activated(review.entries, errors)),
    };
    let folders = paths.open()?;
    let activated = folders.activate(&plan, kind, &SystemClock)?;
    if let Ok(project) = &context.project {
        known::note(project.root());
    }
    let tasks = plan.dag.nodes.len();
    if json {
        print_json(context, &activated, kind, tasks)?;
        return Ok(DONE);
    }
    print_warnings(context, review.entries);
    print_result(context, &folders, activated, tasks)?;
    Ok(DONE)
}

/// Reads `--kind`.
fn dag_kind(matches: &ArgMatches) -> Result<DagKind, Failure> {
    let Some(kind) = text(matches, "kind") else { return Ok(DagKind::Business) };
    let name = kind.to_string_lossy().into_owned();
    DagKind::named(&name).ok_or_else(|| Failure::flag("--kind", name, Need::OneOf(DagKind::NAMES)))
}

/// Returns the error for a plan that cannot be activated, with a line for each entry that prevents it.
fn not_activated(entries: Vec<Entry>, errors: usize) -> Failure {
    let what = Message::plan(PlanMessage::NotActivated { errors });
    let failure = Failure::new(what, Message::plan(PlanMessage::MendAndRepeat));
    let lines = entries.into_iter().filter(|entry| entry.is_fatal);
    let lines = lines.map(|entry| Message::plan(entry.message)).collect();
    Failure { lines, ..failure }
}

fn print_json(context: &Context, activated: &Activation, kind: DagKind, tasks: usize) -> Result<(), Failure> {
    let mut object = json!({
        "plan_id": activated.plan_id,
        "revision": activated.revision,
        "task_dag_sha256": activated.sha256,
        "dag_kind": kind,
        "tasks": tasks,
        "was_active": activated.was_active,
    });
    if !activated.changed.is_empty() {
        object["changed_commands"] = json!(activated.changed);
    }
    context.output.json(&object.to_string())
}

fn print_warnings(context: &Context, entries: Vec<Entry>) {
    // That a person is to provide something is no warning: the agent asks for it when it is needed.
    for entry in entries.into_iter().filter(|entry| !entry.is_for_person) {
        context.output.warning(&Message::plan(entry.message));
    }
}

/// Prints what was activated, and what to do next.
fn print_result(
    context: &Context,
    folders: &Folders,
    activated: Activation,
    tasks: usize,
) -> Result<(), Failure> {
    let output = &context.output;
    let changed = activated.changed;
    // Of another DAG, every task is done anew.
    let ended = match activated.was_active {
        true => ended(folders, &activated.plan_id, &changed)?,
        false => Vec::new(),
    };
    let mut sha256 = activated.sha256.to_string();
    sha256.truncate(SHORT);
    output.outcome(
        Tone::Ok,
        &Message::plan(PlanMessage::Activated {
            plan: activated.plan_id,
            revision: activated.revision,
            sha256,
            tasks,
            was_active: activated.was_active,
        }),
    );
    if !changed.is_empty() {
        let tasks = changed.iter().map(ToString::to_string).collect();
        output.info(&Message::again(AgainMessage::CommandsChanged { tasks }));
    }
    if !ended.is_empty() {
        // Before that, there is nothing to run.
        output.info(&Message::again(AgainMessage::DoAgain { tasks: ended }));
        return Ok(());
    }
    if activated.was_active && !changed.is_empty() {
        output.info(&Message::again(AgainMessage::UsedNextTime));
    }
    output.info(&Message::plan(PlanMessage::NextRun));
    Ok(())
}

/// Those of these tasks that have ended: they are not done again by themselves.
fn ended(folders: &Folders, plan: &Id, tasks: &[Id]) -> Result<Vec<String>, Failure> {
    let status = folders.status(plan)?;
    let is_ended = |task: &&Id| {
        let mut known = status.iter().flat_map(|status| &status.tasks);
        let known = known.find(|known| known.task_id == **task);
        known.is_some_and(|known| matches!(known.state, State::Completed | State::Failed))
    };
    Ok(tasks.iter().filter(is_ended).map(ToString::to_string).collect())
}
