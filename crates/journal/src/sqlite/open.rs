//! Opening the file, or making it.

use super::FILE;
use super::errors::Errors;
use super::migration::Migration;
use crate::error::JournalError;
use crate::rows::Idempotency;
use files::{Dir, Lock, durable};
use protocol::agent::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file that is being made; it gets its name once it is complete.
const NEW: &str = ".journal.db.new";

/// What every such file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Up to this size, in bytes, the whole file is looked through when it is opened: a tenth of a second at most.
const MAX_CHECKED_SIZE: u64 = 64 << 20;

/// How large the log of changes may stay on the disk, in bytes.
const LOG_LIMIT: u32 = 64 << 20;

/// The size of a page of a new file, in bytes. A change touches a place in many tables and indexes, and writes each as a whole page
/// into the log of changes: with small pages it writes little. Files that are there keep the size that they have.
const PAGE_SIZE: u32 = 1024;

/// How many bytes of changes are kept before they are moved into the file.
const AUTOCHECKPOINT: u32 = 4_096_000;

/// The path of `name` in `dir`, by which SQLite may find it: it follows no symlink, not even one that leads to the folder.
pub(super) fn path(dir: &Dir, name: &str) -> Result<PathBuf, JournalError> {
    let folder = fs::canonicalize(dir.path());
    let folder = folder
        .map_err(|error| JournalError::Io { path: dir.path().to_owned(), detail: error.to_string() })?;
    Ok(folder.join(name))
}

/// Makes an empty journal in `dir`, unless there is one.
pub(super) fn create_if_missing(
    lock: &Lock,
    dir: &Dir,
    migrations: &[Migration],
) -> Result<(), JournalError> {
    if dir.kind(FILE)?.is_some() {
        return Ok(());
    }
    // Changes that belong to a file which is gone would be taken for changes of the new one.
    if dir.size(&format!("{FILE}-wal"))?.is_some_and(|size| size > 0) {
        return Err(Errors::new(&dir.path_of(FILE)).damaged(format!("missing, but {FILE}-wal is there")));
    }
    // No process uses a half-made journal.
    for left in [NEW, &format!("{NEW}-journal")] {
        dir.unlink(left)?;
    }
    // Made here, so that it is its owner's alone.
    durable::publish_once(lock, dir, NEW, b"")?;
    let path = path(dir, NEW)?;
    let errors = Errors::new(&path);
    let mut connection = connect(&path, &errors)?;
    connection.pragma_update(None, "page_size", PAGE_SIZE).map_err(|error| errors.convert(&error))?;
    migrate(&mut connection, migrations, &errors)?;
    connection.close().map_err(|(_, error)| errors.convert(&error))?;
    durable::move_file(lock, dir, NEW, dir, FILE)?;
    Ok(())
}

/// Opens the file in `dir` to write to it, and brings it to the present version.
pub(super) fn existing(
    dir: &Dir,
    path: &Path,
    migrations: &[Migration],
    errors: &Errors,
) -> Result<Connection, JournalError> {
    let mut magic = [0; MAGIC.len()];
    let io = |error: std::io::Error| JournalError::Io { path: path.to_owned(), detail: error.to_string() };
    let is_whole = fs::File::open(path).map_err(io)?.read_exact(&mut magic).is_ok();
    if !is_whole || magic != MAGIC {
        return Err(errors.damaged("not a journal"));
    }
    let mut connection = connect(path, errors)?;
    check(&connection, path, errors)?;
    // Nothing is changed in a file of a later version.
    missing(&connection, migrations, errors)?;
    settle(&connection).map_err(|error| errors.convert(&error))?;
    // SQLite does this as well, once there are changes, but keeps it to itself if that fails: their file would be lost.
    dir.sync()?;
    migrate(&mut connection, migrations, errors)?;
    Ok(connection)
}

/// Opens the file to read it.
pub(super) fn reader(path: &Path, errors: &Errors) -> Result<Connection, JournalError> {
    let connection = connect(path, errors)?;
    connection.pragma_update(None, "query_only", true).map_err(|error| errors.convert(&error))?;
    Ok(connection)
}

pub(super) fn connect(path: &Path, errors: &Errors) -> Result<Connection, JournalError> {
    // No create: a file that is missing is not made anew by accident.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| errors.convert(&error))?;
    configure(&connection).map_err(|error| errors.convert(&error))?;
    Ok(connection)
}

/// Makes an empty journal in memory.
pub(super) fn in_memory(migrations: &[Migration], errors: &Errors) -> Result<Connection, JournalError> {
    let mut connection = Connection::open_in_memory().map_err(|error| errors.convert(&error))?;
    configure(&connection).map_err(|error| errors.convert(&error))?;
    migrate(&mut connection, migrations, errors)?;
    Ok(connection)
}

/// What holds of every connection.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // What undoes a statement that fails halfway, and what is sorted and large, would be in a temporary file. An image from
    // scratch has no folder for one.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Otherwise a statement is compiled again for each value that could change its plan. No plan depends on a value here.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// What belongs to the one who writes.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_LIMIT, |_| Ok(()))?;
    let page_size: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = AUTOCHECKPOINT / page_size.max(1);
    connection.pragma_update_and_check(None, "wal_autocheckpoint", pages, |_| Ok(()))
}

/// That the file is whole, as far as that can be seen in the time there is.
fn check(connection: &Connection, path: &Path, errors: &Errors) -> Result<(), JournalError> {
    let size = fs::metadata(path).map_or(0, |found| found.len());
    let question = if size <= MAX_CHECKED_SIZE {
        "PRAGMA quick_check(1)"
    } else {
        "SELECT 'ok' FROM sqlite_schema LIMIT 1"
    };
    let found: String =
        connection.query_row(question, [], |row| row.get(0)).map_err(|error| errors.convert(&error))?;
    if found == "ok" { Ok(()) } else { Err(errors.damaged(found)) }
}

/// Brings the file to the present version: each migration and the note of it in one transaction.
pub(super) fn migrate(
    connection: &mut Connection,
    migrations: &[Migration],
    errors: &Errors,
) -> Result<(), JournalError> {
    let missing = missing(connection, migrations, errors)?;
    if !missing.is_empty() {
        define_functions(connection).map_err(|error| errors.convert(&error))?;
    }
    for migration in missing {
        migration.apply(connection).map_err(|error| migration_error(&error, errors))?;
    }
    Ok(())
}

/// Defines the functions that migrations use.
pub(super) fn define_functions(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function("request_name", 2, FunctionFlags::SQLITE_DETERMINISTIC, |values| {
        let (scope, key): (String, String) = (values.get(0)?, values.get(1)?);
        Ok(Idempotency::name_of(&scope, &key))
    })
}

/// What the file is still to be brought through.
fn missing<'m>(
    connection: &Connection,
    migrations: &'m [Migration],
    errors: &Errors,
) -> Result<&'m [Migration], JournalError> {
    let latest = migrations.iter().map(|migration| migration.version).max().unwrap_or_default();
    let found = version(connection, migrations, errors)?;
    if found > latest {
        let needed = needed_program(connection).map_err(|error| errors.convert(&error))?;
        return Err(errors.newer(found.into(), latest.into(), needed));
    }
    Ok(&migrations[migrations.partition_point(|migration| migration.version <= found)..])
}

/// The oldest program that knows the tables of the file, as its last migration has noted it.
fn needed_program(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let noted: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let version = || format!("{}.{}.{}", noted / 1_000_000, noted / 1000 % 1000, noted % 1000);
    Ok((noted > 0).then(version))
}

/// The version of the file; 0 of one in which there is nothing yet. What is noted of its migrations must be what this program
/// would have noted, of each version up to that of the file.
fn version(connection: &Connection, known: &[Migration], errors: &Errors) -> Result<i32, JournalError> {
    let is_right = |version: i32, name: &str, applied_on: &str, checksum: &str| {
        let expected = known.iter().find(|migration| migration.version == version);
        applied_on.parse::<Timestamp>().is_ok()
            && checksum.parse::<u64>().is_ok_and(|checksum| {
                expected.is_none_or(|migration| migration.name == name && migration.checksum() == checksum)
            })
    };
    let read = || {
        let history = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'refinery_schema_history'";
        if connection.query_row(history, [], |_| Ok(())).optional()?.is_none() {
            return Ok(Some(0));
        }
        let mut notes =
            connection.prepare("SELECT version, name, applied_on, checksum FROM refinery_schema_history")?;
        let mut rows = notes.query([])?;
        let mut noted = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let version: i32 = row.get(0)?;
            let (name, applied_on, checksum): (String, String, String) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            if !is_right(version, &name, &applied_on, &checksum) {
                return Ok(None);
            }
            noted.insert(version);
        }
        let latest = noted.last().copied().unwrap_or_default();
        let mut earlier =
            known.iter().map(|migration| migration.version).filter(|version| *version <= latest);
        Ok(earlier.all(|version| noted.contains(&version)).then_some(latest))
    };
    match read() {
        Ok(Some(version)) => Ok(version),
        Ok(None) | Err(rusqlite::Error::InvalidColumnType(..)) => Err(errors.damaged("unreadable version")),
        Err(error) => Err(errors.convert(&error)),
    }
}

fn migration_error(error: &rusqlite::Error, errors: &Errors) -> JournalError {
    // The statements are right: where SQLite does not think so, the tables are not those that they are for.
    match error.sqlite_error_code() {
        Some(code) if code != rusqlite::ErrorCode::Unknown => errors.convert(error),
        _ => errors.damaged(error.to_string()),
    }
}
