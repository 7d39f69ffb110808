//! What happens to a workflow as a whole.

use crate::decisions::{self, NewDecision};
use crate::draft::{About, Draft};
use crate::failure::Failure;
use crate::ids;
use crate::runtime::{RequestKey, Runtime, unwritable};
use crate::{agents, tasks};
use journal::{Find, Instruction, Mailbox, Session, Workflow};
use model::workflow::api::{TransitionAnswer, WorkflowAnswer};
use model::workflow::{
    DecisionStatus, ErrorCode, MailStatus, MissingResource, Next, PhaseTransition, Refusal, Refused,
    ResourceShortage, SimpleStatus, Trigger, WorkflowState, WorkflowUpdate, next,
};
use serde_json::{Map, Value, json};

/// How large a context may become, in bytes of JSON.
const MAX_CONTEXT: usize = 1 << 20;

/// How long what a person says to a workflow may be, in bytes.
const MAX_INPUT: usize = 64 << 10;

/// In the context of a paused workflow: something has come of its tasks meanwhile, which is judged when it goes on.
const RECORDED: &str = "recordedWhilePaused";

/// In the context of a workflow: the daemon was away while it was under way, and nobody has gone on with it.
pub(crate) const LEFT: &str = "interrupted";

/// The members of a context that only the one trigger is about.
const PASSING: [&str; 8] =
    ["tasks", "taskId", "agentId", "result", "error", "retryable", "progress", "message"];

/// Something that is to happen to a workflow.
#[derive(Debug, Clone)]
pub struct Transition {
    /// What.
    pub trigger: Trigger,
    /// What is known of it: kept if it happens.
    pub context: Map<String, Value>,
}

impl Runtime {
    /// Lets something happen to a workflow.
    ///
    /// # Errors
    ///
    /// When it cannot happen now; nothing of what is known of it is kept then.
    pub fn transition(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        transition: &Transition,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            apply(draft, &mut workflow, transition.trigger, &transition.context)?;
            let context = shown_context(draft, &workflow)?;
            Ok(TransitionAnswer { success: true, current_state: workflow.state, context })
        })
    }

    /// Pauses a workflow: nothing more is begun. What runs goes on, unless it is to be stopped (`is_hard`).
    ///
    /// # Errors
    ///
    /// When it is paused or has ended.
    pub fn pause(&self, request: Option<&RequestKey>, id: &str, is_hard: bool) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            apply(draft, &mut workflow, Trigger::PauseRequested, &Map::new())?;
            if is_hard {
                tasks::interrupt(draft, &workflow)?;
            }
            Ok(answer(&workflow, Some(SimpleStatus::Paused), None))
        })
    }

    /// Lets a paused workflow go on where it was.
    ///
    /// # Errors
    ///
    /// When it is not paused.
    pub fn resume(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            apply(draft, &mut workflow, Trigger::ResumeRequested, &Map::new())?;
            // The word of the contract, whatever the phase.
            Ok(answer(&workflow, Some(SimpleStatus::Executing), Some(workflow.state)))
        })
    }

    /// Ends a workflow.
    ///
    /// # Errors
    ///
    /// When it has ended.
    pub fn cancel(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            apply(draft, &mut workflow, Trigger::CancelRequested, &Map::new())?;
            Ok(answer(&workflow, Some(SimpleStatus::Failed), None))
        })
    }

    /// Takes what a person says to a workflow: the answer to the oldest decision that it waits for or, if there is none,
    /// something to be used by whatever is done next.
    ///
    /// # Errors
    ///
    /// When the workflow has ended, or what was said is no answer.
    pub fn input(&self, request: Option<&RequestKey>, id: &str, input: &str) -> Result<String, Failure> {
        // What came too late answers nothing.
        self.expire_decisions()?;
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            take_input(draft, &mut workflow, input)
        })
    }
}

pub(crate) fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::WorkflowNotFound, "Workflow not found").with("workflowId", id)
}

pub(crate) fn find(draft: &Draft<'_>, id: &str) -> Result<Workflow, Failure> {
    Ok(draft.row(&Workflow::key_of(id))?.ok_or_else(|| not_found(id))?)
}

/// Begins a workflow in a session.
pub(crate) fn begin(draft: &mut Draft<'_>, session: &Session, task: &str) -> Workflow {
    let now = draft.now();
    Workflow {
        id: ids::workflow(now, draft.world()),
        session: session.id.clone(),
        state: WorkflowState::Idle,
        previous: None,
        task: task.to_owned(),
        context: "{}".to_owned(),
        round: 0,
        engine: 1,
        error: None,
        output: None,
        cancelled: false,
        failures: 0,
        wake_at: None,
        created: now,
        updated: now,
        version: 0,
    }
}

pub(crate) fn take_input(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    input: &str,
) -> Result<WorkflowAnswer, Failure> {
    if workflow.state.is_terminal() {
        return Err(refusal(Refused::Ended, Trigger::UserInputReceived, workflow).into());
    }
    let text = input.trim();
    if text.is_empty() {
        return Err(Refusal::missing("Missing workflowId or input", "input").into());
    }
    if text.len() > MAX_INPUT {
        return Err(Refusal::invalid("input is too long", "input").with("limit", MAX_INPUT).into());
    }
    let pending = Find::decisions(Some(&workflow.id), Some(DecisionStatus::Pending));
    if let Some(decision) = draft.find(&pending)?.into_iter().next() {
        let resolution = decisions::resolve(draft, &decision.id, text, Some(workflow))?;
        return Ok(WorkflowAnswer { ask_resolution: Some(resolution), ..answer(workflow, None, None) });
    }
    let said = draft.find(&Find::instructions_of(&workflow.id))?;
    let no = said.last().map_or(1, |last| last.no + 1);
    let (text, used_by) = (text.to_owned(), None);
    draft.put(Instruction { workflow: workflow.id.clone(), no, text: text.clone(), used_by, version: 0 });
    if matches!(workflow.state, WorkflowState::Idle | WorkflowState::Paused) {
        apply(draft, workflow, Trigger::UserInputReceived, &Map::new())?;
    }
    workflow.updated = draft.now();
    draft.put(workflow.clone());
    draft.tell(About::workflow(workflow), update(workflow, Some(text)));
    Ok(answer(workflow, None, None))
}

/// Lets something happen to a workflow, and writes it.
pub(crate) fn apply(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    trigger: Trigger,
    brought: &Map<String, Value>,
) -> Result<(), Failure> {
    let mut context = context_of(workflow);
    // Whoever lets something happen to it drives it.
    context.shift_remove(LEFT);
    for (key, value) in brought {
        if !PASSING.contains(&key.as_str()) {
            context.insert(key.clone(), value.clone());
        }
    }
    if workflow.state.is_terminal() {
        return Err(refusal(Refused::Ended, trigger, workflow).into());
    }
    let has_plan = tasks::take(draft, workflow, trigger, brought)?;
    tasks::happen(draft, workflow, trigger, brought)?;
    let entered = step(draft, workflow, trigger, &context)?;
    if trigger == Trigger::PlanCreated {
        workflow.round += 1;
    }
    if let Some(output) = brought.get("output").filter(|output| !output.is_null()) {
        workflow.output = Some(output.to_string());
    }
    if has_plan || trigger == Trigger::PlanCreated {
        tasks::tell_plan(draft, workflow)?;
    }
    match entered {
        Next::Enter(to) => enter(draft, workflow, &mut context, to, trigger)?,
        Next::Stay if workflow.state == WorkflowState::Paused => {
            if matches!(trigger, Trigger::TaskCompleted | Trigger::TaskFailed) {
                context.insert(RECORDED.to_owned(), Value::Bool(true));
            }
        }
        Next::Stay if brought.contains_key("taskId") => {}
        Next::Stay => draft.tell(About::workflow(workflow), update(workflow, None)),
    }
    if trigger == Trigger::ResumeRequested && context.shift_remove(RECORDED).is_some() {
        judge(draft, workflow, &mut context)?;
    }
    if trigger == Trigger::ResourceMissing {
        ask_for_resources(draft, workflow, brought)?;
    }
    let written = Value::Object(context).to_string();
    if written.len() > MAX_CONTEXT {
        return Err(Refusal::invalid("context is too large", "context").with("limit", MAX_CONTEXT).into());
    }
    workflow.context = written;
    workflow.updated = draft.now();
    draft.put(workflow.clone());
    Ok(())
}

/// What the machine says, with the tasks as they are now.
fn step(
    draft: &Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    context: &Map<String, Value>,
) -> Result<Next, Failure> {
    let mut known = context.clone();
    known.shift_remove("tasks");
    let tasks = draft.tasks(&workflow.id)?;
    if !tasks.is_empty() {
        let states = tasks.iter().map(|task| json!({ "status": task.state.status().name() }));
        known.insert("tasks".to_owned(), states.collect());
    }
    let next = next(workflow.state, workflow.previous, trigger, &known);
    next.map_err(|refused| refusal(refused, trigger, workflow).into())
}

/// What has come of the tasks while it was paused, now that it goes on.
fn judge(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Map<String, Value>,
) -> Result<(), Failure> {
    for trigger in [Trigger::TaskFailed, Trigger::TaskCompleted] {
        if workflow.state == WorkflowState::Execution
            && let Next::Enter(to) = step(draft, workflow, trigger, context)?
        {
            enter(draft, workflow, context, to, trigger)?;
        }
    }
    Ok(())
}

fn enter(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Map<String, Value>,
    to: WorkflowState,
    trigger: Trigger,
) -> Result<(), Failure> {
    let from = workflow.state;
    workflow.previous = (to == WorkflowState::Paused).then_some(from);
    workflow.state = to;
    match trigger {
        Trigger::ReviewPassed => tasks::accept(draft, workflow)?,
        Trigger::ReviewRejected => tasks::reject(draft, workflow, context)?,
        Trigger::CancelRequested => {
            workflow.cancelled = true;
            context.insert("cancelled".to_owned(), Value::Bool(true));
        }
        _ => {}
    }
    let told = PhaseTransition { from, to, trigger: Some(trigger), round: None, checkpoint_id: None };
    draft.tell(About::workflow(workflow), told);
    if to == WorkflowState::Failed {
        let error = context.get("lastError").and_then(Value::as_str);
        workflow.error = Some(match error {
            _ if workflow.cancelled => "cancelled".to_owned(),
            Some(error) => error.to_owned(),
            None => trigger.name().to_owned(),
        });
    }
    if to.is_terminal() {
        end(draft, workflow)?;
    }
    if to.is_terminal() || to == WorkflowState::Paused || from == WorkflowState::Paused {
        draft.tell(About::workflow(workflow), update(workflow, None));
    }
    draft.keep(&workflow.id);
    Ok(())
}

/// Nobody waits for anything of it any more, and those who have waited for its end are told.
fn end(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    tasks::interrupt(draft, workflow)?;
    workflow.wake_at = None;
    for decision in draft.find(&Find::decisions(Some(&workflow.id), Some(DecisionStatus::Pending)))? {
        decisions::cancel(draft, decision)?;
    }
    for mut agent in draft.find(&Find::agents_of(&workflow.id))? {
        agents::free(draft, &mut agent);
    }
    for mut mail in draft.find(&Find::mail_of(&workflow.id))? {
        if mail.status == MailStatus::Processing {
            finish_mail(draft, &mut mail, workflow);
        }
    }
    Ok(())
}

fn finish_mail(draft: &mut Draft<'_>, mail: &mut Mailbox, workflow: &Workflow) {
    mail.updated = draft.now();
    if workflow.state == WorkflowState::Completed {
        mail.status = MailStatus::Completed;
        mail.result = Some(workflow.output.clone().unwrap_or_else(|| "null".to_owned()));
    } else {
        mail.status = MailStatus::Failed;
        mail.error.clone_from(&workflow.error);
    }
    draft.put(mail.clone());
}

/// Nobody can do what has to be done: a person says how to go on.
fn ask_for_resources(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    brought: &Map<String, Value>,
) -> Result<(), Failure> {
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let missing = brought.get("missingResources").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
    let missing: Vec<MissingResource> = serde_json::from_value(missing)
        .map_err(|error| Refusal::invalid(error.to_string(), "context.missingResources"))?;
    let names: Vec<_> = missing.iter().map(|missing| missing.kind.as_str()).collect();
    let reason = text("reason").unwrap_or_else(|| format!("资源不足：缺少 {}", names.join(", ")));
    let suggestion = text("suggestion").unwrap_or_default();
    let told = ResourceShortage {
        task_id: text("taskId"),
        missing_resources: missing.clone(),
        reason: reason.clone(),
        suggestion,
    };
    draft.tell(About::workflow(workflow), told);
    let new = NewDecision {
        workflow_id: Some(workflow.id.clone()),
        message: reason,
        options: ["continue", "replan", "abort"].map(str::to_owned).to_vec(),
        multi_select: Some(false),
        ..NewDecision::default()
    };
    decisions::create(draft, &new, Some(workflow)).map(drop)
}

pub(crate) fn refusal(refused: Refused, trigger: Trigger, workflow: &Workflow) -> Refusal {
    let (code, words) = match refused {
        Refused::Ended => (ErrorCode::WorkflowTerminal, "Workflow has ended"),
        Refused::AlreadyPaused => (ErrorCode::WorkflowAlreadyPaused, "Workflow is already paused"),
        Refused::NotPaused => (ErrorCode::WorkflowNotPaused, "Workflow is not paused"),
        Refused::Invalid => (ErrorCode::InvalidTransition, "Transition failed"),
    };
    Refusal::new(code, words).with("trigger", trigger.name()).at(workflow.state)
}

pub(crate) fn context_of(workflow: &Workflow) -> Map<String, Value> {
    // The journal takes nothing else.
    serde_json::from_str(&workflow.context).unwrap_or_default()
}

/// The context as whoever drives the workflow knows it: with its tasks.
pub(crate) fn shown_context(draft: &Draft<'_>, workflow: &Workflow) -> Result<Map<String, Value>, Failure> {
    let mut context = context_of(workflow);
    let tasks = tasks::nodes(&draft.tasks(&workflow.id)?);
    if !tasks.is_empty() {
        context.insert("tasks".to_owned(), serde_json::to_value(tasks).map_err(|error| unwritable(&error))?);
    }
    Ok(context)
}

fn answer(workflow: &Workflow, status: Option<SimpleStatus>, state: Option<WorkflowState>) -> WorkflowAnswer {
    WorkflowAnswer { success: true, workflow_id: workflow.id.clone(), status, state, ask_resolution: None }
}

pub(crate) fn update(workflow: &Workflow, user_input: Option<String>) -> WorkflowUpdate {
    WorkflowUpdate {
        workflow_id: workflow.id.clone(),
        status: workflow.state.simple(),
        task_updates: Vec::new(),
        agent_updates: Vec::new(),
        orchestrator_state: None,
        fsm_state: Some(workflow.state),
        user_input,
    }
}
