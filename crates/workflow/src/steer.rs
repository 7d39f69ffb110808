//! What happens to a workflow as a whole.

mod enter;
mod pause;
mod waiting;

pub(crate) use pause::{context_then, go_on};
pub(crate) use waiting::{asked, decided, pending_decision, wake};

use crate::context_keys::{AWAITED, BREAKS, INTERRUPTED, PHASE_FAILURE, RESERVED, WAITING_FOR};
use crate::draft::{Draft, EventScope};
use crate::failure::{Failure, unwritable};
use crate::{decisions, ids, rows, tasks};
use enter::{ask_for_resources, emit_output, enter};
use journal::{Session, Workflow};
use model::workflow::{
    Refusal, SingleStage, TransitionOutcome, Trigger, WorkflowState, WorkflowUpdate, next,
};
use pause::{RecordedTransition, judge, record, recorded};
use serde_json::{Map, Value, json};

/// How large a context may become, in bytes of JSON.
const MAX_CONTEXT: usize = 1 << 20;

/// The members of a context that only the one trigger is about.
const PASSING: [&str; 8] =
    ["tasks", "taskId", "agentId", "result", "error", "retryable", "progress", "message"];

/// The same for a trigger about a step of an agent, without the members of the step itself.
const PASSING_STEP: [&str; 3] = ["round", "params", "success"];

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
    let mut context = rows::context_of(workflow);
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
    next.map_err(|refused| rows::transition_refused(refused, trigger, workflow).into())
}

/// How often what ran for a workflow was broken off by a pause at once.
pub(crate) fn breaks(workflow: &Workflow) -> i64 {
    rows::context_of(workflow).get(BREAKS).and_then(Value::as_i64).unwrap_or_default()
}

/// The context as the workflow's driver knows it: with the tasks.
pub(crate) fn shown_context(draft: &Draft<'_>, workflow: &Workflow) -> Result<Map<String, Value>, Failure> {
    let mut context = rows::context_of(workflow);
    context.shift_remove(WAITING_FOR);
    context.shift_remove(PHASE_FAILURE);
    let tasks = tasks::nodes(&draft.tasks(&workflow.id)?);
    if !tasks.is_empty() {
        context.insert("tasks".to_owned(), serde_json::to_value(tasks).map_err(|error| unwritable(&error))?);
    }
    Ok(context)
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
