//! Noticing what other processes do to an open set of questions.

use super::Decisions;
use super::pending::PENDING;
use crate::StoreError;
use files::Identity;
use model::{Ending, SessionId};

/// Looks at one session from time to time. A look costs two system calls while nothing happens.
#[derive(Debug)]
pub struct Watch {
    decisions: Decisions,
    session: SessionId,
    /// The `pending.json` that was last found to name this session.
    known: Option<Identity>,
}

impl Decisions {
    /// Begins to watch `session`.
    pub fn watch(&self, session: SessionId) -> Watch {
        Watch { decisions: self.clone(), session, known: None }
    }
}

impl Watch {
    /// How the session has ended, if it has. Questions that others have taken the place of, or that were removed, could
    /// still be answered, but nobody would look.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`](files::FileError::Corrupt) when the record or `pending.json` cannot be read, and whatever the disk says.
    pub fn look(&mut self) -> Result<Option<Ending>, StoreError> {
        if self.decisions.has_record(&self.session)?
            && let Some(record) = self.decisions.durable_record(&self.session)?
        {
            return Ok(Some(record.ending));
        }
        let present = self.decisions.dir.identity(PENDING)?;
        if present.is_some() && present == self.known {
            return Ok(None);
        }
        // Whoever removed the file, or the folder, wants no answer either.
        let ours = self.decisions.pending()?.is_some_and(|pending| pending.session == self.session);
        if !ours {
            return Ok(Some(Ending::Replaced(None)));
        }
        // Whoever replaces it between the two looks is found by the next one.
        self.known = present;
        Ok(None)
    }
}
