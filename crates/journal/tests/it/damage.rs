//! A damaged file is reported and left as it is.

use crate::support::{Commit, JournalFolder, change, log, session};
use journal::{Journal, JournalError, JournalExt as _, ViewExt as _};
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// A journal of some size, closed.
fn filled() -> JournalFolder {
    let place = JournalFolder::new();
    let journal = place.open();
    for number in 0..200 {
        let name = format!("s{number}");
        journal.commit(change([session(&name).into()], &[&name])).unwrap();
    }
    place
}

fn file(place: &JournalFolder) -> std::path::PathBuf {
    place.path().join("journal.db")
}

fn opened(place: &JournalFolder) -> JournalError {
    place.try_open().err().expect("opened")
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

/// That it is damaged, and as it was.
fn is_damaged(place: &JournalFolder) {
    let before = bytes(&file(place));
    let error = opened(place);
    assert!(matches!(&error, JournalError::Damaged { path, .. } if *path == file(place)), "{error}");
    assert_eq!(bytes(&file(place)), before, "{error}");
}

#[test]
fn what_is_no_journal_is_left_alone() {
    for content in [&b""[..], b"SQLite", b"{}", b"SQLite format 3\0", &[0; 8192], &[0xff; 100_000]] {
        let place = JournalFolder::new();
        fs::write(file(&place), content).unwrap();
        is_damaged(&place);
    }
}

#[test]
fn a_file_that_was_cut_short_is_damaged() {
    let whole = bytes(&file(&filled()));
    for parts in [1, 3, 5, 7] {
        let place = JournalFolder::new();
        fs::write(file(&place), &whole[..whole.len() * parts / 8]).unwrap();
        is_damaged(&place);
    }
}

#[test]
fn pages_that_were_overwritten_are_noticed() {
    let place = filled();
    let whole = bytes(&file(&place));
    let pages = whole.len() / 4096;
    let mut noticed = 0;
    for page in 0..pages {
        let mut damaged = fs::OpenOptions::new().write(true).open(file(&place)).unwrap();
        damaged.seek(SeekFrom::Start(u64::try_from(page * 4096).unwrap())).unwrap();
        damaged.write_all(&[0x5a; 4096]).unwrap();
        drop(damaged);
        is_damaged(&place);
        noticed += 1;
        fs::write(file(&place), &whole).unwrap();
    }
    assert!(noticed > 20, "{noticed}");
    assert_eq!(log(&place.open()).len(), 200, "as it was, it is whole");
}

#[test]
fn changes_without_their_file_are_damage() {
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([], &["a"])).unwrap();
    let killed = place.killed();
    fs::remove_file(file(&killed)).unwrap();
    let error = opened(&killed);
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    assert!(!file(&killed).exists(), "nothing was made in its place");
}

#[test]
fn a_file_of_a_later_version_is_left_alone() {
    let place = filled();
    let raw = rusqlite::Connection::open(file(&place)).unwrap();
    let insert = "INSERT INTO refinery_schema_history VALUES (11, 'later', '2030-01-01T00:00:00Z', '1')";
    raw.execute_batch(insert).unwrap();
    raw.close().unwrap();
    let before = bytes(&file(&place));
    let error = opened(&place);
    assert!(
        matches!(error, JournalError::Newer { found: 11, known: 10, ref needed, .. } if needed.as_deref() == Some("0.2.0")),
        "{error}"
    );
    assert_eq!(bytes(&file(&place)), before);
}

#[test]
fn notes_of_versions_that_cannot_be_read_are_damage() {
    for broken in [
        "UPDATE refinery_schema_history SET applied_on = 'yesterday'",
        "UPDATE refinery_schema_history SET checksum = 'x'",
        "UPDATE refinery_schema_history SET checksum = NULL",
        "UPDATE refinery_schema_history SET version = 'one' WHERE version = 1",
        "UPDATE refinery_schema_history SET checksum = '7'",
        "UPDATE refinery_schema_history SET name = 'other' WHERE version = 2",
        "DELETE FROM refinery_schema_history WHERE version = 3",
        "DELETE FROM refinery_schema_history",
        "DELETE FROM counter",
    ] {
        let place = filled();
        let raw = rusqlite::Connection::open(file(&place)).unwrap();
        raw.execute_batch(broken).unwrap();
        raw.close().unwrap();
        match place.try_open() {
            Err(error) => assert!(matches!(error, JournalError::Damaged { .. }), "{broken}: {error}"),
            Ok(journal) => {
                let error = journal.commit(change([], &["x"])).unwrap_err();
                assert!(error.to_string().contains("damaged"), "{broken}: {error}");
            }
        }
    }
}

/// Whatever has become of it.
#[test]
fn what_is_left_of_one_that_was_not_finished_is_made_anew() {
    let half = |content: &[u8]| {
        let place = JournalFolder::new();
        for name in [".journal.db.new", ".journal.db.new-journal", ".journal.db.new.tmp"] {
            fs::write(place.path().join(name), content).unwrap();
        }
        place
    };
    let whole = bytes(&file(&filled()));
    for content in [&b""[..], b"x", &[0; 4096], &whole[..whole.len() / 2], &whole] {
        let place = half(content);
        let journal = place.open();
        assert_eq!(log(&journal), []);
        drop(journal);
        let names = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.filter(|name| name != ".lock").collect::<Vec<_>>(), ["journal.db"]);
    }
}

#[test]
fn links_are_not_followed() {
    let place = filled();
    let linked = JournalFolder::new();
    std::os::unix::fs::symlink(file(&place), file(&linked)).unwrap();
    assert!(linked.try_open().is_err());
    let dangling = JournalFolder::new();
    std::os::unix::fs::symlink("/nowhere/at/all", file(&dangling)).unwrap();
    assert!(dangling.try_open().is_err());
}

/// As a user's home may be.
#[test]
fn a_folder_may_be_reached_by_a_link() {
    let place = filled();
    let around = JournalFolder::new();
    let link = around.path().join("home");
    std::os::unix::fs::symlink(place.path(), &link).unwrap();
    let journal = journal::Sqlite::open(&files::Dir::open(&link).unwrap(), Box::new(|_| ())).unwrap();
    assert_eq!(log(&journal).len(), 200);
    drop(journal);
    let empty = JournalFolder::new();
    let link = around.path().join("new");
    std::os::unix::fs::symlink(empty.path(), &link).unwrap();
    let journal = journal::Sqlite::open(&files::Dir::open(&link).unwrap(), Box::new(|_| ())).unwrap();
    assert_eq!(log(&journal), []);
    drop(journal);
    journal::Sqlite::copy(&files::Dir::open(&link).unwrap(), &around.path().join("copy")).unwrap();
}

/// A journal of which the session `s7` is not readable.
fn with_an_unreadable_session() -> JournalFolder {
    let place = filled();
    let raw = rusqlite::Connection::open(file(&place)).unwrap();
    raw.execute_batch("UPDATE session SET kind = 'unknown' WHERE id = 's7'").unwrap();
    raw.close().unwrap();
    place
}

#[test]
fn an_unreadable_row_is_named() {
    let place = with_an_unreadable_session();
    let journal = place.open();
    let view = journal.view().unwrap();
    let error = view.find(&journal::Query::sessions()).unwrap_err();
    assert_eq!(error.to_string(), "session.kind is not readable");
    // What can do without it gets the others.
    let all = view.list(journal::Query::sessions().raw()).unwrap();
    assert_eq!(all.iter().filter(|row| row.is_err()).count(), 1);
    let others = view.find_readable(&journal::Query::sessions()).unwrap();
    assert_eq!(others.len(), all.len() - 1);
    assert!(others.iter().all(|session| session.id != "s7"));
}

/// A transaction goes on behind a row that is not readable, unless it was to write that row.
#[test]
fn a_change_that_can_do_without_an_unreadable_row_is_made() {
    let place = with_an_unreadable_session();
    let journal = place.open();
    let is_unreadable = |error: &JournalError| matches!(error, JournalError::Unreadable(_));
    let find = |tx: &mut dyn journal::Tx, id: &str| tx.row::<journal::Session>(&journal::Session::key_of(id));
    let rename = |tx: &mut dyn journal::Tx, name: &str| {
        let row = find(tx, "s8")?.unwrap();
        tx.put(journal::Session { name: name.to_owned(), ..row }.into())
    };
    journal
        .write(|tx| {
            assert!(find(tx, "s7").is_err_and(|error| is_unreadable(&error)));
            rename(tx, "made")
        })
        .unwrap();
    let name = || {
        let view = journal.view().unwrap();
        view.row::<journal::Session>(&journal::Session::key_of("s8")).unwrap().unwrap().name
    };
    assert_eq!(name(), "made");
    let made = journal.write(|tx| {
        let s8 = find(tx, "s8")?.unwrap();
        assert!(tx.put(journal::Session { id: "s7".to_owned(), ..s8 }.into()).is_err());
        let _ = rename(tx, "not made");
        Ok::<_, JournalError>(())
    });
    assert!(made.is_err_and(|error| is_unreadable(&error)));
    assert_eq!(name(), "made");
}
