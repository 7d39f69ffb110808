//! Answers to decisions.

use crate::Millis;
use model::DecideItem;
use model::respond::{self, Response, ResponseError};
use protocol::workflow::{Consent, DecisionStatus, Effect, ErrorCode, Refusal, ToolName};

/// Reason why a text is not an answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerProblem {
    /// Why it cannot be read as one.
    pub error: ResponseError,
    /// The options of the question.
    pub options: Vec<String>,
}

impl AnswerProblem {
    /// Returns the refusal of a request that has the text in this member.
    pub fn refusal(self, field: &str) -> Refusal {
        let words = match self.error {
            ResponseError::Empty => "Missing response",
            ResponseError::NoOption => "Response names no option",
            ResponseError::Count(..) => "Response names too few or too many options",
            ResponseError::Files => "Response cannot be a text",
        };
        let refusal = Refusal::new(ErrorCode::InvalidResponse, words);
        refusal.with("field", field).with("options", self.options)
    }
}

/// Reads a text as the answer to a question; `fallback` stands for an empty text.
///
/// # Errors
///
/// Why it is not an answer.
pub fn read_answer(item: &DecideItem, text: &str, fallback: Option<&str>) -> Result<Response, AnswerProblem> {
    respond::parse(item, text, fallback).map_err(|error| {
        let options = item.options.iter().map(|option| option.label.clone()).collect();
        AnswerProblem { error, options }
    })
}

/// Returns the declared answer that applies when time is up, if there is one.
pub fn fallback_answer(item: &DecideItem, fallback: Option<&str>) -> Option<Response> {
    respond::parse(item, fallback?, None).ok()
}

/// Returns the options as programs read them. The contract names `Y` and `n` as those of a request for consent; the option that
/// allows the tool for the whole workflow is in `DecisionView::consent`.
pub fn option_labels(item: &DecideItem) -> Vec<String> {
    let is_offered = |label: &String| Consent::read(item).is_none() || label != respond::ALWAYS;
    item.options.iter().map(|option| option.label.clone()).filter(is_offered).collect()
}

/// Whether the time of a decision is up.
pub fn is_due(expires: Option<Millis>, now: Millis) -> bool {
    expires.is_some_and(|expires| expires <= now)
}

/// Returns the status of a decision at this time; an expiry need not have been recorded.
pub fn status_at(status: DecisionStatus, expires: Option<Millis>, now: Millis) -> DecisionStatus {
    match status {
        DecisionStatus::Pending if is_due(expires, now) => DecisionStatus::Expired,
        status => status,
    }
}

/// Returns the effect of the answer to a request for consent; `None` if there is no answer.
pub fn consent_effect(item: &DecideItem, status: DecisionStatus, selected: &[String]) -> Option<Effect> {
    if status != DecisionStatus::Answered {
        return None;
    }
    let options: Vec<&str> = item.options.iter().map(|option| &*option.value).collect();
    Effect::from_choice(&options, selected.first()?)
}

/// Returns what `answer`, which allows a tool for the whole workflow, answers to another question; `None` if that is not about a
/// call of this tool.
pub fn implied_answer(tool: ToolName, answer: &str, other: &DecideItem) -> Option<Response> {
    let is_same = Consent::read(other).is_some_and(|consent| consent.tool == tool);
    if is_same { respond::parse(other, answer, None).ok() } else { None }
}

/// The user's answer to a question, for its waiter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserAnswer {
    /// The first option that was chosen, whether by its number or its name, or the text where there are no options; `None` if the
    /// question was not answered.
    pub choice: Option<String>,
    /// The note beside the answer, or in its place if the user sent the question back.
    pub note: Option<String>,
}

impl UserAnswer {
    /// Returns the answer of a decision with these selected options, this response and this note.
    pub fn new(selected: Vec<String>, response: Option<String>, note: Option<String>) -> Self {
        let choice = selected.into_iter().next().or(response);
        Self { choice, note: note.filter(|note| !model::is_blank(note)) }
    }

    /// Returns the choice; where the question was sent back with a note, `returned`.
    pub fn choice_or<'s>(&'s self, returned: &'s str) -> Option<&'s str> {
        self.choice.as_deref().or(self.note.as_ref().map(|_| returned))
    }
}
