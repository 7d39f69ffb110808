//! What only this back end can get wrong.

mod migrations;

use super::errors::Errors;
use super::meter::Meter;
use super::migration::MIGRATIONS;
use super::transaction::Transaction;
use super::writer::Writer;
use super::{open, statements};
use crate::event::EventFilter;
use crate::query::{Count, Query, RawQuery, Sum};

use crate::{
    Abort, Event, Journal as _, JournalError, JournalExt as _, NewEvent, Retention, Row as _, Session,
    Sqlite, Table, Tx as _, View as _,
};
use protocol::workflow::{
    DecisionStatus, EventType, MailStatus, SessionKind, ToolName, ToolPolicy, WorkflowState,
};
use rusqlite::{Connection, ErrorCode, StatementStatus, ffi};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;
use watchdog::{Wait, Watchdog};

fn empty() -> (tempfile::TempDir, Connection) {
    let place = tempfile::tempdir().unwrap();
    let dir = files::Dir::open(place.path()).unwrap();
    drop(Sqlite::open(&dir, Box::new(|_| ())).unwrap());
    let path = place.path().join(super::FILE);
    let connection = open::connect(&path, &Errors::new(&path)).unwrap();
    (place, connection)
}

fn tool() -> crate::Tool {
    let policy = ToolPolicy::Allow;
    crate::Tool { name: ToolName::WebSearch, policy, configured: policy, changed: 1, version: 0 }
}

fn plan(connection: &Connection, sql: &str, bound: &[crate::Cell]) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let rows = statement.query_map(rusqlite::params_from_iter(bound), |row| row.get(3)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// SQLite compiles a statement again when a value is bound that could change its plan. An engine reads the rows of one workflow
/// after those of another all the time: compiling took more than reading.
#[test]
fn statements_are_compiled_once_whatever_is_bound() {
    let (_place, connection) = empty();
    let read = |workflow: &str| {
        let events = Query::<Event>::events(&EventFilter {
            workflow: Some(workflow.into()),
            ..EventFilter::after(0, 9)
        });
        let mut asked = Vec::new();
        for query in [
            Query::tasks_of(workflow).raw(),
            Query::decisions(Some(workflow), None).raw(),
            Query::decisions(Some(workflow), Some(DecisionStatus::Pending)).raw(),
            Query::last_steps_of(workflow).for_task("t").limit(1).raw(),
            Query::checkpoints_of_workflow(workflow).raw(),
            Query::instructions_of(workflow).raw(),
            Query::mail_of(workflow).raw(),
            events.raw(),
        ] {
            let (sql, bound) = statements::find(query);
            let mut statement = connection.prepare_cached(&sql).unwrap();
            let mut rows = statement.query(rusqlite::params_from_iter(&bound)).unwrap();
            while rows.next().unwrap().is_some() {}
            drop(rows);
            asked.push((sql, statement.get_status(StatementStatus::RePrepare)));
        }
        asked
    };
    read("a");
    read("b");
    for (sql, compiled_again) in read("c") {
        assert_eq!(compiled_again, 0, "{sql}");
    }
}

#[test]
fn a_view_that_no_thread_gives_back_is_waited_for_only_so_long() {
    let place = tempfile::tempdir().unwrap();
    let dir = files::Dir::open(place.path()).unwrap();
    let mut journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    Arc::get_mut(&mut journal.readers).unwrap().limit = Duration::from_millis(50);
    let (free, given_up) = (Barrier::new(super::READERS + 1), Barrier::new(super::READERS + 1));
    thread::scope(|scope| {
        for _ in 0..super::READERS {
            scope.spawn(|| {
                let _view = journal.view().unwrap();
                free.wait();
                given_up.wait();
            });
        }
        free.wait();
        assert!(matches!(journal.view(), Err(JournalError::Busy)));
        given_up.wait();
    });
    assert!(journal.view().is_ok());
}

/// It may have read what is not on the disk yet: nothing may be said of that.
#[test]
fn a_refusal_waits_for_the_flush_of_what_it_has_read() {
    let place = tempfile::tempdir().unwrap();
    let dir = files::Dir::open(place.path()).unwrap();
    let mut journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    journal.writer.max_age = Duration::MAX;
    let (turns, answered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (is_begun, journal) = (Barrier::new(2), &journal);
    let (tool, key) = (tool(), crate::Tool::key_of(ToolName::WebSearch));
    let arrived = || journal.writer.arrived.load(Ordering::SeqCst);
    let write = |has_begun: &dyn Fn()| {
        let made = journal.run(&mut |tx| match turns.fetch_add(1, Ordering::SeqCst) {
            0 => {
                has_begun();
                // Until then it would be the last, and commit.
                while arrived() < 3 {
                    thread::yield_now();
                }
                tx.put(tool.clone().into()).map_err(|_| Abort)
            }
            1 => {
                assert!(tx.get(&key).unwrap().is_some());
                Err(Abort)
            }
            _ => {
                // Time for a caller that does not wait, which would be the defect, to have its answer; the test passes without.
                thread::sleep(Duration::from_millis(50));
                assert_eq!(answered.load(Ordering::SeqCst), 0);
                Ok(())
            }
        });
        answered.fetch_add(1, Ordering::SeqCst);
        made.unwrap();
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            write(&|| {
                is_begun.wait();
            })
        });
        is_begun.wait();
        scope.spawn(|| write(&|| ()));
        scope.spawn(|| write(&|| ()));
    });
    assert_eq!(answered.into_inner(), 3);
}

/// With an error of the disk, SQLite undoes the whole transaction: what the work writes after it would stand alone.
#[test]
fn nothing_is_written_after_an_error() {
    let (place, connection) = empty();
    let errors = Errors::new(&place.path().join(super::FILE));
    connection.execute_batch("BEGIN IMMEDIATE; SAVEPOINT change").unwrap();
    let mut transaction = Transaction::new(&connection, &errors);
    connection.execute_batch("ROLLBACK").unwrap();
    let stale = crate::Tool { version: 7, ..tool() };
    let key = stale.key();
    assert!(transaction.put(stale.into()).is_err());
    assert!(transaction.put(tool().into()).is_err());
    assert!(transaction.get(&key).is_err() && transaction.remove(&key).is_err());
    assert!(transaction.finish().is_err());
    let tools: i64 = connection.query_row("SELECT count(*) FROM tool", [], |row| row.get(0)).unwrap();
    assert_eq!(tools, 0);
}

/// The steps of the database for a look for work when so many workflows are claimed.
fn steps_of_claim(claimed: usize) -> i32 {
    let (_place, connection) = empty();
    connection.execute_batch(
        "PRAGMA foreign_keys = OFF; INSERT INTO workflow (id, session, state, task, context, round, engine, cancelled, \
         failures, wake_at, created, updated, version, lease_until, fence) VALUES ('w', 's', 'execution', '', '{}', 1, \
         1, 0, 0, 5, 1, 1, 1, 100, 1)",
    ).unwrap();
    for number in 1..claimed {
        let id = format!("w{number}");
        let copied = "INSERT INTO workflow SELECT ?1, session, state, previous, task, context, round, engine, error, \
                      output, cancelled, failures, wake_at, created, updated, version, lease_owner, lease_until, fence, driven \
                      FROM workflow WHERE id = 'w'";
        connection.execute(copied, [id]).unwrap();
    }
    let mut statement = connection.prepare(super::transaction::CLAIM).unwrap();
    let claimed = statement.query_map(rusqlite::params!["me", 50, 200, 64], |_| Ok(())).unwrap().count();
    assert_eq!(claimed, 0);
    statement.get_status(rusqlite::StatementStatus::VmStep)
}

#[test]
fn a_look_for_work_does_not_pass_over_what_is_claimed() {
    let (few, many) = (steps_of_claim(10), steps_of_claim(100));
    assert_eq!(few, many, "steps with 10 and with 100 workflows that are claimed");
}

fn event(id: &str) -> NewEvent {
    NewEvent {
        id: id.to_owned(),
        at: 1,
        kind: EventType::WorkflowProgress,
        session: None,
        workflow: None,
        task: None,
        agent: None,
        payload: "{}".to_owned(),
    }
}

fn session(id: &str, context_length: usize) -> Session {
    Session {
        id: id.to_owned(),
        kind: SessionKind::User,
        name: id.to_owned(),
        project: None,
        paused: false,
        created: 1,
        updated: 1,
        accessed: 1,
        context: format!("\"{}\"", "x".repeat(context_length)),
        version: 0,
    }
}

/// What writes to a file that must not grow: a long row makes SQLite undo the whole transaction.
fn full() -> (tempfile::TempDir, Writer) {
    let (place, _) = empty();
    let dir = files::Dir::open(place.path()).unwrap();
    let path = dir.path_of(super::FILE);
    let errors = Errors::new(&path);
    let connection = open::existing(&dir, &path, MIGRATIONS, &errors).unwrap();
    connection.query_row("PRAGMA max_page_count = 1", [], |_| Ok(())).unwrap();
    let meter = Arc::new(Meter::read(&connection, None, &errors).unwrap());
    (place, Writer::new(connection, errors, Box::new(|_| ()), meter))
}

/// How many sessions there are once the file is opened again.
fn sessions_kept(place: &tempfile::TempDir) -> usize {
    let journal = Sqlite::open(&files::Dir::open(place.path()).unwrap(), Box::new(|_| ())).unwrap();
    journal.view().unwrap().list(Query::sessions().raw()).unwrap().len()
}

#[test]
fn nothing_is_written_after_sqlite_has_undone_the_transaction() {
    let (place, writer) = full();
    let is_full = |error: &JournalError| matches!(error, JournalError::Full { .. });
    let made = writer.run(&mut |tx| {
        tx.put(session("before", 1).into()).unwrap();
        assert!(tx.put(session("long", 1 << 20).into()).is_err_and(|error| is_full(&error)));
        let _ = tx.put(session("after", 1).into());
        let _ = tx.list(Query::sessions().raw());
        let _ = tx.put(session("later", 1).into());
        Ok(())
    });
    assert!(made.is_err_and(|error| is_full(&error)));
    writer.run(&mut |tx| tx.put(session("kept", 1).into()).map_err(|_| Abort)).unwrap();
    drop(writer);
    assert_eq!(sessions_kept(&place), 1);
}

/// The panic is that of one caller; what SQLite has undone with it is that of all.
#[test]
fn callers_that_share_a_flush_with_a_panic_get_the_error_before_it() {
    let (place, mut writer) = full();
    writer.max_age = Duration::MAX;
    let is_begun = Barrier::new(2);
    thread::scope(|scope| {
        let first = scope.spawn(|| {
            writer.run(&mut |tx| {
                is_begun.wait();
                // Until then it would be the last, and commit.
                while writer.arrived.load(Ordering::SeqCst) < 2 {
                    thread::yield_now();
                }
                tx.put(session("first", 1).into()).map_err(|_| Abort)
            })
        });
        is_begun.wait();
        let panics = || {
            writer.run(&mut |tx| {
                let _ = tx.put(session("long", 1 << 20).into());
                resume_unwind(Box::new("on purpose"))
            })
        };
        let panic = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"on purpose"));
        assert!(matches!(first.join().unwrap(), Err(JournalError::Full { .. })));
    });
    drop(writer);
    assert_eq!(sessions_kept(&place), 0);
}

/// A slow change, or a slow listener, is not put down to the disk.
#[test]
fn the_disk_is_not_waited_for_while_a_change_is_computed_or_published() {
    let (begun, reported) = (Arc::new(Barrier::new(3)), Arc::new(Barrier::new(3)));
    let pause = {
        let (begun, reported) = (Arc::clone(&begun), Arc::clone(&reported));
        move || {
            begun.wait();
            reported.wait();
        }
    };
    let listener = {
        let pause = pause.clone();
        Box::new(move |_: &[Arc<Event>]| pause())
    };
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let dirs = places.each_ref().map(|place| files::Dir::open(place.path()).unwrap());
    let computing = Sqlite::open(&dirs[0], Box::new(|_| ())).unwrap();
    let publishing = Sqlite::open(&dirs[1], listener).unwrap();
    let (sender, reports) = channel();
    let report = move |waits| sender.send(waits).unwrap();
    let _watchdog = Watchdog::start(Duration::from_secs(2), Vec::new(), report).unwrap();
    let waits = thread::scope(|scope| {
        let computes = || {
            computing
                .run(&mut |_| {
                    pause();
                    Ok(())
                })
                .unwrap()
        };
        let publishes = || {
            publishing
                .run(&mut |tx| {
                    tx.publish(event("e"));
                    Ok(())
                })
                .unwrap()
        };
        thread::Builder::new().name("computes".to_owned()).spawn_scoped(scope, computes).unwrap();
        thread::Builder::new().name("publishes".to_owned()).spawn_scoped(scope, publishes).unwrap();
        begun.wait();
        let _overdue = Wait::begin("the report");
        let waits = reports.recv().unwrap();
        reported.wait();
        waits
    });
    let waits_of = |thread: &str| {
        let waits = waits.iter().filter(|wait| wait.thread == thread);
        waits.map(|wait| wait.what.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(waits_of("computes"), ["a change of the journal, being computed"]);
    assert_eq!(waits_of("publishes"), [""; 0]);
}

/// Every question is answered by an index: nothing is looked through, and nothing is sorted but what was found by one.
#[test]
fn every_question_has_an_index() {
    let (_place, connection) = empty();
    let check = |query: &RawQuery, may_sort: bool| {
        let (sql, bound) = statements::find(query);
        for step in plan(&connection, &sql, &bound) {
            let is_sorted = step.starts_with("USE TEMP B-TREE FOR");
            let is_whole = step.starts_with("SCAN") && !step.contains("USING") || step.contains("AUTOMATIC");
            assert!(!is_whole && (may_sort || !is_sorted), "{sql}: {step}");
        }
    };
    for query in [
        Query::project_at("x").raw(),
        Query::sessions_of("x").raw(),
        Query::messages_of("x").raw(),
        Query::workflows_of("x").raw(),
        Query::workflows_in(&[WorkflowState::Idle, WorkflowState::Paused]).raw(),
        Query::tasks_of("x").raw(),
        Query::steps_of("x").raw(),
        Query::agents_of("x").raw(),
        Query::decisions(Some("x"), None).raw(),
        Query::decisions(None, Some(DecisionStatus::Pending)).raw(),
        Query::decisions(Some("x"), Some(DecisionStatus::Pending)).raw(),
        Query::decisions_of("x").raw(),
        Query::asked_as("x").raw(),
        Query::decisions_due(1).raw(),
        Query::checkpoints_of("x").raw(),
        Query::checkpoints_of_workflow("x").raw(),
        Query::instructions_of("x").raw(),
        Query::mail(Some("x"), None).raw(),
        Query::mail(None, Some(MailStatus::Failed)).raw(),
        Query::mail(Some("x"), Some(MailStatus::Failed)).raw(),
        Query::mail_called("x").raw(),
        Query::mail_of("x").raw(),
        Query::mail_until(MailStatus::Failed, 1).raw(),
        Query::requests().raw(),
        Query::outbox_due(1).raw(),
    ] {
        check(query, true);
    }
    // What there may be very much of is not sorted either.
    let of = |filter: EventFilter| Query::<Event>::events(&filter).raw().clone();
    let (all, newest) = (EventFilter::after(7, 9), EventFilter { newest: true, ..EventFilter::after(0, 9) });
    for filter in [all, newest] {
        check(&of(EventFilter { workflow: Some("w".into()), ..filter.clone() }), false);
        check(&of(EventFilter { session: Some("s".into()), ..filter.clone() }), false);
        check(&of(EventFilter { kinds: Some(vec![EventType::TaskFailed]), ..filter.clone() }), false);
    }
    check(Query::events_of("w", None, Some(7)).raw(), false);
    // Lists are gone on with where a page has ended.
    let (text, number) = (|| crate::Cell::Text("x".into()), crate::Cell::Integer(7));
    let at = || vec![number.clone(), text()];
    check(Query::workflows().after(at()).limit(9).raw(), false);
    check(Query::workflows().skip(7).limit(9).raw(), false);
    check(Query::any_session_of("x").raw(), false);
    check(Query::driven_workflows().raw(), false);
    check(Query::last_driven().skip(7).limit(9).raw(), false);
    check(Query::driven_before(3).after(vec![number.clone(), text()]).limit(9).raw(), false);
    check(Query::sessions().after(at()).limit(9).raw(), false);
    check(Query::decisions(None, None).after(at()).limit(9).raw(), false);
    check(Query::decisions(Some("w"), None).after(at()).limit(9).raw(), false);
    check(Query::decisions(Some("w"), Some(DecisionStatus::Pending)).after(at()).limit(9).raw(), false);
    check(Query::decisions(None, Some(DecisionStatus::Pending)).after(at()).limit(9).raw(), false);
    check(Query::mail(None, None).after(at()).limit(9).raw(), false);
    check(Query::mail(Some("x"), None).after(at()).limit(9).raw(), false);
    check(Query::mail(None, Some(MailStatus::Failed)).after(at()).limit(9).raw(), false);
    check(Query::messages_of("x").after(vec![number.clone()]).limit(9).raw(), false);
    check(Query::last_asked().limit(1).raw(), false);
    let names = ["x".to_owned(), "y".to_owned()];
    check(Query::sessions_named(&names).raw(), true);
    check(Query::projects_named(&names).raw(), true);
    check(Query::decisions_of_workflows(&names, DecisionStatus::Pending).raw(), true);
    let open = Query::workflows_in(&[WorkflowState::Idle]).of_sessions(&names);
    let (sql, bound) = statements::find(open.raw());
    assert!(plan(&connection, &sql, &bound)[0].contains("workflow_session"), "{sql}");
    for count in [Count::TASKS.of(&names), Count::MESSAGES.of(&names)] {
        let steps = plan(&connection, &statements::count(&count), &count.of);
        assert!(steps[0].starts_with("SEARCH") && steps[0].contains("USING"), "{steps:?}");
    }
    check(Query::last_steps_of("w").for_task("t").raw(), false);
    check(Query::last_steps_of("w").with_outcome().raw(), false);
    check(Query::events_of("w", Some(&[EventType::TaskFailed]), None).raw(), false);
    for (query, index) in [
        (Query::sessions().limit(9).raw(), "session_updated"),
        (Query::workflows().limit(9).raw(), "workflow_updated"),
        (Query::decisions(None, None).limit(9).raw(), "decision_created"),
        (Query::decisions(Some("w"), Some(DecisionStatus::Pending)).raw(), "decision_workflow"),
        (Query::driven_workflows().raw(), "workflow_driven"),
        (Query::driven_before(3).limit(9).raw(), "workflow_driven"),
        (Query::last_driven().limit(9).raw(), "workflow_driven"),
        (Query::decisions_due(1).raw(), "decision_due"),
        (Query::mail(None, None).limit(9).raw(), "mailbox_created"),
        (Query::steps_of("w").for_task("t").raw(), "step_task"),
        (Query::last_steps_of("w").for_task("t").limit(1).raw(), "step_task"),
        (Query::steps_of("w").with_outcome().raw(), "step_asked"),
        (Query::last_steps_of("w").with_outcome().raw(), "step_asked"),
    ] {
        let (sql, bound) = statements::find(query);
        let steps = plan(&connection, &sql, &bound);
        assert!(steps[0].contains(index), "{steps:?}");
    }
    assert!(plan(&connection, &statements::count(&Count::TASKS), &[])[0].contains("USING"));
    let pending = Count::pending_decisions();
    let steps = plan(&connection, &statements::count(&pending), &pending.of);
    assert!(steps.len() == 1 && steps[0].contains("COVERING INDEX decision_status"), "{steps:?}");
    let sum = Sum::cost_of("x");
    let steps = plan(&connection, &statements::sum(&sum), &[sum.of.1]);
    assert!(steps[0].contains("COVERING INDEX step_tokens"), "{steps:?}");
}

/// How many steps of SQLite's machine it takes the writer to forget what there is to be forgotten.
fn steps_to_prune(journal: &Sqlite, keep_events: u64) -> (u64, usize) {
    let steps = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&steps);
    let handle = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        false
    };
    let mut connection = journal.readers.take().unwrap();
    connection.progress_handler(1, Some(handle)).unwrap();
    journal.readers.bring_back(connection);
    let pruned = journal.prune(Retention { keep_events, answered_before: 0, at_most: 64 }).unwrap();
    let mut connection = journal.readers.take().unwrap();
    connection.progress_handler(0, None::<fn() -> bool>).unwrap();
    journal.readers.bring_back(connection);
    (pruned.events, steps.load(Ordering::Relaxed))
}

/// A journal with so many events of a workflow that has not ended, and as many of none.
fn with_events(count: usize) -> Sqlite {
    let journal = Sqlite::in_memory(Box::new(|_| ())).unwrap();
    let session = crate::Session {
        id: "s".to_owned(),
        kind: protocol::workflow::SessionKind::User,
        name: String::new(),
        project: None,
        paused: false,
        created: 1,
        updated: 1,
        accessed: 1,
        context: "{}".to_owned(),
        version: 0,
    };
    journal.write(|tx| tx.put(session.clone().into())).unwrap();
    journal.write(|tx| tx.put(open_workflow(WorkflowState::Idle, 0).into())).unwrap();
    publish(&journal, "kept", count, Some("w"));
    publish(&journal, "gone", 8, None);
    journal
}

fn open_workflow(state: WorkflowState, version: i64) -> crate::Workflow {
    let begun = crate::Workflow::begin("w".to_owned(), "s".to_owned(), String::new(), 1);
    crate::Workflow { state, version, ..begun }
}

fn publish(journal: &Sqlite, name: &str, count: usize, workflow: Option<&str>) {
    let event = |number| crate::NewEvent {
        id: format!("{name}-{number}"),
        at: 1,
        kind: EventType::WorkflowProgress,
        session: None,
        workflow: workflow.map(str::to_owned),
        task: None,
        agent: None,
        payload: "{}".to_owned(),
    };
    let publish = |tx: &mut dyn crate::Tx| {
        (0..count).for_each(|number| tx.publish(event(number)));
        Ok::<_, JournalError>(())
    };
    journal.write(publish).unwrap();
}

/// What was looked at once and kept is not looked at each time, however much it is; and it is forgotten once it can be.
#[test]
fn events_that_are_kept_are_looked_at_once() {
    let steps = |count: usize| {
        let journal = with_events(count);
        assert_eq!(steps_to_prune(&journal, 0).0, 8);
        publish(&journal, "later", 8, None);
        let (pruned, steps) = steps_to_prune(&journal, 0);
        assert_eq!(pruned, 8);
        journal.write(|tx| tx.put(open_workflow(WorkflowState::Failed, 1).into())).unwrap();
        let mut pruned = 0;
        while let (more @ 1.., _) = steps_to_prune(&journal, 0) {
            pruned += more;
        }
        assert_eq!(pruned, u64::try_from(count).unwrap());
        steps
    };
    let (few, many) = (steps(100), steps(10_000));
    assert!(many <= few + few / 10, "{few} steps with 100 events that are kept, {many} with 10,000");
}

/// The tables are as the rows say.
#[test]
fn every_table_has_the_columns_of_its_row() {
    let (_place, connection) = empty();
    for table in Table::ALL {
        let layout = table.layout();
        let mut statement = connection.prepare(&format!("PRAGMA table_info({})", layout.name)).unwrap();
        let columns = statement.query_map([], |row| row.get::<_, String>(1)).unwrap();
        let columns: Vec<String> = columns.collect::<Result<_, _>>().unwrap();
        let leased = ["lease_owner", "lease_until", "fence"];
        let kept: BTreeSet<&str> =
            columns.iter().map(String::as_str).filter(|column| !leased.contains(column)).collect();
        // Every statement names its columns: those that came later stand at the end.
        assert_eq!(kept, layout.columns.iter().copied().collect(), "{}", layout.name);
        let strict = "SELECT strict FROM pragma_table_list WHERE name = ?";
        assert!(connection.query_row(strict, [layout.name], |row| row.get::<_, bool>(0)).unwrap());
    }
}

#[test]
fn after_a_flush_that_failed_nothing_more_is_written() {
    let errors = Errors::new(Path::new("/x"));
    let failure = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
    assert!(matches!(errors.convert(&failure(ffi::SQLITE_FULL)), JournalError::Full { .. }));
    assert!(matches!(errors.convert(&failure(ffi::SQLITE_IOERR_WRITE)), JournalError::Io { .. }));
    assert!(matches!(errors.convert(&failure(ffi::SQLITE_CORRUPT_INDEX)), JournalError::Damaged { .. }));
    assert!(errors.unsynced().is_none());
    assert_eq!(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC).code, ErrorCode::SystemIoFailure);
    assert!(matches!(
        errors.clone().convert(&failure(ffi::SQLITE_IOERR_FSYNC)),
        JournalError::Unsynced { .. }
    ));
    assert!(errors.unsynced().is_some());
}

/// A file that was made with larger pages keeps them, and is moved into as often.
#[test]
fn a_file_with_larger_pages_is_opened_as_it_is() {
    let place = tempfile::tempdir().unwrap();
    let dir = files::Dir::open(place.path()).unwrap();
    let path = dir.path_of(super::FILE);
    let errors = Errors::new(&path);
    let mut made = Connection::open(&path).unwrap();
    made.pragma_update(None, "page_size", 4096).unwrap();
    open::migrate(&mut made, &MIGRATIONS[..5], &errors).unwrap();
    drop(made);
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    journal.write(|tx| tx.put(tool().into())).unwrap();
    drop(journal);
    let writer = open::existing(&dir, &path, MIGRATIONS, &errors).unwrap();
    let number = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((number("page_size"), number("wal_autocheckpoint")), (4096, 1000));
}

/// The settings that the promises rest on.
#[test]
fn the_settings_are_those_that_were_chosen() {
    let place = tempfile::tempdir().unwrap();
    let dir = files::Dir::open(place.path()).unwrap();
    drop(Sqlite::open(&dir, Box::new(|_| ())).unwrap());
    let path = dir.path_of(super::FILE);
    let writer = open::existing(&dir, &path, MIGRATIONS, &Errors::new(&path)).unwrap();
    for (name, expected) in [
        ("journal_mode", "wal"),
        ("synchronous", "2"),
        ("foreign_keys", "1"),
        ("busy_timeout", "5000"),
        ("page_size", "1024"),
        ("wal_autocheckpoint", "4000"),
        ("journal_size_limit", "67108864"),
        ("cell_size_check", "1"),
        ("trusted_schema", "0"),
        ("temp_store", "2"),
    ] {
        let found = writer.pragma_query_value(None, name, |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str()?.to_owned(),
            })
        });
        assert_eq!(found.unwrap(), expected, "{name}");
    }
    let mapped: Result<i64, _> = writer.pragma_query_value(None, "mmap_size", |row| row.get(0));
    assert!(mapped.is_ok_and(|size| size == 0) || cfg!(not(target_os = "linux")));
}
