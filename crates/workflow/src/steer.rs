//! What happens to a workflow as a whole.

use crate::context_keys::{
    AWAITED, BREAKS, CANCELLED, INTERRUPTED, PHASE_FAILURE, RECORDED, RESERVED, WAITING_FOR,
};
use crate::decisions::{self, DecisionReason, NewDecision};
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::ids;
use crate::runtime::{RequestKey, Runtime, unwritable};
use crate::{agents, checkpoints, tasks};
use journal::{Decision, Instruction, Mailbox, Millis, Query, Session, Task, ViewExt as _, Workflow};
use model::Via;
use model::workflow::api::{TransitionAnswer, WorkflowAnswer};
use model::workflow::{
    ErrorCode, MailStatus, MissingResource, PhaseOutputSaved, PhaseTransition, RecoveryQuestion, Refusal,
    ResourceShortage, SimpleStatus, SingleStage, TransitionOutcome, TransitionRefusal, Trigger,
    WorkflowState, WorkflowUpdate, next,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How large a context may become, in bytes of JSON.
const MAX_CONTEXT: usize = 1 << 20;

/// How long what a person says to a workflow may be, in bytes.
const MAX_INPUT: usize = 64 << 10;
/// How much of a review's feedback is sent with its rejection, in characters.
const FEEDBACK: usize = 500;

/// The members of a context that only the one trigger is about.
const PASSING: [&str; 8] =
    ["tasks", "taskId", "agentId", "result", "error", "retryable", "progress", "message"];

/// The same for a trigger about a step of an agent, without the members of the step itself.
const PASSING_STEP: [&str; 3] = ["round", "params", "success"];

/// Something that has come in while a workflow was paused.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RecordedTransition {
    trigger: Trigger,
    /// What is known of it.
    #[serde(default)]
    context: Map<String, Value>,
}

/// Through whom something happens to a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Initiator {
    /// The workflow's driver.
    Driver,
    /// User input or the clock; neither drives a workflow.
    Other,
}

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
            apply(draft, &mut workflow, transition.trigger, &transition.context, Initiator::Driver)?;
            let context = shown_context(draft, &workflow)?;
            Ok(TransitionAnswer { success: true, current_state: workflow.state, context })
        })
    }

    /// Pauses a workflow: no new work is begun. Running work continues, unless `is_hard` stops it.
    ///
    /// # Errors
    ///
    /// When it is paused or has ended.
    pub fn pause(&self, request: Option<&RequestKey>, id: &str, is_hard: bool) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            apply(draft, &mut workflow, Trigger::PauseRequested, &Map::new(), Initiator::Other)?;
            if is_hard {
                tasks::interrupt(draft, &workflow)?;
                let mut context = context_of(&workflow);
                context.insert(BREAKS.to_owned(), Value::from(breaks(&workflow) + 1));
                write(draft, &mut workflow, context);
            }
            Ok(answer(&workflow, Some(SimpleStatus::Paused), None))
        })
    }

    /// Resumes a paused workflow where it was, or an interrupted one from its last checkpoint.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub fn resume(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            let is_interrupted = workflow.state != WorkflowState::Paused
                && !workflow.state.is_terminal()
                && checkpoints::is_interrupted(&workflow);
            if is_interrupted && let Some(last) = draft.view().first(Query::checkpoints_of_workflow(id))? {
                let session = workflow.session.clone();
                checkpoints::resume_in(draft, &session, Some(&last.id))?;
                let workflow = find(draft, id)?;
                return Ok(answer(&workflow, Some(SimpleStatus::Executing), Some(workflow.state)));
            }
            apply(draft, &mut workflow, Trigger::ResumeRequested, &Map::new(), Initiator::Driver)?;
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
            apply(draft, &mut workflow, Trigger::CancelRequested, &Map::new(), Initiator::Other)?;
            Ok(answer(&workflow, Some(SimpleStatus::Failed), None))
        })
    }

    /// Takes what a person says to a workflow: the answer to the decision that is open in it or, if there is none,
    /// something to be used by whatever is done next.
    ///
    /// # Errors
    ///
    /// When the workflow has ended, several decisions are open in it, or what was said is no answer.
    pub fn input(&self, request: Option<&RequestKey>, id: &str, input: &str) -> Result<String, Failure> {
        self.input_via(request, id, input, Via::Api)
    }

    /// The same for what came in this way.
    ///
    /// # Errors
    ///
    /// As [`Self::input`].
    pub fn input_via(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        input: &str,
        via: Via,
    ) -> Result<String, Failure> {
        // What came too late answers nothing.
        self.expire_decisions()?;
        self.act(request, |draft| {
            let mut workflow = find(draft, id)?;
            take_input(draft, &mut workflow, input, via)
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
    via: Via,
) -> Result<WorkflowAnswer, Failure> {
    if workflow.state.is_terminal() {
        return Err(refusal(TransitionRefusal::Ended, Trigger::UserInputReceived, workflow).into());
    }
    let text = input.trim();
    if text.is_empty() {
        return Err(Refusal::missing("Missing workflowId or input", "input").into());
    }
    if text.len() > MAX_INPUT {
        return Err(Refusal::invalid("input is too long", "input").with("limit", MAX_INPUT).into());
    }
    // One whose time is up ends by that.
    let mut pending = decisions::pending(draft, &workflow.id)?;
    pending.retain(|decision| !decisions::is_due(decision, draft.now()));
    if pending.len() > 1 {
        return Err(ambiguous(&pending, draft.now())?.into());
    }
    if let Some(decision) = pending.pop() {
        let resolution = decisions::resolve(draft, &decision.id, text, via, Some(workflow))?;
        return Ok(WorkflowAnswer { ask_resolution: Some(resolution), ..answer(workflow, None, None) });
    }
    let text = text.to_owned();
    instruct(draft, workflow, text.clone())?;
    if matches!(workflow.state, WorkflowState::Idle | WorkflowState::Paused) {
        apply(draft, workflow, Trigger::UserInputReceived, &Map::new(), Initiator::Other)?;
    }
    workflow.updated = draft.now();
    draft.put(workflow.clone());
    let told = WorkflowUpdate { user_input: Some(text), ..update(draft, workflow)? };
    draft.emit(EventScope::workflow(workflow), told);
    Ok(answer(workflow, None, None))
}

/// Several decisions are open: an answer that names none of them is an answer to none.
fn ambiguous(pending: &[Decision], now: Millis) -> Result<Refusal, Failure> {
    let mut named = Vec::new();
    for decision in pending {
        let asked = decisions::view_of(decision, now)?;
        named.push(format!("{} ({})", asked.decision_id, asked.message));
    }
    let words = format!("Several decisions are pending; answer each by its id: {}", named.join("; "));
    let ids: Vec<&str> = pending.iter().map(|decision| &*decision.id).collect();
    Ok(Refusal::invalid(words, "input").with("pendingDecisions", json!(ids)))
}

/// What a person has said is used by the next prompt, once.
pub(crate) fn instruct(draft: &mut Draft<'_>, workflow: &Workflow, text: String) -> Result<(), Failure> {
    let said = draft.find(&Query::instructions_of(&workflow.id))?;
    let no = said.last().map_or(1, |last| last.no + 1);
    draft.put(Instruction { workflow: workflow.id.clone(), no, text, used_by: None, version: 0 });
    Ok(())
}

/// Adds what a trigger brings to a context, but for members that only this trigger is about, and those that only the daemon sets.
fn merge(context: &mut Map<String, Value>, trigger: Trigger, brought: &Map<String, Value>) {
    let is_passing = |key: &str| {
        let is_step = tasks::STEP.contains(&key) || PASSING_STEP.contains(&key);
        PASSING.contains(&key) || is_step && trigger == Trigger::TaskProgress
    };
    let is_kept = |key: &str| !is_passing(key) && !RESERVED.contains(&key);
    let kept = brought.iter().filter(|(key, _)| is_kept(key));
    context.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
}

/// Lets something happen to a workflow, and writes it.
pub(crate) fn apply(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    trigger: Trigger,
    brought: &Map<String, Value>,
    by: Initiator,
) -> Result<(), Failure> {
    let mut context = context_of(workflow);
    if by == Initiator::Driver && context.shift_remove(INTERRUPTED).is_some() {
        // What it was left with is over.
        workflow.error = None;
    }
    merge(&mut context, trigger, brought);
    // That the trigger is not possible here is reported before errors in its context.
    step(draft, workflow, trigger, &context)?;
    let taken = tasks::take(draft, workflow, trigger, brought)?;
    if trigger == Trigger::PlanCreated {
        workflow.round += 1;
    }
    if taken.is_other_plan || trigger == Trigger::PlanCreated {
        tasks::emit_plan(draft, workflow)?;
    }
    let mut outcome = tasks::bring(draft, workflow, trigger, taken)?;
    tasks::happen(draft, workflow, trigger, brought, &mut outcome)?;
    let entered = step(draft, workflow, trigger, &context)?;
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let error = text("error").or(outcome.error).filter(|_| trigger == Trigger::TaskFailed);
    if let Some(output) = brought.get("output").filter(|output| !output.is_null()) {
        workflow.output = Some(output.to_string());
        emit_output(draft, workflow, output);
    }
    if entered == TransitionOutcome::Enter(WorkflowState::Completed)
        && SingleStage::from_context(&context) == Some(SingleStage::Execute)
    {
        let output = tasks::output_of(&draft.tasks(&workflow.id)?);
        emit_output(draft, workflow, &output);
        workflow.output = Some(output.to_string());
    }
    let was_paused = workflow.state == WorkflowState::Paused;
    let recorded = recorded(&mut context);
    match entered {
        TransitionOutcome::Enter(to) => enter(draft, workflow, &mut context, to, trigger, error)?,
        TransitionOutcome::Stay if was_paused => {
            let is_result = matches!(trigger, Trigger::TaskCompleted | Trigger::TaskFailed);
            let mut now = Map::new();
            if let Some(error) = error {
                now.insert("error".to_owned(), Value::from(error));
            }
            let now = is_result.then_some(RecordedTransition { trigger, context: now });
            record(&mut context, recorded.clone(), now)?;
        }
        TransitionOutcome::Stay if brought.contains_key("taskId") => {}
        TransitionOutcome::Stay => {
            let told = WorkflowUpdate { task_updates: outcome.updates, ..update(draft, workflow)? };
            draft.emit(EventScope::workflow(workflow), told);
        }
    }
    if trigger == Trigger::ResumeRequested {
        judge(draft, workflow, &mut context, recorded)?;
    }
    if trigger == Trigger::ResourceMissing {
        let decision = ask_for_resources(draft, workflow, brought)?;
        context.insert(AWAITED.to_owned(), Value::from(decision));
    } else if let Some(id) = text("decisionId").filter(|_| workflow.state == WorkflowState::WaitUserDecision)
        && decisions::pending(draft, &workflow.id)?.iter().any(|asked| asked.id == id && asked.task.is_none())
    {
        context.insert(AWAITED.to_owned(), Value::from(id));
    }
    let before = workflow.context.len();
    write(draft, workflow, context);
    // The client's context must fit; a user's answer or a timeout is recorded in any case.
    if by == Initiator::Driver && workflow.context.len() > MAX_CONTEXT.max(before) {
        return Err(Refusal::invalid("context is too large", "context").with("limit", MAX_CONTEXT).into());
    }
    Ok(())
}

/// Writes a workflow with this context, and has its driver look at it again.
pub(crate) fn write(draft: &mut Draft<'_>, workflow: &mut Workflow, context: Map<String, Value>) {
    workflow.context = Value::Object(context).to_string();
    workflow.updated = draft.now();
    workflow.wake_at = (!workflow.state.is_terminal()).then_some(draft.now());
    draft.put(workflow.clone());
}

/// What the machine says, with the tasks as they are now.
fn step(
    draft: &Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    context: &Map<String, Value>,
) -> Result<TransitionOutcome, Failure> {
    let mut known = context.clone();
    known.shift_remove("tasks");
    let tasks = draft.tasks(&workflow.id)?;
    if !tasks.is_empty() {
        let states = tasks.iter().map(|task| json!({ "fsmState": task.state.name() }));
        known.insert("tasks".to_owned(), states.collect());
    }
    let next = next(workflow.state, workflow.previous, trigger, &known);
    next.map_err(|refused| refusal(refused, trigger, workflow).into())
}

/// Takes from the context what has come in during a pause.
fn recorded(context: &mut Map<String, Value>) -> Vec<RecordedTransition> {
    let recorded = context.shift_remove(RECORDED).unwrap_or_default();
    serde_json::from_value(recorded).unwrap_or_default()
}

/// Puts it back, with what has come in now: of each kind the last.
fn record(
    context: &mut Map<String, Value>,
    mut recorded: Vec<RecordedTransition>,
    now: Option<RecordedTransition>,
) -> Result<(), Failure> {
    if let Some(now) = now {
        recorded.retain(|known| known.trigger != now.trigger);
        recorded.push(now);
    }
    if !recorded.is_empty() {
        let recorded = serde_json::to_value(recorded).map_err(|error| unwritable(&error))?;
        context.insert(RECORDED.to_owned(), recorded);
    }
    Ok(())
}

/// Handles what has come in during a pause, when the workflow continues.
fn judge(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Map<String, Value>,
    recorded: Vec<RecordedTransition>,
) -> Result<(), Failure> {
    // Whatever came first: what cannot be done is not reviewed.
    const ORDER: [Trigger; 4] =
        [Trigger::TaskFailed, Trigger::TaskCompleted, Trigger::UserDecisionReceived, Trigger::ErrorOccurred];
    for trigger in ORDER {
        let Some(come) = recorded.iter().find(|recorded| recorded.trigger == trigger) else { continue };
        let mut known = context.clone();
        let error = come.context.get("error").and_then(Value::as_str).map(str::to_owned);
        known.extend(come.context.clone().into_iter().filter(|(key, _)| key != "error"));
        match step(draft, workflow, trigger, &known) {
            Ok(TransitionOutcome::Enter(to)) => {
                *context = known;
                enter(draft, workflow, context, to, trigger, error)?;
            }
            // It concerns a phase that the workflow has left.
            Ok(TransitionOutcome::Stay) | Err(Failure::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A decision that a workflow as a whole waits for has ended, in any way: the workflow continues, at once or when it is resumed.
/// Any other decision does not change its phase.
pub(crate) fn decided(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    decision: &str,
    trigger: Trigger,
    known: &Map<String, Value>,
) -> Result<(), Failure> {
    if !awaits(workflow, decision) {
        wake(draft, workflow);
        return Ok(());
    }
    if workflow.state != WorkflowState::Paused {
        return apply(draft, workflow, trigger, known, Initiator::Other);
    }
    let mut context = context_of(workflow);
    let before = recorded(&mut context);
    record(&mut context, before, Some(RecordedTransition { trigger, context: known.clone() }))?;
    write(draft, workflow, context);
    Ok(())
}

/// Has the driver look at the workflow again: what one of its tasks waited for has come.
pub(crate) fn wake(draft: &mut Draft<'_>, workflow: &mut Workflow) {
    if !workflow.state.is_terminal() {
        workflow.wake_at = Some(draft.now());
        draft.put(workflow.clone());
    }
}

/// Whether the workflow waits for this decision, paused or not. If none is specified, it waits for any.
fn awaits(workflow: &Workflow, decision: &str) -> bool {
    is_waiting(workflow) && awaited(workflow).is_none_or(|awaited| awaited == decision)
}

/// How often what ran for a workflow was broken off by a pause at once.
pub(crate) fn breaks(workflow: &Workflow) -> i64 {
    context_of(workflow).get(BREAKS).and_then(Value::as_i64).unwrap_or_default()
}

fn is_waiting(workflow: &Workflow) -> bool {
    let phase = workflow.previous.filter(|_| workflow.state == WorkflowState::Paused);
    phase.unwrap_or(workflow.state) == WorkflowState::WaitUserDecision
}

/// The decision that the workflow waits for, if that is known.
pub(crate) fn awaited(workflow: &Workflow) -> Option<String> {
    context_of(workflow).get(AWAITED).and_then(Value::as_str).map(str::to_owned)
}

/// Notes that the user was asked for the workflow as a whole: a workflow that waits for an unspecified decision now waits for
/// this one. Written in any case, so that the workflow cannot end meanwhile without ending the decision as well.
pub(crate) fn asked(draft: &mut Draft<'_>, workflow: &mut Workflow, decision: &Decision) {
    let mut context = context_of(workflow);
    if decision.task.is_none() && is_waiting(workflow) && awaited(workflow).is_none() {
        context.insert(AWAITED.to_owned(), Value::from(&*decision.id));
    }
    write(draft, workflow, context);
}

/// A workflow that was left continues from a checkpoint in this phase; what came in while it was paused is judged. `context` is
/// what is known of the workflow.
pub(crate) fn go_on(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    checkpoint: &str,
    phase: WorkflowState,
    mut context: Map<String, Value>,
) -> Result<(), Failure> {
    context.shift_remove(INTERRUPTED);
    let recorded = recorded(&mut context);
    if phase != WorkflowState::WaitUserDecision {
        context.shift_remove(AWAITED);
    }
    let from = workflow.state;
    workflow.state = phase;
    workflow.previous = None;
    // What it was left with is over.
    workflow.error = None;
    draft.keep(&workflow.id);
    if from != phase {
        let told = PhaseTransition { checkpoint_id: Some(checkpoint.to_owned()), ..entered(workflow, from) };
        draft.emit(EventScope::workflow(workflow), told);
    }
    let told = update(draft, workflow)?;
    draft.emit(EventScope::workflow(workflow), told);
    judge(draft, workflow, &mut context, recorded)?;
    write(draft, workflow, context);
    Ok(())
}

/// What is known of a workflow that goes back to an earlier checkpoint. What has come in since is not known then, and it waits
/// for no decision that has ended.
pub(crate) fn context_then(
    draft: &Draft<'_>,
    workflow: &Workflow,
    kept: &Map<String, Value>,
) -> Result<Map<String, Value>, Failure> {
    let mut context = kept.clone();
    context.shift_remove(RECORDED);
    let pending = decisions::pending(draft, &workflow.id)?;
    if context.get(AWAITED).is_some_and(|awaited| pending.iter().all(|asked| *awaited != *asked.id)) {
        context.shift_remove(AWAITED);
    }
    Ok(context)
}

fn enter(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    context: &mut Map<String, Value>,
    to: WorkflowState,
    trigger: Trigger,
    error: Option<String>,
) -> Result<(), Failure> {
    let from = workflow.state;
    context.shift_remove(PHASE_FAILURE);
    workflow.previous = (to == WorkflowState::Paused).then_some(from);
    workflow.state = to;
    if !is_waiting(workflow) {
        context.shift_remove(AWAITED);
    }
    match trigger {
        Trigger::ReviewPassed => tasks::accept(draft, workflow)?,
        Trigger::ReviewRejected => tasks::reject(draft, workflow, context)?,
        Trigger::CancelRequested => {
            workflow.cancelled = true;
            context.insert(CANCELLED.to_owned(), Value::Bool(true));
        }
        _ => {}
    }
    draft.keep(&workflow.id);
    let reason = (trigger == Trigger::ReviewRejected).then(|| feedback(context)).flatten();
    let told = PhaseTransition { trigger: Some(trigger), reason, ..entered(workflow, from) };
    draft.emit(EventScope::workflow(workflow), told);
    if to == WorkflowState::Failed {
        let last = context.get("lastError").and_then(Value::as_str).map(str::to_owned);
        workflow.error = Some(match error.or(last) {
            _ if workflow.cancelled => "cancelled".to_owned(),
            Some(error) => error,
            None if trigger == Trigger::UserDecisionReceived => cause_of_abort(draft, context)?,
            None => trigger.name().to_owned(),
        });
    }
    if to.is_terminal() {
        end(draft, workflow)?;
    }
    if to.is_terminal() || to == WorkflowState::Paused || from == WorkflowState::Paused {
        let told = update(draft, workflow)?;
        draft.emit(EventScope::workflow(workflow), told);
    }
    Ok(())
}

/// Why a workflow has ended that a person has aborted: what was said of it when they were asked, unless that is only a question.
fn cause_of_abort(draft: &Draft<'_>, context: &Map<String, Value>) -> Result<String, Failure> {
    let id = context.get("decisionId").and_then(Value::as_str).unwrap_or_default();
    let asked =
        draft.row::<Decision>(&Decision::key_of(id))?.and_then(|decision| decisions::message(&decision));
    let cause = asked.filter(|message| !message.ends_with(['？', '?']));
    Ok(cause.unwrap_or_else(|| "aborted".to_owned()))
}

/// That a workflow has entered its phase.
fn entered(workflow: &Workflow, from: WorkflowState) -> PhaseTransition {
    PhaseTransition {
        from,
        to: workflow.state,
        trigger: None,
        reason: None,
        round: u64::try_from(workflow.round).ok().filter(|round| *round > 0),
        checkpoint_id: None,
    }
}

/// The beginning of what the last review says, on one line.
fn feedback(context: &Map<String, Value>) -> Option<String> {
    let said = context.get("review")?.get("feedback")?.as_str()?;
    Some(model::beginning(&model::on_one_line(said), FEEDBACK)).filter(|said| !said.is_empty())
}

/// Emits the path of output that was written to a file.
fn emit_output(draft: &mut Draft<'_>, workflow: &Workflow, output: &Value) {
    let path = output.get("path").and_then(Value::as_str).filter(|path| !model::is_blank(path));
    let Some(path) = path else { return };
    let files = output
        .get("files")
        .and_then(Value::as_array)
        .map(|files| files.iter().filter_map(|file| file.as_str().map(str::to_owned)).collect::<Vec<_>>());
    let told = PhaseOutputSaved {
        phase: workflow.state.name().to_owned(),
        output_path: path.to_owned(),
        files: files.filter(|files| !files.is_empty()).unwrap_or_else(|| vec![path.to_owned()]),
    };
    draft.emit(EventScope::workflow(workflow), told);
}

/// Closes everything that the workflow still has open, and notifies those who have waited for its end.
fn end(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    tasks::interrupt(draft, workflow)?;
    workflow.wake_at = None;
    for decision in decisions::pending(draft, &workflow.id)? {
        decisions::cancel(draft, decision)?;
    }
    for mut agent in draft.find(&Query::agents_of(&workflow.id))? {
        agents::free(draft, &mut agent);
    }
    for mut mail in draft.find(&Query::mail_of(&workflow.id))? {
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

/// No agent can do the work: asks the user how to continue. Returns the decision's ID.
fn ask_for_resources(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    brought: &Map<String, Value>,
) -> Result<String, Failure> {
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let missing = brought.get("missingResources").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
    let missing: Vec<MissingResource> = serde_json::from_value(missing)
        .map_err(|error| Refusal::invalid(error.to_string(), "context.missingResources"))?;
    let names: Vec<_> = missing.iter().map(|missing| missing.kind.as_str()).collect();
    let question = decisions::recovery(RecoveryQuestion::ResourcesMissing { resources: &names.join(", ") });
    let reason = text("reason").unwrap_or_else(|| question.message.clone());
    let suggestion = text("suggestion");
    let task = text("taskId");
    let told = ResourceShortage {
        task_id: task.clone(),
        missing_resources: missing.clone(),
        reason: reason.clone(),
        suggestion: suggestion.clone().unwrap_or_default(),
    };
    draft.emit(EventScope::workflow(workflow), told);
    let new = NewDecision {
        workflow_id: Some(workflow.id.clone()),
        message: reason,
        context: description_of(draft, workflow, task.as_deref())?,
        ..question
    };
    let why = DecisionReason::Shortage { missing, suggestion };
    decisions::create(draft, &new, Some(workflow), why).map(|decision| decision.id)
}

/// The description of a task of the plan, for the user who is asked about it.
fn description_of(
    draft: &Draft<'_>,
    workflow: &Workflow,
    task: Option<&str>,
) -> Result<Option<String>, Failure> {
    let Some(id) = task else { return Ok(None) };
    Ok(draft.row::<Task>(&Task::key_of(&workflow.id, id))?.map(|task| task.description))
}

pub(crate) fn refusal(refused: TransitionRefusal, trigger: Trigger, workflow: &Workflow) -> Refusal {
    let (code, words) = match refused {
        TransitionRefusal::Ended => (ErrorCode::WorkflowTerminal, "Workflow has ended"),
        TransitionRefusal::AlreadyPaused => (ErrorCode::WorkflowAlreadyPaused, "Workflow is already paused"),
        TransitionRefusal::NotPaused => (ErrorCode::WorkflowNotPaused, "Workflow is not paused"),
        TransitionRefusal::Invalid => (ErrorCode::InvalidTransition, "Transition failed"),
    };
    let refusal = Refusal::new(code, words).with("trigger", trigger.name()).at(workflow.state);
    // Its state is `failed` as well.
    if workflow.cancelled { refusal.with("cancelled", true) } else { refusal }
}

pub(crate) fn context_of(workflow: &Workflow) -> Map<String, Value> {
    // The journal takes nothing else.
    serde_json::from_str(&workflow.context).unwrap_or_default()
}

/// The context as the workflow's driver knows it: with the tasks.
pub(crate) fn shown_context(draft: &Draft<'_>, workflow: &Workflow) -> Result<Map<String, Value>, Failure> {
    let mut context = context_of(workflow);
    context.shift_remove(WAITING_FOR);
    context.shift_remove(PHASE_FAILURE);
    let tasks = tasks::nodes(&draft.tasks(&workflow.id)?);
    if !tasks.is_empty() {
        context.insert("tasks".to_owned(), serde_json::to_value(tasks).map_err(|error| unwritable(&error))?);
    }
    Ok(context)
}

fn answer(workflow: &Workflow, status: Option<SimpleStatus>, state: Option<WorkflowState>) -> WorkflowAnswer {
    WorkflowAnswer { success: true, workflow_id: workflow.id.clone(), status, state, ask_resolution: None }
}

pub(crate) fn update(draft: &Draft<'_>, workflow: &Workflow) -> Result<WorkflowUpdate, Failure> {
    Ok(WorkflowUpdate {
        workflow_id: workflow.id.clone(),
        status: workflow.state.simple(),
        task_updates: Vec::new(),
        agent_updates: Vec::new(),
        orchestrator_state: None,
        fsm_state: Some(workflow.state),
        user_input: None,
        pending_decision: pending_decision(draft, workflow)?,
        waiting_for: None,
    })
}

/// The decision that the workflow waits for, else the oldest pending one.
pub(crate) fn pending_decision(draft: &Draft<'_>, workflow: &Workflow) -> Result<Option<String>, Failure> {
    let mut pending = decisions::pending(draft, &workflow.id)?;
    pending.retain(|decision| !decisions::is_due(decision, draft.now()));
    let awaited = awaited(workflow);
    let is_awaited = |decision: &&Decision| Some(&decision.id) == awaited.as_ref();
    let decision = pending.iter().find(is_awaited).or(pending.first());
    Ok(decision.map(|decision| decision.id.clone()))
}
