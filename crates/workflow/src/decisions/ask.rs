//! Creates a decision: checks the question, and makes a set of one item of it.

use super::kept::item_of;
use super::{DecisionReason, NewDecision, about};
use crate::draft::Draft;
use crate::failure::Failure;
use crate::{ids, rows};
use journal::{Decision, Query, ViewExt as _, Workflow};
use model::respond::{self, ResponseError};
use model::workflow::{
    Consent, DecisionStatus, ErrorCode, RecoveryQuestion, Refusal, UserDecisionRequired, WaitingForUser,
    WaitingOption,
};
use model::{DecideItem, DecideOption, ItemKind, SessionId};
use serde_json::{Map, Value, json};

/// How many options a decision may have.
const MAX_OPTIONS: usize = 64;

/// How long a question or an option may be, in bytes.
const MAX_TEXT: usize = 16 << 10;

/// Checks whether a person can be asked this.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check(new: &NewDecision) -> Result<(), Failure> {
    if model::is_blank(&new.message) {
        return Err(Refusal::missing("Missing message", "message").into());
    }
    let options = options_of(new)?;
    match item_of(&questions("?", new, &options, None)) {
        Some(_) => Ok(()),
        None => Err(Refusal::invalid("message is no question", "message").into()),
    }
}

/// Returns the decision that asks how a workflow continues, without workflow and context.
pub(crate) fn recovery(question: RecoveryQuestion<'_>) -> NewDecision {
    NewDecision {
        message: question.to_string(),
        options: question.options().iter().copied().map(str::to_owned).collect(),
        multi_select: Some(false),
        ..NewDecision::default()
    }
}

/// Asks a person, for this workflow.
pub(crate) fn create(
    draft: &mut Draft<'_>,
    new: &NewDecision,
    workflow: Option<&Workflow>,
    why: DecisionReason,
) -> Result<Decision, Failure> {
    if model::is_blank(&new.message) {
        return Err(Refusal::missing("Missing message", "message").into());
    }
    if let Some(workflow) = workflow.filter(|workflow| workflow.state.is_terminal()) {
        let refusal = Refusal::new(ErrorCode::WorkflowTerminal, "Workflow has ended").at(workflow.state);
        return Err(refusal.into());
    }
    let options = options_of(new)?;
    let session = new.session_id.as_deref().or(workflow.map(|workflow| &*workflow.session));
    let project = match session {
        Some(session) => rows::session(draft, session)?.project,
        None => None,
    };
    let now = draft.now();
    let id = ids::timed("decision", now, draft.world());
    let questions = questions(&id, new, &options, workflow);
    let item = item_of(&questions).ok_or_else(|| Refusal::invalid("message is no question", "message"))?;
    if let Some(default) = &new.default {
        respond::parse(&item, default, None).map_err(|misread| unreadable(misread, "default", &item))?;
    }
    let expires = match new.timeout_ms {
        None => None,
        Some(wait) if wait > 0 => Some(now.saturating_add(wait)),
        Some(_) => return Err(Refusal::invalid("timeoutMs must be positive", "timeoutMs").into()),
    };
    let decision = Decision {
        id: id.clone(),
        workflow: workflow.map(|workflow| workflow.id.clone()),
        session: session.map(str::to_owned),
        task: new.task_id.clone(),
        agent: new.agent_id.clone(),
        project,
        ask: ask_name(draft)?,
        questions: questions.to_string(),
        multiple: item.multiple,
        fallback: new.default.clone(),
        status: DecisionStatus::Pending,
        draft: None,
        record: None,
        response: None,
        selected: None,
        via: None,
        created: now,
        expires,
        ended: None,
        version: 0,
    };
    draft.put(decision.clone());
    let options = offered(&item);
    let told = UserDecisionRequired {
        decision_id: id,
        workflow_id: decision.workflow.clone(),
        message: new.message.clone(),
        options: (!options.is_empty()).then_some(options.clone()),
    };
    draft.emit(about(&decision), told);
    draft.emit(about(&decision), waiting(&decision, options, why));
    Ok(decision)
}

/// The options as programs read them. Whether a tool may be used is a matter of `Y` and `n`, as the contract has it; who can also
/// allow the tool for the workflow finds that in `DecisionView::consent`.
pub(super) fn offered(item: &DecideItem) -> Vec<String> {
    let is_offered = |label: &String| Consent::read(item).is_none() || label != respond::ALWAYS;
    item.options.iter().map(|option| option.label.clone()).filter(is_offered).collect()
}

/// The same for those who know the older vocabulary.
fn waiting(decision: &Decision, options: Vec<String>, why: DecisionReason) -> WaitingForUser {
    let (reason, missing_resources, suggestion) = match why {
        DecisionReason::Confirmation => ("confirmation_required", None, None),
        DecisionReason::Ambiguity => ("ambiguous_input", None, None),
        DecisionReason::Recovery => ("error_recovery", None, None),
        DecisionReason::Shortage { missing, suggestion } => ("resource_shortage", Some(missing), suggestion),
    };
    let option = |label: String| WaitingOption { id: label.clone(), label, description: None };
    WaitingForUser {
        reason: reason.to_owned(),
        missing_resources,
        suggestion,
        options: options.into_iter().map(option).collect(),
        context: Some(json!({ "decisionId": decision.id })),
    }
}

fn options_of(new: &NewDecision) -> Result<Vec<String>, Failure> {
    let mut options: Vec<String> = Vec::new();
    for option in &new.options {
        let option = option.trim();
        if option.is_empty() {
            return Err(Refusal::invalid("options must not be blank", "options").into());
        }
        if !options.iter().any(|known| known == option) {
            options.push(option.to_owned());
        }
    }
    let is_long = |text: &String| text.len() > MAX_TEXT;
    if options.len() > MAX_OPTIONS || options.iter().any(is_long) || is_long(&new.message) {
        let refusal = Refusal::invalid("message or options are too long", "options");
        return Err(refusal.with("maxOptions", MAX_OPTIONS).with("maxBytes", MAX_TEXT).into());
    }
    Ok(options)
}

/// The decision as a set of one question.
fn questions(id: &str, new: &NewDecision, options: &[String], workflow: Option<&Workflow>) -> Value {
    let kind = match options.len() {
        0 => ItemKind::Text,
        1 => ItemKind::Confirm,
        _ => ItemKind::Choice,
    };
    let listed: Vec<Value> =
        options.iter().map(|option| json!({ "value": option, "label": option })).collect();
    let mut item = Map::new();
    item.insert("id".to_owned(), json!(1));
    item.insert("title".to_owned(), json!(new.message));
    if kind != ItemKind::Choice {
        item.insert("kind".to_owned(), json!(kind.name()));
    }
    if let Some(context) = new.context.as_ref().filter(|context| !model::is_blank(context)) {
        item.insert("context".to_owned(), json!(context));
    }
    if kind != ItemKind::Text {
        item.insert("options".to_owned(), Value::Array(listed));
    }
    if new.allow_other && kind == ItemKind::Choice {
        item.insert("allow_other".to_owned(), json!(true));
    }
    let is_default = |option: &&String| new.default.as_ref() == Some(*option);
    if let Some(default) = options.iter().find(is_default).filter(|_| kind == ItemKind::Choice) {
        item.insert("recommend".to_owned(), json!(default));
    }
    let mut item = Value::Object(item);
    let is_yes_or_no = || {
        let document = json!({ "task": "?", "source": "?", "items": [item.clone()] });
        item_of(&document).is_some_and(|item| respond::is_yes_or_no(&item))
    };
    let is_single = || options.len() == 2 && is_yes_or_no();
    if kind == ItemKind::Choice && new.multi_select.unwrap_or_else(|| !is_single()) {
        item["multiple"] = json!(true);
    }
    let task = workflow.map(|workflow| workflow.task.clone()).filter(|task| !model::is_blank(task));
    let source = workflow.map_or_else(|| id.to_owned(), |workflow| workflow.id.clone());
    json!({ "task": task.unwrap_or_else(|| new.message.clone()), "source": source, "items": [item] })
}

/// A name for its set of questions that no other decision has.
fn ask_name(draft: &Draft<'_>) -> Result<String, Failure> {
    let second = draft.world().local_second(draft.now());
    let mut name = SessionId::next(&second, None)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    while draft.view().first(Query::asked_as(&name.to_string()))?.is_some() {
        name = SessionId::next(&second, Some(&name))
            .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    }
    Ok(name.to_string())
}

pub(crate) fn unreadable(misread: ResponseError, field: &str, item: &DecideItem) -> Refusal {
    let words = match misread {
        ResponseError::Empty => "Missing response",
        ResponseError::NoOption => "Response names no option",
        ResponseError::Count(..) => "Response names too few or too many options",
        ResponseError::Files => "Response cannot be a text",
    };
    let options: Vec<Value> = item.options.iter().map(|option: &DecideOption| json!(option.label)).collect();
    Refusal::new(ErrorCode::InvalidResponse, words).with("field", field).with("options", options)
}
