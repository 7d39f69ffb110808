//! Attempts at tasks: dispatching, accepting, rejecting, retrying and interrupting them.

use super::stored::StoredTasks;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::{agents, ids};
use aide_core::{Context, task};
use journal::{Task, Workflow};
use model::workflow::api::TaskProgressEntry;
use model::workflow::{SystemError, TaskTrigger};

/// What has a result is accepted.
pub(crate) fn accept(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    StoredTasks::read(draft, &workflow.id)?.change(draft, task::Task::accepted);
    Ok(())
}

/// Reopens the tasks that the review names; all that have a result, if it names none.
pub(crate) fn reject(draft: &mut Draft<'_>, workflow: &Workflow, context: &Context) -> Result<(), Failure> {
    let named = context.rejected_tasks().map(Vec::as_slice);
    StoredTasks::read(draft, &workflow.id)?.change(draft, |task| task.rejected(named));
    Ok(())
}

/// What has failed can be done again.
pub(crate) fn retry_failed(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    StoredTasks::read(draft, &workflow.id)?.change(draft, task::Task::retried_on_request);
    Ok(())
}

/// A task that has failed can be done again, after a while.
pub(crate) fn retry(draft: &mut Draft<'_>, workflow: &Workflow, id: &str) -> Result<(), Failure> {
    StoredTasks::read_one(draft, &workflow.id, id)?.change(draft, task::Task::retried);
    Ok(())
}

/// Assigns a task to an agent. A later trigger says that the agent has started it.
pub(crate) fn dispatch(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    task: &Task,
    agent: &str,
) -> Result<(), Failure> {
    let stored = StoredTasks::of_row(task);
    let dispatch = || ids::timed("dispatch", draft.now(), draft.world());
    let task = stored.tasks.first().and_then(|task| task.dispatched(agent, dispatch));
    let Some(task) = task else { return Ok(()) };
    agents::reserve(draft, agent, workflow, &task.id)?;
    stored.put(draft, task);
    Ok(())
}

/// The agent has not taken a task that was sent to it: `why` says how that was noticed, `words` are the message. The task can be
/// sent again.
pub(crate) fn undelivered(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    why: TaskTrigger,
    words: &str,
) -> Result<(), Failure> {
    let stored = StoredTasks::read_one(draft, &workflow.id, id)?;
    let task = stored.tasks.first().and_then(|task| task.undelivered(why, words, draft.now()));
    let Some(task) = task else { return Ok(()) };
    let error = task.error.clone().unwrap_or_default();
    if let Some(agent) = &task.agent {
        agents::silent(draft, agent, workflow, id, &error)?;
    }
    let about = EventScope { task: Some(id), agent: task.agent.as_deref(), ..EventScope::workflow(workflow) };
    draft.emit(about, SystemError { error, component: "dispatch".to_owned(), recoverable: true });
    stored.put(draft, task);
    draft.keep(&workflow.id);
    Ok(())
}

/// What an agent has is taken from it. Returns whether any had something.
pub(crate) fn interrupt(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<bool, Failure> {
    let stored = StoredTasks::read(draft, &workflow.id)?;
    let mut was_at_work = false;
    for task in stored.tasks.iter().filter_map(task::Task::interrupted) {
        was_at_work = true;
        if let Some(agent) = &task.agent {
            agents::leave(draft, agent, workflow, &task.id)?;
        }
        stored.put(draft, task);
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
    let mut stored = StoredTasks::read(draft, &workflow.id)?;
    let restored = task::restore(std::mem::take(&mut stored.tasks), then);
    for task in restored.tasks {
        stored.put(draft, task);
    }
    for id in &restored.removed {
        stored.remove(draft, id);
    }
    Ok(())
}
