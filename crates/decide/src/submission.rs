//! What a person gives for open questions: a draft, the answers, or the questions back.

use crate::{DecideError, Desk};
use model::{
    AnswerSheet, Attachments, DecideOutput, DecisionRecord, Ending, InputError, ItemKind, Problem, Questions,
    Returned, SyntaxError, Via, parse_output,
};
use std::time::Duration;
use store::{PendingSet, PublishOutcome, StoreError};

/// Open questions, and the desk that they lie on.
#[derive(Debug, Clone, Copy)]
pub struct OpenSet<'a> {
    /// The desk.
    pub desk: &'a dyn Desk,
    /// Their head.
    pub pending: &'a PendingSet,
    /// Themselves.
    pub questions: &'a Questions,
}

/// What has become of accepted answers.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on its way to the page")]
pub enum Submission {
    /// They are the end of the questions.
    Recorded(DecisionRecord),
    /// They can still be taken back.
    Held(DecideOutput),
}

/// Why a submission was not accepted.
#[derive(Debug)]
pub enum SubmitError {
    /// The body is not JSON.
    NotJson(SyntaxError),
    /// The answers do not fit the questions.
    Invalid(Vec<Problem>),
    /// The user was shown other questions than these.
    Stale,
    /// The questions have ended: another caller was faster.
    Ended(Ending),
    /// Questions are not sent back without a word.
    NoReason,
    /// Files were attached or taken away meanwhile: the answer is not the one that was looked at.
    FilesChanged,
    /// The answer could not be written.
    Storage(StoreError),
}

impl OpenSet<'_> {
    /// Accepts the answers of a user who was shown these questions.
    ///
    /// # Errors
    ///
    /// When they are not accepted.
    pub fn submit_sheet(&self, sheet: &AnswerSheet, via: Via) -> Result<DecisionRecord, SubmitError> {
        let output =
            sheet.decide(self.questions.input(), &self.attachments()?).map_err(SubmitError::Invalid)?;
        if output.open.is_some() {
            // What is filled in for the others goes on with them.
            self.save_draft(&sheet.without_empty_words(self.questions.input()), via)?;
        }
        self.publish(Ending::Decided(output), via)
    }

    /// The same, but for `wait` the person can take it back. Returns the answers while that can be, and the record where it
    /// cannot.
    ///
    /// # Errors
    ///
    /// As [`Self::submit_sheet`].
    pub fn hold_sheet(
        &self,
        sheet: &AnswerSheet,
        via: Via,
        wait: Duration,
    ) -> Result<Submission, SubmitError> {
        let output =
            sheet.decide(self.questions.input(), &self.attachments()?).map_err(SubmitError::Invalid)?;
        // What it is taken back to.
        self.save_draft(&sheet.without_empty_words(self.questions.input()), via)?;
        let held = self.desk.hold(self.pending, self.questions, output.clone(), via, wait);
        if held.map_err(refusal_of)? {
            return Ok(Submission::Held(output));
        }
        self.publish(Ending::Decided(output), via).map(Submission::Recorded)
    }

    /// Accepts a documented submission (`POST /api/submit`).
    ///
    /// # Errors
    ///
    /// When it is not accepted.
    pub fn submit_json(&self, body: &str) -> Result<DecisionRecord, SubmitError> {
        let output =
            parse_output(body, self.questions.input(), &self.attachments()?).map_err(
                |error| match error {
                    InputError::Syntax(error) => SubmitError::NotJson(error),
                    InputError::Invalid(problems) => SubmitError::Invalid(problems),
                },
            )?;
        self.publish(Ending::Decided(output), Via::Api)
    }

    /// Sends back the questions, instead of answering them.
    ///
    /// # Errors
    ///
    /// When that is not accepted.
    pub fn send_back(&self, returned: &Returned, via: Via) -> Result<DecisionRecord, SubmitError> {
        let returned = returned.checked(self.questions.input()).ok_or(SubmitError::NoReason)?;
        self.publish(Ending::Returned(returned), via)
    }

    /// Keeps an incomplete sheet of a user who was shown these questions.
    ///
    /// # Errors
    ///
    /// When it cannot be kept, or no user would ever be shown it.
    pub fn save_draft(&self, sheet: &AnswerSheet, via: Via) -> Result<(), SubmitError> {
        let kept = self.desk.save_draft(self.pending, self.questions, sheet, via);
        if kept.map_err(SubmitError::Storage)? { Ok(()) } else { Err(SubmitError::Stale) }
    }

    /// Ends the questions with `ending`, which fits them. It is on the disk when this returns, and waiters learn of it from the
    /// record.
    ///
    /// # Errors
    ///
    /// [`DecideError::Ended`] when another caller was faster.
    pub fn end(&self, ending: Ending, via: Via) -> Result<DecisionRecord, DecideError> {
        match self.desk.publish(self.pending, self.questions, ending, via)? {
            PublishOutcome::Won(record) => Ok(record),
            PublishOutcome::Lost(ending) => Err(DecideError::ended(self.desk, &self.pending.session, ending)),
        }
    }

    /// Returns the attached files; without an item that asks for files, none are looked for.
    fn attachments(&self) -> Result<Attachments, SubmitError> {
        if !self.questions.input().items.iter().any(|item| item.kind == ItemKind::Files) {
            return Ok(Attachments::new());
        }
        self.desk.attachments(&self.pending.session).map_err(SubmitError::Storage)
    }

    fn publish(&self, ending: Ending, via: Via) -> Result<DecisionRecord, SubmitError> {
        let published = self.desk.publish(self.pending, self.questions, ending, via);
        match published.map_err(refusal_of)? {
            PublishOutcome::Won(record) => Ok(record),
            PublishOutcome::Lost(ending) => Err(SubmitError::Ended(ending)),
        }
    }
}

fn refusal_of(error: StoreError) -> SubmitError {
    match error {
        StoreError::AttachmentsChanged => SubmitError::FilesChanged,
        error => SubmitError::Storage(error),
    }
}
