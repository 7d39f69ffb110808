//! Keeping what the person has given so far, for this door and the others.

use super::QuestionSet;
use super::form::Form;
use model::{AnswerSheet, Via};
use store::StoreError;

impl QuestionSet<'_> {
    /// What was given before, by whichever door.
    pub(super) fn draft(&self) -> AnswerSheet {
        self.open.desk.draft(self.open.pending, self.open.questions)
    }

    /// Whether nothing was given yet, by whichever door.
    pub(crate) fn has_no_draft(&self) -> bool {
        let draft = self.draft();
        draft.answers.is_empty() && draft.returned.is_none()
    }

    /// Keeps what was given here.
    pub(super) fn keep(&self, form: &Form<'_>) -> Result<(), StoreError> {
        // Nothing is kept for replaced questions; the user is about to be told.
        self.open.desk.save_draft(self.open.pending, self.open.questions, &form.changes(), Via::Terminal)?;
        Ok(())
    }
}
