//! Lists of tasks that a client sends, with their states.

use super::advance::{ChangeSummary, advance, unblock};
use super::stored::StoredTasks;
use crate::agents;
use crate::draft::Draft;
use crate::failure::Failure;
use aide_core::TriggerPayload;
use aide_core::task::{self, TaskChange, TaskInput};
use journal::Workflow;
use model::workflow::{Refusal, TaskStatus, Trigger};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// What a list of tasks says that is still to happen.
#[derive(Default)]
pub(crate) struct TaskListUpdate {
    /// Whether there are others than before.
    pub(crate) is_other_plan: bool,
    /// The tasks that have advanced, or must be begun again.
    changes: Vec<TaskChange>,
}

/// Takes the tasks that a client sends: a new plan replaces the previous tasks, otherwise they are added. Their states are not
/// taken but returned: the state machine of tasks decides about them, see [`bring`].
pub(crate) fn take(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    payload: &TriggerPayload,
) -> Result<TaskListUpdate, Failure> {
    let Some(list) = payload.tasks() else {
        return Ok(TaskListUpdate::default());
    };
    let mut stored = StoredTasks::read(draft, &workflow.id)?;
    let known = std::mem::take(&mut stored.tasks);
    let taken = task::apply_list(known, list, trigger == Trigger::PlanCreated)
        .map_err(|words| Refusal::invalid(words, "context.tasks"))?;
    for task in taken.replaced.iter().chain(&taken.removed) {
        if let Some(agent) = task.agent.as_ref().filter(|_| task.state.is_in_flight()) {
            agents::leave(draft, agent, workflow, &task.id)?;
        }
    }
    for task in &taken.removed {
        stored.remove(draft, &task.id);
    }
    for task in taken.tasks {
        stored.put(draft, task);
    }
    unblock(draft, workflow)?;
    Ok(TaskListUpdate { is_other_plan: taken.is_other_plan, changes: taken.changes })
}

/// Applies the states in a list of tasks: each task gets to its state by the transitions of the state machine.
pub(crate) fn bring(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    taken: TaskListUpdate,
) -> Result<ChangeSummary, Failure> {
    let mut outcome = ChangeSummary::default();
    if taken.changes.is_empty() {
        return Ok(outcome);
    }
    let mut changes: HashMap<String, TaskChange> =
        taken.changes.into_iter().map(|change| (change.id.clone(), change)).collect();
    let stored = StoredTasks::read(draft, &workflow.id)?;
    let mut done: HashSet<&str> = HashSet::new();
    // A task may need the result of another one, whatever their order in the list.
    for at in task::topological_order(&stored.tasks) {
        let task = &stored.tasks[at];
        let state = match changes.remove(&task.id) {
            Some(change) => {
                let before = task.clone().unblocked(|id| done.contains(id));
                let after =
                    advance(draft, workflow, &before, change.to, trigger, &change.report, &mut outcome)?;
                let state = after.state;
                stored.put(draft, after);
                state
            }
            None => task.state,
        };
        if state.simple() == TaskStatus::Completed {
            done.insert(&task.id);
        }
    }
    unblock(draft, workflow)?;
    Ok(outcome)
}

/// Checks a task that a client or an agent has sent.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_brought(task: &Value) -> Result<(), String> {
    TaskInput::read(task).map(drop)
}
