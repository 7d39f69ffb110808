//! What the tests share.

use journal::{
    Abort, Decision, Event, Journal, JournalError, Key, Lease, Listener, NewEvent, Query, Record, Row,
    Session, Sqlite, View, ViewExt, Workflow,
};
use protocol::workflow::{DecisionStatus, EventType, SessionKind};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use tempfile::TempDir;

/// A folder with a journal.
pub(crate) struct JournalFolder(pub(crate) TempDir);

impl JournalFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Where nothing waits for a disk: for those who need very many.
    pub(crate) fn in_memory() -> Self {
        Self(tempfile::tempdir_in(memory()).unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn open(&self) -> Sqlite {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open(&self) -> Result<Sqlite, JournalError> {
        self.open_with(Box::new(|_| ()))
    }

    pub(crate) fn open_with(&self, listener: Listener) -> Result<Sqlite, JournalError> {
        Sqlite::open(&files::Dir::open(self.path()).unwrap(), listener)
    }

    /// An empty folder beside this one.
    fn another(&self) -> Self {
        Self(tempfile::tempdir_in(self.path().parent().unwrap()).unwrap())
    }

    /// A folder with what the disk would have if everything was killed now.
    pub(crate) fn killed(&self) -> Self {
        let copy = self.another();
        for name in ["journal.db", "journal.db-wal"] {
            let from = self.path().join(name);
            if from.exists() {
                std::fs::copy(from, copy.path().join(name)).unwrap();
            }
        }
        copy
    }
}

/// Who remembers what it was told.
#[derive(Clone, Default)]
pub(crate) struct EventRecorder(Arc<Mutex<Vec<Arc<Event>>>>);

impl EventRecorder {
    pub(crate) fn listener(&self) -> Listener {
        let told = self.clone();
        Box::new(move |events| told.0.lock().unwrap().extend_from_slice(events))
    }

    pub(crate) fn numbers(&self) -> Vec<i64> {
        self.0.lock().unwrap().iter().map(|event| event.seq).collect()
    }
}

pub(crate) fn session(id: &str) -> Session {
    Session {
        id: id.to_owned(),
        kind: SessionKind::User,
        name: id.to_owned(),
        project: None,
        paused: false,
        created: 1,
        updated: 1,
        accessed: 1,
        context: "{}".to_owned(),
        version: 0,
    }
}

pub(crate) fn workflow(id: &str, session: &str) -> Workflow {
    Workflow::begin(id.to_owned(), session.to_owned(), "t".to_owned(), 1)
}

pub(crate) fn decision(id: &str) -> Decision {
    Decision {
        id: id.to_owned(),
        workflow: None,
        session: None,
        task: None,
        agent: None,
        project: None,
        ask: id.to_owned(),
        questions: "{}".to_owned(),
        multiple: false,
        fallback: None,
        status: DecisionStatus::Pending,
        draft: None,
        record: None,
        response: None,
        selected: None,
        via: None,
        created: 1,
        expires: None,
        ended: None,
        version: 0,
    }
}

pub(crate) fn event(id: &str, workflow: Option<&str>) -> NewEvent {
    NewEvent {
        id: id.to_owned(),
        at: 1,
        kind: EventType::WorkflowProgress,
        session: None,
        workflow: workflow.map(str::to_owned),
        task: None,
        agent: None,
        payload: "{}".to_owned(),
    }
}

/// What a test writes in one transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    pub(crate) lease: Option<Lease>,
    pub(crate) put: Vec<Record>,
    pub(crate) remove: Vec<Key>,
    pub(crate) events: Vec<NewEvent>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) events: Vec<Arc<Event>>,
}

/// Why it was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    #[error("claimed since: {0}")]
    Fenced(String),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

pub(crate) trait Commit: Journal {
    fn commit(&self, change: Change) -> Result<Committed, CommitError> {
        let mut fenced = None;
        let events = self.run(&mut |tx| {
            let Change { lease, put, remove, events } = change.clone();
            let failed = |_: JournalError| Abort;
            if let Some(lease) = lease
                && !tx.holds(&lease).map_err(failed)?
            {
                fenced = Some(lease.workflow);
                return Err(Abort);
            }
            put.into_iter().try_for_each(|row| tx.put(row)).map_err(failed)?;
            remove.iter().try_for_each(|key| tx.remove(key)).map_err(failed)?;
            events.into_iter().for_each(|event| tx.publish(event));
            Ok(())
        })?;
        match fenced {
            Some(workflow) => Err(CommitError::Fenced(workflow)),
            None => Ok(Committed { events }),
        }
    }
}

impl<J: Journal + ?Sized> Commit for J {}

/// A change that puts these rows and tells these events.
pub(crate) fn change(rows: impl IntoIterator<Item = journal::Record>, events: &[&str]) -> Change {
    Change {
        put: rows.into_iter().collect(),
        events: events.iter().map(|id| event(id, None)).collect(),
        ..Change::default()
    }
}

pub(crate) fn workflows(journal: &impl Journal) -> Vec<Workflow> {
    journal.view().unwrap().find(&Query::workflows()).unwrap()
}

/// The numbers and names of all events.
pub(crate) fn log(journal: &impl Journal) -> Vec<(i64, String)> {
    log_of(&*journal.view().unwrap())
}

/// The same of a view.
pub(crate) fn log_of(view: &dyn View) -> Vec<(i64, String)> {
    let events = view.events(&journal::EventFilter::after(0, u32::MAX)).unwrap();
    events.into_iter().map(|event| (event.seq, event.id)).collect()
}

/// The key of a row, and its version if it has one.
pub(crate) fn identity(record: &Record) -> (Key, Option<i64>) {
    macro_rules! identity_of {
        ($($name:ident)*) => { match record { $( Record::$name(row) => (row.key(), row.version()), )* } };
    }
    identity_of!(Event Project Session Message Workflow Task Step Agent Decision Checkpoint Instruction Mailbox
        Idempotency Outbox Tool)
}

/// A word for why a change was not made.
pub(crate) fn why(error: &CommitError) -> String {
    match error {
        CommitError::Fenced(workflow) => format!("fenced {workflow}"),
        CommitError::Journal(error) => why_not(error),
    }
}

/// The same of a transaction.
pub(crate) fn why_not(error: &JournalError) -> String {
    match error {
        JournalError::Invalid(detail) => {
            match detail.strip_prefix("already there, or changed since it was read: ") {
                Some(key) => format!("conflict {key}"),
                None => "invalid".to_owned(),
            }
        }
        error => panic!("{error}"),
    }
}

/// A folder that no disk has to be waited for, where there is one.
pub(crate) fn memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Told if a check fails.
pub(crate) struct PanicNote<F: Fn() -> String>(pub(crate) F);

impl<F: Fn() -> String> Drop for PanicNote<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = writeln!(io::stderr(), "this happened: {}", (self.0)());
        }
    }
}

/// Does the same with all of them, some at the same time.
pub(crate) fn side_by_side<'t, T: Sync>(all: &'t [T], act: impl Fn(&'t T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    act(one);
                }
            });
        }
    });
}

/// Numbers from `from` to before `to`: all of them, or about `most`, the first and the last two among them.
pub(crate) fn some(from: usize, to: usize, most: usize) -> Vec<usize> {
    let count = to.saturating_sub(from);
    if count <= most.max(2) {
        return (from..to).collect();
    }
    let mut chosen: Vec<_> = (0..most).map(|number| from + number * count / most).collect();
    chosen.extend([from, from + 1, to - 2, to - 1]);
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}
