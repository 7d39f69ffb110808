//! What there is to do, counted as it is changed.

use crate::support::{JournalFolder, decision, event, session, workflow};
use journal::{
    Abort, Backlog, Decision, Journal, JournalError, JournalExt, JournalLoad, Outbox, Sqlite, Tx, ViewExt,
    Workflow,
};
use protocol::workflow::{DecisionStatus, WorkflowState};

fn write(journal: &Sqlite, work: impl Fn(&mut dyn Tx) -> Result<(), JournalError>) {
    journal.write(|tx| work(tx)).unwrap();
}

fn states(load: &JournalLoad) -> Vec<(&'static str, u64)> {
    load.workflows.iter().map(|(state, count)| (state.name(), *count)).collect()
}

fn enter(tx: &mut dyn Tx, id: &str, state: WorkflowState) -> Result<(), JournalError> {
    let mut row: Workflow = tx.row(&Workflow::key_of(id))?.unwrap();
    row.state = state;
    tx.put(row.into())
}

fn end(tx: &mut dyn Tx, id: &str) -> Result<(), JournalError> {
    let mut row: Decision = tx.row(&Decision::key_of(id))?.unwrap();
    row.status = DecisionStatus::Answered;
    tx.put(row.into())
}

fn outbox(id: &str, next: i64) -> Outbox {
    Outbox {
        id: id.to_owned(),
        kind: "record".to_owned(),
        body: "{}".to_owned(),
        attempts: 0,
        next,
        version: 0,
    }
}

/// Three workflows, two decisions, and two entries of the outbox.
fn fill(journal: &Sqlite) {
    write(journal, |tx| {
        tx.put(session("s").into())?;
        for id in ["a", "b", "c"] {
            tx.put(workflow(id, "s").into())?;
        }
        tx.put(Decision { created: 7, ..decision("d") }.into())?;
        tx.put(Decision { created: 5, ..decision("e") }.into())?;
        tx.put(outbox("x", 4).into())?;
        tx.put(outbox("y", 6).into())
    });
    write(journal, |tx| {
        enter(tx, "a", WorkflowState::Paused)?;
        enter(tx, "b", WorkflowState::Execution)
    });
}

#[test]
fn what_is_there_is_counted_alike_as_it_is_changed_and_when_it_is_opened() {
    let place = JournalFolder::new();
    let on_disk = place.open();
    for journal in [&on_disk, &Sqlite::in_memory(Box::new(|_| {})).unwrap()] {
        assert_eq!(states(&journal.load()), []);
        fill(journal);
        let load = journal.load();
        assert_eq!(states(&load), [("idle", 1), ("execution", 1), ("paused", 1)]);
        assert_eq!(load.decisions, Backlog { count: 2, oldest: Some(5) });
        assert_eq!(load.outbox, Backlog { count: 2, oldest: Some(4) });
        // An attempt that fails is tried later, and waits since before.
        write(journal, |tx| {
            let mut row: Outbox = tx.row(&Outbox::key_of("x"))?.unwrap();
            (row.attempts, row.next) = (1, 900);
            tx.put(row.into())
        });
        assert_eq!(journal.load().outbox, Backlog { count: 2, oldest: Some(4) });
        write(journal, |tx| {
            enter(tx, "a", WorkflowState::Completed)?;
            enter(tx, "b", WorkflowState::Failed)?;
            end(tx, "e")?;
            tx.remove(&Outbox::key_of("x"))
        });
        let load = journal.load();
        assert_eq!(states(&load), [("idle", 1)]);
        assert_eq!(load.decisions, Backlog { count: 1, oldest: Some(7) });
        assert_eq!(load.outbox, Backlog { count: 1, oldest: Some(6) });
    }
    let counted = on_disk.load();
    drop(on_disk);
    let found = place.open().load();
    assert_eq!(
        (&found.workflows, found.decisions, found.outbox),
        (&counted.workflows, counted.decisions, counted.outbox)
    );
    let removed = place.open();
    write(&removed, |tx| {
        tx.remove(&Decision::key_of("d"))?;
        ["a", "b", "c"].iter().try_for_each(|id| tx.remove(&Workflow::key_of(id)))
    });
    assert_eq!((states(&removed.load()), removed.load().decisions), (vec![], Backlog::default()));
}

#[test]
fn what_is_undone_was_not_counted() {
    let place = JournalFolder::new();
    let journal = place.open();
    fill(&journal);
    let before = journal.load();
    journal
        .run(&mut |tx| {
            enter(tx, "c", WorkflowState::Review).unwrap();
            end(tx, "d").unwrap();
            tx.remove(&Outbox::key_of("y")).unwrap();
            Err(Abort)
        })
        .unwrap();
    // The same row in two ways: the second one is refused, and all of it with it.
    let twice = journal.write(|tx| -> Result<(), JournalError> {
        tx.put(workflow("z", "s").into())?;
        tx.put(workflow("z", "s").into())
    });
    assert!(twice.is_err());
    let after = journal.load();
    assert_eq!(
        (&after.workflows, after.decisions, after.outbox, after.commits.count),
        (&before.workflows, before.decisions, before.outbox, before.commits.count)
    );
}

#[test]
fn flushes_views_and_sizes_are_known() {
    let place = JournalFolder::new();
    let journal = place.open();
    let empty = journal.load();
    assert_eq!((empty.commits.count, empty.commits.median, empty.writers), (0, None, 0));
    assert_eq!((empty.readers.limit, empty.readers.busy, empty.readers.waiting), (2, 0, 0));
    assert!(empty.file_bytes > 0);
    for number in 0..3 {
        write(&journal, |tx| {
            tx.publish(event(&number.to_string(), None));
            Ok(())
        });
    }
    // What changes nothing flushes nothing.
    write(&journal, |_| Ok(()));
    let load = journal.load();
    assert_eq!(load.commits.count, 3);
    assert!(load.commits.median.is_some() && load.commits.percentile_99 >= load.commits.median);
    let size = |name: &str| std::fs::metadata(place.path().join(name)).unwrap().len();
    assert_eq!((load.file_bytes, load.wal_bytes), (size("journal.db"), size("journal.db-wal")));
    let view = journal.view().unwrap();
    assert_eq!(journal.load().readers.busy, 1);
    drop(view);
    assert_eq!(journal.load().readers.busy, 0);
}
