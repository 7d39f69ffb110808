//! `aide decide clean`

use super::list::Entry;
use super::{Context, DONE};
use crate::args::CleanFlags;
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::settings;
use files::FileError;
use model::SessionId;
use serde_json::json;
use std::io::{self, IsTerminal};
use store::StoreError;

pub(super) fn run(context: &Context, flags: &CleanFlags) -> Result<u8, Failure> {
    let Some(retention) = settings::retention(flags)? else {
        let command = "aide decide clean".to_owned();
        return Err(Failure::usage(Message::MissingLimit, Message::SeeHelp { command }));
    };
    let decisions = context.project()?.decisions()?;
    let sessions = decisions.removable(retention).map_err(without_latest)?;
    if flags.dry_run {
        return tell_dry_run(context, flags, &sessions, |session| Entry::of(&decisions, session));
    }
    if !flags.yes && !sessions.is_empty() {
        // JSON is for programs, and none of them answers a question.
        if flags.json || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(Failure::new(Message::NeedsYes, Message::SayYes));
        }
        for entry in sessions.iter().filter_map(|session| Entry::of(&decisions, session.clone())) {
            entry.tell(context)?;
        }
        context.output.ask(&Message::ReallyRemove { count: sessions.len() });
        if !says_yes() {
            context.output.warning(&Message::NothingRemoved);
            return Ok(FAILED);
        }
    }
    let removed = decisions.remove_records(&sessions).map_err(without_latest)?;
    if flags.json {
        context.output.json(&json!({ "removed": removed, "dry_run": false }).to_string())?;
    } else if removed.is_empty() {
        context.output.info(&Message::NothingToClean);
    } else {
        context.output.ok(&Message::Removed { count: removed.len() });
    }
    Ok(DONE)
}

fn tell_dry_run(
    context: &Context,
    flags: &CleanFlags,
    sessions: &[SessionId],
    entry: impl Fn(SessionId) -> Option<Entry>,
) -> Result<u8, Failure> {
    if flags.json {
        context.output.json(&json!({ "removed": sessions, "dry_run": true }).to_string())?;
        return Ok(DONE);
    }
    for entry in sessions.iter().cloned().filter_map(entry) {
        entry.tell(context)?;
    }
    context.output.info(&match sessions.len() {
        0 => Message::NothingToClean,
        count => Message::WouldRemove { count },
    });
    Ok(DONE)
}

fn says_yes() -> bool {
    let mut line = String::new();
    // An end of input is no consent.
    io::stdin().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes" | "是")
}

/// Without knowing which questions were asked last, nobody can say what may go.
fn without_latest(error: StoreError) -> Failure {
    match error {
        StoreError::File(FileError::Corrupt { message, .. }) => {
            Failure::new(Message::PendingCorrupt { words: message }, Message::SubmitAgainDamaged)
        }
        error => error.into(),
    }
}
