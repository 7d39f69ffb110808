//! Writing: one caller after the other, each on its own thread, and one flush for all that come at the same time.
//!
//! A caller takes the turn, computes and writes in the open transaction, and gives the turn back. The one that leaves while
//! no other waits commits, for all since the last commit; the others wait for that flush outside of the turn. So a caller that
//! is alone commits at once, and those that have piled up during a flush share the next one. No clock ends a group: its age and
//! its size are checked when a turn begins or ends, so a turn that takes long delays the flush of those before it.

use super::errors::Errors;
use super::meter::{Meter, RowChange};
use super::prune::Sweep;
use super::transaction::{Transaction, Written};
use super::{Connections, WriteConnection};
use crate::error::JournalError;
use crate::event::Event;
use crate::journal::{Abort, Listener, WRITER, refuse_nested};
use rusqlite::Connection;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use watchdog::{Rank, Wait};

/// How many share one flush at most.
const MAX_GROUP: u32 = 64;

/// From which age a group is flushed, at the beginning or the end of the next turn.
const MAX_AGE: Duration = Duration::from_millis(10);

/// The wait while SQLite begins, commits or undoes.
const DISK: &str = "the disk, writing the journal";

/// The wait while a change is made: its rows may be read from the disk, but most of the time is what the caller computes.
const COMPUTING: &str = "a change of the journal, being computed";

/// The wait for a connection that views have as well.
const CONNECTION: &str = "the connection of the journal";

/// What a caller does in its turn.
pub(super) type Work<'w> = dyn FnMut(&mut Transaction<'_>) -> Result<(), Abort> + 'w;

/// What writes.
pub(super) struct Writer {
    turn: watchdog::Mutex<Turn>,
    /// How many callers have come.
    pub(super) arrived: AtomicU64,
    /// The one that writes is among them.
    connections: Arc<Connections>,
    /// How many share one flush at most.
    max_group: u32,
    /// From which age they are flushed.
    pub(super) max_age: Duration,
    errors: Errors,
    listener: Listener,
    meter: Arc<Meter>,
    /// How far the events were looked through that can be forgotten.
    sweep: Mutex<Sweep>,
}

/// What the caller has whose turn it is.
#[derive(Default)]
struct Turn {
    /// How many callers have had their turn.
    begun: u64,
    /// The transaction that is open, if there is one.
    group: Option<Group>,
    /// Why no transaction could be begun, and how many callers had come then: they do not try again, one after the other.
    refused: Option<(u64, JournalError)>,
}

/// Callers that share one transaction.
struct Group {
    since: Instant,
    size: u32,
    /// Whether anything was changed; until then, there is nothing to flush.
    is_changed: bool,
    events: Vec<Arc<Event>>,
    /// What is to be counted once it is flushed.
    changes: Vec<RowChange>,
    flush: Arc<Flush>,
}

/// The end of a transaction, which its callers wait for.
#[derive(Default)]
struct Flush {
    result: Mutex<Option<Result<(), JournalError>>>,
    ended: Condvar,
}

/// How a turn has ended.
enum TurnEnd {
    Done(Vec<Arc<Event>>),
    Failed(JournalError),
    Panicked(Panic),
}

type Panic = Box<dyn std::any::Any + Send>;

/// An error of a whole group: all of it is undone.
struct GroupError {
    error: JournalError,
    /// That of the caller whose turn it was: it gets this instead of the error.
    panic: Option<Panic>,
}

impl From<JournalError> for GroupError {
    fn from(error: JournalError) -> Self {
        Self { error, panic: None }
    }
}

impl Writer {
    /// One with a connection of its own.
    pub(super) fn new(connection: Connection, errors: Errors, listener: Listener, meter: Arc<Meter>) -> Self {
        Self::with(Arc::new(Connections::new(vec![connection])), MAX_GROUP, errors, listener, meter)
    }

    /// One that shares its connection with views, where there is nothing to flush: no transaction outlasts a turn.
    pub(super) fn sharing(
        connections: Arc<Connections>,
        errors: Errors,
        listener: Listener,
        meter: Arc<Meter>,
    ) -> Self {
        Self::with(connections, 1, errors, listener, meter)
    }

    fn with(
        connections: Arc<Connections>,
        max_group: u32,
        errors: Errors,
        listener: Listener,
        meter: Arc<Meter>,
    ) -> Self {
        let turn = watchdog::Mutex::new(Rank::View, WRITER, Turn::default());
        let (arrived, sweep) = (AtomicU64::new(0), Mutex::default());
        Self { turn, arrived, connections, max_group, max_age: MAX_AGE, errors, listener, meter, sweep }
    }

    /// How far the events were looked through.
    pub(super) fn sweep(&self) -> MutexGuard<'_, Sweep> {
        self.sweep.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `work` as [`Self::run`] does, and returns its result; of one that fails nothing is left.
    pub(super) fn make<T>(
        &self,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut result = Err(JournalError::Closed);
        self.run(&mut |transaction| {
            result = work(transaction);
            if result.is_ok() { Ok(()) } else { Err(Abort) }
        })?;
        result
    }

    /// Does `work` in a transaction and returns its events, once it is durable, together with all that it may have read. If
    /// `work` aborts, or panics, nothing of it is left.
    pub(super) fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        refuse_nested(WRITER)?;
        let number = self.arrived.fetch_add(1, Ordering::SeqCst);
        let (end, flush) = {
            let mut turn = self.turn.lock();
            turn.begun += 1;
            match &turn.refused {
                Some((arrived, error)) if number < *arrived => return Err(error.clone()),
                _ => turn.refused = None,
            }
            let connection = {
                let _wait = Wait::begin(CONNECTION);
                self.connections.take_to_write()
            };
            self.take_turn(&mut turn, &connection, work)?
        };
        let flushed = flush.map_or(Ok(()), |flush| flush.wait());
        match end {
            TurnEnd::Panicked(panic) => panic::resume_unwind(panic),
            TurnEnd::Failed(error) => Err(error),
            TurnEnd::Done(events) => flushed.map(|()| events),
        }
    }

    /// Does `work`, and commits unless another caller will. Returns the flush that the answer has to wait for.
    fn take_turn(
        &self,
        turn: &mut Turn,
        connection: &WriteConnection<'_>,
        work: &mut Work<'_>,
    ) -> Result<(TurnEnd, Option<Arc<Flush>>), JournalError> {
        let late = |group: &mut Group| group.since.elapsed() >= self.max_age;
        if let Some(group) = turn.group.take_if(late) {
            self.commit(connection, group);
        }
        let mut group = match turn.group.take() {
            Some(group) => group,
            None => self.begin(connection).inspect_err(|error| {
                turn.refused = Some((self.arrived.load(Ordering::SeqCst), error.clone()));
            })?,
        };
        let end = match self.change(connection, &mut group, work) {
            Ok(end) => end,
            Err(GroupError { error, panic }) => {
                group.flush.end(Err(error.clone()));
                return panic.map_or(Err(error), |panic| Ok((TurnEnd::Panicked(panic), None)));
            }
        };
        let flush = group.is_changed.then(|| Arc::clone(&group.flush));
        let is_last = self.arrived.load(Ordering::SeqCst) == turn.begun;
        if is_last || group.size >= self.max_group || late(&mut group) {
            self.commit(connection, group);
        } else {
            turn.group = Some(group);
        }
        Ok((end, flush))
    }

    fn begin(&self, connection: &Connection) -> Result<Group, JournalError> {
        if let Some(error) = self.errors.unsynced() {
            return Err(error);
        }
        self.execute(connection, "BEGIN IMMEDIATE")?;
        Ok(Group {
            since: Instant::now(),
            size: 0,
            is_changed: false,
            events: Vec::new(),
            changes: Vec::new(),
            flush: Arc::default(),
        })
    }

    /// Does `work` in the transaction of the group.
    fn change(
        &self,
        connection: &Connection,
        group: &mut Group,
        work: &mut Work<'_>,
    ) -> Result<TurnEnd, GroupError> {
        group.size += 1;
        self.execute(connection, "SAVEPOINT change")?;
        let (end, failure) = match self.compute(connection, work) {
            Ok(Written { events, changes, is_changed, ended }) => {
                self.execute(connection, "RELEASE change")?;
                if !ended.is_empty() {
                    self.sweep().note(ended);
                }
                group.is_changed |= is_changed;
                group.events.extend_from_slice(&events);
                group.changes.extend(changes);
                return Ok(TurnEnd::Done(events));
            }
            Err(unmade) => *unmade,
        };
        let undone = if connection.is_autocommit() {
            // SQLite has undone all of it: there was no room, for example.
            Err(failure.unwrap_or(JournalError::Closed))
        } else {
            self.undo(connection)
        };
        match (undone, end) {
            (Ok(()), end) => Ok(end),
            (Err(error), TurnEnd::Panicked(panic)) => Err(GroupError { error, panic: Some(panic) }),
            (Err(error), _) => Err(error.into()),
        }
    }

    /// Does `work` and numbers its events. Returns what was written; or how the turn ends if nothing is to be left of it, and the
    /// first error of the journal.
    fn compute(
        &self,
        connection: &Connection,
        work: &mut Work<'_>,
    ) -> Result<Written, Box<(TurnEnd, Option<JournalError>)>> {
        let _wait = Wait::begin(COMPUTING);
        let failed = |error: JournalError| Box::new((TurnEnd::Failed(error.clone()), Some(error)));
        let mut transaction = Transaction::new(connection, &self.errors);
        // A panic is the caller's alone.
        match panic::catch_unwind(AssertUnwindSafe(|| work(&mut transaction))) {
            Ok(Ok(())) => transaction.finish().map_err(failed),
            Ok(Err(Abort)) => Err(transaction
                .into_failure()
                .map_or_else(|| Box::new((TurnEnd::Done(Vec::new()), None)), failed)),
            Err(panic) => Err(Box::new((TurnEnd::Panicked(panic), transaction.into_failure()))),
        }
    }

    /// Undoes one change of a group.
    fn undo(&self, connection: &Connection) -> Result<(), JournalError> {
        self.execute(connection, "ROLLBACK TO change")?;
        self.execute(connection, "RELEASE change")
    }

    /// Ends the transaction of a group, notifies the listener, and wakes the group.
    fn commit(&self, connection: &Connection, group: Group) {
        let Group { events, changes, flush, is_changed, .. } = group;
        let begun = Instant::now();
        let committed = self.execute(connection, "COMMIT");
        if is_changed && committed.is_ok() {
            self.meter.committed(begun.elapsed(), changes);
        }
        let told = match committed {
            Ok(()) if !events.is_empty() => {
                panic::catch_unwind(AssertUnwindSafe(|| (self.listener)(&events)))
            }
            _ => Ok(()),
        };
        flush.end(committed);
        if let Err(panic) = told {
            panic::resume_unwind(panic);
        }
    }

    fn execute(&self, connection: &Connection, sql: &str) -> Result<(), JournalError> {
        let _wait = Wait::begin(DISK);
        let done = connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        done.map(drop).map_err(|error| {
            let error = self.errors.convert(&error);
            if !connection.is_autocommit() {
                // What cannot be undone now is undone when the file is opened.
                let _ = connection.execute_batch("ROLLBACK");
            }
            error
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.max_group == 1 {
            return;
        }
        // What SQLite does when the last connection is closed, but for those who read and may close later.
        let connection = self.connections.take_to_write();
        let moved = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if let Err(error) = moved {
            tracing::warn!("journal: {}", self.errors.convert(&error));
        }
    }
}

impl Flush {
    fn end(&self, result: Result<(), JournalError>) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.ended.notify_all();
    }

    fn wait(&self) -> Result<(), JournalError> {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = &*result {
                return result.clone();
            }
            // Without a limit: the change may be made later, and nothing may say that it was not.
            let _wait = Wait::begin("the next flush of the journal");
            result = self.ended.wait(result).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
