//! What a journal can do, whatever keeps it.

use crate::cell::{Cell, Millis};
use crate::change::{Change, Committed, Lease, PruneReport, Retention};
use crate::error::{CommitError, JournalError};
use crate::event::{Event, EventFilter, Log};
use crate::query::{Count, Query, RawQuery, Sum};
use crate::rows::{Key, Record, Row};
use std::sync::Arc;
use watchdog::{Rank, RankGuard, Wait};

/// Receives the events: after the commit, in the order of their numbers, on one thread. It must not wait for the journal.
pub type Listener = Box<dyn Fn(&[Arc<Event>]) + Send + Sync>;

/// What the daemon keeps.
///
/// Nothing here waits for anything but the disk and those who use the journal at the same time. A thread has one view at a
/// time, and drops it before it asks for a change, a claim or another view: what it asks for meanwhile is refused
/// ([`JournalError::Nested`]), and panics where assertions are compiled in.
pub trait Journal: Send + Sync {
    /// Returns everything as of now.
    ///
    /// # Errors
    ///
    /// When it cannot be read, when this thread has a view already, and when all of them are taken for too long.
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError>;

    /// Makes a change, durably: when this returns, it is on the disk, and the listener has been notified.
    ///
    /// # Errors
    ///
    /// When something that the change rests on has changed, and when it cannot be written. The change was then not made, except
    /// after [`JournalError::Unsynced`], when the outcome is unknown.
    fn commit(&self, change: Change) -> Result<Committed, CommitError>;

    /// Claims workflows that are due and have no unexpired claim: at most `limit`, those that have waited longest first. Returns
    /// them in the order of their names.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn claim(&self, owner: &str, now: Millis, until: Millis, limit: u32) -> Result<Vec<Lease>, CommitError>;

    /// Extends a claim; false if another owner has claimed the workflow since, or it was released.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn renew(&self, lease: &Lease, until: Millis) -> Result<bool, CommitError>;

    /// Releases a claim; false if another owner has claimed the workflow since, or it was released.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn release(&self, lease: &Lease) -> Result<bool, CommitError>;

    /// Releases the claims of all owners: for the only process with the journal, when earlier owners are gone.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn release_all(&self) -> Result<(), CommitError>;

    /// Forgets what need not be kept, the oldest first. Called again until there is nothing more.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn prune(&self, prune: Retention) -> Result<PruneReport, CommitError>;
}

/// What a view is called in records of waits.
const VIEW: &str = "a view of the journal";

/// Refuses a thread that has a view; `wanted` is what it asks for.
pub(crate) fn refuse_nested(wanted: &'static str) -> Result<(), JournalError> {
    watchdog::check(Rank::View, wanted);
    if watchdog::holds(Rank::View) { Err(JournalError::Nested) } else { Ok(()) }
}

/// Begins to wait for a view.
pub(crate) fn wait_for_view() -> Result<Wait, JournalError> {
    refuse_nested(VIEW)?;
    Ok(Wait::begin(VIEW))
}

/// This thread has a view from now on.
pub(crate) fn hold_view() -> RankGuard {
    RankGuard::take(Rank::View, VIEW)
}

/// Everything as of one moment.
pub trait View {
    /// Returns a row.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError>;

    /// Returns rows.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn list(&self, query: &RawQuery) -> Result<Vec<Record>, JournalError>;

    /// Returns how many rows there are, by the columns that it names, in their order.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError>;

    /// Adds up the numbers that it names, in their order; `None` for one that no row has. Whole numbers are exact up to 2⁵³.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError>;

    /// Returns how far the log of events reaches.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn log(&self) -> Result<Log, JournalError>;
}

/// The same, with the kind of row that is asked for.
pub trait ViewExt: View {
    /// Returns the row of this key.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn row<R: Row + TryFrom<Record>>(&self, key: &Key) -> Result<Option<R>, JournalError> {
        Ok(self.get(key)?.and_then(|record| R::try_from(record).ok()))
    }

    /// Returns the rows that are asked for.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn find<R: Row + TryFrom<Record>>(&self, query: &Query<R>) -> Result<Vec<R>, JournalError> {
        Ok(self.list(query.raw())?.into_iter().filter_map(|record| R::try_from(record).ok()).collect())
    }

    /// Returns the first of the rows that are asked for.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn first<R: Row + TryFrom<Record>>(&self, query: Query<R>) -> Result<Option<R>, JournalError> {
        Ok(self.find(&query.limit(1))?.pop())
    }

    /// Returns events.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn events(&self, filter: &EventFilter) -> Result<Vec<Event>, JournalError> {
        self.find(&Query::events(filter))
    }
}

impl<V: View + ?Sized> ViewExt for V {}
