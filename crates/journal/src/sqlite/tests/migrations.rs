//! A file of an earlier version is brought to the present one as a whole, wherever that is stopped.
//!
//! The last version here exists for these tests alone.

use super::super::errors::Errors;
use super::super::migration::{MIGRATIONS, Migration};
use super::super::{FILE, open};
use super::event;
use crate::{
    EventFilter, Idempotency, Journal, JournalError, JournalExt as _, Log, Query, Retention, Session, Sqlite,
    Tool, ViewExt as _,
};
use protocol::workflow::{SessionKind, ToolName, ToolPolicy, WorkflowState};
use rusqlite::{Connection, OptionalExtension as _};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{env, fs, thread};
use tempfile::{NamedTempFile, TempDir};

const PLACE: &str = "AIDE_JOURNAL_TEST_MIGRATION_PLACE";

/// Whatever changes files, and what forces the changes to the disk.
const CALLS: [&str; 6] = ["pwrite64", "ftruncate", "fsync", "fdatasync", "unlink", "rename"];

/// How many rows there are before.
const ROWS: usize = 40;

/// Several statements, each of which changes what the one before has left.
const NEXT: &str = "
    PRAGMA user_version = 12034056;
    ALTER TABLE session ADD COLUMN colour TEXT;
    UPDATE session SET colour = 'colour of ' || id;
    CREATE INDEX session_colour ON session (colour);
    CREATE TABLE palette (colour TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES session (id)) STRICT;
    INSERT INTO palette SELECT colour, id FROM session;
    DELETE FROM event WHERE seq % 2 = 0;
    UPDATE counter SET value = (SELECT max(seq) FROM event) WHERE name = 'pruned';
";

/// The present version.
fn present() -> i64 {
    MIGRATIONS.len().try_into().unwrap()
}

/// Those up to the present version, and one more.
fn all() -> Vec<Migration> {
    let next = Migration::new((present() + 1).try_into().unwrap(), "colours", NEXT);
    MIGRATIONS.iter().copied().chain([next]).collect()
}

/// In which state the file of the present version is.
#[derive(Debug, Clone, Copy)]
enum FileState {
    Closed,
    /// What was written last is not in the file yet.
    Killed,
    /// As it was made, and never opened since.
    Made,
}

/// A folder with a file of the present version.
fn first(before: FileState) -> TempDir {
    let place = folder();
    let journal = Sqlite::open(&files::Dir::open(place.path()).unwrap(), Box::new(|_| ())).unwrap();
    for number in 0..ROWS {
        let row = Session {
            id: format!("s{number}"),
            kind: SessionKind::User,
            name: String::new(),
            project: None,
            paused: false,
            created: 1,
            updated: 1,
            accessed: 1,
            context: format!("\"{}\"", "x".repeat(200)),
            version: 0,
        };
        let event = event(&format!("e{number}"));
        let made = journal.write(|tx| {
            tx.publish(event.clone());
            tx.put(row.clone().into())
        });
        made.unwrap();
    }
    let taken = matches!(before, FileState::Killed).then(|| copy(place.path()));
    drop(journal);
    if let FileState::Made = before {
        let raw = Connection::open(place.path().join(FILE)).unwrap();
        raw.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())).unwrap();
    }
    taken.unwrap_or(place)
}

/// Where nothing waits for a disk, if there is such a place.
fn folder() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    let memory = if memory.is_dir() { memory } else { env::temp_dir() };
    tempfile::tempdir_in(memory).unwrap()
}

/// What a disk has of it.
fn copy(from: &Path) -> TempDir {
    let copy = folder();
    for name in [FILE, "journal.db-wal", "journal.db-journal"] {
        if from.join(name).exists() {
            fs::copy(from.join(name), copy.path().join(name)).unwrap();
        }
    }
    copy
}

/// The version that the file has as a whole; nothing of another one is in it.
fn version(place: &Path) -> i64 {
    let copy = copy(place);
    let raw = Connection::open(copy.path().join(FILE)).unwrap();
    let number = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let version = number("SELECT max(version) FROM refinery_schema_history");
    let next = present() + 1;
    let has = |sql: &str| raw.query_row(sql, [], |_| Ok(())).optional().unwrap().is_some();
    assert_eq!(has("SELECT 1 FROM pragma_table_info('session') WHERE name = 'colour'"), version == next);
    assert_eq!(has("SELECT 1 FROM sqlite_schema WHERE name = 'palette'"), version == next);
    assert_eq!(has("SELECT 1 FROM sqlite_schema WHERE name = 'session_colour'"), version == next);
    let rows = i64::try_from(ROWS).unwrap();
    assert_eq!(number("SELECT count(*) FROM session"), rows);
    assert_eq!(number("SELECT count(*) FROM event"), if version == next { rows / 2 } else { rows });
    if version == next {
        assert_eq!(number("SELECT count(*) FROM session JOIN palette USING (colour)"), rows);
    }
    let found: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(found, "ok");
    version
}

/// That it is of one version or the other, and the next one who opens it brings it to the later one.
fn check(place: &Path) -> i64 {
    let found = version(place);
    let (dir, path) = (files::Dir::open(place).unwrap(), place.join(FILE));
    let errors = Errors::new(&path);
    drop(open::existing(&dir, &path, &all(), &errors).unwrap());
    assert_eq!(version(place), present() + 1);
    let refused = open::existing(&dir, &path, MIGRATIONS, &errors).unwrap_err();
    let (next, known) = (present() + 1, present());
    assert!(
        matches!(&refused, JournalError::Newer { found, known: k, needed, .. }
            if (*found, *k, needed.as_deref()) == (next, known, Some("12.34.56"))),
        "{refused}"
    );
    found
}

/// Not a test by itself: brings a file to the next version.
#[test]
#[ignore = "started by another test, which stops it"]
fn migrates() {
    let Some(place) = env::var_os(PLACE) else { return };
    let place = fs::canonicalize(place).unwrap();
    let (dir, path) = (files::Dir::open(&place).unwrap(), place.join(FILE));
    let opened = open::existing(&dir, &path, &all(), &Errors::new(&path));
    writeln!(io::stdout().lock(), "\n{}", if opened.is_ok() { "migrated" } else { "refused" }).unwrap();
}

/// What it has said, and how often it made each call.
fn watch(place: &Path, inject: &str) -> (String, BTreeMap<String, usize>) {
    let trace = NamedTempFile::new_in(place.parent().unwrap()).unwrap();
    let place = fs::canonicalize(place).unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-e", inject, "-o"]).arg(trace.path());
    if let Some(inject) = inject.strip_prefix("inject=") {
        strace.arg("-e").arg(format!("trace={}", inject.split(':').next().unwrap()));
    }
    // With it, all other calls run as fast as without strace; but strace 6.1 kills at the first call only.
    if !inject.contains("signal=") {
        strace.arg("--seccomp-bpf");
    }
    for name in [FILE, "journal.db-wal", "journal.db-journal"] {
        strace.arg("-P").arg(place.join(name));
    }
    let name = format!("{}::migrates", module_path!().split_once("::").unwrap().1);
    strace.arg("-P").arg(&place).arg(env::current_exe().unwrap());
    strace.args(["--exact", &name, "--ignored", "--nocapture", "--test-threads=1"]).env(PLACE, &place);
    let said = String::from_utf8(strace.output().unwrap().stdout).unwrap();
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(trace.path()).unwrap().lines() {
        let call = line.split_once(' ').unwrap().1.trim_start().split('(').next().unwrap();
        *counts.entry(call.to_owned()).or_default() += 1;
    }
    (said, counts)
}

#[test]
fn a_migration_is_made_as_a_whole_at_whichever_call_it_is_killed_or_fails() {
    let tried = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    let mut stderr = io::stderr();
    if !tried.is_ok_and(|status| status.success()) {
        writeln!(stderr, "not tested: there is no strace, or the system lets it watch nothing").unwrap();
        return;
    }
    for before in [FileState::Closed, FileState::Killed, FileState::Made] {
        let file = first(before);
        assert_eq!(version(file.path()), present());
        let (said, counts) = watch(copy(file.path()).path(), &format!("trace={}", CALLS.join(",")));
        assert!(said.contains("migrated"), "{said}");
        let mut ways = Vec::new();
        for call in CALLS {
            for number in 1..=counts.get(call).copied().unwrap_or_default() {
                ways.push(format!("inject={call}:signal=KILL:when={number}"));
                if number % 4 == 1 || effort::is_complete() {
                    ways.push(format!("inject={call}:error=EIO:when={number}"));
                }
            }
        }
        let found = Mutex::new(BTreeMap::<i64, usize>::new());
        thread::scope(|scope| {
            for ways in ways.chunks(ways.len().div_ceil(2)) {
                let (file, found) = (&file, &found);
                scope.spawn(move || {
                    for inject in ways {
                        let place = copy(file.path());
                        let (said, _) = watch(place.path(), inject);
                        let version = check(place.path());
                        let is_migrated = said.contains("migrated");
                        assert!(version > present() || !is_migrated, "{before:?}, {inject}: {said}");
                        *found.lock().unwrap().entry(version).or_default() += 1;
                    }
                });
            }
        });
        let found = found.into_inner().unwrap();
        writeln!(stderr, "{before:?}: {} times; files of each version: {found:?}", ways.len()).unwrap();
        assert!(
            ways.len() > 50 && found[&present()] > 10 && found[&(present() + 1)] > 10,
            "{before:?}: {found:?}"
        );
    }
}

/// A file that was made before there were tools gets a place for them, and keeps what it has.
#[test]
fn a_file_of_the_first_version_is_brought_to_the_present_one() {
    let place = folder();
    let (dir, path) = (files::Dir::open(place.path()).unwrap(), place.path().join(FILE));
    let mut first = Connection::open(&path).unwrap();
    open::migrate(&mut first, &MIGRATIONS[..1], &Errors::new(&path)).unwrap();
    first.execute("INSERT INTO project VALUES ('p', '/p', 1, 1)", []).unwrap();
    drop(first);
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    let tool = Tool {
        name: ToolName::ShellExec,
        policy: ToolPolicy::Deny,
        configured: ToolPolicy::Ask,
        changed: 7,
        version: 0,
    };
    journal.write(|tx| tx.put(tool.clone().into())).unwrap();
    drop(journal);
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    let view = journal.view().unwrap();
    assert_eq!(view.find(&Query::tools()).unwrap(), [Tool { version: 1, ..tool }]);
    assert_eq!(view.find(&Query::projects()).unwrap()[0].id, "p");
}

/// A request that was answered by the program before is answered in the same way, and events keep their numbers.
#[test]
fn what_was_answered_and_published_before_the_eighth_version_is_kept() {
    let place = folder();
    let (dir, path) = (files::Dir::open(place.path()).unwrap(), place.path().join(FILE));
    let mut before = Connection::open(&path).unwrap();
    open::migrate(&mut before, &MIGRATIONS[..7], &Errors::new(&path)).unwrap();
    let rows = "
        INSERT INTO idempotency VALUES ('POST /b', 'one', 'sha', 200, 'later', 9, 1), ('POST /a', 'one', 'sha', 404, 'sooner', 5, 2);
        INSERT INTO event VALUES (3, 'e3', 1, 'workflow_progress', NULL, 'w', NULL, NULL, '{}');
        UPDATE counter SET value = 4;";
    before.execute_batch(rows).unwrap();
    drop(before);
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    let log = || journal.view().unwrap().log().unwrap();
    assert_eq!(log(), Log { last: 4, pruned: 4 });
    let answers = || journal.view().unwrap().find(&Query::requests()).unwrap();
    let answer = |scope: &str, status, body: &str, created, version| Idempotency {
        name: Idempotency::name_of(scope, "one"),
        request_sha256: "sha".to_owned(),
        status: Some(status),
        body: Some(body.to_owned()),
        created,
        version,
    };
    let (sooner, later) = (answer("POST /a", 404, "sooner", 5, 2), answer("POST /b", 200, "later", 9, 1));
    let mut both = [sooner, later.clone()];
    both.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(answers(), both);
    // The oldest is the first to be pruned.
    let pruned = journal.prune(Retention { keep_events: 9, answered_before: 9, at_most: 9 }).unwrap();
    assert_eq!((pruned.answers, answers()), (1, vec![later]));
    journal
        .write(|tx| {
            tx.publish(event("e5"));
            Ok::<_, JournalError>(())
        })
        .unwrap();
    let events = journal.view().unwrap().events(&EventFilter::after(0, 9)).unwrap();
    assert_eq!(
        events.iter().map(|event| (event.seq, &*event.id)).collect::<Vec<_>>(),
        [(3, "e3"), (5, "e5")]
    );
    // Also where the last event is pruned.
    journal.prune(Retention { keep_events: 0, answered_before: 0, at_most: 9 }).unwrap();
    assert_eq!(log(), Log { last: 5, pruned: 5 });
}

/// What an earlier program has not interrupted yet is found, and nothing else.
#[test]
fn the_driven_workflows_of_an_earlier_file_are_found() {
    let place = folder();
    let (dir, path) = (files::Dir::open(place.path()).unwrap(), place.path().join(FILE));
    let mut earlier = Connection::open(&path).unwrap();
    open::migrate(&mut earlier, &MIGRATIONS[..8], &Errors::new(&path)).unwrap();
    earlier.execute("INSERT INTO session VALUES ('s', 'user', '', NULL, 0, 1, 1, 1, '{}', 1)", []).unwrap();
    let contexts =
        ["{}", r#"{"interrupted":false}"#, r#"{"a":{"interrupted":true}}"#, r#"{"interrupted":true}"#];
    for state in WorkflowState::ALL {
        for (number, context) in contexts.iter().enumerate() {
            let insert = "INSERT INTO workflow (id, session, state, task, context, round, engine, cancelled, failures, \
                          created, updated, version) VALUES (?, 's', ?, '', ?, 0, 1, 0, 0, 1, 1, 1)";
            earlier.execute(insert, (format!("{state} {number}"), state.name(), context)).unwrap();
        }
    }
    drop(earlier);
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    let found = journal.view().unwrap().find(&Query::driven_workflows()).unwrap();
    let mut expected: Vec<String> = Vec::new();
    for state in WorkflowState::ALL {
        let is_begun = !state.is_terminal() && *state != WorkflowState::Idle;
        let driven = (0..4).filter(|number| is_begun && (*number < 3 || *state == WorkflowState::Paused));
        expected.extend(driven.map(|number| format!("{state} {number}")));
    }
    expected.sort();
    assert!(found.iter().all(|row| row.driven == 1));
    assert!(found.iter().map(|row| &row.id).eq(&expected));
}

/// A migration that does not name its program would have an older one name that of the migration before.
#[test]
fn every_migration_since_the_fifth_names_a_program_that_is_no_newer_than_this_one() {
    let number =
        |version: &str| version.split('.').fold(0, |sum, part| sum * 1000 + part.parse::<i64>().unwrap());
    let mut before = 1;
    for migration in &MIGRATIONS[4..] {
        let raw = Connection::open_in_memory().unwrap();
        let noted = migration
            .sql
            .split_once("PRAGMA user_version = ")
            .and_then(|(_, rest)| rest.split_once(';'))
            .unwrap()
            .0;
        raw.pragma_update(None, "user_version", noted).unwrap();
        let noted = noted.parse().unwrap();
        assert!((before..=number(env!("CARGO_PKG_VERSION"))).contains(&noted), "{}: {noted}", migration.name);
        before = noted;
    }
}

/// Stopped after any number of its steps, a migration has not begun: the next one does all of it.
#[test]
fn a_migration_is_made_as_a_whole_wherever_it_is_stopped() {
    let file = first(FileState::Made);
    for (migrations, stride) in [(&all()[..1], 29), (&all()[..], 97)] {
        let tables = |place: &Path| {
            let raw = Connection::open(place.join(FILE)).unwrap();
            let tables = "SELECT count(*) FROM sqlite_schema WHERE name <> 'refinery_schema_history' AND sql IS NOT NULL";
            raw.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let mut stopped = 0;
        for steps in (1..).step_by(if effort::is_complete() { 1 } else { stride }) {
            let place = if migrations.len() == 1 { folder() } else { copy(file.path()) };
            let path = place.path().join(FILE);
            let errors = Errors::new(&path);
            let mut connection = Connection::open(&path).unwrap();
            let before = tables(place.path());
            let mut left = steps;
            let stop = move || {
                left -= 1;
                left <= 0
            };
            connection.progress_handler(1, Some(stop)).unwrap();
            let result = open::migrate(&mut connection, migrations, &errors);
            connection.progress_handler(0, None::<fn() -> bool>).unwrap();
            drop(connection);
            let found = tables(place.path());
            if migrations.len() > 1 {
                version(place.path());
            }
            let mut connection = Connection::open(&path).unwrap();
            open::migrate(&mut connection, migrations, &errors).unwrap();
            let after = tables(place.path());
            let seq: i64 =
                connection.query_row("SELECT count(*) FROM counter", [], |row| row.get(0)).unwrap();
            assert_eq!(seq, 2);
            // It may be stopped when all is done, and does not know that.
            assert!(
                found == after || found == before && result.is_err(),
                "{steps} steps: {found} of {after}"
            );
            if result.is_ok() {
                break;
            }
            stopped += 1;
        }
        assert!(stopped > 20, "{stopped}");
    }
}

/// The notes of the migrations are those of refinery: it has made the first files, and goes on with those that are made here.
#[test]
fn refinery_and_this_program_understand_each_others_files() {
    let theirs: Vec<refinery::Migration> = MIGRATIONS
        .iter()
        .map(|one| {
            refinery::Migration::unapplied(&format!("V{}__{}", one.version, one.name), one.sql).unwrap()
        })
        .collect();
    let notes = |raw: &Connection| {
        let all = "SELECT version, name, checksum, typeof(version), typeof(name), typeof(checksum), typeof(applied_on)
            FROM refinery_schema_history";
        let mut statement = raw.prepare(all).unwrap();
        let rows = statement.query_map([], |row| {
            Ok((0..7).map(|at| row.get::<_, rusqlite::types::Value>(at).unwrap()).collect::<Vec<_>>())
        });
        rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap()
    };
    let tables = |raw: &Connection| {
        let mut statement = raw.prepare("SELECT sql FROM sqlite_schema").unwrap();
        let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0));
        rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap()
    };
    let errors = Errors::new(Path::new(":memory:"));
    let mut made = Connection::open_in_memory().unwrap();
    open::migrate(&mut made, MIGRATIONS, &errors).unwrap();
    for first in 0..=MIGRATIONS.len() {
        let mut raw = Connection::open_in_memory().unwrap();
        open::define_functions(&raw).unwrap();
        let runner = refinery::Runner::new(&theirs[..first]).set_grouped(true);
        runner.run(&mut raw).unwrap();
        open::migrate(&mut raw, MIGRATIONS, &errors).unwrap();
        assert_eq!((notes(&raw), tables(&raw)), (notes(&made), tables(&made)), "after {first}");

        let mut raw = Connection::open_in_memory().unwrap();
        open::define_functions(&raw).unwrap();
        open::migrate(&mut raw, &MIGRATIONS[..first], &errors).unwrap();
        let report = refinery::Runner::new(&theirs).set_grouped(true).run(&mut raw).unwrap();
        assert_eq!(report.applied_migrations().len(), MIGRATIONS.len() - first);
        assert_eq!((notes(&raw), tables(&raw)), (notes(&made), tables(&made)), "until {first}");
    }
}

/// A file that no program reads as a migration is one that was forgotten here.
#[test]
fn every_file_of_a_migration_is_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    found.sort();
    let known =
        MIGRATIONS.iter().map(|one| (format!("V{}__{}.sql", one.version, one.name), one.sql.to_owned()));
    let mut known: Vec<_> = known.collect();
    known.sort();
    assert_eq!(found, known);
    assert!(MIGRATIONS.iter().zip(1..).all(|(one, version)| one.version == version));
}
