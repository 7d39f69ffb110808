//! What happens to the tasks of a workflow, and to their agents with them.

use super::agents;
use crate::agent;
use crate::event::Event;
use crate::scope::Scope;
use crate::scratch::Scratch;
use crate::task::{self, ReportEffect, Task, TaskChange, TaskReport};
use crate::{Context, ProgressStep, TransitionRefusal, TriggerPayload};
use protocol::workflow::api::TaskProgressEntry;
use protocol::workflow::{
    AgentStep, AgentStepCompleted, ErrorCode, Refusal, SystemError, TaskProgress, TaskState, TaskStatus,
    TaskTrigger, TaskUpdate, Trigger, WorkflowState,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// What a list of tasks says that is still to happen.
#[derive(Default)]
pub(super) struct TakenList {
    /// Whether there are tasks that the workflow did not have before.
    pub(super) is_other_plan: bool,
    /// The tasks that advance.
    changes: Vec<TaskChange>,
}

/// What a trigger has done to tasks.
#[derive(Default)]
pub(super) struct ChangeSummary {
    /// The tasks that have changed, as they are now.
    pub(super) updates: Vec<TaskUpdate>,
    /// Why the last one that has failed has failed.
    pub(super) error: Option<String>,
    has_ended: bool,
}

fn record(scratch: &mut Scratch, task: Task) {
    scratch.record(Event::TaskChanged(Box::new(task)));
}

/// Changes the tasks that a rule changes.
fn change(scratch: &mut Scratch, rule: impl Fn(&Task) -> Option<Task>) {
    let changed: Vec<Task> = scratch.state().tasks.iter().filter_map(rule).collect();
    changed.into_iter().for_each(|task| record(scratch, task));
}

/// Tasks all of whose needs are done can begin.
fn unblock(scratch: &mut Scratch) {
    let ready = task::newly_ready(&scratch.state().tasks);
    ready.into_iter().for_each(|task| record(scratch, task));
}

fn refused(scratch: &Scratch, trigger: Trigger) -> Refusal {
    scratch.state().workflow.refused(TransitionRefusal::Invalid, trigger)
}

fn impossible(scratch: &Scratch, trigger: Trigger, task: &Task) -> Refusal {
    refused(scratch, trigger).with("taskId", &*task.id).with("taskState", task.state.name())
}

/// Takes the tasks that come with a trigger: a new plan replaces the previous tasks, otherwise they are added. Their states are
/// not taken but returned, see [`advance_list`].
///
/// # Errors
///
/// What is wrong with the list.
pub(super) fn take_list(
    scratch: &mut Scratch,
    trigger: Trigger,
    payload: &TriggerPayload,
) -> Result<TakenList, Refusal> {
    let Some(list) = payload.tasks() else { return Ok(TakenList::default()) };
    let known = scratch.state().tasks.clone();
    let taken = task::apply_list(known, list, trigger == Trigger::PlanCreated)
        .map_err(|words| Refusal::invalid(words, "context.tasks"))?;
    for task in taken.replaced.iter().chain(&taken.removed) {
        if let Some(agent) = task.agent.as_ref().filter(|_| task.state.is_in_flight()) {
            agents::leave(scratch, agent, &task.id);
        }
    }
    for task in taken.removed {
        scratch.record(Event::TaskRemoved(task.id));
    }
    for task in taken.tasks {
        record(scratch, task);
    }
    unblock(scratch);
    Ok(TakenList { is_other_plan: taken.is_other_plan, changes: taken.changes })
}

/// Applies the states in a list of tasks: each task gets to its state by the transitions of the state machine.
///
/// # Errors
///
/// When a task cannot get there.
pub(super) fn advance_list(
    scratch: &mut Scratch,
    trigger: Trigger,
    taken: TakenList,
) -> Result<ChangeSummary, Refusal> {
    let mut summary = ChangeSummary::default();
    if taken.changes.is_empty() {
        return Ok(summary);
    }
    let mut changes: HashMap<String, TaskChange> =
        taken.changes.into_iter().map(|change| (change.id.clone(), change)).collect();
    let tasks = scratch.state().tasks.clone();
    let mut done: HashSet<&str> = HashSet::new();
    // A task may need the result of another one, whatever their order in the list.
    for at in task::topological_order(&tasks) {
        let task = &tasks[at];
        let state = match changes.remove(&task.id) {
            Some(TaskChange { to, report, .. }) => {
                let before = task.clone().unblocked(|id| done.contains(id));
                advance(scratch, &before, to, trigger, &report, &mut summary)?;
                to
            }
            None => task.state,
        };
        if state.simple() == TaskStatus::Completed {
            done.insert(&task.id);
        }
    }
    unblock(scratch);
    Ok(summary)
}

/// Applies a trigger to the task that it is about. `summary` is that of the list that came with it.
///
/// # Errors
///
/// When this cannot happen to the task, or there is no such task.
pub(super) fn advance_reported(
    scratch: &mut Scratch,
    trigger: Trigger,
    payload: &TriggerPayload,
    summary: &mut ChangeSummary,
) -> Result<(), Refusal> {
    if let Some(target) = task::target_of(trigger) {
        report(scratch, trigger, target, payload, summary)?;
    }
    if summary.has_ended {
        let tasks = &scratch.state().tasks;
        if !tasks.is_empty() {
            let progress = task::workflow_progress(tasks);
            scratch.announce(progress);
        }
        scratch.record(Event::CheckpointDue);
    }
    Ok(())
}

fn report(
    scratch: &mut Scratch,
    trigger: Trigger,
    target: TaskState,
    payload: &TriggerPayload,
    summary: &mut ChangeSummary,
) -> Result<(), Refusal> {
    let report = TaskReport {
        agent: payload.agent().map(str::to_owned),
        result: payload.result().map(Value::to_string),
        error: payload.error().map(str::to_owned),
        reason: None,
        retryable: payload.retryable(),
    };
    let state = scratch.state();
    // Which task has begun is not known, nor whether it had before the pause.
    let is_unknown_start = state.workflow.state == WorkflowState::Paused && trigger == Trigger::TaskStarted;
    match payload.task() {
        // The driver keeps its tasks to itself.
        Some(id) if state.tasks.is_empty() => {
            if is_unknown_start {
                return Err(refused(scratch, trigger).with("taskId", id));
            }
            summary.has_ended |= target.has_ended();
            publish_unlisted(scratch, trigger, id, &report, payload);
        }
        Some(id) => {
            let not_found = || Refusal::new(ErrorCode::NotFound, "Task not found").with("taskId", id);
            let task = state.task(id).ok_or_else(not_found)?.clone();
            let is_listed = summary.updates.iter().any(|update| update.id == id);
            let effect = task.effect_of(trigger, target, is_listed);
            match effect.ok_or_else(|| impossible(scratch, trigger, &task))? {
                ReportEffect::AlreadyListed => {}
                ReportEffect::Progress => {
                    let agent = report.agent.as_deref().or(task.agent.as_deref());
                    publish_progress(scratch, id, agent, payload);
                }
                ReportEffect::Advance => {
                    advance(scratch, &task, target, trigger, &report, summary)?;
                    unblock(scratch);
                }
            }
        }
        None if is_unknown_start && !payload.has_tasks() => return Err(refused(scratch, trigger)),
        None => summary.has_ended |= target.has_ended(),
    }
    Ok(())
}

/// Takes a task to the state `to` through the transitions on the way. `trigger` is the one that was sent.
fn advance(
    scratch: &mut Scratch,
    before: &Task,
    to: TaskState,
    trigger: Trigger,
    report: &TaskReport,
    summary: &mut ChangeSummary,
) -> Result<(), Refusal> {
    let steps = before.steps_to(to, scratch.state().workflow.state == WorkflowState::Paused);
    let steps = steps.ok_or_else(|| impossible(scratch, trigger, before))?;
    let mut task = before.clone();
    let is_begun = task::begins_attempt(&steps);
    if is_begun {
        task.begin_attempt(scratch.new_id("dispatch"));
    }
    task.agent = report.agent.clone().or(task.agent);
    if is_begun && task.agent.is_none() {
        let state = scratch.state();
        let best = agent::best_agent(&state.pool, &state.workflow.id, &task);
        task.agent = best.map(|agent| agent.id.clone());
    }
    let has_ended = task.advance(to, &steps, report, scratch.now());
    // An agent from which the task was taken is free.
    let handover = before.handover(&task, &steps);
    if let Some(previous) = &handover.previous {
        agents::leave(scratch, previous, &task.id);
    }
    if let Some(agent) = &task.agent {
        agents::works(scratch, agent, &task, &handover.triggers);
    }
    publish_steps(scratch, &task, &steps, report);
    if to == TaskState::ExecutionFailed {
        summary.error = report.error.clone().or(summary.error.take());
    }
    summary.has_ended |= has_ended;
    summary.updates.push(task.update());
    record(scratch, task);
    Ok(())
}

/// Publishes what has happened to a task.
fn publish_steps(scratch: &mut Scratch, task: &Task, steps: &[TaskTrigger], report: &TaskReport) {
    if let Some(event) = task.event_of(steps, report) {
        let scope = Scope::of(&scratch.state().workflow).task(&task.id).agent(task.agent.as_deref());
        scratch.publish(scope, event);
    }
}

/// Publishes the same about a task of which nothing else is known.
fn publish_unlisted(
    scratch: &mut Scratch,
    trigger: Trigger,
    id: &str,
    report: &TaskReport,
    payload: &TriggerPayload,
) {
    let (state, step) = match trigger {
        Trigger::TaskProgress => {
            return publish_progress(scratch, id, report.agent.as_deref(), payload);
        }
        Trigger::TaskStarted => (TaskState::Running, TaskTrigger::TaskExecutionStarted),
        Trigger::TaskCompleted => (TaskState::ExecutionSucceeded, TaskTrigger::TaskExecutionResultSuccess),
        Trigger::TaskFailed => (TaskState::ExecutionFailed, TaskTrigger::TaskExecutionResultFailure),
        _ => return,
    };
    let task = Task {
        description: payload.description().unwrap_or_default().to_owned(),
        state,
        agent: report.agent.clone(),
        result: report.result.clone(),
        error: report.error.clone(),
        ..Task::new(id)
    };
    publish_steps(scratch, &task, &[step], report);
}

/// Publishes the progress of a task, and the step of its agent if there is a thought, an action or an observation.
fn publish_progress(scratch: &mut Scratch, id: &str, agent: Option<&str>, payload: &TriggerPayload) {
    let scope = Scope::of(&scratch.state().workflow).task(id).agent(agent);
    if let Some(ProgressStep { thought, action, observation, round, params, success }) = payload.step() {
        let round = round.unwrap_or(1 + scratch.state().last_round);
        if let Some(agent) = agent {
            let step = AgentStep {
                thought: thought.clone(),
                action: action.clone(),
                observation: observation.clone(),
                round: Some(round),
                params,
                success: Some(success),
            };
            agents::step(scratch, agent, id, step);
        }
        let agent_id = agent.map(str::to_owned);
        let step = AgentStepCompleted { agent_id, round, thought, action, observation, success };
        scratch.publish(scope.clone(), step);
    }
    let message = payload.message().map(str::to_owned);
    scratch.publish(scope, TaskProgress { task_id: id.to_owned(), progress: payload.progress(), message });
}

/// Publishes the plan.
pub(super) fn publish_plan(scratch: &mut Scratch) {
    let state = scratch.state();
    let plan = task::plan_updated(&state.workflow.id, state.workflow.round, &state.tasks);
    scratch.announce(plan);
}

/// Accepts the tasks that have a result.
pub(super) fn accept(scratch: &mut Scratch) {
    change(scratch, Task::accepted);
}

/// Reopens the tasks that the review names; all that have a result, if it names none.
pub(super) fn reject(scratch: &mut Scratch, context: &Context) {
    let named = context.rejected_tasks().map(Vec::as_slice);
    change(scratch, |task| task.rejected(named));
}

/// Makes what has failed ready again.
pub(super) fn retry_failed(scratch: &mut Scratch) {
    change(scratch, Task::retried_on_request);
}

/// Makes a task that has failed ready again.
pub(super) fn retry(scratch: &mut Scratch, id: &str) {
    change(scratch, |task| if task.id == id { task.retried() } else { None });
}

/// Assigns a task to an agent. A later trigger says that the agent has started it.
pub(super) fn dispatch(scratch: &mut Scratch, id: &str, agent: &str) {
    let dispatch = scratch.new_id("dispatch");
    let task = scratch.state().task(id).and_then(|task| task.dispatched(agent, dispatch));
    if let Some(task) = task {
        agents::reserve(scratch, agent, id);
        record(scratch, task);
    }
}

/// Makes a task ready to be sent again, after its agent has not accepted it: `why` says how that was noticed, `words` are the
/// message.
pub(super) fn take_back_unaccepted(scratch: &mut Scratch, id: &str, why: TaskTrigger, words: &str) {
    let task = scratch.state().task(id).and_then(|task| task.undelivered(why, words, scratch.now()));
    let Some(task) = task else { return };
    let error = task.error.clone().unwrap_or_default();
    if let Some(agent) = &task.agent {
        agents::give_up(scratch, agent, id, &error);
    }
    let scope = Scope::of(&scratch.state().workflow).task(id).agent(task.agent.as_deref());
    scratch.publish(scope, SystemError { error, component: "dispatch".to_owned(), recoverable: true });
    record(scratch, task);
    scratch.record(Event::CheckpointDue);
}

/// Takes from the agents what they do. Returns whether any did something.
pub(super) fn interrupt(scratch: &mut Scratch) -> bool {
    let interrupted: Vec<Task> = scratch.state().tasks.iter().filter_map(Task::interrupted).collect();
    let was_at_work = !interrupted.is_empty();
    for task in interrupted {
        if let Some(agent) = &task.agent {
            agents::leave(scratch, agent, &task.id);
        }
        record(scratch, task);
    }
    was_at_work
}

/// Makes the tasks what they were at a checkpoint: what was done stays done, everything else can be begun. None is under way.
pub(super) fn restore(scratch: &mut Scratch, then: &[TaskProgressEntry]) {
    let restored = task::restore(scratch.state().tasks.clone(), then);
    for task in restored.tasks {
        record(scratch, task);
    }
    for id in restored.removed {
        scratch.record(Event::TaskRemoved(id));
    }
}
