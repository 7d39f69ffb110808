//! How decisions end, and what follows.

use super::answer::consent_effect;
use model::respond::{self, Response};
use model::{DecideItem, DecideOutput, Decision, Ending, Returned};
use protocol::workflow::{Consent, DecisionStatus, UserDecisionReceived};
use serde_json::{Map, Value, json};

/// How a decision ends: in its record, and for its waiter.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// Its status.
    pub status: DecisionStatus,
    /// Its ending in the record.
    pub ending: Ending,
    /// The answer as it was typed, or as it would have been.
    pub response: Option<String>,
    /// The options that were chosen.
    pub selected: Vec<String>,
    /// The user's note.
    pub note: Option<String>,
    /// The word that the waiter gets if there is no answer.
    word: &'static str,
}

/// What follows the end of a decision in its workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consequence {
    /// The waiter cannot continue: time was up, and there is no declared answer.
    Unanswered,
    /// The workflow continues with this answer if it waits for the decision.
    Decided(String),
    /// The task that waits continues.
    TaskContinues,
}

impl Resolution {
    /// The user has answered.
    pub fn answered(response: Response) -> Self {
        Self::decided(response.decision, response.text, response.selected)
    }

    /// The user has answered on the page.
    pub fn decided_on_page(item: &DecideItem, output: &DecideOutput) -> Self {
        let decision = output.decisions.first().cloned().unwrap_or_default();
        let chosen = item.options.iter().filter(|option| decision.chosen.has(&option.value));
        let selected = chosen.map(|option| option.label.clone()).collect();
        let response = respond::format(item, &decision);
        Self::decided(decision, response, selected)
    }

    fn decided(decision: Decision, response: String, selected: Vec<String>) -> Self {
        let note = decision.note.clone();
        let ending = Ending::Decided(DecideOutput::complete(vec![decision]));
        let (status, response) = (DecisionStatus::Answered, Some(response));
        Self { status, ending, response, selected, word: "", note }
    }

    /// The user has sent the question back.
    pub fn returned(returned: &Returned) -> Self {
        let note = Some(returned.message.clone());
        let (status, ending) = (DecisionStatus::Returned, Ending::Returned(returned.clone()));
        Self { status, ending, response: None, selected: Vec::new(), word: "returned", note }
    }

    /// The answer is no longer needed.
    pub fn cancelled() -> Self {
        let (status, ending) = (DecisionStatus::Cancelled, Ending::Cancelled);
        Self { status, ending, response: None, selected: Vec::new(), word: "cancelled", note: None }
    }

    /// Time was up at this local time; the declared answer stands for the user's, if there is one.
    pub fn expired(at: String, fallback: Option<Response>) -> Self {
        let (status, ending) = (DecisionStatus::Expired, Ending::Expired(at));
        let (response, selected) = fallback.map(|fallback| (fallback.text, fallback.selected)).unzip();
        Self { status, ending, response, selected: selected.unwrap_or_default(), word: "timeout", note: None }
    }

    /// Returns what the waiter gets: the text of the answer, or one word.
    pub fn answer_text(&self) -> String {
        self.response.clone().unwrap_or_else(|| self.word.to_owned())
    }

    /// Returns what follows; `is_for_task` states that a task waits for the decision.
    pub fn consequence(&self, is_for_task: bool) -> Consequence {
        if self.status == DecisionStatus::Expired && self.response.is_none() {
            Consequence::Unanswered
        } else if is_for_task {
            Consequence::TaskContinues
        } else {
            Consequence::Decided(self.selected.first().cloned().unwrap_or_else(|| self.answer_text()))
        }
    }

    /// Returns the event that reports it.
    pub fn event(&self, decision: &str, item: &DecideItem) -> UserDecisionReceived {
        UserDecisionReceived {
            decision_id: decision.to_owned(),
            decision: self.answer_text(),
            selected: self.selected.clone(),
            resources: None,
            context: self.context(item),
        }
    }

    /// What belongs to the answer: the note, and the effect of one to a request for consent.
    fn context(&self, item: &DecideItem) -> Option<Value> {
        let mut context = Map::new();
        if let Some(note) = &self.note {
            context.insert("note".to_owned(), json!(note));
        }
        let effect = consent_effect(item, self.status, &self.selected);
        if let (Some(consent), Some(effect)) = (Consent::read(item), effect) {
            context.insert("effect".to_owned(), json!(effect.name()));
            context.insert("tool".to_owned(), json!(consent.tool.name()));
        }
        (!context.is_empty()).then_some(Value::Object(context))
    }
}
