//! What a person is asked, and how that ends: once.

use crate::draft::{About, Draft, iso};
use crate::failure::Failure;
use crate::ids;
use crate::runtime::{RequestKey, Runtime};
use crate::{sessions, steer};
use journal::{Decision, Find, ViewExt as _, Workflow};
use model::respond::{self, Misread};
use model::workflow::api::{AskResolution, DecisionAnswered, DecisionCreated, DecisionView};
use model::workflow::{
    DecisionStatus, ErrorCode, Refusal, Trigger, UserDecisionReceived, UserDecisionRequired, WorkflowState,
};
use model::{DecideItem, DecideOption, ItemKind, Questions, SessionId};
use serde_json::{Map, Value, json};

/// How many options a decision may have.
const MAX_OPTIONS: usize = 64;

/// How long a question or an option may be, in bytes.
const MAX_TEXT: usize = 16 << 10;

/// What a person is to be asked.
#[derive(Debug, Clone, Default)]
pub struct NewDecision {
    /// The workflow that waits for it.
    pub workflow_id: Option<String>,
    /// The session that it belongs to; that of its workflow if nobody says.
    pub session_id: Option<String>,
    /// The task that waits for it.
    pub task_id: Option<String>,
    /// The agent that waits for it.
    pub agent_id: Option<String>,
    /// The question.
    pub message: String,
    /// What can be chosen; none for an answer in the person's own words, one to be confirmed.
    pub options: Vec<String>,
    /// What stands for no answer.
    pub default: Option<String>,
    /// Whether several options can be chosen. If nobody says: unless they are a yes and a no.
    pub multi_select: Option<bool>,
    /// For how long it can be answered, in milliseconds.
    pub timeout_ms: Option<i64>,
    /// An explanation, in Markdown.
    pub context: Option<String>,
}

impl Runtime {
    /// Asks a person.
    ///
    /// # Errors
    ///
    /// When there is nothing to ask, or nobody who waits for it.
    pub fn create_decision(
        &self,
        request: Option<&RequestKey>,
        new: &NewDecision,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let workflow = match &new.workflow_id {
                Some(id) => Some(steer::find(draft, id)?),
                None => None,
            };
            let decision = create(draft, new, workflow.as_ref())?;
            Ok(DecisionCreated {
                decision_id: decision.id,
                status: decision.status.name().to_owned(),
                expires_at: decision.expires.map(iso),
            })
        })
    }

    /// Takes the answer to a decision: the first that is one.
    ///
    /// # Errors
    ///
    /// When it is no answer, or comes too late.
    pub fn respond(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        response: &str,
        via: &str,
    ) -> Result<String, Failure> {
        // What came too late ends it as well.
        self.expire_decisions()?;
        self.act(request, |draft| {
            let answered = resolve(draft, id, response, via, None)?;
            let decision = draft.row::<Decision>(&Decision::key_of(id))?;
            let selected = decision.as_ref().map(selected_of).unwrap_or_default();
            Ok(DecisionAnswered {
                success: true,
                decision_id: id.to_owned(),
                response: answered.answer,
                selected,
                workflow_id: decision.and_then(|decision| decision.workflow),
            })
        })
    }

    /// Ends the decisions whose time is up.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn expire_decisions(&self) -> Result<(), Failure> {
        let due = self.journal.view()?.find(&Find::decisions_due(self.world.now()))?;
        for decision in due {
            self.act(None, |draft| {
                let decision = draft.row::<Decision>(&Decision::key_of(&decision.id))?;
                if let Some(decision) = decision.filter(|decision| decision.status == DecisionStatus::Pending)
                {
                    expire(draft, decision)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns decisions, as they were asked: of this workflow, in this state, or all.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn decisions(
        &self,
        workflow: Option<&str>,
        status: Option<DecisionStatus>,
    ) -> Result<Vec<DecisionView>, Failure> {
        self.expire_decisions()?;
        let found = self.journal.view()?.find(&Find::decisions(workflow, status))?;
        found.iter().map(view_of).collect()
    }

    /// Returns a decision.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn decision(&self, id: &str) -> Result<DecisionView, Failure> {
        self.expire_decisions()?;
        let found = self.journal.view()?.row::<Decision>(&Decision::key_of(id))?;
        view_of(&found.ok_or_else(|| not_found(id))?)
    }
}

fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::DecisionNotFound, "Decision not found").with("decisionId", id)
}

/// Asks a person, for this workflow.
pub(crate) fn create(
    draft: &mut Draft<'_>,
    new: &NewDecision,
    workflow: Option<&Workflow>,
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
        Some(session) => sessions::find(draft, session)?.project,
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
    let told = UserDecisionRequired {
        decision_id: id,
        workflow_id: decision.workflow.clone(),
        message: new.message.clone(),
        options: (!options.is_empty()).then_some(options),
    };
    draft.tell(about(&decision), told);
    Ok(decision)
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
    let is_default = |option: &&String| new.default.as_ref() == Some(*option);
    if let Some(default) = options.iter().find(is_default).filter(|_| kind == ItemKind::Choice) {
        item.insert("recommend".to_owned(), json!(default));
    }
    let mut item = Value::Object(item);
    let is_yes_or_no = || {
        let document = json!({ "task": "?", "source": "?", "items": [item.clone()] });
        item_of(&document).is_some_and(|item| respond::is_yes_or_no(&item))
    };
    if kind == ItemKind::Choice && new.multi_select.unwrap_or_else(|| !is_yes_or_no()) {
        item["multiple"] = json!(true);
    }
    let task = workflow.map(|workflow| workflow.task.clone()).filter(|task| !model::is_blank(task));
    let source = workflow.map_or_else(|| id.to_owned(), |workflow| workflow.id.clone());
    json!({ "task": task.unwrap_or_else(|| new.message.clone()), "source": source, "items": [item] })
}

fn item_of(questions: &Value) -> Option<DecideItem> {
    let questions = Questions::from_value(questions.clone()).ok()?;
    questions.input().items.first().cloned()
}

/// The item of a decision that is kept.
fn kept_item(decision: &Decision) -> Result<DecideItem, Failure> {
    let questions = serde_json::from_str(&decision.questions).ok();
    let unreadable = || Refusal::new(ErrorCode::InternalError, "Decision is not readable");
    let item = questions.as_ref().and_then(item_of);
    Ok(item.ok_or_else(|| unreadable().with("decisionId", &*decision.id))?)
}

/// A name for its set of questions that no other decision has.
fn ask_name(draft: &Draft<'_>) -> Result<String, Failure> {
    let second = draft.world().local_second(draft.now());
    let mut name = SessionId::next(&second, None)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    while draft.view().first(Find::asked_as(&name.to_string()))?.is_some() {
        name = SessionId::next(&second, Some(&name))
            .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    }
    Ok(name.to_string())
}

fn unreadable(misread: Misread, field: &str, item: &DecideItem) -> Refusal {
    let words = match misread {
        Misread::Empty => "Missing response",
        Misread::NoOption => "Response names no option",
        Misread::Count(..) => "Response names too few or too many options",
        Misread::Files => "Response cannot be a text",
    };
    let options: Vec<Value> = item.options.iter().map(|option: &DecideOption| json!(option.label)).collect();
    Refusal::new(ErrorCode::InvalidResponse, words).with("field", field).with("options", options)
}

/// Takes the answer to a decision, and lets its workflow go on if that waits for it as a whole. `workflow` is what was read of
/// it already.
pub(crate) fn resolve(
    draft: &mut Draft<'_>,
    id: &str,
    text: &str,
    via: &str,
    workflow: Option<&mut Workflow>,
) -> Result<AskResolution, Failure> {
    let found = draft.row::<Decision>(&Decision::key_of(id))?;
    let mut decision = found.ok_or_else(|| not_found(id))?;
    match decision.status {
        DecisionStatus::Pending => {}
        DecisionStatus::Expired => {
            return Err(ended(&decision, ErrorCode::DecisionExpired, "Decision has expired").into());
        }
        _ => {
            let words = "Decision already resolved";
            return Err(ended(&decision, ErrorCode::DecisionAlreadyResolved, words).into());
        }
    }
    let item = kept_item(&decision)?;
    let response = respond::parse(&item, text, decision.fallback.as_deref())
        .map_err(|misread| unreadable(misread, "response", &item))?;
    let selected = response.selected.clone();
    decision.status = DecisionStatus::Answered;
    decision.response = Some(response.text.clone());
    decision.selected = Some(Value::from(selected.clone()).to_string());
    decision.via = Some(via.to_owned());
    decision.ended = Some(draft.now());
    tell_end(draft, &decision, response.text.clone(), selected.clone());
    draft.put(decision.clone());
    let mut read = None;
    let workflow = match (workflow, &decision.workflow) {
        (Some(workflow), _) => Some(workflow),
        (None, Some(id)) => Some(read.insert(steer::find(draft, id)?)),
        (None, None) => None,
    };
    if let Some(workflow) = workflow {
        go_on(draft, &decision, workflow, selected.first().unwrap_or(&response.text))?;
    }
    Ok(AskResolution {
        ok: true,
        request_id: decision.id,
        answer: response.text,
        selected_option: selected.into_iter().next(),
        responded_at: iso(draft.now()),
    })
}

fn ended(decision: &Decision, code: ErrorCode, words: &str) -> Refusal {
    let refusal = Refusal::new(code, words).with("decisionId", &*decision.id);
    let refusal = refusal.with("currentState", decision.status.name());
    match &decision.response {
        Some(response) => refusal.with("response", &**response),
        None => refusal,
    }
}

/// A workflow that waits as a whole goes on with the answer.
fn go_on(
    draft: &mut Draft<'_>,
    decision: &Decision,
    workflow: &mut Workflow,
    answer: &str,
) -> Result<(), Failure> {
    if decision.task.is_none() && workflow.state == WorkflowState::WaitUserDecision {
        let mut context = Map::new();
        context.insert("decision".to_owned(), json!(answer));
        context.insert("decisionId".to_owned(), json!(decision.id));
        steer::apply(draft, workflow, Trigger::UserDecisionReceived, &context)?;
    }
    Ok(())
}

/// Nobody has answered in time: what was declared for that case is the answer, by the workflow's own act.
fn expire(draft: &mut Draft<'_>, mut decision: Decision) -> Result<(), Failure> {
    let item = kept_item(&decision)?;
    let fallback = decision.fallback.as_deref().and_then(|text| respond::parse(&item, text, None).ok());
    decision.status = DecisionStatus::Expired;
    decision.ended = Some(draft.now());
    decision.via = Some("clock".to_owned());
    let (told, selected) = match &fallback {
        Some(response) => (response.text.clone(), response.selected.clone()),
        None => ("timeout".to_owned(), Vec::new()),
    };
    if let Some(response) = fallback {
        decision.response = Some(response.text);
        decision.selected = Some(Value::from(response.selected).to_string());
    }
    tell_end(draft, &decision, told, selected);
    draft.put(decision.clone());
    if let Some(answer) = &decision.response
        && let Some(id) = &decision.workflow
    {
        let mut workflow = steer::find(draft, id)?;
        go_on(draft, &decision, &mut workflow, answer)?;
    }
    Ok(())
}

/// Nobody wants to know any more.
pub(crate) fn cancel(draft: &mut Draft<'_>, mut decision: Decision) {
    decision.status = DecisionStatus::Cancelled;
    decision.ended = Some(draft.now());
    tell_end(draft, &decision, "cancelled".to_owned(), Vec::new());
    draft.put(decision);
}

fn tell_end(draft: &mut Draft<'_>, decision: &Decision, answer: String, selected: Vec<String>) {
    let told = UserDecisionReceived {
        decision_id: decision.id.clone(),
        decision: answer,
        selected,
        resources: None,
        context: None,
    };
    draft.tell(about(decision), told);
}

fn about(decision: &Decision) -> About<'_> {
    About {
        session: decision.session.as_deref(),
        workflow: decision.workflow.as_deref(),
        task: decision.task.as_deref(),
        agent: decision.agent.as_deref(),
    }
}

fn selected_of(decision: &Decision) -> Vec<String> {
    decision.selected.as_deref().and_then(|selected| serde_json::from_str(selected).ok()).unwrap_or_default()
}

pub(crate) fn view_of(decision: &Decision) -> Result<DecisionView, Failure> {
    let item = kept_item(decision)?;
    let options: Vec<_> = item.options.iter().map(|option| option.label.clone()).collect();
    Ok(DecisionView {
        decision_id: decision.id.clone(),
        workflow_id: decision.workflow.clone(),
        session_id: decision.session.clone(),
        task_id: decision.task.clone(),
        agent_id: decision.agent.clone(),
        message: item.title,
        options: (!options.is_empty()).then_some(options),
        default: decision.fallback.clone(),
        multi_select: decision.multiple,
        created_at: iso(decision.created),
        expires_at: decision.expires.map(iso),
        status: decision.status.name().to_owned(),
        response: decision.response.clone(),
        selected: selected_of(decision),
        responded_at: decision.ended.map(iso),
        responded_by: decision.via.clone(),
    })
}
