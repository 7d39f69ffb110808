//! `aide plan init`

mod help;
mod template;

use super::folders::{self, Paths};
use super::providers::Providers;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{AgainMessage, Message, PlanMessage};
use crate::user_files;
use agent::Clock as _;
use agent::plan::{Folders, PlanError, Scaffold, TASK_DAG};
use clap::ArgMatches;
use protocol::agent::Id;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use template::Template;

/// `aide plan init`
pub(crate) static COMMAND: Command = Command { name: "init", build, run };

const DIR: &str = "DIR";
const USUAL: &str = "plan";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(DIR, words.dir))
        .arg(layout.value("task", "TEXT", words.task))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folder = text(matches, DIR).map_or_else(|| PathBuf::from(USUAL), PathBuf::from);
    let paths = Paths::from_args(context, matches)?;
    if folder.is_file() {
        return Err(super::authored::file_for_folder(&folder));
    }
    if folder.join(TASK_DAG).symlink_metadata().is_ok() {
        let what = AgainMessage::PlanExists { path: folder.clone() };
        let hint = AgainMessage::UsePlan { path: folder };
        return Err(Failure::new(Message::again(what), Message::again(hint)));
    }
    let made = make_project(context, matches)?;
    let folders = Folders::ensure_both(&paths.agents, &paths.runtime)?;
    let plan = plan_id(context, &folder, &folders.plans().map_err(PlanError::from)?)?;
    let task = text(matches, "task").map(|task| task.to_string_lossy().into_owned());
    let task = task.as_deref().filter(|task| !task.trim().is_empty());
    let template = Template::new(context.language.messages, &plan, task, &SystemClock.now());
    let bytes = |value: &Value| format!("{value:#}\n").into_bytes();
    let files: Vec<_> = template.files.iter().map(|(path, value)| (path.clone(), bytes(value))).collect();
    let agents: Vec<_> = template.agents.iter().map(|(id, value)| (id.clone(), bytes(value))).collect();
    let done = folders.scaffold(&Scaffold { folder: &folder, files: &files, agents: &agents })?;
    if is_set(matches, "json") {
        let object = json!({
            "plan_id": plan, "folder": folder, "files": done.files, "agents": done.agents,
            "kept_agents": done.kept,
        });
        context.output.json(&object.to_string())?;
        return Ok(DONE);
    }
    let output = &context.output;
    if made {
        output.ok(&Message::ConfigCreated);
    }
    let names = |ids: &[Id]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    output.ok(&Message::again(AgainMessage::PlanWritten { plan: plan.to_string(), path: folder.clone() }));
    for file in &done.files {
        output.entry(2, &Message::again(AgainMessage::Written { path: folder.join(file) }))?;
    }
    for agent in &done.agents {
        let path = super::result::shown(&paths.agents.join(agent.as_str()), context.folder()?);
        output.entry(2, &Message::again(AgainMessage::Written { path: path.into() }))?;
    }
    if !done.kept.is_empty() {
        output.info(&Message::again(AgainMessage::AgentsKept { agents: names(&done.kept) }));
    }
    let agents: Vec<Id> = done.agents.iter().chain(&done.kept).cloned().collect();
    for complaint in Providers::new(context)?.complaints((&paths.agents, context.folder()?), agents.iter()) {
        output.warning_about(&complaint);
    }
    output.info(&Message::again(AgainMessage::NextActivate { path: folder }));
    if context.language.offers_english {
        output.notice(&Message::OfferEnglish);
    }
    Ok(DONE)
}

/// Makes the project as `aide init` does, where its folders are used and it has no configuration: it is by that file that the project
/// is found from the folders in it. Returns whether the file was made.
fn make_project(context: &Context, matches: &ArgMatches) -> Result<bool, Failure> {
    let project = context.project()?;
    let has_own_folders = ["agents", "runtime"].iter().all(|flag| text(matches, flag).is_some());
    if has_own_folders || project.config_file().symlink_metadata().is_ok() {
        return Ok(false);
    }
    let user = user_files::config();
    Ok(store::init_below(project.root(), user.as_deref(), context.language.given)?.config_created)
}

/// An id that no plan has: after the folder, or where that says nothing after the project.
fn plan_id(context: &Context, folder: &Path, known: &BTreeSet<Id>) -> Result<Id, Failure> {
    /// So many letters of a name say enough.
    const MAX_CHARS: usize = 40;
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = name(folder).filter(|name| name != USUAL);
    let named = match own {
        Some(own) => Some(own),
        None => name(context.project()?.root()),
    };
    let letters: String = named
        .unwrap_or_default()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
        .take(MAX_CHARS)
        .collect();
    let letters = letters.trim_matches('_');
    let first = if letters.is_empty() || letters.starts_with(USUAL) {
        if letters.is_empty() { "plan_1".to_owned() } else { letters.to_owned() }
    } else {
        format!("plan_{letters}")
    };
    let mut names = std::iter::once(first.clone()).chain((2..).map(|number| format!("{first}_{number}")));
    let free = names.find_map(|name| name.parse::<Id>().ok().filter(|id| !known.contains(id)));
    free.ok_or_else(|| {
        let path = folder.to_owned();
        Failure::new(Message::plan(PlanMessage::NoSuchFolder { path }), None)
    })
}
