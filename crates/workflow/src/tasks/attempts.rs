//! Attempts at tasks: dispatching, accepting, rejecting, retrying and interrupting them.

use super::advance::unblock;
use super::blank;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::{agents, ids};
use aide_core::Context;
use journal::{Task, Workflow};
use model::agent::Timestamp;
use model::workflow::api::TaskProgressEntry;
use model::workflow::{SystemError, TaskState, TaskTrigger};
use serde_json::Value;
use std::collections::HashMap;

/// What has a result is accepted.
pub(crate) fn accept(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    for task in draft.tasks(&workflow.id)? {
        let reviewing = task.state.next(TaskTrigger::ReviewRequested).unwrap_or(task.state);
        if let Some(state) = reviewing.next(TaskTrigger::ReviewPass) {
            draft.put(Task { state, ..task });
        }
    }
    Ok(())
}

/// Reopens the tasks that the review names; all that have a result, if it names none.
pub(crate) fn reject(draft: &mut Draft<'_>, workflow: &Workflow, context: &Context) -> Result<(), Failure> {
    let named = context.rejected_tasks();
    let is_meant =
        |task: &Task| named.is_none_or(|named| named.iter().any(|name| name.as_str() == Some(&task.id)));
    for task in draft.tasks(&workflow.id)? {
        let reviewing = task.state.next(TaskTrigger::ReviewRequested).unwrap_or(task.state);
        let rework = reviewing.next(TaskTrigger::ReviewReject).filter(|_| is_meant(&task));
        if let Some(state) = rework.and_then(|state| state.next(TaskTrigger::ReplanOrRetry)) {
            draft.put(Task { state, rejections: task.rejections + 1, ..task });
        }
    }
    Ok(())
}

/// What has failed can be done again.
pub(crate) fn retry_failed(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    for task in draft.tasks(&workflow.id)? {
        if let Some(state) = task.state.next(TaskTrigger::RetryOrReassign) {
            draft.put(Task { state, ..task });
        } else if task.state == TaskState::Blocked {
            draft.put(Task { state: TaskState::Ready, ..task });
        }
    }
    Ok(())
}

/// A task that has failed can be done again, after a while.
pub(crate) fn retry(draft: &mut Draft<'_>, workflow: &Workflow, id: &str) -> Result<(), Failure> {
    if let Some(task) = draft.row::<Task>(&Task::key_of(&workflow.id, id))?
        && let Some(state) = task.state.next(TaskTrigger::RetryOrReassign)
    {
        draft.put(Task { state, ..task });
    }
    Ok(())
}

/// Assigns a task to an agent. A later trigger says that the agent has started it.
pub(crate) fn dispatch(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    task: &Task,
    agent: &str,
) -> Result<(), Failure> {
    let Some(state) = task.state.next(TaskTrigger::OrchestratorDispatch) else { return Ok(()) };
    let task = Task {
        state,
        attempt: task.attempt + 1,
        agent: Some(agent.to_owned()),
        dispatch: Some(ids::timed("dispatch", draft.now(), draft.world())),
        started: None,
        finished: None,
        result: None,
        error: None,
        ..task.clone()
    };
    agents::reserve(draft, agent, workflow, &task)?;
    draft.put(task);
    Ok(())
}

/// What the error of a task begins with that no agent has taken.
const UNDELIVERED_PREFIX: &str = "DISPATCH_FAILED: ";

/// The agent has not taken a task that was sent to it: `why` says how that was noticed, `words` are the message. The task can be
/// sent again.
pub(crate) fn undelivered(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    why: TaskTrigger,
    words: &str,
) -> Result<(), Failure> {
    let Some(task) = draft.row::<Task>(&Task::key_of(&workflow.id, id))? else { return Ok(()) };
    let failed = task.state.next(why);
    let Some(state) = failed.and_then(|failed| failed.next(TaskTrigger::RecoverableRetry)) else {
        return Ok(());
    };
    let error = format!("{UNDELIVERED_PREFIX}{words}");
    if let Some(agent) = &task.agent {
        agents::silent(draft, agent, workflow, id, &error)?;
    }
    let about = EventScope { task: Some(id), agent: task.agent.as_deref(), ..EventScope::workflow(workflow) };
    let component = "dispatch".to_owned();
    draft.emit(about, SystemError { error: error.clone(), component, recoverable: true });
    let (finished, error) = (Some(draft.now()), Some(error));
    draft.put(Task { state, finished, error, ..task });
    draft.keep(&workflow.id);
    Ok(())
}

/// Whether no agent has taken a task, however often it was sent. It is then sent again only on request.
pub(crate) fn is_undeliverable(task: &Task, retries: i64) -> bool {
    task.attempt > retries && task.error.as_ref().is_some_and(|error| error.starts_with(UNDELIVERED_PREFIX))
}

/// What an agent has is taken from it. Returns whether any had something.
pub(crate) fn interrupt(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<bool, Failure> {
    let mut was_at_work = false;
    for task in draft.tasks(&workflow.id)? {
        if task.state.is_in_flight() {
            was_at_work = true;
            if let Some(agent) = &task.agent {
                agents::leave(draft, agent, workflow, &task.id)?;
            }
            draft.put(Task { state: task.state.interrupted(), started: None, ..task });
        }
    }
    Ok(was_at_work)
}

/// The tasks of a workflow become again what they were at a checkpoint: what was done stays done, everything else can be begun.
/// None of them is under way.
pub(crate) fn restore(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    then: &[TaskProgressEntry],
) -> Result<(), Failure> {
    let mut known: HashMap<String, Task> =
        draft.tasks(&workflow.id)?.into_iter().map(|task| (task.id.clone(), task)).collect();
    let mut next = known.values().map(|task| task.no).max().unwrap_or_default() + 1;
    let json = |names: &Option<Vec<String>>| names.as_deref().map(|names| Value::from(names).to_string());
    let time = |text: &Option<String>| Some(text.as_deref()?.parse::<Timestamp>().ok()?.unix_millis());
    for entry in then {
        let mut row = known.remove(&entry.task_id).unwrap_or_else(|| {
            next += 1;
            Task { no: next - 1, ..blank(workflow, &entry.task_id) }
        });
        row.description.clone_from(&entry.description);
        row.kind = entry.kind.clone().unwrap_or(row.kind);
        row.needs = json(&entry.dependencies).unwrap_or(row.needs);
        row.capabilities = json(&entry.required_capabilities).unwrap_or(row.capabilities);
        row.min_level = entry.min_level.and_then(|level| i64::try_from(level).ok());
        row.agent.clone_from(&entry.assigned_agent);
        row.attempt = i64::try_from(entry.iteration_count).unwrap_or(i64::MAX);
        (row.started, row.finished, row.result, row.error) = (None, None, None, None);
        // What was done since is undone: the try does not continue.
        row.dispatch = None;
        let came = |key: &str| entry.result.as_ref()?.get(key).cloned();
        let state = match &*entry.status {
            "completed" => TaskState::ExecutionSucceeded,
            "failed" => TaskState::ExecutionFailed,
            _ => TaskState::Created,
        };
        if state != TaskState::Created {
            (row.started, row.finished) = (time(&entry.started_at), time(&entry.completed_at));
            row.result = came("output").map(|output| output.to_string());
            row.error = came("error").and_then(|error| error.as_str().map(str::to_owned));
        }
        draft.put(Task { state, ..row });
    }
    for id in known.keys() {
        draft.remove(Task::key_of(&workflow.id, id));
    }
    unblock(draft, workflow)
}
