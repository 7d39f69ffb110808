//! What is done in one turn of the writer.

use super::errors::{Errors, is_taken};
use super::meter::{Counted, RowChange};
use super::view::Reading;
use super::{prune, statements};
use crate::cell::{Cell, Millis, UnreadableCell};
use crate::change::{Lease, NewEvent};
use crate::error::JournalError;
use crate::event::{Event, Log};
use crate::journal::{Tx, View};
use crate::query::{Count, RawQuery, Sum};
use crate::rows::{Key, Record, Row as _};
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};
use std::cell::RefCell;
use std::sync::Arc;

/// Binds the owner, now, until when it claims, and how many workflows. What may be claimed since longest comes first.
pub(super) const CLAIM: &str = "UPDATE workflow SET lease_owner = ?1, lease_until = ?3, fence = fence + 1 WHERE id IN (\
    SELECT id FROM workflow WHERE wake_at IS NOT NULL AND max(wake_at, coalesce(lease_until, wake_at)) <= ?2 \
    ORDER BY max(wake_at, coalesce(lease_until, wake_at)), id LIMIT ?4) RETURNING id, fence";

/// A change that is being made.
pub(super) struct Transaction<'t> {
    reading: Reading<'t>,
    events: Vec<NewEvent>,
    /// What is to be counted of it.
    changes: Vec<RowChange>,
    pub(super) is_changed: bool,
    /// The workflows that have ended in it, or were removed.
    ended: Vec<String>,
    /// The first error: nothing is made of a change that has met one, even if its caller goes on. No statement is executed
    /// after it: SQLite may have ended the transaction, and each statement would be a transaction of its own.
    failure: RefCell<Option<JournalError>>,
}

/// What a change has written.
pub(super) struct Written {
    /// Its events, with their numbers.
    pub(super) events: Vec<Arc<Event>>,
    /// What is to be counted of it.
    pub(super) changes: Vec<RowChange>,
    /// Whether anything was changed.
    pub(super) is_changed: bool,
    /// The workflows that have ended in it, or were removed.
    pub(super) ended: Vec<String>,
}

impl<'t> Transaction<'t> {
    pub(super) fn new(connection: &'t Connection, errors: &'t Errors) -> Self {
        let reading = Reading { connection, errors };
        let (events, changes, ended) = (Vec::new(), Vec::new(), Vec::new());
        Self { reading, events, changes, is_changed: false, ended, failure: RefCell::default() }
    }

    /// Numbers the events and writes them. Returns what was written.
    pub(super) fn finish(mut self) -> Result<Written, JournalError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let events = std::mem::take(&mut self.events);
        let events = self.number(events)?;
        Ok(Written { events, changes: self.changes, is_changed: self.is_changed, ended: self.ended })
    }

    pub(super) fn into_failure(self) -> Option<JournalError> {
        self.failure.into_inner()
    }

    /// Returns the first error again if there was one.
    fn check(&self) -> Result<(), JournalError> {
        self.failure.borrow().clone().map_or(Ok(()), Err)
    }

    fn note(&self, error: &JournalError) {
        self.failure.borrow_mut().get_or_insert_with(|| error.clone());
    }

    /// Does `step` unless there was an error, and notes its error.
    fn noting<T>(&self, step: impl FnOnce() -> Result<T, JournalError>) -> Result<T, JournalError> {
        self.check()?;
        step().inspect_err(|error| self.note(error))
    }

    /// The same for what reads a row: one that does not hold what it should is no error of SQLite, and is not noted.
    fn reading<T>(&self, step: impl FnOnce() -> Result<T, JournalError>) -> Result<T, JournalError> {
        self.check()?;
        step().inspect_err(|error| {
            if !matches!(error, JournalError::Unreadable(_)) {
                self.note(error);
            }
        })
    }

    pub(super) fn ask<T>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let Reading { connection, errors } = self.reading;
        self.noting(|| question(connection).map_err(|error| errors.convert(&error)))
    }

    fn write_row(&self, sql: &str, cells: &[Cell]) -> rusqlite::Result<usize> {
        self.reading.connection.prepare_cached(sql)?.execute(params_from_iter(cells))
    }

    fn one<T: rusqlite::types::FromSql>(
        &self,
        sql: &str,
        bound: impl rusqlite::Params,
    ) -> Result<Option<T>, JournalError> {
        self.ask(|connection| connection.prepare_cached(sql)?.query_row(bound, |row| row.get(0)).optional())
    }

    /// False if it was changed since it was read, or another row has its key or a unique value of it.
    fn put_row(&mut self, record: &Record) -> Result<bool, JournalError> {
        let (table, mut before) = (record.table(), None);
        let (sql, cells) = match record.version() {
            None => (statements::insert(table), record.cells()),
            Some(0) => {
                let mut cells = record.cells();
                cells.pop();
                cells.push(Cell::Integer(1));
                (statements::insert(table), cells)
            }
            Some(version) => {
                let Some(kept) = self.get(&record.key())? else { return Ok(false) };
                if kept.version() != Some(version) {
                    return Ok(false);
                }
                before = Counted::of(&kept);
                update(record, &kept, version)
            }
        };
        let put = self.ask(|_| match self.write_row(&sql, &cells) {
            Err(error) if is_taken(&error) => Ok(0),
            done => done,
        })?;
        if put > 0 {
            self.is_changed = true;
            self.changes.extend(RowChange::put(before, record));
        }
        Ok(put > 0)
    }

    /// What is counted of a row, before it is removed.
    fn counted(&self, key: &Key) -> Result<Option<Counted>, JournalError> {
        self.ask(|connection| Counted::before(connection, key))
    }

    fn number(&mut self, events: Vec<NewEvent>) -> Result<Vec<Arc<Event>>, JournalError> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let last: Option<i64> = self.one(statements::LAST_EVENT, [])?;
        let Some(last) = last else { return Err(self.reading.errors.damaged("no counter of events")) };
        self.is_changed = true;
        let mut numbered = Vec::with_capacity(events.len());
        let sql = statements::insert(crate::Table::Event);
        for (seq, event) in (last + 1..).zip(events) {
            let event = event.numbered(seq);
            match self.ask(|_| self.write_row(&sql, &event.cells()))? {
                0 => return Err(taken(&event.key())),
                _ => numbered.push(Arc::new(event)),
            }
        }
        Ok(numbered)
    }
}

/// The statement that writes what is different in a row, and what it binds: a column that is written anew costs the pages of its
/// indexes, and a long one its own, even where it stays the same.
fn update(record: &Record, kept: &Record, version: i64) -> (String, Vec<Cell>) {
    let (mut new, old) = (record.cells(), kept.cells());
    let keys = record.table().layout().keys;
    // The version is last.
    let changed: Vec<usize> = (keys..new.len() - 1).filter(|at| new[*at] != old[*at]).collect();
    let sql = statements::update(record.table(), &changed);
    let mut bound: Vec<Cell> =
        changed.iter().map(|at| std::mem::replace(&mut new[*at], Cell::Null)).collect();
    bound.push(Cell::Integer(version + 1));
    bound.extend(new.into_iter().take(keys));
    bound.push(Cell::Integer(version));
    (sql, bound)
}

/// A row that was changed since it was read, or whose key or unique value another row has: a bug of the caller, since nothing
/// else writes meanwhile.
fn taken(key: &Key) -> JournalError {
    JournalError::Invalid(format!("already there, or changed since it was read: {key:?}"))
}

impl View for Transaction<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        self.reading(|| self.reading.get(key))
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        self.noting(|| self.reading.list(query))
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        self.noting(|| self.reading.count(count))
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.noting(|| self.reading.sum(sum))
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.noting(|| self.reading.log())
    }
}

impl Tx for Transaction<'_> {
    fn put(&mut self, row: Record) -> Result<(), JournalError> {
        // Nothing is made of a change of which a part was not written.
        let is_put = self.put_row(&row).inspect_err(|error| self.note(error))?;
        self.ended.extend(prune::ended_by(&row).map(str::to_owned));
        self.noting(|| if is_put { Ok(()) } else { Err(taken(&row.key())) })
    }

    fn remove(&mut self, key: &Key) -> Result<(), JournalError> {
        let before = self.counted(key)?;
        let sql = statements::delete(key.table());
        let removed = self.ask(|_| self.write_row(&sql, &key.cells))?;
        if removed > 0 {
            self.is_changed = true;
            self.changes.extend(RowChange::removed(before, key));
        }
        self.ended.extend(prune::removed_by(key).map(str::to_owned));
        Ok(())
    }

    fn publish(&mut self, event: NewEvent) {
        self.events.push(event);
    }

    fn is_changed(&self) -> bool {
        self.is_changed || !self.events.is_empty()
    }

    fn holds(&self, lease: &Lease) -> Result<bool, JournalError> {
        let fence: Option<i64> = self.one("SELECT fence FROM workflow WHERE id = ?", [&lease.workflow])?;
        Ok(fence == Some(lease.fence))
    }

    fn claim(
        &mut self,
        owner: &str,
        now: Millis,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<Lease>, JournalError> {
        let mut leases = self.ask(|connection| {
            let mut statement = connection.prepare_cached(CLAIM)?;
            let lease = |row: &rusqlite::Row<'_>| Ok(Lease { workflow: row.get(0)?, fence: row.get(1)? });
            let leases = statement.query_map(params![owner, now, until, limit], lease)?;
            leases.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        leases.sort_by(|a, b| a.workflow.cmp(&b.workflow));
        self.is_changed |= !leases.is_empty();
        Ok(leases)
    }

    fn hold(&mut self, lease: &Lease, until: Option<Millis>) -> Result<bool, JournalError> {
        let sql = "UPDATE workflow SET lease_until = ?1, lease_owner = CASE WHEN ?1 IS NULL THEN NULL ELSE lease_owner END \
                   WHERE id = ?2 AND fence = ?3 AND lease_until IS NOT NULL";
        let held = self.ask(|connection| {
            connection.prepare_cached(sql)?.execute(params![until, lease.workflow, lease.fence])
        })?;
        self.is_changed |= held > 0;
        Ok(held > 0)
    }
}
