//! A journal that can fail, and that counts what an engine does with it.

use journal::{
    Abort, Agent, Cell, Count, Event, Journal, JournalError, Key, Lease, Log, Millis, PruneReport, RawQuery,
    Record, Retention, Row as _, Sqlite, Sum, UnreadableCell, View, Work,
};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

/// A journal that can fail: after a number of changes it accepts no more, as if the process had ended.
pub(crate) struct CrashingJournal {
    inner: Arc<Sqlite>,
    left: AtomicI64,
    /// How many commits have returned: one that is still under way could end a workflow unseen.
    pub(crate) made: AtomicI64,
    /// How many of the next views cannot be had.
    pub(crate) busy: AtomicI64,
    /// How many statements were read in views.
    pub(crate) reads: AtomicI64,
    /// How often work was claimed: once in each round of the engine.
    pub(crate) claims: AtomicI64,
    /// How often claims were extended.
    pub(crate) renewals: AtomicI64,
    /// The row that views cannot read, and why.
    pub(crate) unreadable: Mutex<Option<(Key, JournalError)>>,
}

/// A view that counts what is read in it.
struct CountingView<'j> {
    inner: Box<dyn View + 'j>,
    reads: &'j AtomicI64,
    unreadable: &'j Mutex<Option<(Key, JournalError)>>,
}

/// An agent's row that is not what it should be.
pub(crate) const UNREADABLE: UnreadableCell = UnreadableCell { table: "agent", column: "status" };

impl CountingView<'_> {
    fn noted(&self) -> &dyn View {
        self.reads.fetch_add(1, Ordering::Relaxed);
        &*self.inner
    }
}

impl View for CountingView<'_> {
    fn get(&self, key: &Key) -> Result<Option<Record>, JournalError> {
        // Held until the row is read: what a test changes after it has made a row unreadable is read by no view.
        let unreadable = self.unreadable.lock().unwrap();
        match &*unreadable {
            Some((unreadable, why)) if unreadable == key => Err(why.clone()),
            _ => self.noted().get(key),
        }
    }

    fn list(&self, query: &RawQuery) -> Result<Vec<Result<Record, UnreadableCell>>, JournalError> {
        let unreadable = self.unreadable.lock().unwrap();
        let mut rows = self.noted().list(query)?;
        for row in &mut rows {
            let is_unreadable =
                |agent: &Agent| unreadable.as_ref().is_some_and(|(unreadable, _)| *unreadable == agent.key());
            if matches!(row, Ok(Record::Agent(agent)) if is_unreadable(agent)) {
                *row = Err(UNREADABLE);
            }
        }
        Ok(rows)
    }

    fn count(&self, count: &Count) -> Result<Vec<(Vec<Cell>, i64)>, JournalError> {
        self.noted().count(count)
    }

    fn sum(&self, sum: &Sum) -> Result<Vec<Option<f64>>, JournalError> {
        self.noted().sum(sum)
    }

    fn log(&self) -> Result<Log, JournalError> {
        self.noted().log()
    }
}

impl Journal for CrashingJournal {
    fn view(&self) -> Result<Box<dyn View + '_>, JournalError> {
        let take = |left: i64| (left > 0).then_some(left - 1);
        if self.busy.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            return Err(JournalError::Busy);
        }
        let inner = self.inner.view()?;
        Ok(Box::new(CountingView { inner, reads: &self.reads, unreadable: &self.unreadable }))
    }

    fn run(&self, work: &mut Work<'_>) -> Result<Vec<Arc<Event>>, JournalError> {
        let (mut is_changed, mut is_dead) = (false, false);
        let made = self.inner.run(&mut |tx| {
            work(tx)?;
            is_changed = tx.is_changed();
            is_dead = is_changed && self.left.fetch_sub(1, Ordering::Relaxed) <= 0;
            if is_dead { Err(Abort) } else { Ok(()) }
        });
        if is_dead {
            return Err(JournalError::Closed);
        }
        self.made.fetch_add(is_changed.into(), Ordering::Release);
        made
    }

    fn prune(&self, prune: Retention) -> Result<PruneReport, JournalError> {
        self.inner.prune(prune)
    }

    // Claims are not counted: they change nothing that a driver does not do again.
    fn claim(&self, owner: &str, now: Millis, until: Millis, limit: u32) -> Result<Vec<Lease>, JournalError> {
        self.claims.fetch_add(1, Ordering::Relaxed);
        self.inner.claim(owner, now, until, limit)
    }

    fn renew(&self, leases: &[Lease], until: Millis) -> Result<Vec<Lease>, JournalError> {
        self.renewals.fetch_add(1, Ordering::Relaxed);
        self.inner.renew(leases, until)
    }

    fn release(&self, lease: &Lease) -> Result<bool, JournalError> {
        self.inner.release(lease)
    }

    fn release_all(&self) -> Result<(), JournalError> {
        self.inner.release_all()
    }
}

pub(crate) fn mortal(inner: &Arc<Sqlite>, left: i64) -> Arc<CrashingJournal> {
    Arc::new(CrashingJournal {
        inner: Arc::clone(inner),
        left: AtomicI64::new(left),
        made: AtomicI64::new(0),
        busy: AtomicI64::new(0),
        reads: AtomicI64::new(0),
        claims: AtomicI64::new(0),
        renewals: AtomicI64::new(0),
        unreadable: Mutex::new(None),
    })
}
