//! Counts what a journal has to do, row by row as it is changed: nothing is counted by reading, but once when it is opened.

use super::errors::Errors;
use crate::cell::{CellValue as _, Millis};
use crate::error::JournalError;
use crate::load::{Ages, CommitTimes, JournalLoad, ReaderLoad};
use crate::rows::{Key, Record, Table};
use crate::{Cell, Outbox};
use protocol::workflow::{DecisionStatus, WorkflowState};
use rusqlite::{Connection, OptionalExtension as _, Row};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The states in which a workflow has not ended, and how many workflows are in each: by an index alone.
fn open_workflows() -> String {
    let open = WorkflowState::ALL.iter().filter(|state| !state.is_terminal());
    let open: Vec<_> = open.map(|state| format!("'{state}'")).collect();
    format!("SELECT state, count(*) FROM workflow WHERE state IN ({}) GROUP BY state", open.join(", "))
}
/// Since when each decision is pending: by an index alone.
const PENDING_DECISIONS: &str = "SELECT created FROM decision WHERE status = 'pending'";
/// What is in the outbox: seldom anything.
const OUTBOX: &str = "SELECT id, next FROM outbox";

/// What is counted of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// A workflow that has not ended.
    Workflow(WorkflowState),
    /// A decision that is pending, and since when.
    Decision(Millis),
}

impl Counted {
    /// What is counted of this row.
    pub(super) fn of(record: &Record) -> Option<Self> {
        match record {
            Record::Workflow(row) => (!row.state.is_terminal()).then_some(Self::Workflow(row.state)),
            Record::Decision(row) => {
                (row.status == DecisionStatus::Pending).then_some(Self::Decision(row.created))
            }
            _ => None,
        }
    }

    /// What is counted of the row of this key, as it is now. One statement by the key, and only for a row that may be counted.
    pub(super) fn before(connection: &Connection, key: &Key) -> rusqlite::Result<Option<Self>> {
        let sql = match key.table {
            Table::Workflow => "SELECT state FROM workflow WHERE id = ?",
            Table::Decision => "SELECT status, created FROM decision WHERE id = ?",
            _ => return Ok(None),
        };
        let counted = |row: &Row<'_>| {
            Ok(match key.table {
                Table::Workflow => state(row)?.filter(|state| !state.is_terminal()).map(Self::Workflow),
                _ => {
                    let is_pending = row.get_ref(0)?.as_str() == Ok(DecisionStatus::Pending.name());
                    is_pending.then_some(Self::Decision(row.get(1)?))
                }
            })
        };
        let cells = rusqlite::params_from_iter(&key.cells);
        Ok(connection.prepare_cached(sql)?.query_row(cells, counted).optional()?.flatten())
    }
}

/// The state in the first column; `None` if it is none, which is reported where the row is read.
fn state(row: &Row<'_>) -> rusqlite::Result<Option<WorkflowState>> {
    let name: String = row.get(0)?;
    Ok(WorkflowState::from_cell(Cell::Text(name)))
}

/// How a row was changed, as far as it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowChange {
    /// One that is counted by what it holds.
    Counted { before: Option<Counted>, after: Option<Counted> },
    /// An entry of the outbox was put, to be tried then.
    Queued { id: Cell, next: Millis },
    /// An entry of the outbox was removed.
    Done { id: Cell },
}

impl RowChange {
    /// The change by which a row was put, where `before` was counted of it.
    pub(super) fn put(before: Option<Counted>, record: &Record) -> Option<Self> {
        match record {
            Record::Outbox(Outbox { id, next, .. }) => {
                Some(Self::Queued { id: Cell::Text(id.clone()), next: *next })
            }
            _ => Self::counted(before, Counted::of(record)),
        }
    }

    /// The change by which the row of this key was removed, where `before` was counted of it.
    pub(super) fn removed(before: Option<Counted>, key: &Key) -> Option<Self> {
        match (key.table, key.cells.as_slice()) {
            (Table::Outbox, [id]) => Some(Self::Done { id: id.clone() }),
            _ => Self::counted(before, None),
        }
    }

    fn counted(before: Option<Counted>, after: Option<Counted>) -> Option<Self> {
        (before != after).then_some(Self::Counted { before, after })
    }
}

/// Counts what a journal has to do.
#[derive(Default)]
pub(super) struct Meter {
    rows: Mutex<RowCounts>,
    commits: Mutex<Commits>,
    /// The threads in [`Journal::run`](crate::Journal::run).
    writers: AtomicU64,
    file_bytes: AtomicU64,
    wal_bytes: AtomicU64,
    /// The file and its write-ahead log, if it is in a file.
    paths: Option<(PathBuf, PathBuf)>,
}

#[derive(Default)]
struct RowCounts {
    workflows: BTreeMap<WorkflowState, u64>,
    decisions: Ages,
    outbox: Ages,
    /// Since when each entry of the outbox is there.
    queued: HashMap<Cell, Millis>,
}

/// How long flushes have taken.
#[derive(Default)]
struct Commits {
    count: u64,
    total: Duration,
    /// How many took at most as long as a bound, and longer than the one before it.
    buckets: [u64; CommitTimes::BOUNDS.len()],
    /// The last ones, in microseconds; the oldest is at `count % RECENT` once all places are taken.
    recent: Vec<u32>,
}

impl Meter {
    /// Counts the rows there are.
    pub(super) fn read(
        connection: &Connection,
        path: Option<&Path>,
        errors: &Errors,
    ) -> Result<Self, JournalError> {
        let rows = RowCounts::read(connection).map_err(|error| errors.convert(&error))?;
        let paths = path.map(|path| {
            let mut wal = path.as_os_str().to_owned();
            wal.push("-wal");
            (path.to_owned(), PathBuf::from(wal))
        });
        let meter = Self { rows: Mutex::new(rows), paths, ..Self::default() };
        meter.measure();
        Ok(meter)
    }

    /// Notes the sizes of the files. What cannot be read stays as it was.
    fn measure(&self) {
        let Some((file, wal)) = &self.paths else { return };
        for (path, bytes) in [(file, &self.file_bytes), (wal, &self.wal_bytes)] {
            if let Ok(found) = std::fs::metadata(path) {
                bytes.store(found.len(), Ordering::Relaxed);
            }
        }
    }

    /// A thread begins to change something. It has ended when what is returned is dropped.
    pub(super) fn writing(&self) -> Writing<'_> {
        self.writers.fetch_add(1, Ordering::Relaxed);
        Writing(self)
    }

    /// These changes were flushed, which took so long.
    pub(super) fn committed(&self, took: Duration, changes: Vec<RowChange>) {
        lock(&self.commits).note(took);
        if !changes.is_empty() {
            let mut rows = lock(&self.rows);
            changes.into_iter().for_each(|change| rows.note(change));
        }
        self.measure();
    }

    /// How much there is to do.
    pub(super) fn load(&self, readers: ReaderLoad) -> JournalLoad {
        let commits = lock(&self.commits).times();
        let rows = lock(&self.rows);
        JournalLoad {
            workflows: rows.workflows.clone(),
            decisions: rows.decisions.backlog(),
            outbox: rows.outbox.backlog(),
            commits,
            writers: self.writers.load(Ordering::Relaxed),
            readers,
            file_bytes: self.file_bytes.load(Ordering::Relaxed),
            wal_bytes: self.wal_bytes.load(Ordering::Relaxed),
        }
    }
}

/// These locks are held while nothing is waited for.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that changes something, as long as it lives.
pub(super) struct Writing<'m>(&'m Meter);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.writers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl RowCounts {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut counts = Self::default();
        let mut open = connection.prepare(&open_workflows())?;
        let mut rows = open.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(state) = state(row)? {
                let count: i64 = row.get(1)?;
                counts.workflows.insert(state, u64::try_from(count).unwrap_or_default());
            }
        }
        let mut pending = connection.prepare(PENDING_DECISIONS)?;
        let mut rows = pending.query([])?;
        while let Some(row) = rows.next()? {
            counts.decisions.add(row.get(0)?);
        }
        let mut outbox = connection.prepare(OUTBOX)?;
        let mut rows = outbox.query([])?;
        while let Some(row) = rows.next()? {
            counts.note(RowChange::Queued { id: Cell::Text(row.get(0)?), next: row.get(1)? });
        }
        Ok(counts)
    }

    fn note(&mut self, change: RowChange) {
        match change {
            RowChange::Counted { before, after } => {
                match before {
                    Some(Counted::Workflow(state)) => {
                        if let Some(count) = self.workflows.get_mut(&state) {
                            *count = count.saturating_sub(1);
                        }
                        self.workflows.retain(|_, count| *count > 0);
                    }
                    Some(Counted::Decision(since)) => self.decisions.remove(since),
                    None => {}
                }
                match after {
                    Some(Counted::Workflow(state)) => *self.workflows.entry(state).or_default() += 1,
                    Some(Counted::Decision(since)) => self.decisions.add(since),
                    None => {}
                }
            }
            // An attempt that fails moves `next`; the entry waits since it was written.
            RowChange::Queued { id, next } => {
                if let Entry::Vacant(entry) = self.queued.entry(id) {
                    entry.insert(next);
                    self.outbox.add(next);
                }
            }
            RowChange::Done { id } => {
                if let Some(since) = self.queued.remove(&id) {
                    self.outbox.remove(since);
                }
            }
        }
    }
}

impl Commits {
    fn note(&mut self, took: Duration) {
        let micros = took.as_micros();
        let bound = CommitTimes::BOUNDS.iter().position(|bound| micros <= u128::from(*bound));
        if let Some(bucket) = bound.and_then(|at| self.buckets.get_mut(at)) {
            *bucket += 1;
        }
        let micros = u32::try_from(micros).unwrap_or(u32::MAX);
        let at = usize::try_from(self.count % CommitTimes::RECENT as u64).unwrap_or_default();
        match self.recent.get_mut(at) {
            Some(oldest) => *oldest = micros,
            None => self.recent.push(micros),
        }
        self.count += 1;
        self.total += took;
    }

    fn times(&self) -> CommitTimes {
        let mut at_most = self.buckets;
        let mut so_far = 0;
        for bucket in &mut at_most {
            so_far += *bucket;
            *bucket = so_far;
        }
        let mut recent = self.recent.clone();
        recent.sort_unstable();
        // The smallest that so many in a hundred do not exceed.
        let rank = |of_100: usize| {
            let at = (recent.len() * of_100).div_ceil(100).checked_sub(1)?;
            recent.get(at).map(|micros| Duration::from_micros((*micros).into()))
        };
        let (median, percentile_99) = (rank(50), rank(99));
        CommitTimes { count: self.count, total: self.total, at_most, median, percentile_99 }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{Commits, OUTBOX, PENDING_DECISIONS, open_workflows};
    use crate::load::CommitTimes;
    use crate::sqlite::errors::Errors;
    use crate::sqlite::migration::MIGRATIONS;
    use crate::sqlite::open;
    use std::path::Path;
    use std::time::Duration;

    #[test]
    fn rows_are_counted_by_an_index_alone_when_a_journal_is_opened() {
        let connection = open::in_memory(MIGRATIONS, &Errors::new(Path::new(":memory:"))).unwrap();
        for sql in [open_workflows(), PENDING_DECISIONS.to_owned()] {
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan: Vec<String> =
                plan.query_map([], |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
            assert!(
                plan.iter().all(|line| line.starts_with("SEARCH ") && line.contains("COVERING INDEX")),
                "{sql}: {plan:?}"
            );
        }
        assert!(connection.prepare(OUTBOX).is_ok());
    }

    #[test]
    fn quantiles_are_those_of_the_last_flushes_and_the_histogram_is_of_all() {
        let mut commits = Commits::default();
        assert_eq!(commits.times(), CommitTimes::default());
        for micros in 1..=100 {
            commits.note(Duration::from_micros(micros));
        }
        let times = commits.times();
        let micros = |found: Option<Duration>| found.unwrap().as_micros();
        assert_eq!((micros(times.median), micros(times.percentile_99)), (50, 99));
        assert_eq!((times.count, times.total.as_micros(), times.at_most[0]), (100, 5050, 100));
        for _ in 0..CommitTimes::RECENT {
            commits.note(Duration::from_secs(60));
        }
        let times = commits.times();
        assert_eq!((micros(times.median), micros(times.percentile_99)), (60_000_000, 60_000_000));
        // What is longer than every bound is in the count alone.
        assert_eq!((times.count, times.at_most[CommitTimes::BOUNDS.len() - 1]), (1124, 100));
        assert!(times.at_most.is_sorted() && commits.recent.len() == CommitTimes::RECENT);
    }
}
