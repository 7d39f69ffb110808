//! Removing the records of questions that ended long ago.

use super::Decisions;
use super::records::record_name;
use crate::StoreError;
use crate::clock::Moment;
use files::{Lock, durable};
use model::SessionId;
use std::time::Duration;

/// Which records stay. One that any of the two keeps stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// So many of the latest records stay, whatever their age.
    pub keep: Option<usize>,
    /// Records of questions that ended no longer ago than this stay.
    pub older_than: Option<Duration>,
}

impl Decisions {
    /// The sessions whose records `retention` lets go, the latest first. Two are never among them, ended or not: the newest, and
    /// the newest that was not queued, which `result` shows.
    ///
    /// # Errors
    ///
    /// When the folder or `pending.json` cannot be read: then it is unknown which questions are the newest.
    pub fn removable(&self, retention: Retention) -> Result<Vec<SessionId>, StoreError> {
        let newest = self.newest()?;
        let now = Moment::now();
        let mut removable = Vec::new();
        for session in self.records()?.into_iter().skip(retention.keep.unwrap_or_default()) {
            if newest.contains(&session) || !self.is_closed(&session)? {
                continue;
            }
            let old_enough = match retention.older_than {
                None => true,
                Some(limit) => self.ended(&session)?.is_some_and(|ended| now.since(&ended) > Some(limit)),
            };
            if old_enough {
                removable.push(session);
            }
        }
        Ok(removable)
    }

    /// Removes the records of `sessions` with the files that were attached to them, and what an interrupted write has left of them;
    /// gives those that were there. They are gone from the disk when this returns. The newest stay, as in [`Self::removable`].
    /// `done` is called before each, with how many came before it, and at the end with how many there are: with the lock held, so
    /// it must not wait.
    ///
    /// # Errors
    ///
    /// As [`Self::removable`], and whatever the disk says; some may be gone by then.
    pub fn remove_records(
        &self,
        sessions: &[SessionId],
        done: &mut dyn FnMut(usize),
    ) -> Result<Vec<SessionId>, StoreError> {
        let lock = Lock::take(&self.dir)?;
        let newest = self.newest()?;
        let mut removed = Vec::new();
        let all = sessions.len();
        let sessions = sessions.iter().enumerate().filter(|(_, session)| !newest.contains(session));
        for (before, session) in sessions {
            done(before);
            if !self.is_closed(session)? {
                continue;
            }
            // A kill in between must not leave files that no record leads to.
            self.remove_attachments(session)?;
            if durable::remove(&lock, &self.dir, &record_name(session))? {
                removed.push(session.clone());
            }
        }
        self.dir.sync()?;
        done(all);
        Ok(removed)
    }

    /// The questions whose records stay: those in the slot, and the newest of all.
    fn newest(&self) -> Result<Vec<SessionId>, StoreError> {
        let slot = self.pending()?.map(|pending| pending.session);
        let open = self.open_sets()?.into_iter().map(|pending| pending.session);
        let of_all = self.records()?.into_iter().chain(open).chain(slot.clone()).max();
        Ok(slot.into_iter().chain(of_all).collect())
    }

    /// When the questions of `session` ended. A record that cannot be read is as old as its name says.
    fn ended(&self, session: &SessionId) -> Result<Option<Moment>, StoreError> {
        let completed_at = match self.record(session) {
            Ok(record) => record.and_then(|record| Moment::parse(&record.completed_at)),
            Err(error) if error.is_damaged() => None,
            Err(error) => return Err(error),
        };
        Ok(completed_at.or_else(|| Moment::parse_second(&session.to_string())))
    }
}
