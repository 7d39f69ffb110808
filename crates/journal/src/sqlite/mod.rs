//! The journal in a file, or in memory.
//!
//! One connection writes (`writer.rs`): callers take turns, and those that come at the same time share one flush. Two connections
//! read beside it, each as of the moment it began, and two more that are for long reads alone: a list that is read for as long as
//! its client takes it holds up no other read. In memory there is one connection, which views and changes take in turns.

mod errors;
mod meter;
mod migration;
mod open;
mod prune;
mod statements;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests;
mod transaction;
mod view;
mod writer;

use crate::UnreadableCell;
use crate::change::{PruneReport, Retention};
use crate::error::JournalError;
use crate::event::Event;
use crate::journal::{Journal, JournalExt as _, Listener, View, Work, wait_for_view};
use crate::load::{JournalLoad, ReaderLoad};
use errors::Errors;
use files::{Dir, Lock, private_file};
use meter::Meter;
use migration::MIGRATIONS;
use rusqlite::Connection;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use view::SqliteView;
use writer::Writer;

/// The name of the file. What SQLite keeps beside it begins with the same.
const FILE: &str = "journal.db";

/// How many claims are released in one change, where there may be thousands.
const TOGETHER: usize = 64;

/// How many can read at the same time; more wait.
const READERS: usize = 2;

/// How much each connection for long reads keeps in memory, in KiB: a page of a list is read once.
const LONG_CACHE: i64 = 512;

/// What stands for the name of the file where there is none.
const IN_MEMORY: &str = ":memory:";

/// How long they wait.
const READER_LIMIT: Duration = Duration::from_secs(30);

/// A journal in a file, or in memory. Closed when it is dropped.
pub struct Sqlite {
    writer: Writer,
    readers: Arc<Connections>,
    meter: Arc<Meter>,
    long_readers: Arc<Connections>,
    errors: Errors,
}

impl Sqlite {
    /// The name of its file.
    pub const FILE: &str = FILE;

    /// How many long reads there are at a time ([`Journal::long_view`]).
    pub const LONG_READERS: usize = 2;

    /// Opens the journal in the folder `dir`, made when there is none. `listener` receives every event from now on.
    ///
    /// Only one process may do so at a time; that is for the caller to see to.
    ///
    /// # Errors
    ///
    /// When the file is damaged or of a later version, and whatever the disk says. The file is left as it was.
    pub fn open(dir: &Dir, listener: Listener) -> Result<Self, JournalError> {
        let lock = Lock::take(dir)?;
        open::create_if_missing(&lock, dir, MIGRATIONS)?;
        drop(lock);
        let path = open::path(dir, FILE)?;
        let errors = Errors::new(&path);
        let connection = open::existing(dir, &path, MIGRATIONS, &errors)?;
        let open = |count| (0..count).map(|_| open::reader(&path, &errors)).collect::<Result<Vec<_>, _>>();
        let (readers, long_readers) = (open(READERS)?, open(Self::LONG_READERS)?);
        for reader in &long_readers {
            let limited = reader.pragma_update(None, "cache_size", -LONG_CACHE);
            limited.map_err(|error| errors.convert(&error))?;
        }
        let (readers, long_readers) = (Connections::new(readers), Connections::new(long_readers));
        let meter = Arc::new(Meter::read(&connection, Some(&path), &errors)?);
        let writer = Writer::new(connection, errors.clone(), listener, Arc::clone(&meter));
        Ok(Self { writer, readers: Arc::new(readers), long_readers: Arc::new(long_readers), meter, errors })
    }

    /// Returns an empty journal in memory, for tests: the same tables and the same statements. `listener` receives every event.
    ///
    /// A database in memory belongs to one connection. So a view excludes all others as long as it lives: nothing is written,
    /// and nothing else is read.
    ///
    /// # Errors
    ///
    /// When there is no memory.
    pub fn in_memory(listener: Listener) -> Result<Self, JournalError> {
        let errors = Errors::new(Path::new(IN_MEMORY));
        let connection = open::in_memory(MIGRATIONS, &errors)?;
        let meter = Arc::new(Meter::read(&connection, None, &errors)?);
        let shared = Arc::new(Connections::new(vec![connection]));
        let writer = Writer::sharing(Arc::clone(&shared), errors.clone(), listener, Arc::clone(&meter));
        Ok(Self { writer, readers: Arc::clone(&shared), long_readers: shared, meter, errors })
    }

    /// Writes a copy of the journal in the folder `dir`, as of now, to the new file `to`, whether it is open or not.
    ///
    /// # Errors
    ///
    /// When there is none, when it is damaged, when something has the name `to`, and whatever the disk says.
    pub fn copy(dir: &Dir, to: &Path) -> Result<(), JournalError> {
        let path = open::path(dir, FILE)?;
        let errors = Errors::new(&path);
        let connection = open::connect(&path, &errors)?;
        let io = |error: std::io::Error| JournalError::Io { path: to.to_owned(), detail: error.to_string() };
        let name = to.to_str().ok_or_else(|| io(std::io::ErrorKind::InvalidFilename.into()))?;
        let copied = private_file::create(to).map_err(io)?;
        let written = connection.execute("VACUUM INTO ?1", [name]);
        written.map_err(|error| errors.convert(&error))?;
        copied.sync().map_err(io)
    }
}

impl Journal for Sqlite {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        Ok(Box::new(SqliteView::begin(&self.readers, &self.errors)?))
    }

    fn long_view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        Ok(Box::new(SqliteView::begin(&self.long_readers, &self.errors)?))
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        let _writing = self.meter.writing();
        self.writer.run(&mut |transaction| work(transaction))
    }

    fn load(&self) -> JournalLoad {
        self.meter.load(self.readers.load())
    }

    fn release_all(&self) -> Result<(), JournalError> {
        // Finding them reads every workflow: writers need not wait for that. A claim that was made again since has another number.
        let claims = SqliteView::begin(&self.long_readers, &self.errors)?.claims()?;
        claims.chunks(TOGETHER).try_for_each(|some| {
            self.write(|tx| some.iter().try_for_each(|lease| tx.hold(lease, None).map(drop)))
        })
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError> {
        let answers = self.writer.make(|transaction| transaction.prune_answers(prune))?;
        let (at_most, mut events) = (u64::from(prune.at_most), 0);
        loop {
            let sweep = self.writer.sweep().clone();
            let at_most_now = u32::try_from(at_most.saturating_sub(events)).unwrap_or(u32::MAX);
            let now = Retention { at_most: at_most_now, ..prune };
            let turn = self.writer.make(|transaction| transaction.prune(now, &sweep))?;
            // It is on the disk now.
            self.writer.sweep().advance(&sweep, &turn);
            events += turn.report.events;
            if turn.is_end || events >= at_most {
                return Ok(PruneReport { events, answers });
            }
        }
    }
}

/// Connections: a view or what writes takes one and brings it back.
struct Connections {
    state: Mutex<ConnectionState>,
    returned: Condvar,
    /// How many there are.
    count: u64,
    /// How many views wait for one.
    waiting: AtomicU64,
    /// How long a view waits for one.
    limit: Duration,
}

struct ConnectionState {
    free: Vec<Connection>,
    /// Whether a change waits for one. Views that come later wait for that change: otherwise threads that read again and again
    /// could keep it waiting for ever.
    is_change_waiting: bool,
}

impl Connections {
    fn new(free: Vec<Connection>) -> Self {
        let count = free.len() as u64;
        let state = Mutex::new(ConnectionState { free, is_change_waiting: false });
        let (returned, waiting) = (Condvar::new(), AtomicU64::default());
        Self { state, returned, count, waiting, limit: READER_LIMIT }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one for a view.
    fn take(&self) -> Result<Connection, JournalError> {
        let _wait = wait_for_view()?;
        let is_taken = |state: &mut ConnectionState| state.free.is_empty() || state.is_change_waiting;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waited = self.returned.wait_timeout_while(self.state(), self.limit, is_taken);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(JournalError::Busy);
        }
        state.free.pop().ok_or(JournalError::Busy)
    }

    /// Takes one for changes; there is one thread at a time that does.
    fn take_to_write(&self) -> WriteConnection<'_> {
        let mut state = self.state();
        loop {
            if let Some(connection) = state.free.pop() {
                state.is_change_waiting = false;
                return WriteConnection { connection: Some(connection), from: self };
            }
            state.is_change_waiting = true;
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How many are used and waited for. The lock is held only to take one or bring it back.
    fn load(&self) -> ReaderLoad {
        let free = self.state().free.len() as u64;
        let waiting = self.waiting.load(Ordering::Relaxed);
        ReaderLoad { limit: self.count, busy: self.count.saturating_sub(free), waiting }
    }

    fn bring_back(&self, connection: Connection) {
        self.state().free.push(connection);
        // All of them: a view that is woken may have to wait for a change, which would then not be woken.
        self.returned.notify_all();
    }
}

/// The connection that writes, brought back when it is dropped.
struct WriteConnection<'c> {
    /// There until then.
    connection: Option<Connection>,
    from: &'c Connections,
}

impl Deref for WriteConnection<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match &self.connection {
            Some(connection) => connection,
            None => unreachable!("it is there until this is dropped"),
        }
    }
}

impl Drop for WriteConnection<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.from.bring_back(connection);
        }
    }
}

/// The cells of a row, of which the first so many are wanted.
fn cells(row: &rusqlite::Row<'_>, count: usize) -> rusqlite::Result<Vec<Option<crate::Cell>>> {
    use crate::Cell;
    use rusqlite::types::ValueRef;
    let cell = |at: usize| {
        Ok(match row.get_ref(at)? {
            ValueRef::Null => Some(Cell::Null),
            ValueRef::Integer(number) => Some(Cell::Integer(number)),
            ValueRef::Text(text) => std::str::from_utf8(text).ok().map(|text| Cell::Text(text.to_owned())),
            ValueRef::Real(_) | ValueRef::Blob(_) => None,
        })
    };
    (0..count).map(cell).collect()
}

/// The same where every cell is readable.
fn readable(
    table: crate::Table,
    cells: Vec<Option<crate::Cell>>,
) -> Result<Vec<crate::Cell>, UnreadableCell> {
    let layout = table.layout();
    let known = cells.into_iter().zip(layout.columns);
    known.map(|(cell, column)| cell.ok_or(UnreadableCell { table: layout.name, column })).collect()
}
