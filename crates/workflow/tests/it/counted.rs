//! How many questions the journal is asked for what happens.

use crate::support::{Scene, nobody};
use journal::{
    Cell, Count, Event, Journal, JournalError, Key, Lease, Log, Millis, NewEvent, PruneReport, RawQuery,
    Record, Retention, Sqlite, Sum, Tx, UnreadableCell, View, Work,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use workflow::NewDecision;

/// A journal that counts what is asked of it in changes.
struct CountingJournal {
    inner: Sqlite,
    asked: Arc<AtomicUsize>,
}

impl Journal for CountingJournal {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        self.inner.view()
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        self.inner.run(&mut |tx| work(&mut CountingTx { inner: tx, asked: &self.asked }))
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError> {
        self.inner.prune(prune)
    }
}

struct CountingTx<'t> {
    inner: &'t mut dyn Tx,
    asked: &'t AtomicUsize,
}

impl CountingTx<'_> {
    fn note(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }
}

impl View for CountingTx<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        self.note();
        self.inner.get(key)
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        self.note();
        self.inner.list(query)
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        self.note();
        self.inner.count(count)
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.note();
        self.inner.sum(sum)
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.note();
        self.inner.log()
    }
}

impl Tx for CountingTx<'_> {
    fn put(&mut self, row: Record) -> Result<(), JournalError> {
        self.note();
        self.inner.put(row)
    }

    fn remove(&mut self, key: &Key) -> Result<(), JournalError> {
        self.note();
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

    fn release_all(&mut self) -> Result<(), JournalError> {
        self.inner.release_all()
    }
}

fn question() -> NewDecision {
    NewDecision {
        workflow_id: None,
        session_id: None,
        task_id: None,
        agent_id: None,
        message: "Which one?".to_owned(),
        options: vec!["a".to_owned(), "b".to_owned()],
        default: None,
        multi_select: None,
        allow_other: false,
        timeout_ms: None,
        context: None,
    }
}

/// A decision costs as many questions with a thousand others of its second as with ten.
#[test]
fn a_decision_is_asked_at_the_same_cost_however_many_are_open() {
    let asked = Arc::new(AtomicUsize::new(0));
    let inner = Sqlite::in_memory(nobody()).unwrap();
    let scene = Scene::with(Arc::new(CountingJournal { inner, asked: Arc::clone(&asked) }), None);
    let mut costs = Vec::new();
    for number in 0..1010 {
        // The clock moves on by a little; most have the same second.
        if number % 2 == 0 {
            scene.world.pass(1);
        }
        let before = asked.load(Ordering::Relaxed);
        scene.runtime.create_decision(None, &question()).unwrap();
        costs.push(asked.load(Ordering::Relaxed) - before);
    }
    let most = |costs: &[usize]| costs.iter().copied().max().unwrap();
    let (few, many) = (most(&costs[..10]), most(&costs[1000..]));
    assert!(many <= few, "{few} questions with 10 that are open, {many} with 1,000");
    let names = scene.runtime.decisions(None, None).unwrap().into_iter().filter_map(|asked| asked.set_id);
    let mut names: Vec<model::SessionId> = names.map(|name| name.parse().unwrap()).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), count), (1010, 1010));
    // None is left out.
    assert_eq!(names[1].to_string(), format!("{}-2", names[0]));
}
