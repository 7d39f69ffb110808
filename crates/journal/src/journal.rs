//! What a journal can do, whatever keeps it.

use crate::cell::{Cell, Millis, UnreadableCell};
use crate::change::{Lease, NewEvent, PruneReport, Retention};
use crate::error::JournalError;
use crate::event::{Event, EventFilter, Log};
use crate::load::JournalLoad;
use crate::query::{Count, Query, RawQuery, Sum};
use crate::rows::{Key, Record, Row};
use std::sync::Arc;
use watchdog::{Rank, RankGuard, Wait};

/// Receives the events: after the commit, in the order of their numbers, one call after the other, on a thread that has
/// changed something. It must not wait for the journal.
pub type Listener = Box<dyn Fn(&[Arc<Event>]) + Send + Sync>;

/// What the daemon keeps.
///
/// Nothing here waits for anything but the disk and those who use the journal at the same time. A thread has one view or one
/// transaction at a time: what it asks for meanwhile is refused ([`JournalError::Nested`]), and panics where assertions are
/// compiled in.
pub trait Journal: Send + Sync {
    /// Returns everything as of now.
    ///
    /// # Errors
    ///
    /// When it cannot be read, when this thread has a view already, and when all of them are taken for too long.
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError>;

    /// The same for what reads for long, such as a whole list: it takes none of the views that short reads wait for.
    ///
    /// # Errors
    ///
    /// As [`Self::view`].
    fn long_view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        self.view()
    }

    /// Does `work` in a transaction, while nothing else writes: what it reads stays as it is until it has ended. When this
    /// returns, what it has written is on the disk, together with all that it has read, and the listener has been notified. If
    /// it aborts, or panics, nothing of it is left. Returns the events, with their numbers.
    ///
    /// All other writers wait meanwhile: it computes, and waits for nothing. It may be done again from the beginning, so it has
    /// no effects but those of its [`Tx`].
    ///
    /// # Errors
    ///
    /// When it cannot be written. Nothing of it was made then, except after [`JournalError::Unsynced`], when the outcome is
    /// unknown. Work that shares a flush shares its error: it may be caused by the work of another caller.
    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError>;

    /// Returns how much it has to do, without the disk and without waiting for those who use it. What keeps no count has
    /// nothing to do.
    fn load(&self) -> JournalLoad {
        JournalLoad::default()
    }

    /// Claims workflows that are due, as [`Tx::claim`] does.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn claim(&self, owner: &str, now: Millis, until: Millis, limit: u32) -> Result<Vec<Lease>, JournalError> {
        self.write(|tx| tx.claim(owner, now, until, limit))
    }

    /// Extends claims, in one change; returns those whose workflow another owner has claimed since, or that were released.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn renew(&self, leases: &[Lease], until: Millis) -> Result<Vec<Lease>, JournalError> {
        self.write(|tx| {
            let mut lost = Vec::new();
            for lease in leases {
                if !tx.hold(lease, Some(until))? {
                    lost.push(lease.clone());
                }
            }
            Ok(lost)
        })
    }

    /// Releases a claim; false if another owner has claimed the workflow since, or it was released.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn release(&self, lease: &Lease) -> Result<bool, JournalError> {
        self.write(|tx| tx.hold(lease, None))
    }

    /// Releases the claims of all owners, in several transactions where there are many: for the only process with the journal,
    /// when earlier owners are gone.
    ///
    /// # Errors
    ///
    /// When it cannot be written. Called again, it releases the rest.
    fn release_all(&self) -> Result<(), JournalError>;

    /// Forgets what need not be kept, the oldest first, in several transactions, each of which looks at few events. Called again
    /// until there is nothing more. What was looked at once, and kept, is not looked at again before its workflow has ended.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError>;
}

/// What is done in a transaction.
pub type Work<'w> = dyn FnMut(&mut dyn Tx) -> Result<(), Abort> + 'w;

/// A transaction is not to leave anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abort;

/// A transaction. What it reads is as of now, with what it has written itself.
///
/// After an error of the journal, nothing is made of it, even if the work goes on: whatever is read or written then returns
/// that error again. A row that cannot be read is no such error: work that can do without it may go on.
pub trait Tx: View {
    /// Puts a row, with the version that it was read with, or 0 if there must be none. What it refers to comes before it.
    ///
    /// # Errors
    ///
    /// When it cannot be written, when it refers to a missing row, and when it was not read in this transaction and has changed
    /// since.
    fn put(&mut self, row: Record) -> Result<(), JournalError>;

    /// Removes a row, if it is there; what refers to it comes before it.
    ///
    /// # Errors
    ///
    /// When it cannot be written, and when a row refers to it.
    fn remove(&mut self, key: &Key) -> Result<(), JournalError>;

    /// Publishes an event, numbered when the work has ended.
    fn publish(&mut self, event: NewEvent);

    /// Whether anything was changed until now.
    fn is_changed(&self) -> bool;

    /// Whether this is the newest claim of its workflow.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn holds(&self, lease: &Lease) -> Result<bool, JournalError>;

    /// Claims workflows that are due and have no unexpired claim: at most `limit`, those first that could have been claimed for
    /// longest. Returns them in the order of their names.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn claim(
        &mut self,
        owner: &str,
        now: Millis,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<Lease>, JournalError>;

    /// Extends a claim, or releases it without `until`; false if another owner has claimed the workflow since, or it was released.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn hold(&mut self, lease: &Lease, until: Option<Millis>) -> Result<bool, JournalError>;
}

/// The same, with the result of the work.
pub trait JournalExt: Journal {
    /// Does `work` as [`Journal::run`] does, and returns its result. If that is an error, nothing is left of the work.
    ///
    /// # Errors
    ///
    /// That of the work, and that of the journal.
    fn write<T, E: From<JournalError>>(
        &self,
        mut work: impl FnMut(&mut dyn Tx) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut result = None;
        let mut noting = |tx: &mut dyn Tx| {
            let made = work(tx);
            let is_made = made.is_ok();
            result = Some(made);
            if is_made { Ok(()) } else { Err(Abort) }
        };
        self.run(&mut noting)?;
        result.unwrap_or_else(|| Err(JournalError::Closed.into()))
    }
}

impl<J: Journal + ?Sized> JournalExt for J {}

/// What the writer is called in records of waits.
pub(crate) const WRITER: &str = "the writer of the journal";

/// What a view is called in records of waits.
const VIEW: &str = "a view of the journal";

/// Refuses a thread that has a view or a transaction; `wanted` is what it asks for.
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

    /// Returns rows, and in the place of each that does not hold what it should, where that is.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError>;

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
        let rows = self.list(query.raw())?.into_iter();
        rows.filter_map(|row| row.map(|record| R::try_from(record).ok()).transpose())
            .collect::<Result<_, _>>()
            .map_err(JournalError::from)
    }

    /// Returns those of the rows that hold what they should: for work that can do without the others.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn find_readable<R: Row + TryFrom<Record>>(&self, query: &Query<R>) -> Result<Vec<R>, JournalError> {
        let rows = self.list(query.raw())?.into_iter();
        Ok(rows.filter_map(|row| R::try_from(row.ok()?).ok()).collect())
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
