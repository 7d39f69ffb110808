//! `aide decide list`

mod all;
mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, RecordMessage};
use crate::user_daemon;
use clap::ArgMatches;
use decide::{DecideError, Entry, ListPage, State};
use files::FileError;
use serde_json::Value;
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, StoreError};
use texts::Need;

/// `aide decide list`
pub(crate) static COMMAND: Command = Command { name: "list", build, run };

/// How long the server of a set may take, after its end, to hand over the other sets to the next server.
const HANDOVER: Duration = Duration::from_secs(2);

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.flag("all", words.all))
        .arg(layout.value("page", "N", words.page).conflicts_with("all"))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    context.warn_of_slips();
    if is_set(matches, "all") {
        return all::list(context, is_set(matches, "json"));
    }
    let page = page(matches)?;
    let decisions = context.project()?.decisions()?;
    let ListPage { entries, has_older } = settled(&decisions, page)?;
    for error in conflicts(&decisions, &entries) {
        context.output.warning_about(&error.into());
    }
    if is_set(matches, "json") {
        let values: Vec<Value> = entries.iter().map(Entry::to_json).collect();
        context.output.json(&Value::Array(values).to_string())?;
        return Ok(DONE);
    }
    let is_first = page.is_none_or(|page| page == 1);
    if entries.is_empty() {
        let none = if is_first { RecordMessage::NoSessions } else { RecordMessage::NoMoreSessions };
        context.output.info(&Message::record(none));
    }
    let unserved = entries.iter().find(|entry| entry.state == State::Unserved);
    let unserved = unserved.map(|entry| entry.session.clone());
    let is_open = entries.iter().any(|entry| matches!(entry.state, State::Open | State::Unserved));
    for entry in entries {
        context.output.entry(0, &Message::session(entry, context.language.messages))?;
    }
    if let Some(page) = page.filter(|_| has_older) {
        let next = page.saturating_add(1);
        context.output.notice(&Message::record(RecordMessage::OlderSessions { next }));
    }
    match unserved {
        Some(session) => context.output.notice(&Message::BringBack { session }),
        // What it asks in the name of workflows is in no project.
        None if is_first && !is_open && user_daemon::running().is_some() => {
            context.output.notice(&Message::SeeAllSets)
        }
        None => {}
    }
    Ok(DONE)
}

/// The page that is wanted; all of them if none is said.
fn page(matches: &ArgMatches) -> Result<Option<usize>, Failure> {
    let Some(given) = text(matches, "page") else { return Ok(None) };
    let page = given.to_str().and_then(|text| text.parse::<u32>().ok()).filter(|page| *page > 0);
    let need = Need::Integer { min: 1, max: i64::from(u32::MAX) };
    page.map(|page| usize::try_from(page).ok())
        .ok_or_else(|| Failure::flag("--page", given.to_string_lossy().into_owned(), need))
}

/// The sets, once another server shows those that one has shown which ends with its own set: for a moment nothing shows them.
fn settled(decisions: &Decisions, page: Option<usize>) -> Result<ListPage, StoreError> {
    let deadline = Instant::now() + HANDOVER;
    loop {
        let listed = match page {
            Some(page) => decide::list_page(decisions, page)?,
            None => ListPage { entries: decide::list(decisions)?, has_older: false },
        };
        let now = store::now();
        let has_just_ended = |entry: &Entry| {
            store::seconds_between(&entry.completed_at, &now).is_some_and(|age| age < HANDOVER.as_secs())
        };
        let is_unserved = listed.entries.iter().any(|entry| entry.state == State::Unserved);
        if !is_unserved || !listed.entries.iter().any(has_just_ended) || Instant::now() >= deadline {
            return Ok(listed);
        }
        // The next server is another process, which says only by its file that it is there: that is looked for as often as elsewhere.
        thread::sleep(decide::LOOK_INTERVAL);
    }
}

/// The files that a merge has left two versions in: the person who merges is still at it.
fn conflicts(decisions: &Decisions, entries: &[Entry]) -> Vec<DecideError> {
    let unreadable = entries.iter().filter(|entry| entry.state == State::Unreadable);
    let of_entry = |entry: &Entry| match decide::record(decisions, &entry.session) {
        Err(error) => Some(error),
        Ok(_) => decisions.set(&entry.session).err().map(DecideError::from),
    };
    let mut errors: Vec<_> =
        decide::pending(decisions).err().into_iter().chain(unreadable.filter_map(of_entry)).collect();
    errors.retain(|error| matches!(error, DecideError::Store(StoreError::File(FileError::Conflict { .. }))));
    errors
}
