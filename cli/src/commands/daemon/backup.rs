//! `aide daemon backup`

use super::help;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{DaemonMessage, Message, PlanMessage};
use crate::progress::{Progress, Work};
use crate::user_daemon::Place;
use clap::ArgMatches;
use journal::Sqlite;
use std::path::{Path, PathBuf};

const FILE: &str = "FILE";

/// `aide daemon backup`
pub(super) static COMMAND: Command = Command { name: "backup", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.backup, "{finger} daemon backup FILE", words.backup_after)
        .arg(layout.positional(FILE, words.backup_file).required(true))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let to = context.folder()?.join(PathBuf::from(text(matches, FILE).unwrap_or_default()));
    let place = Place::of_user()?;
    let missing =
        || Failure::new(Message::daemon(DaemonMessage::NoJournal { path: place.path().to_owned() }), None);
    let dir = place.open()?.ok_or_else(missing)?;
    if dir.kind(Sqlite::FILE)?.is_none() {
        return Err(missing());
    }
    if is_there(&to) {
        let there = Message::daemon(DaemonMessage::CopyIsThere { path: to });
        return Err(Failure::new(there, Message::daemon(DaemonMessage::AnotherName)));
    }
    let folder = to.parent().unwrap_or(&to);
    if !folder.is_dir() {
        let path = folder.to_owned();
        return Err(Failure::new(Message::plan(PlanMessage::NoSuchFolder { path }), None));
    }
    let size = |path: &Path| path.metadata().map_or(0, |found| found.len());
    let journal = place.path().join(Sqlite::FILE);
    let progress = Progress::new(&context.output, Work::Backup);
    progress.watched(|| (size(&to), size(&journal)), || Sqlite::copy(&dir, &to))?;
    context.output.line(&format!("Backup written to {}", to.display()));
    Ok(DONE)
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
