//! `aide uninstall`

mod found;
mod help;
mod leftovers;
mod program;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::daemon_control;
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, UninstallMessage};
use crate::yes::{can_ask, says_yes};
use clap::ArgMatches;
use found::{Inventory, KnownProject};
use model::SessionId;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// `aide uninstall`
pub(crate) static COMMAND: Command = Command { name: "uninstall", build, run };

/// So many projects are listed for people; JSON has all.
const LISTED_PROJECTS: usize = 10;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.flag("purge", words.purge))
        .arg(layout.flag("dry-run", words.dry_run))
        .arg(layout.flag("yes", words.yes))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let (is_purge, is_json) = (is_set(matches, "purge"), is_set(matches, "json"));
    let found = Inventory::look(context)?;
    if is_set(matches, "dry-run") {
        if is_json {
            context.output.json(&report("planned", &found, is_purge).to_string())?;
        } else {
            list(context, &found, is_purge)?;
        }
        return Ok(DONE);
    }
    let is_asked = !is_set(matches, "yes");
    if is_asked && !can_ask(is_json) {
        let say = |message| Message::uninstall(message);
        return Err(Failure::new(say(UninstallMessage::CannotAsk), say(UninstallMessage::SayYes)));
    }
    if !is_json {
        list(context, &found, is_purge)?;
    }
    if is_asked {
        context.output.ask(&Message::uninstall(UninstallMessage::ReallyRemove));
        if !says_yes() {
            context.output.warning(&Message::uninstall(UninstallMessage::NothingRemoved));
            return Ok(FAILED);
        }
    }
    let left = remove(&found, is_purge)?;
    if is_json {
        context.output.json(&report("done", &found, is_purge).to_string())?;
        return Ok(DONE);
    }
    for path in left {
        context.output.warning(&Message::uninstall(UninstallMessage::Left { path }));
    }
    context.output.ok(&Message::uninstall(match &found.program.manager {
        None => UninstallMessage::Uninstalled,
        Some(manager) => UninstallMessage::LeftToManager { command: manager.command() },
    }));
    Ok(DONE)
}

/// The program goes last: where anything before it fails, the command can be given again. Returns what lies in folders of aide and is
/// not aide's.
fn remove(found: &Inventory, is_purge: bool) -> Result<Vec<PathBuf>, Failure> {
    if found.daemon.is_some() {
        daemon_control::stop(&found.place, false)?;
    }
    found.entries.apply(&found.records)?;
    let mut left = Vec::new();
    if is_purge {
        for folder in &found.folders {
            left.extend(folder.remove()?);
        }
    }
    found.program.remove()?;
    Ok(left)
}

/// For people: what goes, then what stays.
fn list(context: &Context, found: &Inventory, is_purge: bool) -> Result<(), Failure> {
    let output = &context.output;
    let say = |message| output.entry(2, &Message::uninstall(message));
    let program = &found.program;
    output.entry(0, &Message::uninstall(UninstallMessage::ToRemove))?;
    match &program.manager {
        None => say(UninstallMessage::Program { path: program.path.clone() })?,
        Some(manager) => {
            say(UninstallMessage::Managed { path: program.path.clone(), command: manager.command() })?
        }
    }
    for path in program.links.iter().cloned() {
        say(UninstallMessage::Link { path })?;
    }
    for (path, agents) in found.entries_by_file() {
        say(UninstallMessage::Entry { path: path.to_owned(), agents })?;
    }
    if let Some(running) = &found.daemon {
        say(UninstallMessage::Daemon { url: running.url.clone() })?;
    }
    let folders = || found.folders.iter().filter(|folder| folder.is_there());
    let folder = |folder: &leftovers::Leftovers| UninstallMessage::Folder {
        path: folder.path().to_owned(),
        kind: folder.kind(),
        bytes: folder.bytes(),
    };
    if is_purge {
        folders().try_for_each(|it| say(folder(it)))?;
    }
    let keeps_folders = !is_purge && folders().next().is_some();
    if !keeps_folders && found.projects.is_empty() && found.written.is_empty() {
        return Ok(());
    }
    output.entry(0, &Message::uninstall(UninstallMessage::Kept))?;
    if !is_purge {
        folders().try_for_each(|it| say(folder(it)))?;
    }
    for path in found.written.iter().cloned() {
        say(UninstallMessage::Written { path })?;
    }
    for project in found.projects.iter().take(LISTED_PROJECTS) {
        say(UninstallMessage::Project { root: project.root.clone(), open: project.open.len() })?;
    }
    if let Some(count) = found.projects.len().checked_sub(LISTED_PROJECTS).filter(|count| *count > 0) {
        say(UninstallMessage::MoreProjects { count })?;
    }
    if is_purge && found.asked > 0 {
        let what = Message::uninstall(UninstallMessage::RemovedUnanswered { count: found.asked });
        output.warning_with(&what, &Message::uninstall(UninstallMessage::AnswerFirst));
    }
    for KnownProject { root, page, open, .. } in found.projects.iter().filter(|it| !it.open.is_empty()) {
        let what = match page.clone() {
            Some(url) => UninstallMessage::PageStays { url },
            None => UninstallMessage::QuestionsStay { root: root.clone() },
        };
        let sessions = open.iter().map(SessionId::to_string).collect();
        let hint = Message::uninstall(UninstallMessage::CancelThere { root: root.clone(), sessions });
        output.warning_with(&Message::uninstall(what), &hint);
    }
    for project in found.projects.iter().filter(|project| !project.agents.is_empty()) {
        let (root, agents) = (project.root.clone(), project.agents.clone());
        let what = Message::uninstall(UninstallMessage::SetUpInProject { root: root.clone(), agents });
        output.warning_with(&what, &Message::uninstall(UninstallMessage::RemoveThere { root }));
    }
    Ok(())
}

/// For programs.
fn report(status: &str, found: &Inventory, is_purge: bool) -> Value {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let program = &found.program;
    let mut items = vec![match &program.manager {
        None => json!({ "kind": "program", "path": text(&program.path), "removed": true }),
        Some(manager) => json!({
            "kind": "program", "path": text(&program.path), "removed": false, "command": manager.command(),
        }),
    }];
    items.extend(
        program.links.iter().map(|path| json!({ "kind": "link", "path": text(path), "removed": true })),
    );
    items.extend(found.entries_by_file().into_iter().map(
        |(path, agents)| json!({ "kind": "agents", "path": text(path), "agents": agents, "removed": true }),
    ));
    if let Some(running) = &found.daemon {
        items.push(json!({ "kind": "daemon", "url": running.url, "removed": true }));
    }
    for folder in found.folders.iter().filter(|folder| status == "done" || folder.is_there()) {
        items.push(json!({
            "kind": folder.kind().name(), "path": text(folder.path()), "removed": is_purge,
        }));
    }
    items.extend(
        found.written.iter().map(|path| json!({ "kind": "written", "path": text(path), "removed": false })),
    );
    for project in &found.projects {
        let sessions: Vec<String> = project.open.iter().map(SessionId::to_string).collect();
        items.push(json!({
            "kind": "project", "path": text(&project.root), "removed": false, "open": sessions.len(),
            "sessions": sessions, "page": project.page, "agents": project.agents,
        }));
    }
    json!({ "status": status, "items": items })
}
