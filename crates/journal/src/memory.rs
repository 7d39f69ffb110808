//! A journal that forgets all with the process: as simple as can be, to compare the other one with.

use crate::cell::{Cell, Millis};
use crate::change::{Change, Committed, Lease, PruneReport, Retention};
use crate::error::{CommitError, JournalError};
use crate::event::Log;
use crate::journal::{Journal, Listener, View, hold_view, refuse_nested, wait_for_view};
use crate::query::{Count, RawQuery, Sum};
use crate::rows::{Key, Record, Table, Workflow};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a thread must not ask for while it has a view.
const CHANGE: &str = "a change of the journal";

/// A journal in memory.
pub struct Memory {
    state: Mutex<Arc<State>>,
    listener: Listener,
}

#[derive(Clone, Default)]
struct State {
    rows: BTreeMap<Key, Record>,
    leases: BTreeMap<String, LeaseState>,
    last: i64,
    pruned: i64,
}

#[derive(Clone, Default)]
struct LeaseState {
    until: Option<Millis>,
    fence: i64,
}

/// Columns that hold something that no other row has, besides the key.
const UNIQUE: &[(Table, &[&str])] = &[
    (Table::Event, &["id"]),
    (Table::Project, &["root"]),
    (Table::Message, &["id"]),
    (Table::Task, &["dispatch"]),
    (Table::Task, &["workflow", "no"]),
    (Table::Decision, &["ask"]),
    (Table::Checkpoint, &["session", "no"]),
    (Table::Mailbox, &["callback"]),
];

/// Columns that name a row of another table.
const REFERENCES: &[(Table, &str, Table)] = &[
    (Table::Session, "project", Table::Project),
    (Table::Message, "session", Table::Session),
    (Table::Workflow, "session", Table::Session),
    (Table::Task, "workflow", Table::Workflow),
    (Table::Step, "workflow", Table::Workflow),
    (Table::Decision, "workflow", Table::Workflow),
    (Table::Decision, "project", Table::Project),
    (Table::Checkpoint, "session", Table::Session),
    (Table::Checkpoint, "workflow", Table::Workflow),
    (Table::Instruction, "workflow", Table::Workflow),
];

impl Memory {
    /// Returns a journal in which nothing has happened.
    pub fn new(listener: Listener) -> Self {
        Self { state: Mutex::default(), listener }
    }

    fn state(&self) -> MutexGuard<'_, Arc<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for Memory {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        let _wait = wait_for_view()?;
        Ok(Box::new(MemoryView { state: Arc::clone(&self.state()), _held: hold_view() }))
    }

    fn commit(&self, change: Change) -> Result<Committed, CommitError> {
        refuse_nested(CHANGE)?;
        let mut state = self.state();
        let mut next = State::clone(&state);
        let events = next.make(change)?;
        *state = Arc::new(next);
        (self.listener)(&events);
        Ok(Committed { events })
    }

    fn claim(&self, _: &str, now: Millis, until: Millis, limit: u32) -> Result<Vec<Lease>, CommitError> {
        refuse_nested(CHANGE)?;
        let mut state = self.state();
        let state = Arc::make_mut(&mut state);
        let mut due = Vec::new();
        for record in state.rows.values() {
            let Record::Workflow(workflow) = record else { continue };
            let held = state.leases.get(&workflow.id).and_then(|held| held.until);
            if let Some(wake_at) = workflow.wake_at
                && wake_at <= now
                && held.is_none_or(|until| until <= now)
            {
                due.push((wake_at, workflow.id.clone()));
            }
        }
        due.sort();
        due.truncate(limit as usize);
        let mut leases = Vec::new();
        for (_, workflow) in due {
            let held = state.leases.entry(workflow.clone()).or_default();
            held.until = Some(until);
            held.fence += 1;
            leases.push(Lease { workflow, fence: held.fence });
        }
        leases.sort_by(|a, b| a.workflow.cmp(&b.workflow));
        Ok(leases)
    }

    fn renew(&self, lease: &Lease, until: Millis) -> Result<bool, CommitError> {
        refuse_nested(CHANGE)?;
        Ok(self.hold(lease, Some(until)))
    }

    fn release(&self, lease: &Lease) -> Result<bool, CommitError> {
        refuse_nested(CHANGE)?;
        Ok(self.hold(lease, None))
    }

    fn release_all(&self) -> Result<(), CommitError> {
        refuse_nested(CHANGE)?;
        Arc::make_mut(&mut self.state()).leases.values_mut().for_each(|held| held.until = None);
        Ok(())
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, CommitError> {
        refuse_nested(CHANGE)?;
        let mut state = self.state();
        let state = Arc::make_mut(&mut state);
        let last_pruned = state.last.saturating_sub(i64::try_from(prune.keep_events).unwrap_or(i64::MAX));
        let mut events: Vec<(Key, i64)> = Vec::new();
        let mut answers: Vec<(i64, Key)> = Vec::new();
        for (key, record) in &state.rows {
            match record {
                Record::Event(event) if event.seq <= last_pruned => {
                    let open = event.workflow.as_ref().is_some_and(|workflow| state.is_open(workflow));
                    if !open {
                        events.push((key.clone(), event.seq));
                    }
                }
                Record::Idempotency(request) if request.created < prune.answered_before => {
                    answers.push((request.created, key.clone()));
                }
                _ => {}
            }
        }
        events.truncate(prune.at_most as usize);
        answers.sort();
        answers.truncate(prune.at_most as usize);
        for (key, seq) in &events {
            state.rows.remove(key);
            state.pruned = state.pruned.max(*seq);
        }
        for (_, key) in &answers {
            state.rows.remove(key);
        }
        Ok(PruneReport { events: events.len() as u64, answers: answers.len() as u64 })
    }
}

impl Memory {
    fn hold(&self, lease: &Lease, until: Option<Millis>) -> bool {
        let mut state = self.state();
        let held = Arc::make_mut(&mut state).leases.get_mut(&lease.workflow);
        let Some(held) = held.filter(|held| held.fence == lease.fence && held.until.is_some()) else {
            return false;
        };
        held.until = until;
        true
    }
}

impl State {
    fn is_open(&self, workflow: &str) -> bool {
        let found = self.rows.get(&Workflow::key_of(workflow));
        matches!(found, Some(Record::Workflow(workflow)) if !workflow.state.is_terminal())
    }

    fn make(&mut self, change: Change) -> Result<Vec<Arc<crate::Event>>, CommitError> {
        for (key, version) in change.expect {
            let found = self.rows.get(&key);
            let is_so = match version {
                Some(version) => found.is_some_and(|row| row.version().is_none_or(|found| found == version)),
                None => found.is_none(),
            };
            if !is_so {
                return Err(CommitError::Conflict(key));
            }
        }
        if let Some(lease) = change.lease
            && self.leases.get(&lease.workflow).is_none_or(|held| held.fence != lease.fence)
        {
            return Err(CommitError::Fenced(lease.workflow));
        }
        for record in change.put {
            self.put(record)?;
        }
        for key in change.remove {
            self.remove(&key)?;
        }
        let mut events = Vec::new();
        for event in change.events {
            self.last += 1;
            let event = event.numbered(self.last);
            self.put(event.clone().into())?;
            events.push(Arc::new(event));
        }
        Ok(events)
    }

    fn put(&mut self, record: Record) -> Result<(), CommitError> {
        let key = record.key();
        let found = self.rows.get(&key);
        let is_as_read = match record.version() {
            None | Some(0) => found.is_none(),
            version => found.is_some_and(|found| found.version() == version),
        };
        let (table, mut cells) = (record.table(), record.cells());
        if !is_as_read || self.is_taken(&key, table, &cells) {
            return Err(CommitError::Conflict(key));
        }
        for (from, column, to) in REFERENCES {
            let position = table.layout().position(column).filter(|_| *from == table);
            if let Some(cell) = position.map(|position| cells[position].clone())
                && cell != Cell::Null
                && !self.rows.contains_key(&Key { table: *to, cells: vec![cell] })
            {
                return Err(JournalError::Invalid(format!("{column} refers to nothing")).into());
            }
        }
        if let Some(version) = record.version() {
            cells.pop();
            cells.push(Cell::Integer(version + 1));
        }
        self.rows.insert(key, Record::from_cells(table, cells)?);
        Ok(())
    }

    fn is_taken(&self, key: &Key, table: Table, cells: &[Cell]) -> bool {
        let layout = table.layout();
        UNIQUE.iter().filter(|(of, _)| *of == table).any(|(_, columns)| {
            let at: Vec<usize> = columns.iter().filter_map(|column| layout.position(column)).collect();
            let has_null = at.iter().any(|position| cells[*position] == Cell::Null);
            let is_same = |other: &Record| {
                let other = other.cells();
                at.iter().all(|position| other[*position] == cells[*position])
            };
            !has_null && self.rows.iter().any(|(at, row)| at.table == table && at != key && is_same(row))
        })
    }

    fn remove(&mut self, key: &Key) -> Result<(), CommitError> {
        if self.rows.remove(key).is_none() {
            return Ok(());
        }
        for (from, column, to) in REFERENCES {
            let refers = |record: &Record| {
                let position = record.table().layout().position(column);
                record.table() == *from
                    && position.is_some_and(|position| key.cells == [record.cells()[position].clone()])
            };
            if *to == key.table && self.rows.values().any(refers) {
                return Err(JournalError::Invalid(format!("{column} would refer to nothing")).into());
            }
        }
        if key.table == Table::Workflow
            && let [Cell::Text(id)] = &key.cells[..]
        {
            self.leases.remove(id);
        }
        Ok(())
    }
}

/// Everything as of one moment.
struct MemoryView {
    state: Arc<State>,
    _held: watchdog::RankGuard,
}

impl View for MemoryView {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        Ok(self.state.rows.get(key).cloned())
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Record>, JournalError> {
        let layout = query.table.layout();
        let at =
            |cells: &[Cell], column: &str| layout.position(column).map(|position| cells[position].clone());
        let mut found = Vec::new();
        for record in self.state.rows.values().filter(|record| record.table() == query.table) {
            let cells = record.cells();
            if query
                .conditions
                .iter()
                .all(|(column, is)| at(&cells, column).is_some_and(|cell| is.holds(&cell)))
            {
                let order: Vec<_> = query.order.iter().map(|column| at(&cells, column)).collect();
                found.push((order, record));
            }
        }
        found.sort_by(|(a, _), (b, _)| if query.is_descending { b.cmp(a) } else { a.cmp(b) });
        found.truncate(query.limit.map_or(usize::MAX, |limit| limit as usize));
        Ok(found.into_iter().map(|(_, record)| record.clone()).collect())
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        let layout = count.table.layout();
        let mut counts = BTreeMap::new();
        for record in self.state.rows.values().filter(|record| record.table() == count.table) {
            let cells = record.cells();
            let by = count.by.iter().filter_map(|column| layout.position(column));
            *counts.entry(by.map(|position| cells[position].clone()).collect()).or_insert(0) += 1;
        }
        Ok(counts.into_iter().collect())
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        let layout = sum.table.layout();
        let mut sums = vec![None; sum.members.len()];
        for record in self.state.rows.values().filter(|record| record.table() == sum.table) {
            let cells = record.cells();
            let cell = |column| layout.position(column).map(|position| &cells[position]);
            let (Some(of), Some(Cell::Text(json))) = (cell(sum.of.0), cell(sum.column)) else { continue };
            if *of != sum.of.1 {
                continue;
            }
            let object: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
            for (sum, member) in sums.iter_mut().zip(sum.members) {
                if let Some(number) = object[*member].as_f64() {
                    *sum = Some(sum.unwrap_or_default() + number);
                }
            }
        }
        Ok(sums)
    }

    fn log(&self) -> Result<Log, JournalError> {
        Ok(Log { last: self.state.last, pruned: self.state.pruned })
    }
}
