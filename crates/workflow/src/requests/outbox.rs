//! Does what is still to be done outside of the journal.

use crate::failure::Failure;
use crate::runtime::Runtime;
use journal::{Outbox, Query, ViewExt as _};
use std::time::Duration;

/// How much is done at a time.
const BATCH_SIZE: u32 = 64;

/// How long something is put off at most, in seconds.
const MAX_PAUSE: i64 = 300;

impl Runtime {
    /// Does what is still to be done outside, and is due. What does not work, and what takes longer than `limit`, is tried
    /// again later, each time later than before. Returns what did not work.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn deliver(&self, limit: Duration) -> Result<Vec<String>, Failure> {
        let due = self.journal.view()?.find(&Query::outbox_due(self.world.now()).limit(BATCH_SIZE))?;
        let ids: Vec<_> = due.iter().map(|row| row.id.clone()).collect();
        let done = self.publishers.publish(due, limit);
        let is_silent = |id: &String| done.iter().all(|(done, _)| done != id);
        let mut troubles = Vec::new();
        for id in ids.iter().filter(|id| is_silent(id)) {
            self.settle(id, false)?;
            troubles.push(format!("{id}: the disk of the project does not answer"));
        }
        for (id, done) in done {
            self.settle(&id, done.is_ok())?;
            if let Err(error) = done {
                troubles.push(format!("{id}: {error}"));
            }
        }
        Ok(troubles)
    }

    /// Something was done, or is put off.
    fn settle(&self, id: &str, is_done: bool) -> Result<(), Failure> {
        self.act(None, |draft| {
            let key = Outbox::key_of(id);
            let Some(mut row) = draft.row::<Outbox>(&key)? else { return Ok(()) };
            if is_done {
                draft.remove(key);
            } else {
                row.attempts += 1;
                let pause = 1_i64.checked_shl(u32::try_from(row.attempts).unwrap_or(63)).unwrap_or(0);
                let pause = if (1..MAX_PAUSE).contains(&pause) { pause } else { MAX_PAUSE };
                row.next = draft.now() + 1000 * pause;
                draft.put(row);
            }
            Ok(())
        })
        .map(drop)
    }
}
