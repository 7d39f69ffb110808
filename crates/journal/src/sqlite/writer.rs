//! Writing: one thread, one transaction for all who come at the same time. In memory, each caller writes by itself.

use super::errors::Errors;
use super::{Connections, statements};
use crate::cell::{Cell, Millis};
use crate::change::{Change, Lease, PruneReport, Retention};
use crate::error::{CommitError, JournalError};
use crate::event::Event;
use crate::journal::Listener;
use crate::rows::{Record, Row as _};
use model::workflow::WorkflowState;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use watchdog::Wait;

/// How many wait at most; more wait for a place.
const QUEUE_LENGTH: usize = 256;

/// How many share one flush at most.
const MAX_GROUP: usize = 64;

/// What the thread is asked to do.
pub(super) enum Request {
    Commit(Box<Change>),
    Claim { owner: String, now: Millis, until: Millis, limit: u32 },
    Hold { lease: Lease, until: Option<Millis> },
    ReleaseAll,
    Prune(Retention),
}

/// What came of it.
pub(super) enum Response {
    Committed(Vec<Arc<Event>>),
    Claimed(Vec<Lease>),
    Held(bool),
    Pruned(PruneReport),
}

type JobResult = Result<Response, CommitError>;

pub(super) struct Job {
    request: Request,
    answer: SyncSender<JobResult>,
}

/// What writes.
pub(super) enum Writer {
    /// A thread: callers that come at the same time share one flush.
    Thread {
        /// There until it is closed.
        jobs: Option<SyncSender<Job>>,
        thread: Option<JoinHandle<()>>,
    },
    /// One caller after the other, where there is nothing to flush: to wake a thread would take longer than the change.
    Callers(Mutex<Committer>),
}

impl Writer {
    pub(super) fn start(
        connections: Arc<Connections>,
        errors: Errors,
        listener: Listener,
    ) -> Result<Self, JournalError> {
        let (jobs, queue) = sync_channel(QUEUE_LENGTH);
        let path = errors.path();
        let committer = Committer { connections, errors, listener };
        let started = thread::Builder::new().name("journal".to_owned()).spawn(move || committer.run(&queue));
        let thread = started.map_err(|error| JournalError::Io { path, detail: error.to_string() })?;
        Ok(Self::Thread { jobs: Some(jobs), thread: Some(thread) })
    }

    pub(super) fn on_callers(connections: Arc<Connections>, errors: Errors, listener: Listener) -> Self {
        Self::Callers(Mutex::new(Committer { connections, errors, listener }))
    }

    pub(super) fn ask(&self, request: Request) -> JobResult {
        let jobs = match self {
            Self::Thread { jobs, .. } => jobs.as_ref().ok_or(JournalError::Closed)?,
            Self::Callers(committer) => {
                let _wait = Wait::begin("other changes of the journal");
                let committer = committer.lock().unwrap_or_else(PoisonError::into_inner);
                return committer.commit(vec![request]).pop().ok_or(JournalError::Closed)?;
            }
        };
        let (answer, answered) = sync_channel(1);
        // Without a limit: the change may be made later, and nothing may say that it was not.
        let _wait = Wait::begin("the thread that writes the journal");
        jobs.send(Job { request, answer }).map_err(|_| JournalError::Closed)?;
        answered.recv().map_err(|_| JournalError::Closed)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let Self::Thread { jobs, thread } = self else { return };
        drop(jobs.take());
        if let Some(thread) = thread.take() {
            // It says by itself what went wrong.
            let _ = thread.join();
        }
    }
}

/// What carries requests out, and tells what has happened.
pub(super) struct Committer {
    /// The one that writes is among them.
    connections: Arc<Connections>,
    errors: Errors,
    listener: Listener,
}

impl Committer {
    fn run(self, queue: &Receiver<Job>) {
        while let Ok(first) = queue.recv() {
            let mut group = vec![first];
            group.extend(queue.try_iter().take(MAX_GROUP - 1));
            let _wait = Wait::begin("the disk, writing the journal");
            let (answers, requests): (Vec<_>, Vec<_>) =
                group.into_iter().map(|Job { request, answer }| (answer, request)).unzip();
            for (answer, result) in answers.into_iter().zip(self.commit(requests)) {
                // A caller that no longer waits does not need the result.
                let _ = answer.send(result);
            }
        }
        // What SQLite does when the last connection is closed, but for those who read and may close later.
        let moved =
            self.connections.take_to_write().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if let Err(error) = moved {
            tracing::warn!("journal: {}", self.errors.convert(&error));
        }
    }

    fn commit(&self, requests: Vec<Request>) -> Vec<JobResult> {
        let count = requests.len();
        let connection = self.connections.take_to_write();
        let transaction = Transaction { connection: &connection, errors: &self.errors }.run(requests);
        self.connections.bring_back(connection);
        let results = match transaction {
            Ok(results) => results,
            Err(error) => vec![error; count].into_iter().map(|error| Err(error.into())).collect(),
        };
        let mut events = Vec::new();
        for result in &results {
            if let Ok(Response::Committed(new)) = result {
                events.extend_from_slice(new);
            }
        }
        if !events.is_empty() {
            (self.listener)(&events);
        }
        results
    }
}

/// What is done with the connection while it is taken.
struct Transaction<'t> {
    connection: &'t Connection,
    errors: &'t Errors,
}

impl Transaction<'_> {
    /// Does what is asked, in one transaction; what cannot be done leaves the rest as it is.
    fn run(&self, requests: Vec<Request>) -> Result<Vec<JobResult>, JournalError> {
        if let Some(error) = self.errors.unsynced() {
            return Err(error);
        }
        self.execute("BEGIN IMMEDIATE")?;
        let mut results = Vec::with_capacity(requests.len());
        for request in requests {
            self.execute("SAVEPOINT request")?;
            let result = self.answer(request);
            if let Err(error) = &result {
                if self.connection.is_autocommit() {
                    // All of it is undone: there was no room, for example.
                    return Err(match error {
                        CommitError::Journal(error) => error.clone(),
                        _ => JournalError::Closed,
                    });
                }
                self.execute("ROLLBACK TO request")?;
            }
            self.execute("RELEASE request")?;
            results.push(result);
        }
        self.execute("COMMIT")?;
        Ok(results)
    }

    fn execute(&self, sql: &str) -> Result<(), JournalError> {
        let done = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        done.map(drop).map_err(|error| {
            let error = self.errors.convert(&error);
            if !self.connection.is_autocommit() {
                // What cannot be undone now is undone when the file is opened.
                let _ = self.connection.execute_batch("ROLLBACK");
            }
            error
        })
    }

    fn answer(&self, request: Request) -> JobResult {
        match request {
            Request::Commit(change) => self.change(*change).map(Response::Committed),
            Request::Claim { owner, now, until, limit } => {
                self.storage(self.claim(&owner, now, until, limit)).map(Response::Claimed)
            }
            Request::Hold { lease, until } => self.storage(self.hold(&lease, until)).map(Response::Held),
            Request::ReleaseAll => self.storage(self.release_all()).map(Response::Held),
            Request::Prune(prune) => self.storage(self.prune(prune)).map(Response::Pruned),
        }
    }

    fn storage<T>(&self, result: rusqlite::Result<T>) -> Result<T, CommitError> {
        result.map_err(|error| self.errors.convert(&error).into())
    }

    fn change(&self, change: Change) -> Result<Vec<Arc<Event>>, CommitError> {
        for (key, version) in change.expect {
            let found = self.storage(self.version(&key))?;
            if found.is_some() != version.is_some() || key.table().layout().is_versioned && found != version {
                return Err(CommitError::Conflict(key));
            }
        }
        if let Some(lease) = change.lease {
            let sql = "SELECT fence FROM workflow WHERE id = ?";
            let fence: Option<i64> = self.storage(self.one(sql, [&lease.workflow]))?;
            if fence != Some(lease.fence) {
                return Err(CommitError::Fenced(lease.workflow));
            }
        }
        for record in change.put {
            self.put(record)?;
        }
        for key in change.remove {
            let removed = self.write_row(&statements::delete(key.table()), &key.cells);
            self.storage(removed)?;
        }
        self.number_events(change.events)
    }

    fn version(&self, key: &crate::Key) -> rusqlite::Result<Option<i64>> {
        self.one(&statements::select_version(key.table()), params_from_iter(&key.cells))
    }

    fn put(&self, record: Record) -> Result<(), CommitError> {
        let (table, mut cells) = (record.table(), record.cells());
        let sql = match record.version() {
            None => statements::insert(table),
            Some(version) => {
                cells.pop();
                cells.push(Cell::Integer(version + 1));
                if version == 0 {
                    statements::insert(table)
                } else {
                    cells.push(Cell::Integer(version));
                    statements::update(table)
                }
            }
        };
        match self.write_row(&sql, &cells) {
            Ok(0) => Err(CommitError::Conflict(record.key())),
            Ok(_) => Ok(()),
            Err(error) => Err(self.errors.for_row(&error, record.key())),
        }
    }

    /// Numbers the events and writes them.
    fn number_events(&self, events: Vec<crate::NewEvent>) -> Result<Vec<Arc<Event>>, CommitError> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
        let sql = "UPDATE counter SET value = value + ? WHERE name = 'seq' RETURNING value";
        let last: Option<i64> = self.storage(self.one(sql, [count]))?;
        let Some(last) = last else { return Err(self.errors.damaged("no counter of events").into()) };
        let mut told = Vec::with_capacity(events.len());
        for (seq, event) in (last - count + 1..).zip(events) {
            let event = event.numbered(seq);
            match self.write_row(&statements::insert(crate::Table::Event), &event.cells()) {
                Ok(0) => return Err(CommitError::Conflict(event.key())),
                Ok(_) => told.push(Arc::new(event)),
                Err(error) => return Err(self.errors.convert(&error).into()),
            }
        }
        Ok(told)
    }

    fn claim(&self, owner: &str, now: Millis, until: Millis, limit: u32) -> rusqlite::Result<Vec<Lease>> {
        let sql = "UPDATE workflow SET lease_owner = ?1, lease_until = ?3, fence = fence + 1 WHERE id IN (\
                   SELECT id FROM workflow WHERE wake_at IS NOT NULL AND wake_at <= ?2 \
                   AND (lease_until IS NULL OR lease_until <= ?2) ORDER BY wake_at, id LIMIT ?4) \
                   RETURNING id, fence";
        let mut statement = self.connection.prepare_cached(sql)?;
        let lease = |row: &rusqlite::Row<'_>| Ok(Lease { workflow: row.get(0)?, fence: row.get(1)? });
        let leases = statement.query_map(params![owner, now, until, limit], lease)?;
        let mut leases = leases.collect::<rusqlite::Result<Vec<_>>>()?;
        leases.sort_by(|a, b| a.workflow.cmp(&b.workflow));
        Ok(leases)
    }

    fn hold(&self, lease: &Lease, until: Option<Millis>) -> rusqlite::Result<bool> {
        let sql = "UPDATE workflow SET lease_until = ?1, lease_owner = CASE WHEN ?1 IS NULL THEN NULL ELSE lease_owner END \
                   WHERE id = ?2 AND fence = ?3 AND lease_until IS NOT NULL";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.execute(params![until, lease.workflow, lease.fence])? > 0)
    }

    fn release_all(&self) -> rusqlite::Result<bool> {
        let sql = "UPDATE workflow SET lease_owner = NULL, lease_until = NULL WHERE lease_until IS NOT NULL";
        Ok(self.connection.prepare_cached(sql)?.execute([])? > 0)
    }

    fn prune(&self, prune: Retention) -> rusqlite::Result<PruneReport> {
        let ended = WorkflowState::ALL.iter().filter(|state| state.is_terminal());
        let ended: Vec<_> = ended.map(|state| format!("'{state}'")).collect();
        let sql = format!(
            "DELETE FROM event WHERE seq IN (SELECT seq FROM event \
             WHERE seq <= (SELECT value FROM counter WHERE name = 'seq') - ?1 AND (workflow IS NULL OR NOT EXISTS (\
             SELECT 1 FROM workflow WHERE id = event.workflow AND state NOT IN ({}))) ORDER BY seq LIMIT ?2) \
             RETURNING seq",
            ended.join(", ")
        );
        let keep = i64::try_from(prune.keep_events).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let removed = statement.query_map(params![keep, prune.at_most], |row| row.get::<_, i64>(0))?;
        let removed = removed.collect::<rusqlite::Result<Vec<_>>>()?;
        if let Some(last) = removed.iter().max() {
            let sql = "UPDATE counter SET value = max(value, ?) WHERE name = 'pruned'";
            self.connection.prepare_cached(sql)?.execute([last])?;
        }
        let sql = "DELETE FROM idempotency WHERE (scope, key) IN (SELECT scope, key FROM idempotency \
                   WHERE created < ?1 ORDER BY created, scope, key LIMIT ?2)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let answers = statement.execute(params![prune.answered_before, prune.at_most])?;
        Ok(PruneReport { events: removed.len() as u64, answers: answers as u64 })
    }

    fn write_row(&self, sql: &str, cells: &[Cell]) -> rusqlite::Result<usize> {
        self.connection.prepare_cached(sql)?.execute(params_from_iter(cells))
    }

    fn one<T: rusqlite::types::FromSql>(
        &self,
        sql: &str,
        bound: impl rusqlite::Params,
    ) -> rusqlite::Result<Option<T>> {
        self.connection.prepare_cached(sql)?.query_row(bound, |row| row.get(0)).optional()
    }
}
