//! Open questions that their asker corrects.

use super::head::{Pending, Place};
use super::pending::Asked;
use super::receipts::Note;
use super::{Decisions, drafts};
use crate::StoreError;
use files::{Lock, durable, json};
use model::{Ask, Ending, Questions, Via};

/// What became of a correction.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on its way to who asked")]
pub enum Amended {
    /// The corrected questions are open, in the place of the others; or they are the same.
    Open(Pending),
    /// The others have ended before, and nothing was asked.
    TooLate(Ending),
}

impl Decisions {
    /// Asks `ask` in the place of the open questions `before`. What was filled in for items that have not changed stays. `key` is
    /// that of [`Self::put`]: after a kill the same call goes on where the first was ended. `note` is what the asker writes on its
    /// receipt.
    ///
    /// # Errors
    ///
    /// As [`Self::put`]. The earlier questions are then still open.
    pub fn amend(
        &self,
        before: &Pending,
        questions: &Questions,
        ask: Ask<'_>,
        (key, note): (&str, Note<'_>),
        via: Via,
    ) -> Result<Amended, StoreError> {
        if before.place == Place::Slot {
            // Questions in the slot take the place of what is there.
            if let Some(ending) = self.how_ended(before)? {
                return Ok(Amended::TooLate(ending));
            }
            let asked = self.ask_locked(&Lock::take(&self.dir)?, ask, Some((key, note)))?;
            return Ok(Amended::Open(asked.pending()));
        }
        let corrected = ask.questions;
        let asked = self.put_with_receipt(ask, key, note)?;
        let is_new = matches!(asked, Asked::Anew(_));
        let pending = asked.pending();
        if pending.session == before.session {
            return Ok(Amended::Open(pending));
        }
        self.carry_over(before, &pending, corrected)?;
        let ending = Ending::Replaced(Some(pending.session.clone()));
        match self.publish(before, questions, ending.clone(), via)? {
            super::Published::Lost(found) if found != ending => {
                if is_new {
                    self.publish(&pending, corrected, Ending::Cancelled, via)?;
                }
                Ok(Amended::TooLate(found))
            }
            _ => Ok(Amended::Open(pending)),
        }
    }

    fn how_ended(&self, pending: &Pending) -> Result<Option<Ending>, StoreError> {
        if let Some(record) = self.durable_record(&pending.session)? {
            return Ok(Some(record.ending));
        }
        Ok(self.is_gone(pending)?.then_some(Ending::Replaced(None)))
    }

    /// What was filled in for `before` and still holds for the questions of `pending`, unless something was filled in for these.
    fn carry_over(
        &self,
        before: &Pending,
        pending: &Pending,
        questions: &Questions,
    ) -> Result<(), StoreError> {
        let Some(open) = self.own_folder()? else { return Ok(()) };
        let lock = Lock::take(&self.dir)?;
        let name = drafts::own_name(&pending.session);
        let held = match self.kept(before, questions) {
            Ok(held) if held.saved_at().is_some() => held,
            // What cannot be read was lost before.
            _ => return Ok(()),
        };
        if open.kind(&name)?.is_some() {
            return Ok(());
        }
        let text = held.to_json(questions).map_err(|error| json::corrupt(&name, &error))?;
        Ok(durable::replace(&lock, &open, &name, text.as_bytes())?)
    }
}
