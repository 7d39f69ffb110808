//! Noticing what other processes do to an open set of questions.

use super::Decisions;
use super::head::Place;
use super::pending::PENDING;
use crate::StoreError;
use crate::clock::Moment;
use files::Identity;
use model::{Ending, SessionId};

/// Looks at one session from time to time. A look costs a few system calls while nothing happens.
#[derive(Debug)]
pub struct Watch {
    decisions: Decisions,
    session: SessionId,
    /// Where it was found last.
    place: Option<Place>,
    /// The `pending.json` that was last found to name this session.
    known: Option<Identity>,
    deadline: Option<Moment>,
}

impl Decisions {
    /// Begins to watch `session`.
    pub fn watch(&self, session: SessionId) -> Watch {
        Watch { decisions: self.clone(), session, place: None, known: None, deadline: None }
    }
}

impl Watch {
    /// How the session has ended, if it has. Questions that were replaced or removed could still be answered, but the
    /// answer would have no reader. If the deadline has passed, this look ends them.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`](files::FileError::Corrupt) when the record or the questions cannot be read, and whatever the
    /// disk says.
    pub fn look(&mut self) -> Result<Option<Ending>, StoreError> {
        if let Some(ending) = self.recorded()? {
            return Ok(Some(ending));
        }
        if !self.is_there()? {
            // They may have ended, and their file have gone, between the two looks. If the file or the folder was
            // removed without that, no answer is wanted either.
            return Ok(Some(self.recorded()?.unwrap_or(Ending::Replaced(None))));
        }
        if let Some(ending) = self.decisions.settle_held(&self.session)? {
            return Ok(Some(ending));
        }
        match &self.deadline {
            Some(deadline) if Moment::now().since(deadline).is_some() => self.decisions.expire(&self.session),
            _ => Ok(None),
        }
    }

    fn recorded(&self) -> Result<Option<Ending>, StoreError> {
        if !self.decisions.has_record(&self.session)? {
            return Ok(None);
        }
        Ok(self.decisions.durable_record(&self.session)?.map(|record| record.ending))
    }

    /// Whether the questions can still be found where they are kept.
    fn is_there(&mut self) -> Result<bool, StoreError> {
        if self.place == Some(Place::Own) {
            return self.decisions.has_own_file(&self.session);
        }
        let present = self.decisions.dir.identity(PENDING)?;
        if present.is_some() && present == self.known {
            return Ok(true);
        }
        let mut found = None;
        if self.place.is_none() {
            found = self.decisions.own_head(&self.session)?;
        }
        if found.is_none() {
            found = self.decisions.pending()?.filter(|pending| pending.session == self.session);
        }
        let Some(pending) = found else { return Ok(false) };
        self.place = Some(pending.place);
        self.deadline = pending.deadline.as_deref().and_then(Moment::parse);
        // A replacement between the two looks is found by the next one.
        self.known = present;
        Ok(true)
    }
}
