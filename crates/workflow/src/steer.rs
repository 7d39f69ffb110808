//! What happens to a workflow as a whole.

mod enter;
mod pause;
mod waiting;

pub(crate) use pause::{context_then, go_on};
pub(crate) use waiting::{asked, decided, pending_decision, wake};

use crate::draft::{Draft, EventScope};
use crate::failure::{Failure, unwritable};
use crate::{decisions, ids, rows, tasks};
use aide_core::{Context, RecordedTransition, TransitionOutcome, TriggerPayload, next};
use enter::{ask_for_resources, emit_output, enter};
use journal::{Session, Workflow};
use model::workflow::{Refusal, SingleStage, TaskState, Trigger, WorkflowState, WorkflowUpdate};
use pause::judge;
use serde_json::{Map, Value};

/// How large a context may become, in bytes of JSON.
const MAX_CONTEXT: usize = 1 << 20;

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
        context: Context::default().into_json(),
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

/// Lets something happen to a workflow, and writes it.
pub(crate) fn apply(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    trigger: Trigger,
    payload: &TriggerPayload,
    by: Initiator,
) -> Result<(), Failure> {
    let mut context = Context::read(&workflow.context);
    if by == Initiator::Driver && context.end_interruption() {
        // What it was left with is over.
        workflow.error = None;
    }
    context.merge(trigger, payload);
    // That the trigger is not possible here is reported before errors in its context.
    step(draft, workflow, trigger, &context)?;
    let taken = tasks::take(draft, workflow, trigger, payload)?;
    if trigger == Trigger::PlanCreated {
        workflow.round += 1;
    }
    if taken.is_other_plan || trigger == Trigger::PlanCreated {
        tasks::emit_plan(draft, workflow)?;
    }
    let mut outcome = tasks::bring(draft, workflow, trigger, taken)?;
    tasks::happen(draft, workflow, trigger, payload, &mut outcome)?;
    let entered = step(draft, workflow, trigger, &context)?;
    let error = payload.error().map(str::to_owned).or(outcome.error);
    let error = error.filter(|_| trigger == Trigger::TaskFailed);
    if let Some(output) = payload.output() {
        workflow.output = Some(output.to_string());
        emit_output(draft, workflow, output);
    }
    if entered == TransitionOutcome::Enter(WorkflowState::Completed)
        && context.stage() == Some(SingleStage::Execute)
    {
        let output = tasks::output_of(&draft.tasks(&workflow.id)?);
        emit_output(draft, workflow, &output);
        workflow.output = Some(output.to_string());
    }
    let was_paused = workflow.state == WorkflowState::Paused;
    let recorded = context.take_recorded();
    match entered {
        TransitionOutcome::Enter(to) => enter(draft, workflow, &mut context, to, trigger, error)?,
        TransitionOutcome::Stay if was_paused => {
            let is_result = matches!(trigger, Trigger::TaskCompleted | Trigger::TaskFailed);
            let payload = match error {
                Some(error) => TriggerPayload::default().with_error(&error),
                None => TriggerPayload::default(),
            };
            let now = is_result.then_some(RecordedTransition { trigger, payload });
            context.record(recorded.clone(), now).map_err(|error| unwritable(&error))?;
        }
        TransitionOutcome::Stay if payload.is_about_task() => {}
        TransitionOutcome::Stay => {
            let told = WorkflowUpdate { task_updates: outcome.updates, ..update(draft, workflow)? };
            draft.emit(EventScope::workflow(workflow), told);
        }
    }
    if trigger == Trigger::ResumeRequested {
        judge(draft, workflow, &mut context, recorded)?;
    }
    if trigger == Trigger::ResourceMissing {
        let decision = ask_for_resources(draft, workflow, payload)?;
        context.await_decision(&decision);
    } else if let Some(id) =
        payload.decision_id().filter(|_| workflow.state == WorkflowState::WaitUserDecision)
        && decisions::pending(draft, &workflow.id)?.iter().any(|asked| asked.id == id && asked.task.is_none())
    {
        context.await_decision(id);
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
pub(crate) fn write(draft: &mut Draft<'_>, workflow: &mut Workflow, context: Context) {
    workflow.context = context.into_json();
    workflow.updated = draft.now();
    workflow.wake_at = (!workflow.state.is_terminal()).then_some(draft.now());
    draft.put(workflow.clone());
}

/// What the machine says, with the tasks as they are now.
fn step(
    draft: &Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    context: &Context,
) -> Result<TransitionOutcome, Failure> {
    let states: Vec<TaskState> = draft.tasks(&workflow.id)?.iter().map(|task| task.state).collect();
    let next = next(workflow.state, workflow.previous, trigger, &context.guards(&states));
    next.map_err(|refused| rows::transition_refused(refused, trigger, workflow).into())
}

/// The context as the workflow's driver knows it: with the tasks.
pub(crate) fn shown_context(draft: &Draft<'_>, workflow: &Workflow) -> Result<Map<String, Value>, Failure> {
    let tasks = tasks::nodes(&draft.tasks(&workflow.id)?);
    let tasks = (!tasks.is_empty()).then(|| serde_json::to_value(tasks));
    let tasks = tasks.transpose().map_err(|error| unwritable(&error))?;
    Ok(Context::read(&workflow.context).shown(tasks))
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
