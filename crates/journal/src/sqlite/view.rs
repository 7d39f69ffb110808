//! Reading.

use super::errors::Errors;
use super::{Connections, cells, readable, statements};
use crate::cell::{Cell, UnreadableCell};
use crate::change::Lease;
use crate::error::JournalError;
use crate::event::Log;
use crate::journal::{View, hold_view};
use crate::query::{Count, RawQuery, Sum};
use crate::rows::{Key, Record, Table};
use rusqlite::{Connection, Row, params_from_iter};
use watchdog::{RankGuard, Wait};

/// What a thread that reads waits for.
const READING: &str = "the disk, reading the journal";

/// Everything as of the moment at which it began. Others wait for its connection as long as it lives.
pub(super) struct SqliteView<'j> {
    /// There until it is brought back.
    connection: Option<Connection>,
    readers: &'j Connections,
    errors: &'j Errors,
    _held: RankGuard,
}

impl<'j> SqliteView<'j> {
    pub(super) fn begin(readers: &'j Connections, errors: &'j Errors) -> Result<Self, JournalError> {
        let connection = Some(readers.take()?);
        let view = Self { connection, readers, errors, _held: hold_view() };
        // The moment is that of the first look.
        view.ask(|reading| {
            reading.ask(|connection| {
                connection.prepare_cached("BEGIN")?.execute([])?;
                connection.prepare_cached("SELECT value FROM counter LIMIT 1")?.query_row([], |_| Ok(()))
            })
        })?;
        Ok(view)
    }

    /// Returns all claims. No index has them: it would cost each claim a page.
    pub(super) fn claims(&self) -> Result<Vec<Lease>, JournalError> {
        self.ask(|reading| {
            reading.ask(|connection| {
                let mut statement =
                    connection.prepare("SELECT id, fence FROM workflow WHERE lease_until IS NOT NULL")?;
                let lease = |row: &Row<'_>| Ok(Lease { workflow: row.get(0)?, fence: row.get(1)? });
                statement.query_map([], lease)?.collect()
            })
        })
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(&Reading<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let connection = self.connection.as_ref().ok_or(JournalError::Closed)?;
        let _wait = Wait::begin(READING);
        question(&Reading { connection, errors: self.errors })
    }
}

impl Drop for SqliteView<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            // It has changed nothing; an error here is reported to the next reader.
            let _ = connection.prepare_cached("ROLLBACK").and_then(|mut statement| statement.execute([]));
            self.readers.bring_back(connection);
        }
    }
}

impl View for SqliteView<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        self.ask(|reading| reading.get(key))
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        self.ask(|reading| reading.list(query))
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        self.ask(|reading| reading.count(count))
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.ask(|reading| reading.sum(sum))
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.ask(|reading| reading.log())
    }
}

/// A connection in a transaction: of a view, or of what writes, which sees what it has written.
pub(super) struct Reading<'c> {
    pub(super) connection: &'c Connection,
    pub(super) errors: &'c Errors,
}

impl Reading<'_> {
    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
        question(self.connection).map_err(|error| self.errors.convert(&error))
    }

    fn rows(
        &self,
        sql: &str,
        bound: &[Cell],
        columns: usize,
    ) -> Result<Vec<Vec<Option<Cell>>>, JournalError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_map(params_from_iter(bound), |row| cells(row, columns))?;
            found.collect()
        })
    }

    fn records(
        &self,
        table: Table,
        sql: &str,
        bound: &[Cell],
    ) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        let found = self.rows(sql, bound, table.layout().columns.len())?;
        Ok(found.into_iter().map(|cells| Record::from_cells(table, readable(table, cells)?)).collect())
    }
}

impl View for Reading<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        Ok(self.records(key.table, &statements::select(key.table), &key.cells)?.pop().transpose()?)
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        let (sql, bound) = statements::find(query);
        self.records(query.table, &sql, &bound)
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        let found = self.rows(&statements::count(count), &count.of, count.by.len() + 1)?;
        let layout = count.table.layout();
        let unreadable = || UnreadableCell { table: layout.name, column: count.by[0] };
        let mut counts = Vec::with_capacity(found.len());
        for cells in found {
            let mut cells = cells.into_iter().collect::<Option<Vec<_>>>().ok_or_else(unreadable)?;
            let Some(Cell::Integer(number)) = cells.pop() else { return Err(unreadable().into()) };
            counts.push((cells, number));
        }
        Ok(counts)
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&statements::sum(sum))?;
            let sums = |row: &Row<'_>| (0..sum.members.len()).map(|at| row.get(at)).collect();
            statement.query_row([&sum.of.1], sums)
        })
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.ask(|connection| {
            let value = |sql: &str| connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
            let pruned = "SELECT value FROM counter WHERE name = 'pruned'";
            Ok(Log { last: value(statements::LAST_EVENT)?, pruned: value(pruned)? })
        })
    }
}
