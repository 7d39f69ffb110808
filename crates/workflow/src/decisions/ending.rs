//! Ends decisions, and continues the workflows that wait for them.

use super::ask::unreadable;
use super::kept::{damaged, head_of, kept_item, kept_questions};
use super::{about, consent_of, effect_of, is_due, not_found, pending, status_of};
use crate::draft::{Draft, iso};
use crate::failure::{Failure, unwritable};
use crate::outbox;
use crate::rows;
use crate::steer::{self, Initiator};
use journal::{Decision, Millis, Project, Task, Workflow};
use model::workflow::api::AskResolution;
use model::workflow::{
    Consent, DecisionStatus, Effect, ErrorCode, Refusal, Trigger, UserDecisionReceived, WorkflowState,
};
use model::{DecideItem, DecideOutput, Ending, Returned, Via, respond};
use serde_json::{Map, Value, json};
use store::Draft as GivenSoFar;

/// How a decision ends: in its record, and for its waiter.
pub(crate) struct Resolution {
    status: DecisionStatus,
    ending: Ending,
    /// The answer as it was typed, or as it would have been.
    response: Option<String>,
    selected: Vec<String>,
    /// The word that the waiter gets if there is no answer.
    word: &'static str,
    /// The user's note.
    note: Option<String>,
}

impl Resolution {
    fn answered(decision: model::Decision, response: String, selected: Vec<String>) -> Self {
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

    fn expired(at: String, fallback: Option<respond::Response>) -> Self {
        let (status, ending) = (DecisionStatus::Expired, Ending::Expired(at));
        let (response, selected) = fallback.map(|fallback| (fallback.text, fallback.selected)).unzip();
        Self { status, ending, response, selected: selected.unwrap_or_default(), word: "timeout", note: None }
    }

    /// What the waiter gets: one word, or the words of the answer.
    fn answer_text(&self) -> String {
        self.response.clone().unwrap_or_else(|| self.word.to_owned())
    }
}

/// The one place where a decision ends: with its record, which is also published in the history of its project, and with the
/// event that tells of it. The decision must be open.
fn end(draft: &mut Draft<'_>, decision: &mut Decision, end: &Resolution, via: Via) -> Result<(), Failure> {
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

/// Ends a decision, and continues its workflow if the workflow as a whole waits for it. `workflow`: the row, if already read.
pub(crate) fn end_and_go_on(
    draft: &mut Draft<'_>,
    mut decision: Decision,
    how: Resolution,
    via: Via,
    workflow: Option<&mut Workflow>,
) -> Result<Decision, Failure> {
    end(draft, &mut decision, &how, via)?;
    if effect_of(&decision) == Some(Effect::AllowTool) {
        allow_others(draft, &decision, &how, via)?;
    }
    let mut read = None;
    let workflow = match (workflow, &decision.workflow) {
        (Some(workflow), _) => workflow,
        (None, Some(id)) => read.insert(rows::workflow(draft, id)?),
        (None, None) => return Ok(decision),
    };
    if how.status == DecisionStatus::Expired && how.response.is_none() {
        // A timeout without a declared fallback is no answer.
        unanswered(draft, &decision, workflow)?;
    } else if decision.task.is_none() {
        let answer = how.selected.first().cloned().unwrap_or_else(|| how.answer_text());
        let mut known = Map::new();
        known.insert("decision".to_owned(), json!(answer));
        known.insert("decisionId".to_owned(), json!(decision.id));
        if let Some(note) = &how.note {
            known.insert("decisionNote".to_owned(), json!(note));
        }
        steer::decided(draft, workflow, &decision.id, Trigger::UserDecisionReceived, &known)?;
    } else {
        steer::wake(draft, workflow);
    }
    Ok(decision)
}

/// Allows the other pending calls of the same tool in the workflow: they no longer need an answer of their own.
fn allow_others(
    draft: &mut Draft<'_>,
    decision: &Decision,
    how: &Resolution,
    via: Via,
) -> Result<(), Failure> {
    let (Some(workflow), Some(answer)) = (decision.workflow.as_deref(), how.selected.first()) else {
        return Ok(());
    };
    let Some(tool) = consent_of(decision).map(|consent| consent.tool) else { return Ok(()) };
    for mut other in pending(draft, workflow)? {
        let is_same = consent_of(&other).is_some_and(|other| other.tool == tool);
        if other.id == decision.id || !is_same || is_due(&other, draft.now()) {
            continue;
        }
        let item = kept_item(&other)?;
        let Ok(response) = respond::parse(&item, answer, None) else { continue };
        let how = Resolution::answered(response.decision, response.text, response.selected);
        end(draft, &mut other, &how, via)?;
    }
    Ok(())
}

/// Handles a timeout without a declared fallback: the waiter cannot continue. That is the task in progress that the decision is
/// for, or the workflow if it waits as a whole.
fn unanswered(draft: &mut Draft<'_>, decision: &Decision, workflow: &mut Workflow) -> Result<(), Failure> {
    const TIMEOUT: &str = "TIMEOUT";
    let mut known = Map::new();
    let Some(id) = &decision.task else {
        known.insert("lastError".to_owned(), json!(TIMEOUT));
        return steer::decided(draft, workflow, &decision.id, Trigger::ErrorOccurred, &known);
    };
    let tasks = draft.tasks(&workflow.id)?;
    let is_under_way = |task: &Task| task.id == *id && task.state.is_in_flight();
    let can_fail = matches!(workflow.state, WorkflowState::Execution | WorkflowState::Paused);
    if can_fail && (tasks.is_empty() || tasks.iter().any(is_under_way)) {
        known.insert("taskId".to_owned(), json!(id));
        known.insert("error".to_owned(), json!(TIMEOUT));
        steer::apply(draft, workflow, Trigger::TaskFailed, &known, Initiator::Other)?;
    }
    Ok(())
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

/// Takes the typed answer to a decision, and continues its workflow if the workflow as a whole waits for it. `workflow` is the
/// row, if it was read already.
pub(crate) fn resolve(
    draft: &mut Draft<'_>,
    id: &str,
    text: &str,
    via: Via,
    workflow: Option<&mut Workflow>,
) -> Result<AskResolution, Failure> {
    let found = draft.row::<Decision>(&Decision::key_of(id))?;
    let decision = open(found.ok_or_else(|| not_found(id))?, draft.now())?;
    let item = kept_item(&decision)?;
    let response = respond::parse(&item, text, decision.fallback.as_deref())
        .map_err(|misread| unreadable(misread, "response", &item).with("decisionId", &*decision.id))?;
    let how = Resolution::answered(response.decision, response.text.clone(), response.selected.clone());
    let decision = end_and_go_on(draft, decision, how, via, workflow)?;
    Ok(AskResolution {
        ok: true,
        request_id: decision.id,
        answer: response.text,
        selected_option: response.selected.into_iter().next(),
        responded_at: iso(draft.now()),
    })
}

fn ended(decision: &Decision, now: Millis, code: ErrorCode, words: &str) -> Refusal {
    let refusal = Refusal::new(code, words).with("decisionId", &*decision.id);
    let refusal = refusal.with("currentState", status_of(decision, now).name());
    match &decision.response {
        Some(response) => refusal.with("response", &**response),
        None => refusal,
    }
}

/// Ends a decision that has timed out: the declared fallback is the answer, by the workflow's own act.
pub(crate) fn expire(draft: &mut Draft<'_>, decision: Decision) -> Result<(), Failure> {
    let fallback = fallback_of(&decision)?;
    let at = draft.world().local_time(decision.expires.unwrap_or(draft.now()));
    end_and_go_on(draft, decision, Resolution::expired(at, fallback), Via::Clock, None).map(drop)
}

/// The answer declared for a timeout.
pub(super) fn fallback_of(decision: &Decision) -> Result<Option<respond::Response>, Failure> {
    let item = kept_item(decision)?;
    Ok(decision.fallback.as_deref().and_then(|text| respond::parse(&item, text, None).ok()))
}

/// Cancels a decision whose answer is no longer needed.
pub(crate) fn cancel(draft: &mut Draft<'_>, mut decision: Decision) -> Result<(), Failure> {
    end(draft, &mut decision, &Resolution::cancelled(), Via::Api)
}
