//! Workflows that a daemon before has left behind: they are interrupted, whether that is written yet or not.
//!
//! A daemon that was killed may have driven tens of thousands of workflows. Noting with each that it is interrupted writes its
//! context, its tasks and a checkpoint (contract/workflows §1.5); that takes seconds, and clients are served meanwhile. So each
//! daemon has a number, and a workflow that is driven that of its daemon (`driven`). One with the number of an earlier daemon is
//! *left behind*: every view of the journal shows it as interrupted, with its tasks taken back. This follows from the rows of
//! that view alone, so that it makes no difference when a workflow is marked, and a kill in between leaves nothing half done.
//!
//! A change that writes anything of such a workflow, or a checkpoint of its session, is computed again after the workflow was
//! marked (`Runtime::mark` in `requests/recovery.rs`), and what reads checkpoints marks their workflows first. A thread of the
//! daemon marks all others (`Runtime::finish_recovery`). Workflows for which an agent of the pool is at work are marked before
//! clients are served: they are as many as these agents.

use crate::aggregate::{into_task, task_row};
use crate::checkpoints::is_driven;
use aide_core::Context;
use journal::{
    Cell, Count, Event, Journal, JournalError, JournalLoad, Key, Lease, Log, Millis, NewEvent, PruneReport,
    Query, RawQuery, Record, Retention, Sum, Tx, UnreadableCell, View, ViewExt as _, Work, Workflow,
};
use protocol::workflow::{TaskState, WorkflowState};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// How many workflows are read at a time.
const PAGE: u32 = 128;

/// A journal whose views show workflows that were left behind as interrupted.
pub(crate) struct RecoveringJournal {
    /// The journal as it is.
    pub(crate) inner: Arc<dyn Journal>,
    /// The number of this daemon.
    daemon: AtomicI64,
    /// Whether there may be workflows that were left behind and are not marked.
    is_recovering: AtomicBool,
}

impl RecoveringJournal {
    /// Until the recovery begins, no workflow counts as left behind.
    pub(crate) fn new(inner: Arc<dyn Journal>) -> Self {
        Self { inner, daemon: AtomicI64::new(1), is_recovering: AtomicBool::new(false) }
    }

    /// The number of this daemon.
    pub(crate) fn daemon(&self) -> i64 {
        self.daemon.load(Ordering::Acquire)
    }

    /// The number of this daemon while there may be workflows that are not marked. Asked before a view begins: what is marked by
    /// then is so in the view.
    pub(crate) fn recovering(&self) -> Option<i64> {
        self.is_recovering.load(Ordering::Acquire).then(|| self.daemon())
    }

    /// Takes a number that is higher than those of all daemons before: what they drove is left behind from now on.
    pub(crate) fn begin(&self) -> Result<(), JournalError> {
        let view = self.inner.view()?;
        let mut skip = 0;
        let last = loop {
            // Those that are not readable are passed over: these cannot be marked either.
            let rows = view.list(Query::last_driven().skip(skip).limit(1).raw())?;
            let last = rows.iter().find_map(|row| match row {
                Ok(Record::Workflow(row)) => Some(row.driven),
                _ => None,
            });
            if last.is_some() || rows.is_empty() {
                break last;
            }
            skip += 1;
        };
        self.daemon.store(last.unwrap_or_default().saturating_add(1), Ordering::Release);
        self.is_recovering.store(last.is_some(), Ordering::Release);
        Ok(())
    }

    /// All are marked.
    pub(crate) fn end(&self) {
        self.is_recovering.store(false, Ordering::Release);
    }

    /// Returns a transaction that shows the rows as they are.
    pub(crate) fn unchanged<'t>(&self, tx: &'t mut dyn Tx) -> impl Tx + use<'t> {
        RecoveringTx { inner: tx, daemon: self.daemon(), is_recovering: false }
    }

    /// Returns the workflows that are to be marked: not those that are paused while nothing is done for them.
    pub(crate) fn left_behind(&self) -> Result<Vec<String>, JournalError> {
        let Some(daemon) = self.recovering() else { return Ok(Vec::new()) };
        let view = self.inner.long_view()?;
        let query = Query::driven_before(daemon);
        let (mut found, mut position, mut skip) = (Vec::new(), Vec::new(), 0);
        loop {
            let rows = view.list(query.clone().after(position.clone()).skip(skip).limit(PAGE).raw())?;
            let is_last = rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX);
            let rows: Vec<_> =
                rows.into_iter().filter_map(|row| Workflow::try_from(row.ok()?).ok()).collect();
            match rows.last() {
                Some(last) => (position, skip) = (query.position(last), 0),
                None => skip += PAGE,
            }
            found.extend(with_effect(&*view, rows)?);
            if is_last {
                return Ok(found);
            }
        }
    }
}

/// Those of workflows that were left behind that an interruption changes.
fn with_effect(view: &dyn View, rows: Vec<Workflow>) -> Result<Vec<String>, JournalError> {
    let paused: Vec<_> =
        rows.iter().filter(|row| row.state == WorkflowState::Paused).map(|row| row.id.clone()).collect();
    let mut at_work = BTreeSet::new();
    if !paused.is_empty() {
        for (by, _) in view.count(&Count::TASKS.of(&paused))? {
            if let Some((workflow, state)) = task_count(&by)
                && state.is_in_flight()
            {
                at_work.insert(workflow.to_owned());
            }
        }
    }
    let is_changed = |row: &Workflow| row.state != WorkflowState::Paused || at_work.contains(&row.id);
    Ok(rows.into_iter().filter(is_changed).map(|row| row.id).collect())
}

/// What tasks are counted by.
fn task_count(by: &[Cell]) -> Option<(&str, TaskState)> {
    match by {
        [Cell::Text(workflow), Cell::Text(state)] => Some((workflow, TaskState::named(state)?)),
        _ => None,
    }
}

/// Whether a workflow was driven by a daemon before this one, and is not marked.
pub(crate) fn is_left_behind(row: &Workflow, daemon: i64) -> bool {
    row.driven > 0 && row.driven < daemon && !row.state.is_terminal()
}

/// Shows the rows of a view as they are once every workflow that was left behind is marked.
struct InterruptedRows<'v, V: View + ?Sized> {
    view: &'v V,
    daemon: i64,
}

impl<V: View + ?Sized> InterruptedRows<'_, V> {
    fn record(&self, record: Record) -> Result<Record, JournalError> {
        Ok(match record {
            Record::Workflow(row)
                if is_left_behind(&row, self.daemon) && row.state != WorkflowState::Paused =>
            {
                let mut context = Context::read(&row.context);
                context.interrupt();
                Workflow { context: context.into_json(), ..row }.into()
            }
            Record::Task(row) if row.state.is_in_flight() && self.is_of_left_behind(&row.workflow)? => {
                match into_task(row.clone()).interrupted() {
                    Some(task) => task_row(&row.workflow, task, row.version).into(),
                    None => row.into(),
                }
            }
            record => record,
        })
    }

    fn is_of_left_behind(&self, workflow: &str) -> Result<bool, JournalError> {
        match self.view.row::<Workflow>(&Workflow::key_of(workflow)) {
            Ok(row) => Ok(row.is_some_and(|row| is_left_behind(&row, self.daemon))),
            // It cannot be marked.
            Err(JournalError::Unreadable(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        self.view.get(key)?.map(|record| self.record(record)).transpose()
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        let rows = self.view.list(query)?.into_iter();
        rows.map(|row| match row {
            Ok(record) => self.record(record).map(Ok),
            Err(unreadable) => Ok(Err(unreadable)),
        })
        .collect()
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        let counted = self.view.count(count)?;
        if !count.is_of_tasks() {
            return Ok(counted);
        }
        let mut shown = BTreeMap::new();
        for (mut by, number) in counted {
            if let Some((workflow, state)) = task_count(&by)
                && state.is_in_flight()
                && self.is_of_left_behind(workflow)?
            {
                by[1] = Cell::Text(state.interrupted().name().to_owned());
            }
            *shown.entry(by).or_default() += number;
        }
        Ok(shown.into_iter().collect())
    }
}

/// A view while not all are marked.
struct InterruptedView<'v> {
    inner: Box<dyn View + 'v>,
    daemon: i64,
}

impl InterruptedView<'_> {
    fn rows(&self) -> InterruptedRows<'_, dyn View + '_> {
        InterruptedRows { view: &*self.inner, daemon: self.daemon }
    }
}

impl View for InterruptedView<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        self.rows().get(key)
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        self.rows().list(query)
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        self.rows().count(count)
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.inner.sum(sum)
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.inner.log()
    }
}

/// A transaction, which notes with each workflow whether this daemon drives it.
struct RecoveringTx<'t> {
    inner: &'t mut dyn Tx,
    daemon: i64,
    /// Whether workflows that were left behind are shown as interrupted.
    is_recovering: bool,
}

impl RecoveringTx<'_> {
    fn rows(&self) -> InterruptedRows<'_, dyn Tx + '_> {
        InterruptedRows { view: &*self.inner, daemon: self.daemon }
    }
}

impl View for RecoveringTx<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        if self.is_recovering { self.rows().get(key) } else { self.inner.get(key) }
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        if self.is_recovering { self.rows().list(query) } else { self.inner.list(query) }
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        if self.is_recovering { self.rows().count(count) } else { self.inner.count(count) }
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.inner.sum(sum)
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.inner.log()
    }
}

impl Tx for RecoveringTx<'_> {
    fn put(&mut self, row: Record) -> Result<(), JournalError> {
        self.inner.put(match row {
            Record::Workflow(mut row) => {
                row.driven = if is_driven(&row) { self.daemon } else { 0 };
                row.into()
            }
            row => row,
        })
    }

    fn remove(&mut self, key: &Key) -> Result<(), JournalError> {
        self.inner.remove(key)
    }

    fn publish(&mut self, event: NewEvent) {
        self.inner.publish(event);
    }

    fn is_changed(&self) -> bool {
        self.inner.is_changed()
    }

    fn holds(&self, lease: &Lease) -> Result<bool, JournalError> {
        self.inner.holds(lease)
    }

    fn claim(
        &mut self,
        owner: &str,
        now: Millis,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<Lease>, JournalError> {
        self.inner.claim(owner, now, until, limit)
    }

    fn hold(&mut self, lease: &Lease, until: Option<Millis>) -> Result<bool, JournalError> {
        self.inner.hold(lease, until)
    }
}

impl Journal for RecoveringJournal {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        let recovering = self.recovering();
        let inner = self.inner.view()?;
        Ok(match recovering {
            Some(daemon) => Box::new(InterruptedView { inner, daemon }),
            None => inner,
        })
    }

    fn long_view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        let recovering = self.recovering();
        let inner = self.inner.long_view()?;
        Ok(match recovering {
            Some(daemon) => Box::new(InterruptedView { inner, daemon }),
            None => inner,
        })
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        let (daemon, is_recovering) = (self.daemon(), self.recovering().is_some());
        self.inner.run(&mut |tx| work(&mut RecoveringTx { inner: tx, daemon, is_recovering }))
    }

    fn load(&self) -> JournalLoad {
        self.inner.load()
    }

    fn claim(&self, owner: &str, now: Millis, until: Millis, limit: u32) -> Result<Vec<Lease>, JournalError> {
        self.inner.claim(owner, now, until, limit)
    }

    fn renew(&self, leases: &[Lease], until: Millis) -> Result<Vec<Lease>, JournalError> {
        self.inner.renew(leases, until)
    }

    fn release(&self, lease: &Lease) -> Result<bool, JournalError> {
        self.inner.release(lease)
    }

    fn release_all(&self) -> Result<(), JournalError> {
        self.inner.release_all()
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError> {
        self.inner.prune(prune)
    }
}
