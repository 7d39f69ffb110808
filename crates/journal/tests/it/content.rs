//! What is written is what is read.

use crate::rows;
use crate::support::{
    Change, Commit, EventRecorder, JournalFolder, change, decision, event, log, log_of, session, why,
    workflow, workflows,
};
use journal::{
    Count, EventFilter, Journal, JournalError, JournalExt, Lease, Log, PruneReport, Query, Retention,
    Session, Sqlite, Step, Sum, ViewExt, Workflow,
};
use protocol::workflow::{DecisionStatus, EventType, TaskState, WorkflowState};
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn a_journal_is_its_owners_alone() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into()], &["e"])).unwrap();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, [".lock", "journal.db", "journal.db-shm", "journal.db-wal"]);
    drop(journal);
    assert!(!place.path().join("journal.db-wal").exists(), "closed, it is one file");
}

#[test]
fn rows_and_events_are_there_again() {
    let place = JournalFolder::new();
    let told = EventRecorder::default();
    let journal = place.open_with(told.listener()).unwrap();
    let mut kept = workflow("wf-1", "s");
    kept.previous = Some(WorkflowState::Execution);
    kept.output = Some("{\"path\":\"./报告.md\"}".to_owned());
    kept.wake_at = Some(-5);
    let committed = journal.commit(change([session("s").into(), kept.clone().into()], &["a", "b"])).unwrap();
    let numbers: Vec<_> = committed.events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, [1, 2]);
    drop(journal);
    let journal = place.open();
    kept.version = 1;
    assert_eq!(workflows(&journal), [kept]);
    assert_eq!(log(&journal), [(1, "a".to_owned()), (2, "b".to_owned())]);
    assert_eq!(told.numbers(), [1, 2]);
    journal.commit(change([], &["c"])).unwrap();
    assert_eq!(journal.view().unwrap().log().unwrap(), Log { last: 3, pruned: 0 });
}

#[test]
fn a_change_that_rests_on_something_old_is_refused_as_a_whole() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into(), workflow("wf-1", "s").into()], &[])).unwrap();
    let read: Workflow = journal.view().unwrap().row(&Workflow::key_of("wf-1")).unwrap().unwrap();
    journal.commit(change([Workflow { round: 1, ..read.clone() }.into()], &["first"])).unwrap();
    let late = change([session("t").into(), Workflow { round: 2, ..read.clone() }.into()], &["second"]);
    let refused = journal.commit(late).unwrap_err();
    assert_eq!(why(&refused), format!("conflict {:?}", Workflow::key_of("wf-1")));
    let view = journal.view().unwrap();
    assert_eq!(view.row::<Session>(&Session::key_of("t")).unwrap(), None, "nothing of it was made");
    assert_eq!(view.log().unwrap().last, 1, "no number is left out");
}

#[test]
fn what_only_one_can_have_nobody_else_gets() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([decision("d-1").into()], &["e"])).unwrap();
    let mut second = decision("d-2");
    second.ask = "d-1".to_owned();
    assert!(why(&journal.commit(change([second.clone().into()], &[])).unwrap_err()).starts_with("conflict"));
    second.ask = "d-2".to_owned();
    journal.commit(change([second.clone().into()], &[])).unwrap();
    second.version = 1;
    second.ask = "d-1".to_owned();
    assert!(why(&journal.commit(change([second.into()], &[])).unwrap_err()).starts_with("conflict"));
}

#[test]
fn what_is_no_json_or_refers_to_nothing_is_refused() {
    let place = JournalFolder::new();
    let journal = place.open();
    let mut broken = session("s");
    broken.context = "{".to_owned();
    assert_eq!(why(&journal.commit(change([broken.into()], &["a"])).unwrap_err()), "invalid");
    assert_eq!(why(&journal.commit(change([workflow("wf-1", "s").into()], &["b"])).unwrap_err()), "invalid");
    journal.commit(change([session("s").into(), workflow("wf-1", "s").into()], &[])).unwrap();
    let remove = Change { remove: vec![Session::key_of("s")], ..Change::default() };
    assert_eq!(why(&journal.commit(remove).unwrap_err()), "invalid", "the workflow refers to it");
    let remove = vec![Workflow::key_of("wf-1"), Session::key_of("s"), Session::key_of("s")];
    journal.commit(Change { remove, ..Change::default() }).unwrap();
    assert_eq!(log(&journal), [], "and tells nothing");
}

#[test]
fn a_view_is_as_of_one_moment() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into()], &["a"])).unwrap();
    let before = journal.view().unwrap();
    // By another thread: one that has a view must not ask for more.
    std::thread::scope(|scope| {
        scope.spawn(|| journal.commit(change([session("t").into()], &["b"])).unwrap());
    });
    let sessions = |view: &dyn journal::View| view.find(&Query::sessions()).unwrap().len();
    assert_eq!((sessions(&*before), before.log().unwrap().last), (1, 1));
    drop(before);
    let after = journal.view().unwrap();
    assert_eq!((sessions(&*after), after.log().unwrap().last), (2, 2));
}

/// Something that is asked of a journal.
type Operation<'a> = dyn Fn(&dyn Journal) + 'a;

#[test]
fn a_thread_that_has_a_view_asks_for_nothing_else() {
    let place = JournalFolder::new();
    let on_disk: Arc<dyn Journal> = Arc::new(place.open());
    let in_memory: Arc<dyn Journal> = Arc::new(Sqlite::in_memory(Box::new(|_| {})).unwrap());
    for journal in [on_disk, in_memory] {
        let lease = Lease { workflow: "w".to_owned(), fence: 1 };
        let prune = Retention { keep_events: 0, answered_before: 0, at_most: 1 };
        let asked: [&Operation; 8] = [
            &|journal| drop(journal.view()),
            &|journal| drop(journal.run(&mut |_| Ok(()))),
            &|journal| drop(journal.commit(Change::default())),
            &|journal| drop(journal.claim("me", 0, 1, 1)),
            &|journal| drop(journal.renew(slice::from_ref(&lease), 1)),
            &|journal| drop(journal.release(&lease)),
            &|journal| drop(journal.release_all()),
            &|journal| drop(journal.prune(prune)),
        ];
        for (number, ask) in asked.into_iter().enumerate() {
            let view = journal.view().unwrap();
            let refused = catch_unwind(AssertUnwindSafe(|| ask(&*journal)));
            assert!(refused.is_err(), "{number}");
            drop(view);
            // The same of one that writes.
            let refused = journal.write(|_| -> Result<(), JournalError> {
                let refused = catch_unwind(AssertUnwindSafe(|| ask(&*journal)));
                assert!(refused.is_err(), "{number}");
                Ok(())
            });
            refused.unwrap();
            ask(&*journal);
        }
    }
}

/// In memory there is one connection: threads that read again and again do not keep a change waiting.
#[test]
fn in_memory_views_and_changes_take_turns() {
    const CHANGES: usize = 200;
    let told = EventRecorder::default();
    let journal = Sqlite::in_memory(told.listener()).unwrap();
    let is_over = AtomicBool::new(false);
    let committed = thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let view = journal.view().unwrap();
                    let (last, kept) = (view.log().unwrap().last, log_of(&*view).len());
                    assert_eq!(usize::try_from(last).unwrap(), kept, "no change is made under a view");
                }
            });
        }
        let changes = || {
            let committed = (0..CHANGES).map(|number| journal.commit(change([], &[&format!("e{number}")])));
            committed.collect::<Result<Vec<_>, _>>()
        };
        let committed = catch_unwind(AssertUnwindSafe(changes));
        // Also after a panic, or this would wait for the others for ever.
        is_over.store(true, Ordering::Relaxed);
        committed.unwrap()
    });
    let numbers = committed.unwrap().into_iter().flat_map(|committed| committed.events);
    assert_eq!(numbers.map(|event| event.seq).collect::<Vec<_>>(), told.numbers());
    assert_eq!(log(&journal).len(), CHANGES);
    let other = Sqlite::in_memory(Box::new(|_| {})).unwrap();
    assert_eq!(log(&other), [], "each has its own rows");
}

#[test]
fn events_are_found_by_what_they_concern() {
    let place = JournalFolder::new();
    let journal = place.open();
    let mut events = Vec::new();
    for number in 0..20 {
        let mut event = event(&format!("e{number}"), Some(if number % 2 == 0 { "even" } else { "odd" }));
        event.session = (number % 5 == 0).then(|| "fifth".to_owned());
        event.kind = if number < 10 { EventType::TaskStarted } else { EventType::TaskFailed };
        events.push(event);
    }
    journal.commit(Change { events, ..Change::default() }).unwrap();
    let view = journal.view().unwrap();
    let numbers = |filter: EventFilter| {
        let events = view.events(&filter).unwrap();
        events.iter().map(|event| event.seq).collect::<Vec<_>>()
    };
    let all = EventFilter::after(0, 100);
    assert_eq!(numbers(EventFilter { after: 17, ..all.clone() }), [18, 19, 20]);
    assert_eq!(numbers(EventFilter { newest: true, limit: 2, ..all.clone() }), [20, 19]);
    assert_eq!(numbers(EventFilter { session: Some("fifth".into()), ..all.clone() }), [1, 6, 11, 16]);
    let both = EventFilter { workflow: Some("even".into()), session: Some("fifth".into()), ..all.clone() };
    assert_eq!(numbers(both), [1, 11]);
    let failed = EventFilter { kinds: Some(vec![EventType::TaskFailed]), after: 18, ..all.clone() };
    assert_eq!(numbers(failed), [19, 20]);
    assert_eq!(numbers(EventFilter { kinds: Some(Vec::new()), ..all }), [0_i64; 0]);
}

#[test]
fn work_is_claimed_by_one_at_a_time() {
    let place = JournalFolder::new();
    let journal = place.open();
    let due = |id: &str, wake_at| Workflow { wake_at, ..workflow(id, "s") };
    let rows = [due("a", Some(10)), due("b", Some(5)), due("c", None), due("d", Some(99))];
    let rows = rows.into_iter().map(Into::into);
    journal.commit(change([session("s").into()].into_iter().chain(rows), &[])).unwrap();
    let names = |leases: &[Lease]| leases.iter().map(|lease| lease.workflow.clone()).collect::<Vec<_>>();
    let first = journal.claim("one", 50, 60, 1).unwrap();
    assert_eq!(names(&first), ["b"], "it has waited for longest");
    assert_eq!(
        names(&journal.claim("two", 50, 60, 9).unwrap()),
        ["a"],
        "the other one is taken, two are not due"
    );
    assert_eq!(journal.claim("two", 59, 70, 9).unwrap(), []);
    assert_eq!(journal.renew(&first, 80).unwrap(), []);
    assert_eq!(names(&journal.claim("two", 60, 70, 9).unwrap()), ["a"]);
    let second = journal.claim("two", 80, 90, 9).unwrap();
    assert_eq!(names(&second), ["a", "b"]);
    assert_eq!(journal.renew(&first, 99).unwrap(), first, "somebody else has it now");
    assert!(!journal.release(&first[0]).unwrap());

    let read: Workflow = journal.view().unwrap().row(&Workflow::key_of("b")).unwrap().unwrap();
    assert_eq!(read.version, 1, "to claim it is no change");
    let under = |lease: &Lease, round| Change {
        lease: Some(lease.clone()),
        ..change([Workflow { round, ..read.clone() }.into()], &[])
    };
    assert_eq!(why(&journal.commit(under(&first[0], 7)).unwrap_err()), "fenced b");
    journal.commit(under(&second[1], 8)).unwrap();
    assert!(journal.release(&second[1]).unwrap());
    assert!(!journal.release(&second[1]).unwrap());
    assert_eq!(names(&journal.claim("three", 80, 90, 9).unwrap()), ["b"]);
    // The only process with the journal need not wait for the claims of earlier ones, and those are void.
    journal.release_all().unwrap();
    assert_eq!(names(&journal.claim("four", 80, 90, 9).unwrap()), ["a", "b"]);
    assert_eq!(journal.renew(&second[..1], 99).unwrap(), second[..1]);
}

/// Other writers need not wait until the claims of tens of thousands of workflows are released.
#[test]
fn claims_are_released_a_few_at_a_time() {
    const CLAIMS: usize = 150;
    let place = JournalFolder::new();
    let journal = place.open();
    let due = |number| Workflow { wake_at: Some(5), ..workflow(&format!("w{number}"), "s") };
    let rows = (0..CLAIMS).map(|number| due(number).into());
    journal.commit(change([session("s").into()].into_iter().chain(rows), &[])).unwrap();
    let claim = |owner| journal.claim(owner, 50, 60, 999).unwrap().len();
    assert_eq!((claim("one"), claim("two")), (CLAIMS, 0));
    let before = journal.load().commits.count;
    journal.release_all().unwrap();
    assert_eq!(journal.load().commits.count - before, 3);
    assert_eq!(claim("two"), CLAIMS);
}

#[test]
fn what_is_old_is_forgotten_but_not_of_open_workflows() {
    let place = JournalFolder::new();
    let journal = place.open();
    let mut ended = workflow("ended", "s");
    ended.state = WorkflowState::Completed;
    journal.commit(change([session("s").into(), workflow("open", "s").into(), ended.into()], &[])).unwrap();
    for number in 0..12 {
        let of = [Some("open"), Some("ended"), Some("gone"), None][number % 4];
        let events = vec![event(&format!("e{number}"), of)];
        journal.commit(Change { events, ..Change::default() }).unwrap();
    }
    let prune = Retention { keep_events: 4, answered_before: 0, at_most: 4 };
    let pruned = |events| PruneReport { events, answers: 0 };
    assert_eq!(journal.prune(prune).unwrap(), pruned(4));
    let left: Vec<_> = log(&journal).into_iter().map(|(seq, _)| seq).collect();
    assert_eq!(left, [1, 5, 7, 8, 9, 10, 11, 12]);
    assert_eq!(journal.view().unwrap().log().unwrap(), Log { last: 12, pruned: 6 });
    assert_eq!(journal.prune(prune).unwrap(), pruned(2));
    assert_eq!(journal.prune(prune).unwrap(), pruned(0));
    assert_eq!(journal.view().unwrap().log().unwrap(), Log { last: 12, pruned: 8 });
}

#[test]
fn rows_are_counted() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into(), session("t").into()], &[])).unwrap();
    let message = |session: &str, no| journal::Message {
        session: session.to_owned(),
        no,
        id: format!("{session}{no}"),
        role: "user".to_owned(),
        content: String::new(),
        at: 1,
        workflow: None,
    };
    journal
        .commit(change([message("t", 1).into(), message("s", 1).into(), message("t", 2).into()], &[]))
        .unwrap();
    let view = journal.view().unwrap();
    let counted = view.count(&Count::MESSAGES).unwrap();
    let text = |text: &str| vec![journal::Cell::Text(text.to_owned())];
    assert_eq!(counted, [(text("s"), 1), (text("t"), 2)]);
    assert_eq!(view.find(&Query::messages_of("t")).unwrap()[0].no, 2, "the latest first");
    assert_eq!(view.count(&Count::TASKS).unwrap(), []);
    drop(view);
    let task =
        |id: &str, no, state| journal::Task { id: id.to_owned(), no, state, ..rows::task("wf-1") }.into();
    let rows = [
        workflow("wf-1", "s").into(),
        task("a", 1, TaskState::Ready),
        task("b", 2, TaskState::Done),
        task("c", 3, TaskState::Ready),
    ];
    journal.commit(change(rows, &[])).unwrap();
    let counted = journal.view().unwrap().count(&Count::TASKS).unwrap();
    let of = |state: TaskState| [text("wf-1"), text(state.name())].concat();
    assert_eq!(counted, [(of(TaskState::Done), 1), (of(TaskState::Ready), 2)]);
}

#[test]
fn steps_are_found_by_their_task_and_by_whether_they_have_an_outcome() {
    let place = JournalFolder::new();
    let journal = place.open();
    let step = |no, task: Option<&str>, outcome: Option<&str>| {
        let (task, outcome) = (task.map(str::to_owned), outcome.map(str::to_owned));
        Step { no, task, outcome, ..rows::step("wf-1") }.into()
    };
    let rows = [
        session("s").into(),
        workflow("wf-1", "s").into(),
        step(1, Some("a"), None),
        step(2, None, Some("d-1")),
        step(3, Some("a"), Some("d-2")),
        step(4, Some("b"), None),
    ];
    journal.commit(change(rows, &[])).unwrap();
    let numbers = |query: Query<Step>| {
        let found = journal.view().unwrap().find(&query).unwrap();
        found.into_iter().map(|step| step.no).collect::<Vec<_>>()
    };
    assert_eq!(numbers(Query::steps_of("wf-1")), [1, 2, 3, 4]);
    assert_eq!(numbers(Query::last_steps_of("wf-1").limit(3)), [4, 3, 2]);
    assert_eq!(numbers(Query::last_steps_of("wf-1").for_task("a")), [3, 1]);
    assert_eq!(numbers(Query::steps_of("wf-1").with_outcome()), [2, 3]);
    assert_eq!(numbers(Query::steps_of("wf-1").for_task("a").with_outcome()), [3]);
}

#[test]
fn decisions_whose_time_is_up_are_found() {
    let place = JournalFolder::new();
    let journal = place.open();
    let mut rows = Vec::new();
    for (id, expires, status) in [
        ("a", Some(20), DecisionStatus::Pending),
        ("b", Some(10), DecisionStatus::Pending),
        ("c", Some(10), DecisionStatus::Answered),
        ("d", None, DecisionStatus::Pending),
        ("e", Some(30), DecisionStatus::Pending),
    ] {
        rows.push(journal::Decision { expires, status, ..decision(id) }.into());
    }
    journal.commit(change(rows, &[])).unwrap();
    let due = journal.view().unwrap().find(&Query::decisions_due(20)).unwrap();
    assert_eq!(due.iter().map(|decision| &decision.id).collect::<Vec<_>>(), ["b", "a"]);
}

#[test]
fn a_copy_is_complete_and_takes_the_place_of_nothing() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into()], &["a", "b"])).unwrap();
    let dir = files::Dir::open(place.path()).unwrap();
    let copy = JournalFolder::new();
    let to = copy.path().join("journal.db");
    Sqlite::copy(&dir, &to).unwrap();
    assert_eq!(log(&copy.open()), log(&journal));
    assert_eq!(std::fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(Sqlite::copy(&dir, &to).is_err(), "something has the name");
    drop(journal);
    let other = JournalFolder::new();
    Sqlite::copy(&dir, &other.path().join("journal.db")).unwrap();
    assert_eq!(log(&other.open()).len(), 2, "also when nobody has it open");
    let nowhere = JournalFolder::new();
    let none =
        Sqlite::copy(&files::Dir::open(nowhere.path()).unwrap(), &nowhere.path().join("copy")).unwrap_err();
    assert!(matches!(none, JournalError::Io { .. }), "{none}");
    assert_eq!(std::fs::read_dir(nowhere.path()).unwrap().count(), 0, "and nothing is left behind");
}

#[test]
fn what_the_steps_of_a_workflow_have_cost_is_added_up() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into(), workflow("wf-1", "s").into()], &[])).unwrap();
    let step = |no: i64, tokens: Option<&str>| Step {
        workflow: "wf-1".to_owned(),
        no,
        attempt: 1,
        task: None,
        name: String::new(),
        request_sha256: String::new(),
        request: String::new(),
        answer: None,
        outcome: None,
        tokens: tokens.map(str::to_owned),
        started: 1,
        finished: None,
        version: 0,
    };
    let sums = || journal.view().unwrap().sum(&Sum::cost_of("wf-1")).unwrap();
    assert_eq!(sums(), [None, None, None]);
    journal
        .commit(change([step(1, None).into(), step(2, Some("{\"input\":7,\"cost\":null}")).into()], &[]))
        .unwrap();
    assert_eq!(sums(), [Some(7.0), None, None], "what nobody says is not zero");
    // Impossible amounts are added up like all others.
    let most = format!("{{\"input\":{0},\"output\":{0},\"cost\":0.5}}", u64::MAX);
    let steps: Vec<_> = (3..6).map(|no| step(no, Some(&most)).into()).collect();
    journal.commit(Change { put: steps, ..Change::default() }).unwrap();
    let most = u64::MAX as f64;
    assert_eq!(sums(), [Some(3.0 * most + 7.0), Some(3.0 * most), Some(1.5)]);
}
