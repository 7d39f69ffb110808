//! Forgetting events: each is looked at once, in turns of the writer that are short.

use super::statements;
use super::transaction::Transaction;
use crate::change::{PruneReport, Retention};
use crate::error::JournalError;
use crate::rows::{Key, Record, Table};
use protocol::workflow::WorkflowState;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::BTreeMap;

/// How many events one turn looks at: other writers wait meanwhile.
const LOOKED_AT: i64 = 512;

/// How far the events were looked through. It is kept in memory alone: after a start they are looked through once more.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Sweep {
    /// Of the events up to this number, those are left whose workflow had not ended.
    swept: i64,
    /// The workflows that have ended, or were removed, since their events were looked at, each with the number of its note.
    ended: BTreeMap<String, u64>,
    /// How many notes there were.
    notes: u64,
}

impl Sweep {
    /// Notes workflows that have ended or were removed.
    pub(super) fn note(&mut self, ended: Vec<String>) {
        for workflow in ended {
            self.notes += 1;
            self.ended.insert(workflow, self.notes);
        }
    }

    /// Notes what a turn has done that rested on `before`, once it is on the disk. What was noted of a workflow meanwhile stays.
    pub(super) fn advance(&mut self, before: &Self, turn: &Turn) {
        self.swept = turn.swept;
        for workflow in &turn.done {
            if self.ended.get(workflow) == before.ended.get(workflow) {
                self.ended.remove(workflow);
            }
        }
    }
}

/// What one turn has done.
pub(super) struct Turn {
    pub(super) report: PruneReport,
    swept: i64,
    /// The workflows of which nothing is left to be forgotten.
    done: Vec<String>,
    /// Whether the events were looked through to the end.
    pub(super) is_end: bool,
}

/// The workflow whose events can be forgotten once this row is written.
pub(super) fn ended_by(record: &Record) -> Option<&str> {
    match record {
        Record::Workflow(workflow) if workflow.state.is_terminal() => Some(&workflow.id),
        _ => None,
    }
}

/// The same for a row that is removed.
pub(super) fn removed_by(key: &Key) -> Option<&str> {
    match (key.table, key.cells.first()) {
        (Table::Workflow, Some(crate::Cell::Text(id))) => Some(id),
        _ => None,
    }
}

impl Transaction<'_> {
    /// Forgets what need not be kept, the oldest first, of what `sweep` says that it was not looked at.
    pub(super) fn prune(&mut self, prune: Retention, sweep: &Sweep) -> Result<Turn, JournalError> {
        let keep = i64::try_from(prune.keep_events).unwrap_or(i64::MAX);
        let turn = self.ask(|connection| {
            let last: i64 =
                connection.prepare_cached(statements::LAST_EVENT)?.query_row([], |row| row.get(0))?;
            let bound = last.saturating_sub(keep);
            let mut doomed = of_ended(connection, prune, sweep, bound)?;
            let missing =
                i64::from(prune.at_most).saturating_sub(i64::try_from(doomed.len()).unwrap_or(i64::MAX));
            let (behind, swept) = behind(connection, missing, sweep.swept, bound)?;
            doomed.extend(behind);
            if let Some(last_doomed) = doomed.iter().max() {
                let sql = "UPDATE counter SET value = max(value, ?) WHERE name = ?";
                let mut update = connection.prepare_cached(sql)?;
                update.execute(params![last, "seq"])?;
                update.execute(params![last_doomed, "pruned"])?;
            }
            let mut delete = connection.prepare_cached("DELETE FROM event WHERE seq = ?")?;
            for seq in &doomed {
                delete.execute([seq])?;
            }
            let mut done = Vec::new();
            for workflow in sweep.ended.keys() {
                if is_open(connection, workflow)? || !has_events(connection, workflow, swept)? {
                    done.push(workflow.clone());
                }
            }
            let report = PruneReport { events: doomed.len() as u64, answers: 0 };
            Ok(Turn { report, swept, done, is_end: swept >= bound })
        })?;
        self.is_changed |= turn.report.events > 0;
        Ok(turn)
    }

    /// Forgets the answers to requests that came before a moment, and returns how many. The first that were written are looked at,
    /// as many as may be removed: all others came later, unless the clock was set back.
    pub(super) fn prune_answers(&mut self, prune: Retention) -> Result<u64, JournalError> {
        let answers = self.ask(|connection| {
            let sql = "SELECT rowid, created FROM idempotency ORDER BY rowid LIMIT ?";
            let mut oldest = connection.prepare_cached(sql)?;
            let mut rows = oldest.query([prune.at_most])?;
            let mut old: Vec<i64> = Vec::new();
            while let Some(row) = rows.next()? {
                if row.get::<_, i64>(1)? < prune.answered_before {
                    old.push(row.get(0)?);
                }
            }
            let mut delete = connection.prepare_cached("DELETE FROM idempotency WHERE rowid = ?")?;
            for rowid in &old {
                delete.execute([rowid])?;
            }
            Ok(old.len())
        })?;
        self.is_changed |= answers > 0;
        Ok(answers as u64)
    }
}

/// The events that were kept for workflows which have ended since, the oldest first.
fn of_ended(
    connection: &Connection,
    prune: Retention,
    sweep: &Sweep,
    bound: i64,
) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT seq FROM event WHERE workflow = ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3";
    let mut found = Vec::new();
    for workflow in sweep.ended.keys() {
        if !is_open(connection, workflow)? {
            let mut statement = connection.prepare_cached(sql)?;
            let of = params![workflow, bound.min(sweep.swept), prune.at_most];
            for seq in statement.query_map(of, |row| row.get(0))? {
                found.push(seq?);
            }
        }
    }
    found.sort_unstable();
    found.truncate(usize::try_from(prune.at_most).unwrap_or(usize::MAX));
    Ok(found)
}

/// At most so many of the events that were not looked at, and the last one that is now.
fn behind(connection: &Connection, most: i64, swept: i64, bound: i64) -> rusqlite::Result<(Vec<i64>, i64)> {
    let sql = "SELECT seq, workflow FROM event WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![swept, bound, LOOKED_AT])?;
    let (mut found, mut at, mut looked_at) = (Vec::new(), swept, 0);
    while let Some(row) = rows.next()? {
        let (seq, workflow): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
        let is_kept = match &workflow {
            Some(workflow) => is_open(connection, workflow)?,
            None => false,
        };
        if !is_kept {
            if i64::try_from(found.len()).unwrap_or(i64::MAX) >= most {
                return Ok((found, at));
            }
            found.push(seq);
        }
        at = seq;
        looked_at += 1;
    }
    // Where fewer were found there are no more.
    let is_end = looked_at < LOOKED_AT;
    Ok((found, if is_end { at.max(bound) } else { at }))
}

/// Whether there is such a workflow, and it has not ended.
fn is_open(connection: &Connection, workflow: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT state FROM workflow WHERE id = ?";
    let state: Option<String> =
        connection.prepare_cached(sql)?.query_row([workflow], |row| row.get(0)).optional()?;
    Ok(state.is_some_and(|state| !WorkflowState::named(&state).is_some_and(WorkflowState::is_terminal)))
}

fn has_events(connection: &Connection, workflow: &str, swept: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM event WHERE workflow = ?1 AND seq <= ?2 LIMIT 1";
    connection.prepare_cached(sql)?.exists(params![workflow, swept])
}
