//! Deadlines: the first process to look ends questions that were not answered in time.

use super::{Decisions, PendingSet, PublishOutcome};
use crate::StoreError;
use crate::clock::Moment;
use model::{Ending, SessionId, Via};

impl PendingSet {
    /// The deadline, if it has passed.
    pub fn passed_deadline(&self) -> Option<&str> {
        let deadline = self.deadline.as_deref()?;
        // One that cannot be read is none: nothing ends by mistake.
        Moment::now().since(&Moment::parse(deadline)?).map(|_| deadline)
    }
}

impl Decisions {
    /// Ends the questions of `session` if they are open and their deadline has passed, or a submission for them can no longer
    /// be taken back. Returns how they have ended then, and `None` when they go on or are not there.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn expire(&self, session: &SessionId) -> Result<Option<Ending>, StoreError> {
        if let Some(ending) = self.settle_held(session)? {
            return Ok(Some(ending));
        }
        let head = match self.own_head(session)? {
            Some(head) => Some(head),
            None => self.slot_head()?.filter(|head| head.session == *session),
        };
        // To read the questions as well takes longer.
        let Some(deadline) = head.as_ref().and_then(PendingSet::passed_deadline) else { return Ok(None) };
        let Some((pending, questions)) = self.set(session)? else { return Ok(None) };
        let ending = Ending::Expired(deadline.to_owned());
        Ok(Some(match self.publish(&pending, &questions, ending, Via::Clock)? {
            PublishOutcome::Won(record) => record.ending,
            PublishOutcome::Lost(ending) => ending,
        }))
    }

    /// Does the same for all open questions.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn expire_all(&self) -> Result<(), StoreError> {
        for pending in self.open_sets()? {
            self.expire(&pending.session)?;
        }
        Ok(())
    }
}
