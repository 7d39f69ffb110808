//! Open questions that their asker corrects.

use super::head::{PendingSet, Place};
use super::pending::AskOutcome;
use super::receipts::ReceiptUpdate;
use super::{Decisions, drafts};
use crate::StoreError;
use files::{Lock, durable, json};
use model::{Ask, Ending, Questions, Via};

/// What became of a correction.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on its way to who asked")]
pub enum AmendOutcome {
    /// The corrected questions are open, in the place of the others; or they are the same.
    Open(PendingSet),
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
        before: &PendingSet,
        questions: &Questions,
        ask: Ask<'_>,
        (key, note): (&str, ReceiptUpdate<'_>),
        via: Via,
    ) -> Result<AmendOutcome, StoreError> {
        if before.place == Place::Slot {
            // Questions in the slot take the place of what is there.
            if let Some(ending) = self.how_ended(before)? {
                return Ok(AmendOutcome::TooLate(ending));
            }
            let asked = self.ask_locked(&Lock::take(&self.dir)?, ask, Some((key, note)))?;
            return Ok(AmendOutcome::Open(asked.pending()));
        }
        let corrected = ask.questions;
        let asked = self.put_with_receipt(ask, key, note)?;
        let is_new = matches!(asked, AskOutcome::Anew(_));
        let pending = asked.pending();
        if pending.session == before.session {
            return Ok(AmendOutcome::Open(pending));
        }
        self.carry_over(before, &pending, corrected)?;
        let ending = Ending::Replaced(Some(pending.session.clone()));
        match self.publish(before, questions, ending.clone(), via)? {
            super::PublishOutcome::Lost(found) if found != ending => {
                if is_new {
                    self.publish(&pending, corrected, Ending::Cancelled, via)?;
                }
                Ok(AmendOutcome::TooLate(found))
            }
            _ => Ok(AmendOutcome::Open(pending)),
        }
    }

    fn how_ended(&self, pending: &PendingSet) -> Result<Option<Ending>, StoreError> {
        if let Some(record) = self.durable_record(&pending.session)? {
            return Ok(Some(record.ending));
        }
        Ok(self.is_gone(pending)?.then_some(Ending::Replaced(None)))
    }

    /// What was filled in for `before` and still holds for the questions of `pending`, unless something was filled in for these.
    fn carry_over(
        &self,
        before: &PendingSet,
        pending: &PendingSet,
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
