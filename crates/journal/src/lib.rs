//! What the daemon keeps: sessions, workflows, tasks, decisions, and every event, in the order in which they happened.
//!
//! There is one way to write, [`Journal::commit`]: a [`Change`] is made as a whole or not at all. What it rests on, it names:
//! a row is put with the version that it was read with, and the change is refused if anybody has changed it since. Its events
//! are numbered in the same transaction, so that there is no fact without its event, no event without its fact, and no number
//! twice or left out. Whoever listens is told after the commit, in that order.
//!
//! A [`View`] shows everything as of one moment. What the rows mean is known elsewhere (`workflow`); this crate is the only one
//! that knows SQL.
//!
//! [`Sqlite`] keeps it in a file. With the feature `memory` there is a journal that forgets all with the process, which the
//! other one is compared with.

mod cell;
mod change;
mod error;
mod event;
mod find;
mod journal;
#[cfg(feature = "memory")]
mod memory;
mod row;
mod rows;
mod sqlite;

pub use cell::{Cell, Millis, Unreadable};
pub use change::{Change, Committed, Lease, NewEvent, Prune, Pruned};
pub use error::{CommitError, JournalError};
pub use event::{Event, EventFilter, Log};
pub use find::{Count, Find, Query, Sum};
pub use journal::{Journal, Listener, View, ViewExt};
#[cfg(feature = "memory")]
pub use memory::Memory;
pub use row::{Key, Row};
pub use rows::{
    Agent, Checkpoint, Decision, Idempotency, Instruction, Mailbox, Message, Outbox, Project, Record,
    Session, Step, Table, Task, Tool, Workflow,
};
pub use sqlite::Sqlite;
