//! What a person is asked, and how that ends: once.

use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use crate::ids;
use crate::runtime::{RequestKey, Runtime, World, unwritable};
use crate::steer::Initiator;
use crate::{outbox, sessions, steer};
use journal::{Decision, Millis, Project, Query, Task, ViewExt as _, Workflow};
use model::respond::{self, ResponseError};
use model::workflow::api::{
    AskResolution, ConsentAnswer, ConsentView, DecisionAnswered, DecisionCreated, DecisionView,
};
use model::workflow::{
    Consent, DecisionStatus, Effect, ErrorCode, MissingResource, RecoveryQuestion, Refusal, Trigger,
    UserDecisionReceived, UserDecisionRequired, WaitingForUser, WaitingOption, WorkflowState,
};
use model::{
    DecideItem, DecideOption, DecideOutput, Ending, ItemKind, Origin, Questions, Returned, SessionId, Via,
};
use serde_json::{Map, Value, json};
use store::{Draft as GivenSoFar, PendingSet, Place, SourceHashes};

/// How many options a decision may have.
const MAX_OPTIONS: usize = 64;

/// How long a question or an option may be, in bytes.
const MAX_TEXT: usize = 16 << 10;

/// A decision to be made by the user.
#[derive(Debug, Clone, Default)]
pub struct NewDecision {
    /// The workflow that waits for it.
    pub workflow_id: Option<String>,
    /// Its session; by default, the session of its workflow.
    pub session_id: Option<String>,
    /// The task that waits for it.
    pub task_id: Option<String>,
    /// The agent that waits for it.
    pub agent_id: Option<String>,
    /// The question.
    pub message: String,
    /// What can be chosen; none for an answer in the person's own words, one to be confirmed.
    pub options: Vec<String>,
    /// Whether the answer can be in the person's own words although there are options.
    pub allow_other: bool,
    /// What stands for no answer.
    pub default: Option<String>,
    /// Whether several options can be chosen; by default, unless they are a yes and a no.
    pub multi_select: Option<bool>,
    /// For how long it can be answered, in milliseconds.
    pub timeout_ms: Option<i64>,
    /// An explanation, in Markdown.
    pub context: Option<String>,
}

impl Runtime {
    /// Asks the user.
    ///
    /// # Errors
    ///
    /// When there is no question, or nothing that waits for the answer.
    pub fn create_decision(
        &self,
        request: Option<&RequestKey>,
        new: &NewDecision,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = match &new.workflow_id {
                Some(id) => Some(steer::find(draft, id)?),
                None => None,
            };
            let decision = create(draft, new, workflow.as_ref(), DecisionReason::Confirmation)?;
            if let Some(workflow) = &mut workflow {
                steer::asked(draft, workflow, &decision);
            }
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
    pub fn respond(&self, request: Option<&RequestKey>, id: &str, response: &str) -> Result<String, Failure> {
        self.respond_via(request, id, response, Via::Api)
    }

    /// The same for an answer that came in this way.
    ///
    /// # Errors
    ///
    /// As [`Self::respond`].
    pub fn respond_via(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        response: &str,
        via: Via,
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

    /// Ends the decision whose set of questions is called `session` as a person did on the page, or in a terminal.
    ///
    /// # Errors
    ///
    /// When it is not there or has ended, and when it cannot be written.
    pub(crate) fn end_set(&self, session: &SessionId, ending: &Ending, via: Via) -> Result<(), Failure> {
        self.expire_decisions()?;
        let name = session.to_string();
        self.act(None, |draft| {
            let found = draft.find(&Query::asked_as(&name))?.pop();
            let decision = open(found.ok_or_else(|| not_found(&name))?, draft.now())?;
            let item = kept_item(&decision)?;
            let end = match ending {
                Ending::Decided(output) => Resolution::decided_on_page(&item, output),
                Ending::Returned(returned) => Resolution::returned(returned),
                _ => Resolution::cancelled(),
            };
            end_and_go_on(draft, decision, end, via, None).map(drop)
        })?;
        Ok(())
    }

    /// Ends the decisions whose time is up. Returns those that cannot be ended, with why: they hold up no other.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn expire_decisions(&self) -> Result<Vec<String>, Failure> {
        let due = self.journal.view()?.find(&Query::decisions_due(self.world.now()))?;
        let mut troubles = Vec::new();
        for decision in due {
            let ended = self.act(None, |draft| {
                let decision = draft.row::<Decision>(&Decision::key_of(&decision.id))?;
                if let Some(decision) = decision.filter(|decision| decision.status == DecisionStatus::Pending)
                {
                    expire(draft, decision)?;
                }
                Ok(())
            });
            match ended {
                Err(Failure::Refused(refusal)) => troubles.push(format!("{}: {refusal}", decision.id)),
                ended => drop(ended?),
            }
        }
        Ok(troubles)
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
        let now = self.now();
        let kept = match status {
            // Reads report an overdue decision as expired without writing that.
            Some(DecisionStatus::Expired) => None,
            status => status,
        };
        let mut found = self.journal.view()?.find(&Query::decisions(workflow, kept))?;
        found.retain(|decision| status.is_none_or(|status| status_of(decision, now) == status));
        found.iter().map(|decision| view_of(decision, now)).collect()
    }

    /// Returns a decision.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn decision(&self, id: &str) -> Result<DecisionView, Failure> {
        let found = self.journal.view()?.row::<Decision>(&Decision::key_of(id))?;
        view_of(&found.ok_or_else(|| not_found(id))?, self.now())
    }
}

fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::DecisionNotFound, "Decision not found").with("decisionId", id)
}

/// Why a person is asked.
#[derive(Clone)]
pub(crate) enum DecisionReason {
    /// An agent or a client wants to know.
    Confirmation,
    /// It is not clear what was meant.
    Ambiguity,
    /// Something has failed.
    Recovery,
    /// No agent can do the work.
    Shortage {
        /// What no agent has.
        missing: Vec<MissingResource>,
        /// What would help.
        suggestion: Option<String>,
    },
}

/// The pending decisions of a workflow in the order in which they were asked, including those asked in this draft.
pub(crate) fn pending(draft: &Draft<'_>, workflow: &str) -> Result<Vec<Decision>, Failure> {
    let mut pending = draft.find(&Query::decisions(Some(workflow), Some(DecisionStatus::Pending)))?;
    pending.extend(draft.asked(workflow));
    pending.retain(|decision| decision.status == DecisionStatus::Pending);
    Ok(pending)
}

/// Whether its time is up, noted or not.
pub(crate) fn is_due(decision: &Decision, now: Millis) -> bool {
    decision.expires.is_some_and(|expires| expires <= now)
}

/// How it stands, be it noted or not.
fn status_of(decision: &Decision, now: Millis) -> DecisionStatus {
    match decision.status {
        DecisionStatus::Pending if is_due(decision, now) => DecisionStatus::Expired,
        status => status,
    }
}

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
/// allow the tool for the workflow finds that in [`DecisionView::consent`].
fn offered(item: &DecideItem) -> Vec<String> {
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

fn item_of(questions: &Value) -> Option<DecideItem> {
    let questions = Questions::from_value(questions.clone()).ok()?;
    questions.input().items.first().cloned()
}

/// The questions of a decision that is kept.
pub(crate) fn kept_questions(decision: &Decision) -> Option<Questions> {
    Questions::from_value(serde_json::from_str(&decision.questions).ok()?).ok()
}

/// Their head.
pub(crate) fn head_of(decision: &Decision, world: &dyn World) -> Option<PendingSet> {
    let document: Value = serde_json::from_str(&decision.questions).ok()?;
    Some(PendingSet {
        session: decision.ask.parse().ok()?,
        place: Place::Own,
        created_at: world.local_time(decision.created),
        deadline: decision.expires.map(|expires| world.local_time(expires)),
        origin: Origin::Workflow {
            workflow: decision.workflow.clone(),
            session: decision.session.clone(),
            task: decision.task.clone(),
            agent: decision.agent.clone(),
            decision: decision.id.clone(),
        },
        task: document.get("task").and_then(Value::as_str).unwrap_or_default().to_owned(),
        sources: SourceHashes::default(),
    })
}

/// The item of a decision that is kept.
fn kept_item(decision: &Decision) -> Result<DecideItem, Failure> {
    let item = kept_questions(decision).and_then(|questions| questions.input().items.first().cloned());
    Ok(item.ok_or_else(|| damaged(decision))?)
}

fn damaged(decision: &Decision) -> Refusal {
    Refusal::new(ErrorCode::InternalError, "Decision is not readable").with("decisionId", &*decision.id)
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

fn unreadable(misread: ResponseError, field: &str, item: &DecideItem) -> Refusal {
    let words = match misread {
        ResponseError::Empty => "Missing response",
        ResponseError::NoOption => "Response names no option",
        ResponseError::Count(..) => "Response names too few or too many options",
        ResponseError::Files => "Response cannot be a text",
    };
    let options: Vec<Value> = item.options.iter().map(|option: &DecideOption| json!(option.label)).collect();
    Refusal::new(ErrorCode::InvalidResponse, words).with("field", field).with("options", options)
}

/// How a decision ends: in its record, and for its waiter.
struct Resolution {
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

    fn decided_on_page(item: &DecideItem, output: &DecideOutput) -> Self {
        let decision = output.decisions.first().cloned().unwrap_or_default();
        let chosen = item.options.iter().filter(|option| decision.chosen.has(&option.value));
        let selected = chosen.map(|option| option.label.clone()).collect();
        let response = respond::format(item, &decision);
        Self::answered(decision, response, selected)
    }

    fn returned(returned: &Returned) -> Self {
        let note = Some(returned.message.clone());
        let (status, ending) = (DecisionStatus::Returned, Ending::Returned(returned.clone()));
        Self { status, ending, response: None, selected: Vec::new(), word: "returned", note }
    }

    fn cancelled() -> Self {
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
fn end_and_go_on(
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
        (None, Some(id)) => read.insert(steer::find(draft, id)?),
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

/// The call of a tool that a decision is about, if it is about one.
pub(crate) fn consent_of(decision: &Decision) -> Option<Consent> {
    Consent::read(&kept_item(decision).ok()?)
}

/// What a decision asks.
pub(crate) fn message(decision: &Decision) -> Option<String> {
    kept_item(decision).ok().map(|item| item.title)
}

/// Whether a decision asks what `new` would.
pub(crate) fn asks_the_same(decision: &Decision, new: &NewDecision) -> bool {
    kept_item(decision).is_ok_and(|item| item.title == new.message && item.context == new.context)
}

/// What the answer to a decision about a tool does; `None` where there is no answer.
pub(crate) fn effect_of(decision: &Decision) -> Option<Effect> {
    if decision.status != DecisionStatus::Answered {
        return None;
    }
    let item = kept_item(decision).ok()?;
    let options: Vec<&str> = item.options.iter().map(|option| &*option.value).collect();
    Effect::from_choice(&options, selected_of(decision).first()?)
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
fn open(decision: Decision, now: Millis) -> Result<Decision, Failure> {
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
fn expire(draft: &mut Draft<'_>, decision: Decision) -> Result<(), Failure> {
    let fallback = fallback_of(&decision)?;
    let at = draft.world().local_time(decision.expires.unwrap_or(draft.now()));
    end_and_go_on(draft, decision, Resolution::expired(at, fallback), Via::Clock, None).map(drop)
}

/// The answer declared for a timeout.
fn fallback_of(decision: &Decision) -> Result<Option<respond::Response>, Failure> {
    let item = kept_item(decision)?;
    Ok(decision.fallback.as_deref().and_then(|text| respond::parse(&item, text, None).ok()))
}

/// Cancels a decision whose answer is no longer needed.
pub(crate) fn cancel(draft: &mut Draft<'_>, mut decision: Decision) -> Result<(), Failure> {
    end(draft, &mut decision, &Resolution::cancelled(), Via::Api)
}

fn about(decision: &Decision) -> EventScope<'_> {
    EventScope {
        session: decision.session.as_deref(),
        workflow: decision.workflow.as_deref(),
        task: decision.task.as_deref(),
        agent: decision.agent.as_deref(),
    }
}

fn selected_of(decision: &Decision) -> Vec<String> {
    decision.selected.as_deref().and_then(|selected| serde_json::from_str(selected).ok()).unwrap_or_default()
}

/// The user's answer to a question, for its waiter.
#[derive(Debug, Default)]
pub(crate) struct UserAnswer {
    /// The first option that was chosen, whether by its number or its name, or the words where there are no options; `None` if
    /// the question was not answered.
    pub(crate) choice: Option<String>,
    /// The note beside the answer, or in its place if the user sent the question back.
    pub(crate) note: Option<String>,
}

impl UserAnswer {
    pub(crate) fn from_decision(decision: &Decision) -> Self {
        let choice = selected_of(decision).into_iter().next().or_else(|| decision.response.clone());
        Self { choice, note: note_of(decision).filter(|note| !model::is_blank(note)) }
    }

    /// The choice; where the question was sent back with words, `returned`.
    pub(crate) fn choice_or<'s>(&'s self, returned: &'s str) -> Option<&'s str> {
        self.choice.as_deref().or(self.note.as_ref().map(|_| returned))
    }
}

/// The user's note with the answer, or in its place.
fn note_of(decision: &Decision) -> Option<String> {
    let record = store::read_record(decision.record.as_deref()?.as_bytes()).ok()?;
    match record.ending {
        Ending::Decided(output) => output.decisions.into_iter().next()?.note,
        Ending::Returned(returned) => Some(returned.message),
        _ => None,
    }
}

fn consent_view(consent: Consent) -> ConsentView {
    let mut params = Map::new();
    for (name, text) in consent.params {
        // What the tool uses comes first.
        params.entry(name).or_insert_with(|| text.into());
    }
    let answer =
        |(answer, effect): (String, Effect)| ConsentAnswer { answer, effect: effect.name().to_owned() };
    ConsentView { tool: consent.tool, params, answers: consent.answers.into_iter().map(answer).collect() }
}

pub(crate) fn view_of(decision: &Decision, now: Millis) -> Result<DecisionView, Failure> {
    let item = kept_item(decision)?;
    let options = offered(&item);
    let mut view = DecisionView {
        consent: Consent::read(&item).map(consent_view),
        decision_id: decision.id.clone(),
        workflow_id: decision.workflow.clone(),
        session_id: decision.session.clone(),
        set_id: Some(decision.ask.clone()),
        task_id: decision.task.clone(),
        agent_id: decision.agent.clone(),
        message: item.title,
        context: item.context,
        options: (!options.is_empty()).then_some(options),
        allow_other: item.allow_other.then_some(true),
        default: decision.fallback.clone(),
        multi_select: decision.multiple,
        created_at: iso(decision.created),
        expires_at: decision.expires.map(iso),
        status: status_of(decision, now).name().to_owned(),
        response: decision.response.clone(),
        selected: selected_of(decision),
        note: note_of(decision),
        responded_at: decision.ended.map(iso),
        responded_by: decision.via.clone(),
    };
    if decision.status == DecisionStatus::Pending && is_due(decision, now) {
        // As it will be noted.
        let fallback = fallback_of(decision)?;
        (view.response, view.selected) = match fallback {
            Some(fallback) => (Some(fallback.text), fallback.selected),
            None => (None, Vec::new()),
        };
        view.responded_at = decision.expires.map(iso);
        view.responded_by = Some(Via::Clock.name().to_owned());
    }
    Ok(view)
}
