//! Ends decisions, each once.

use super::kept::{damaged, head_of, kept_item, kept_questions};
use super::{about, effect_of, status_of};
use crate::draft::Draft;
use crate::failure::{Failure, unwritable};
use crate::outbox;
use journal::{Decision, Millis, Project};
use model::workflow::{Consent, DecisionStatus, ErrorCode, Refusal, UserDecisionReceived};
use model::{DecideItem, DecideOutput, Ending, Returned, Via, respond};
use serde_json::{Map, Value, json};
use store::Draft as GivenSoFar;

/// How a decision ends: in its record, and for its waiter.
pub(crate) struct Resolution {
    pub(crate) status: DecisionStatus,
    ending: Ending,
    /// The answer as it was typed, or as it would have been.
    pub(crate) response: Option<String>,
    pub(crate) selected: Vec<String>,
    /// The word that the waiter gets if there is no answer.
    word: &'static str,
    /// The user's note.
    pub(crate) note: Option<String>,
}

impl Resolution {
    pub(crate) fn answered(decision: model::Decision, response: String, selected: Vec<String>) -> Self {
        let note = decision.note.clone();
        let ending = Ending::Decided(DecideOutput::complete(vec![decision]));
        let (status, response) = (DecisionStatus::Answered, Some(response));
        Self { status, ending, response, selected, word: "", note }
    }

    pub(crate) fn decided_on_page(item: &DecideItem, output: &DecideOutput) -> Self {
        let decision = output.decisions.first().cloned().unwrap_or_default();
        let chosen = item.options.iter().filter(|option| decision.chosen.has(&option.value));
        let selected = chosen.map(|option| option.label.clone()).collect();
        let response = respond::format(item, &decision);
        Self::answered(decision, response, selected)
    }

    pub(crate) fn returned(returned: &Returned) -> Self {
        let note = Some(returned.message.clone());
        let (status, ending) = (DecisionStatus::Returned, Ending::Returned(returned.clone()));
        Self { status, ending, response: None, selected: Vec::new(), word: "returned", note }
    }

    pub(crate) fn cancelled() -> Self {
        let (status, ending) = (DecisionStatus::Cancelled, Ending::Cancelled);
        Self { status, ending, response: None, selected: Vec::new(), word: "cancelled", note: None }
    }

    pub(crate) fn expired(at: String, fallback: Option<respond::Response>) -> Self {
        let (status, ending) = (DecisionStatus::Expired, Ending::Expired(at));
        let (response, selected) = fallback.map(|fallback| (fallback.text, fallback.selected)).unzip();
        Self { status, ending, response, selected: selected.unwrap_or_default(), word: "timeout", note: None }
    }

    /// What the waiter gets: one word, or the words of the answer.
    pub(crate) fn answer_text(&self) -> String {
        self.response.clone().unwrap_or_else(|| self.word.to_owned())
    }
}

/// The one place where a decision ends: with its record, which is also published in the history of its project, and with the
/// event that tells of it. The decision must be open.
pub(crate) fn end(
    draft: &mut Draft<'_>,
    decision: &mut Decision,
    end: &Resolution,
    via: Via,
) -> Result<(), Failure> {
    let questions = kept_questions(decision).ok_or_else(|| damaged(decision))?;
    let head = head_of(decision, draft.world()).ok_or_else(|| damaged(decision))?;
    let given = decision.draft.take().and_then(|json| GivenSoFar::parse(&json, &questions).ok());
    let completed_at = match &end.ending {
        Ending::Expired(at) => at.clone(),
        _ => draft.world().local_time(draft.now()),
    };
    let ending = end.ending.clone();
    let record = store::record_of(&head, &questions, &given.unwrap_or_default(), ending, via, completed_at);
    let record = serde_json::to_string(&record).map_err(|error| unwritable(&error))?;
    if let Some(project) = &decision.project
        && let Some(project) = draft.look::<Project>(&Project::key_of(project))?
    {
        outbox::publish(draft, &decision.id, &project.root, &record)?;
    }
    decision.record = Some(record);
    decision.status = end.status;
    decision.response.clone_from(&end.response);
    decision.selected = end.response.is_some().then(|| Value::from(end.selected.clone()).to_string());
    decision.via = Some(via.name().to_owned());
    decision.ended = Some(draft.now());
    let told = UserDecisionReceived {
        decision_id: decision.id.clone(),
        decision: end.answer_text(),
        selected: end.selected.clone(),
        resources: None,
        context: said_beside(decision, end),
    };
    draft.emit(about(decision), told);
    draft.put(decision.clone());
    Ok(())
}

/// What belongs to an answer: the note, and what it does where it is about a tool.
fn said_beside(decision: &Decision, end: &Resolution) -> Option<Value> {
    let mut beside = Map::new();
    if let Some(note) = &end.note {
        beside.insert("note".to_owned(), json!(note));
    }
    let consent = kept_item(decision).ok().and_then(|item| Consent::read(&item));
    if let (Some(consent), Some(effect)) = (consent, effect_of(decision)) {
        beside.insert("effect".to_owned(), json!(effect.name()));
        beside.insert("tool".to_owned(), json!(consent.tool.name()));
    }
    (!beside.is_empty()).then_some(Value::Object(beside))
}

/// The decision, if it is open.
pub(crate) fn open(decision: Decision, now: Millis) -> Result<Decision, Failure> {
    match status_of(&decision, now) {
        DecisionStatus::Pending => Ok(decision),
        DecisionStatus::Expired => {
            Err(ended(&decision, now, ErrorCode::DecisionExpired, "Decision has expired").into())
        }
        _ => {
            let words = "Decision already resolved";
            Err(ended(&decision, now, ErrorCode::DecisionAlreadyResolved, words).into())
        }
    }
}

fn ended(decision: &Decision, now: Millis, code: ErrorCode, words: &str) -> Refusal {
    let refusal = Refusal::new(code, words).with("decisionId", &*decision.id);
    let refusal = refusal.with("currentState", status_of(decision, now).name());
    match &decision.response {
        Some(response) => refusal.with("response", &**response),
        None => refusal,
    }
}

/// The answer declared for a timeout.
pub(crate) fn fallback_of(decision: &Decision) -> Result<Option<respond::Response>, Failure> {
    let item = kept_item(decision)?;
    Ok(decision.fallback.as_deref().and_then(|text| respond::parse(&item, text, None).ok()))
}

/// Cancels a decision whose answer is no longer needed.
pub(crate) fn cancel(draft: &mut Draft<'_>, mut decision: Decision) -> Result<(), Failure> {
    end(draft, &mut decision, &Resolution::cancelled(), Via::Api)
}
