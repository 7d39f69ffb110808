//! What brings a file from one version to the next.
//!
//! The notes of it in a file are those of the library `refinery`, which made the first ones: a program that has it and this one
//! understand each other's files. It is not used here, because it brings an engine for regular expressions into the program, to read
//! the names of these files.

use rusqlite::{Connection, params};
use siphasher::sip::SipHasher13;
use std::hash::{Hash, Hasher};

const HISTORY: &str = "CREATE TABLE IF NOT EXISTS refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));";

/// All of them, each one after the one before.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration::new(1, "journal", include_str!("../../migrations/V1__journal.sql")),
    Migration::new(2, "tools", include_str!("../../migrations/V2__tools.sql")),
    Migration::new(3, "cost", include_str!("../../migrations/V3__cost.sql")),
    Migration::new(4, "tasks", include_str!("../../migrations/V4__tasks.sql")),
    Migration::new(5, "program", include_str!("../../migrations/V5__program.sql")),
    Migration::new(6, "claims", include_str!("../../migrations/V6__claims.sql")),
    Migration::new(7, "lists", include_str!("../../migrations/V7__lists.sql")),
    Migration::new(8, "fewer_pages", include_str!("../../migrations/V8__fewer_pages.sql")),
    Migration::new(9, "driven", include_str!("../../migrations/V9__driven.sql")),
    Migration::new(10, "lives", include_str!("../../migrations/V10__lives.sql")),
];

/// What brings a file to its version, from the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    pub(super) version: i32,
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
}

impl Migration {
    pub(super) const fn new(version: i32, name: &'static str, sql: &'static str) -> Self {
        Self { version, name, sql }
    }

    /// What is noted of it in a file, so that another one of the same version is noticed.
    pub(super) fn checksum(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        self.name.hash(&mut hasher);
        self.version.hash(&mut hasher);
        self.sql.hash(&mut hasher);
        hasher.finish()
    }

    /// Does it and notes it, both or neither.
    pub(super) fn apply(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        transaction.execute_batch(HISTORY)?;
        transaction.execute_batch(self.sql)?;
        let note = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
            VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?)";
        transaction.execute(note, params![self.version, self.name, self.checksum().to_string()])?;
        transaction.commit()
    }
}
