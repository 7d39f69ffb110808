//! Keeping what the person has given so far, for this door and the others.

use super::Asked;
use super::form::Form;
use model::{AnswerSheet, Via};
use store::StoreError;

impl Asked<'_> {
    /// What was given before, by whichever door.
    pub(super) fn draft(&self) -> AnswerSheet {
        self.decisions.draft(self.questions)
    }

    /// Keeps what was given here.
    pub(super) fn keep(&self, form: &Form<'_>) -> Result<(), StoreError> {
        let sheet = form.merged(self.draft());
        self.decisions.save_draft(&self.pending.session, self.questions, &sheet, Via::Terminal)
    }
}
