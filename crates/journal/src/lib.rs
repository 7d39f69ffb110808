//! What the daemon keeps: sessions, workflows, tasks, decisions, and every event, in the order in which they happened.
//!
//! There is one way to write, [`JournalExt::write`]: a closure reads and writes in a transaction ([`Tx`]), while nothing else
//! writes, and is kept as a whole or not at all. Its events are numbered in the same transaction, so that there is no fact without
//! its event, no event without its fact, and no number is repeated or skipped. The listener is notified after the commit, in that
//! order.
//!
//! A [`View`] shows everything as of one moment. The meaning of the rows is defined elsewhere (`workflow`); only this crate knows
//! SQL.
//!
//! [`Sqlite`] keeps it in a file; for tests also in memory ([`Sqlite::in_memory`]).
//!
//! # Where things are
//!
//! The data of a daemon, in one file of SQLite: rows of every table (`rows.rs`) and events, changed as a whole by one writing
//! call (`JournalExt::write`, a closure on a transaction `Tx`), read as of one moment (`View`); the queries, each with its index
//! (`query.rs`), gone on with behind a row; what is forgotten, in small steps (`sqlite/prune.rs`); claims to work; for tests the
//! same in memory (`Sqlite::in_memory`). The only crate that knows SQL.

mod cell;
mod change;
mod error;
mod event;
mod journal;
mod layout;
mod load;
mod query;
mod rows;
mod sqlite;

pub use cell::{Cell, Millis, UnreadableCell};
pub use change::{Lease, NewEvent, PruneReport, Retention};
pub use error::JournalError;
pub use event::{Event, EventFilter, Log};
pub use journal::{Abort, Journal, JournalExt, Listener, Tx, View, ViewExt, Work};
pub use load::{Ages, Backlog, CommitTimes, JournalLoad, ReaderLoad};
pub use query::{Count, Query, RawQuery, Sum};
pub use rows::{
    Agent, Checkpoint, Decision, Idempotency, Instruction, Key, Mailbox, Message, Outbox, Project, Record,
    Row, Session, Step, Table, Task, Tool, Workflow,
};
pub use sqlite::Sqlite;
