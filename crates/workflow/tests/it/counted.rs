//! How many questions the journal is asked for what happens.

use crate::lists::{decision, session, workflow};
use crate::support::{Scene, nobody};
use journal::{
    Cell, Count, Event, Journal, JournalError, JournalExt as _, Key, Lease, Log, Millis, NewEvent, Project,
    PruneReport, Query, RawQuery, Record, Retention, Sqlite, Sum, Tx, UnreadableCell, View, ViewExt as _,
    Work,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use workflow::{ListPage, NewDecision, StateFilter, WorkflowFilter};

/// A journal that counts what is asked of it in changes, and what its views are asked and return.
struct CountingJournal {
    inner: Sqlite,
    asked: Arc<AtomicUsize>,
    viewed: Arc<Viewed>,
}

/// What views were asked.
#[derive(Default)]
struct Viewed {
    questions: AtomicUsize,
    /// The rows of all answers.
    rows: AtomicUsize,
}

impl Viewed {
    fn note<T>(&self, rows: Vec<T>) -> Vec<T> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows.len(), Ordering::Relaxed);
        rows
    }
}

struct CountingView<'v> {
    inner: Box<dyn View + 'v>,
    viewed: &'v Viewed,
}

impl View for CountingView<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        Ok(self.viewed.note(Vec::from_iter(self.inner.get(key)?)).pop())
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        Ok(self.viewed.note(self.inner.list(query)?))
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        Ok(self.viewed.note(self.inner.count(count)?))
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        Ok(self.viewed.note(self.inner.sum(sum)?))
    }

    fn log(&self) -> Result<Log, JournalError> {
        Ok(self.viewed.note(vec![self.inner.log()?])[0])
    }
}

impl Journal for CountingJournal {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        Ok(Box::new(CountingView { inner: self.inner.view()?, viewed: &self.viewed }))
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        self.inner.run(&mut |tx| work(&mut CountingTx { inner: tx, asked: &self.asked }))
    }

    fn release_all(&self) -> Result<(), JournalError> {
        self.inner.release_all()
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
    let journal = CountingJournal { inner, asked: Arc::clone(&asked), viewed: Arc::default() };
    let scene = Scene::with(Arc::new(journal), None);
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

/// The workflows of a page, in its order.
fn names(page: &ListPage) -> Vec<&str> {
    page.workflows.iter().map(|listed| listed.summary.id.as_str()).collect()
}

/// So many workflows, each in a session of its own with an open decision, in three projects; and a project without sessions.
fn filled(count: usize) -> (Scene, Arc<Viewed>) {
    let viewed = Arc::new(Viewed::default());
    let inner = Sqlite::in_memory(nobody()).unwrap();
    let journal = CountingJournal { inner, asked: Arc::default(), viewed: Arc::clone(&viewed) };
    let scene = Scene::with(Arc::new(journal), None);
    let project = |name: &str| Project { id: name.into(), root: format!("/{name}"), seen: 1, version: 0 };
    let mut rows: Vec<Record> = ["a", "b", "c", "empty"].map(|name| Record::from(project(name))).into();
    for number in 0..count {
        let (id, of) = (format!("wf-{number:05}"), format!("s-{number:05}"));
        let row = workflow(id, &of, i64::try_from(number / 2).unwrap());
        rows.push(session(&of, Some(["a", "b", "c"][number % 3])).into());
        rows.push(row.into());
    }
    scene.runtime.journal().write(|tx| rows.iter().cloned().try_for_each(|row| tx.put(row))).unwrap();
    for number in 0..count {
        let waits = decision(Some(format!("wf-{number:05}")));
        scene.runtime.create_decision(None, &waits).unwrap();
    }
    (scene, viewed)
}

#[test]
fn a_page_of_workflows_reads_as_many_rows_of_few_as_of_many() {
    let all = WorkflowFilter::default();
    let cost = |count: usize, skip: usize| {
        let (scene, viewed) = filled(count);
        let take = || (viewed.questions.swap(0, Ordering::Relaxed), viewed.rows.swap(0, Ordering::Relaxed));
        take();
        let page = scene.runtime.list_page(&all, skip, 50).unwrap();
        let cost = take();
        assert_eq!((page.workflows.len(), page.has_more, page.waiting), (50, count > skip + 50, count));
        assert_eq!(page.projects, ["/a", "/b", "/c"]);
        assert!(page.workflows.iter().all(|listed| listed.waiting == 1));
        cost
    };
    assert_eq!(cost(120, 0), cost(1_200, 0));
    assert_eq!(cost(120, 50), cost(1_200, 1_000));
}

/// A scene, and a function that returns what was asked in its changes, what its views were asked, and how many rows these returned,
/// since the last time.
pub(crate) fn counting() -> (Scene, impl Fn() -> [usize; 3]) {
    let (asked, viewed) = (Arc::new(AtomicUsize::new(0)), Arc::new(Viewed::default()));
    let inner = Sqlite::in_memory(nobody()).unwrap();
    let journal = CountingJournal { inner, asked: Arc::clone(&asked), viewed: Arc::clone(&viewed) };
    let scene = Scene::with(Arc::new(journal), None);
    let costs =
        move || [&*asked, &viewed.questions, &viewed.rows].map(|count| count.swap(0, Ordering::Relaxed));
    (scene, costs)
}

/// A daemon that starts reads the workflows that were driven, not all that are open.
#[test]
fn a_start_costs_the_same_with_few_and_with_many_open_workflows_that_no_client_drives() {
    let cost = |count: usize| {
        let (scene, costs) = counting();
        let begun: Vec<_> = (0..count).map(|number| scene.begin(&number.to_string())).collect();
        let driven =
            || scene.runtime.journal().view().unwrap().find(&Query::driven_workflows()).unwrap().len();
        assert_eq!(driven(), count);
        scene.runtime.recover().unwrap();
        assert_eq!(driven(), 0);
        let session = &begun[count / 2].1;
        serde_json::from_str::<serde_json::Value>(
            &scene.runtime.resume_session(None, session, None).unwrap(),
        )
        .unwrap();
        assert_eq!(driven(), 1);
        costs();
        scene.runtime.recover().unwrap();
        let cost = costs();
        assert_eq!(driven(), 0);
        cost
    };
    assert_eq!(cost(5), cost(50));
}

#[test]
fn a_page_of_those_that_are_looked_for_ends_with_the_last_of_them() {
    let (scene, viewed) = filled(600);
    let every = scene.runtime.list_page(&WorkflowFilter::default(), 0, 1_000).unwrap();
    let every = names(&every);
    let waits = WorkflowFilter { state: Some(StateFilter::Waiting), ..WorkflowFilter::default() };
    let of_a = WorkflowFilter { project: Some("/a".to_owned()), ..WorkflowFilter::default() };
    let named = WorkflowFilter { text: Some("wf-000".to_owned()), ..WorkflowFilter::default() };
    type Fits = fn(&str) -> bool;
    let fits: [(&WorkflowFilter, Fits); 3] = [
        (&waits, |_| true),
        (&of_a, |id| id[3..].parse::<usize>().unwrap() % 3 == 0),
        (&named, |id| id.starts_with("wf-000")),
    ];
    for (sought, fits) in fits {
        let expected: Vec<_> = every.iter().copied().filter(|id| fits(id)).collect();
        for skip in [0, 7, 50, 180, 590] {
            let page = scene.runtime.list_page(sought, skip, 50).unwrap();
            let rest = expected.get(skip..).unwrap_or_default();
            assert_eq!((names(&page), page.has_more), (rest[..rest.len().min(50)].to_vec(), rest.len() > 50));
        }
    }
    viewed.rows.store(0, Ordering::Relaxed);
    scene.runtime.list_page(&waits, 0, 50).unwrap();
    // One page of 128 rows with their decisions; then what the 50 need.
    let rows = viewed.rows.load(Ordering::Relaxed);
    assert!(rows < 600, "{rows}");
}
