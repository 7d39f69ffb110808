//! A change that is being computed.

use crate::agent_row::agent_of;
use crate::failure::Failure;
use crate::ids;
use crate::world::World;
use aide_core::agent;
use journal::{
    Agent, Decision, Event as KeptEvent, EventFilter, JournalError, Key, Millis, NewEvent, Query, Record,
    Row, Task, Tx, View, ViewExt as _, Workflow,
};
use protocol::agent::Timestamp;
use protocol::workflow::{AgentStepCompleted, Event, EventType};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// The current rows and the pending changes. Reads see what was written in the draft.
pub(crate) struct Draft<'v> {
    view: &'v dyn View,
    world: &'v dyn World,
    now: Millis,
    written: BTreeMap<Key, Option<Record>>,
    /// The keys of `written`, what refers to others behind those.
    order: Vec<Key>,
    events: Vec<NewEvent>,
    /// The workflows that get a checkpoint.
    checkpoints: BTreeSet<String>,
    /// The agents of the pool as they are, once they were read: a look at a workflow asks for them for each of its tasks.
    pool: OnceCell<Vec<agent::Agent>>,
    /// The tasks of workflows as they are, once they were read.
    tasks: RefCell<BTreeMap<String, Vec<Task>>>,
}

/// What an event concerns.
#[derive(Default, Clone, Copy)]
pub(crate) struct EventScope<'a> {
    pub(crate) session: Option<&'a str>,
    pub(crate) workflow: Option<&'a str>,
    pub(crate) task: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
}

impl<'a> EventScope<'a> {
    pub(crate) fn workflow(workflow: &'a Workflow) -> Self {
        Self { session: Some(&workflow.session), workflow: Some(&workflow.id), ..Self::default() }
    }
}

impl<'v> Draft<'v> {
    pub(crate) fn new(view: &'v dyn View, world: &'v dyn World) -> Self {
        Self {
            view,
            world,
            now: world.now(),
            written: BTreeMap::new(),
            order: Vec::new(),
            events: Vec::new(),
            checkpoints: BTreeSet::new(),
            pool: OnceCell::new(),
            tasks: RefCell::default(),
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.now
    }

    pub(crate) fn world(&self) -> &'v dyn World {
        self.world
    }

    /// Everything as it is, without what was written here.
    pub(crate) fn view(&self) -> &'v dyn View {
        self.view
    }

    /// Returns a row, with what was written here of it.
    pub(crate) fn row<R: Row + TryFrom<Record>>(&self, key: &Key) -> Result<Option<R>, Failure> {
        if let Some(written) = self.written.get(key) {
            return Ok(written.clone().and_then(|record| R::try_from(record).ok()));
        }
        self.look(key)
    }

    /// Returns a row as it is, without what was written here.
    pub(crate) fn look<R: Row + TryFrom<Record>>(&self, key: &Key) -> Result<Option<R>, Failure> {
        Ok(self.view.row(key)?)
    }

    /// Returns rows, with what was written here of those.
    pub(crate) fn find<R: Row + TryFrom<Record>>(&self, find: &Query<R>) -> Result<Vec<R>, Failure> {
        Ok(self.with_written(self.view.find(find)?))
    }

    /// The same without those that are not readable.
    pub(crate) fn find_readable<R: Row + TryFrom<Record>>(&self, find: &Query<R>) -> Result<Vec<R>, Failure> {
        Ok(self.with_written(self.view.find_readable(find)?))
    }

    /// Returns these rows, with what was written here of those.
    fn with_written<R: Row + TryFrom<Record>>(&self, rows: Vec<R>) -> Vec<R> {
        if self.written.is_empty() {
            return rows;
        }
        let written = |row: R| match self.written.get(&row.key()) {
            Some(written) => written.clone().and_then(|record| R::try_from(record).ok()),
            None => Some(row),
        };
        rows.into_iter().filter_map(written).collect()
    }

    /// The tasks of a workflow, in its order, with those that were written here.
    pub(crate) fn tasks(&self, workflow: &str) -> Result<Vec<Task>, Failure> {
        let known = self.tasks.borrow().get(workflow).cloned();
        let tasks = match known {
            Some(tasks) => tasks,
            None => {
                let tasks = self.view.find(&Query::tasks_of(workflow))?;
                self.tasks.borrow_mut().insert(workflow.to_owned(), tasks.clone());
                tasks
            }
        };
        let mut tasks = self.with_written(tasks);
        for record in self.written.values().flatten() {
            if let Record::Task(task) = record
                && task.workflow == workflow
                && task.version == 0
            {
                tasks.push(task.clone());
            }
        }
        tasks.sort_by_key(|task| task.no);
        Ok(tasks)
    }

    /// The agents of the pool that something can be given to, by name, with what was written here of those. One whose row is not
    /// readable is out of use, and holds up nothing.
    pub(crate) fn pool(&self) -> Result<Vec<agent::Agent>, Failure> {
        if self.pool.get().is_none() {
            let rows = self.view.find_readable(&Query::agents())?;
            let _ = self.pool.set(rows.iter().map(agent_of).collect());
        }
        let known = self.pool.get().map(Vec::as_slice).unwrap_or_default();
        let current = |agent: &agent::Agent| match self.written.get(&Agent::key_of(&agent.id)) {
            Some(Some(Record::Agent(row))) => Some(agent_of(row)),
            Some(_) => None,
            None => Some(agent.clone()),
        };
        Ok(known.iter().filter_map(current).collect())
    }

    /// The decisions of a workflow that are asked here.
    pub(crate) fn asked(&self, workflow: &str) -> Vec<Decision> {
        let matching = |record: &Record| match record {
            Record::Decision(decision) if decision.workflow.as_deref() == Some(workflow) => {
                (decision.version == 0).then(|| decision.clone())
            }
            _ => None,
        };
        self.written.values().flatten().filter_map(matching).collect()
    }

    /// The agents that work for a workflow, with those that were given to it here.
    pub(crate) fn agents_of(&self, workflow: &str) -> Result<Vec<Agent>, Failure> {
        let mut agents = self.find(&Query::agents_of(workflow))?;
        for record in self.written.values().flatten() {
            if let Record::Agent(agent) = record
                && agent.workflow.as_deref() == Some(workflow)
                && agents.iter().all(|known| known.id != agent.id)
            {
                agents.push(agent.clone());
            }
        }
        Ok(agents)
    }

    /// The number of the next step of a workflow, of those that are begun here; 1 if none is.
    pub(crate) fn next_step(&self, workflow: &str) -> i64 {
        let matching = |record: &Record| match record {
            Record::Step(step) if step.workflow == workflow => Some(step.no + 1),
            _ => None,
        };
        self.written.values().flatten().filter_map(matching).max().unwrap_or(1)
    }

    /// How many checkpoints of a session were made here.
    pub(crate) fn made_checkpoints(&self, session: &str) -> i64 {
        let matching = |record: &&Record| matches!(record, Record::Checkpoint(row) if row.session == session);
        self.written.values().flatten().filter(matching).count().try_into().unwrap_or(i64::MAX)
    }

    pub(crate) fn put(&mut self, row: impl Row) {
        let key = row.key();
        if self.written.insert(key.clone(), Some(row.into())).is_none() {
            self.order.push(key);
        }
    }

    pub(crate) fn remove(&mut self, key: Key) {
        if self.written.insert(key.clone(), None).is_none() {
            self.order.push(key);
        }
    }

    /// Tells that something happened.
    pub(crate) fn emit(&mut self, about: EventScope<'_>, event: impl Into<Event>) {
        let event = event.into();
        let owned = |text: Option<&str>| text.map(str::to_owned);
        self.events.push(NewEvent {
            id: ids::event(self.now, self.world),
            at: self.now,
            kind: event.kind(),
            session: owned(about.session),
            workflow: owned(about.workflow),
            task: owned(about.task),
            agent: owned(about.agent),
            payload: event.payload(),
        });
    }

    /// The last events of this type of a workflow, in their order, including those of this draft: time and payload.
    pub(crate) fn past_events(
        &self,
        workflow: &str,
        kind: EventType,
    ) -> Result<Vec<(Millis, String)>, Failure> {
        const MAX_EVENTS: u32 = 200;
        let filter = EventFilter {
            kinds: Some(vec![kind]),
            workflow: Some(workflow.to_owned()),
            newest: true,
            ..EventFilter::after(0, MAX_EVENTS)
        };
        let mut told: Vec<_> = self.view.events(&filter)?.into_iter().map(time_and_payload).collect();
        told.reverse();
        let new = self
            .events
            .iter()
            .filter(|event| event.workflow.as_deref() == Some(workflow) && event.kind == kind);
        told.extend(new.map(|event| (event.at, event.payload.clone())));
        Ok(told)
    }

    /// The number of the last step of a task that has an event; 0 if there is none.
    pub(crate) fn last_step(&self, workflow: &str, task: &str) -> Result<u64, Failure> {
        const MAX_EVENTS: u32 = 200;
        let filter = EventFilter {
            kinds: Some(vec![EventType::AgentStepCompleted]),
            workflow: Some(workflow.to_owned()),
            newest: true,
            ..EventFilter::after(0, MAX_EVENTS)
        };
        let told = self.view.events(&filter)?;
        let last = told.iter().find(|event| event.task.as_deref() == Some(task));
        let step = last.and_then(|event| serde_json::from_str::<AgentStepCompleted>(&event.payload).ok());
        Ok(step.map_or(0, |step| step.round))
    }

    /// Requests a checkpoint of this workflow, in its final state of this change.
    pub(crate) fn keep(&mut self, workflow: &str) {
        self.checkpoints.insert(workflow.to_owned());
    }

    /// Takes the workflows whose checkpoints were requested and are not made yet.
    pub(crate) fn take_due_checkpoints(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.checkpoints)
    }

    /// Whether nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty() && self.events.is_empty() && self.checkpoints.is_empty()
    }

    /// Returns what was written. The requested checkpoints must be made.
    pub(crate) fn into_written(mut self) -> Written {
        debug_assert!(self.checkpoints.is_empty());
        let mut written = Written { put: Vec::new(), removed: Vec::new(), events: self.events };
        for key in self.order {
            match self.written.remove(&key).flatten() {
                Some(record) => written.put.push(record),
                None => written.removed.push(key),
            }
        }
        written
    }
}

/// What a draft has written.
#[must_use]
pub(crate) struct Written {
    put: Vec<Record>,
    removed: Vec<Key>,
    events: Vec<NewEvent>,
}

impl Written {
    /// The workflows of which a row is written that follows from whether they are interrupted: their own, their tasks' and their
    /// checkpoints'.
    pub(crate) fn workflows(&self) -> BTreeSet<String> {
        let workflow = |record: &Record| match record {
            Record::Workflow(row) => Some(row.id.clone()),
            Record::Task(row) => Some(row.workflow.clone()),
            Record::Checkpoint(row) => row.workflow.clone(),
            _ => None,
        };
        self.put.iter().filter_map(workflow).collect()
    }

    /// The sessions that a checkpoint is written of.
    pub(crate) fn checkpointed_sessions(&self) -> BTreeSet<String> {
        let session = |record: &Record| match record {
            Record::Checkpoint(row) => Some(row.session.clone()),
            _ => None,
        };
        self.put.iter().filter_map(session).collect()
    }

    /// Writes it into the transaction that the draft has read.
    pub(crate) fn write(self, tx: &mut dyn Tx) -> Result<(), JournalError> {
        self.put.into_iter().try_for_each(|row| tx.put(row))?;
        self.removed.iter().try_for_each(|key| tx.remove(key))?;
        self.events.into_iter().for_each(|event| tx.publish(event));
        Ok(())
    }
}

fn time_and_payload(event: KeptEvent) -> (Millis, String) {
    (event.at, event.payload)
}

/// A time as events and views have it.
pub(crate) fn iso(at: Millis) -> String {
    Timestamp::from_unix_millis(at).as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::Draft;
    use crate::agent_row::new_row;
    use crate::world::World;
    use journal::{
        Agent, Cell, Count, Journal as _, JournalError, JournalExt as _, Key, Log, Millis, RawQuery, Record,
        Sqlite, Sum, UnreadableCell, View,
    };
    use std::cell::Cell as Counter;

    struct StillWorld;

    impl World for StillWorld {
        fn now(&self) -> Millis {
            1
        }

        fn random(&self) -> u64 {
            1
        }

        fn local_second(&self, _: Millis) -> String {
            String::new()
        }

        fn local_time(&self, _: Millis) -> String {
            String::new()
        }
    }

    /// A view that counts how often rows are looked for.
    struct CountingView<'v> {
        view: &'v dyn View,
        lists: Counter<usize>,
    }

    impl View for CountingView<'_> {
        fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
            self.view.get(key)
        }

        fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
            self.lists.set(self.lists.get() + 1);
            self.view.list(query)
        }

        fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
            self.view.count(count)
        }

        fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
            self.view.sum(sum)
        }

        fn log(&self) -> Result<Log, JournalError> {
            self.view.log()
        }
    }

    #[test]
    fn the_pool_and_the_tasks_are_read_once_and_what_is_written_is_seen() {
        let journal = Sqlite::in_memory(Box::new(|_| {})).unwrap();
        journal
            .write(|tx| {
                tx.put(new_row("a").into())?;
                tx.put(new_row("b").into())
            })
            .unwrap();
        let view = journal.view().unwrap();
        let counting = CountingView { view: &*view, lists: Counter::new(0) };
        let mut draft = Draft::new(&counting, &StillWorld);
        let ids = |draft: &Draft<'_>| {
            let pool = draft.pool().unwrap();
            pool.into_iter().map(|agent| (agent.id, agent.errors)).collect::<Vec<_>>()
        };
        let named = |id: &str, errors| (id.to_owned(), errors);
        for _ in 0..3 {
            assert_eq!(ids(&draft), [named("a", 0), named("b", 0)]);
            assert!(draft.tasks("w").unwrap().is_empty());
        }
        draft.put(Agent { errors: 7, version: 1, ..new_row("b") });
        draft.remove(Agent::key_of("a"));
        assert_eq!(ids(&draft), [named("b", 7)]);
        assert_eq!(counting.lists.get(), 2, "one look for the pool, one for the tasks");
    }
}
