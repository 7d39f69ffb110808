//! Lists of tasks that a client sends, with their states.

use super::advance::{ChangeSummary, TaskReport, advance, unblock};
use super::blank;
use crate::agents;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::rows;
use aide_core::TriggerPayload;
use aide_core::task::{self, ReportedState, TaskInput, TaskNeeds};
use journal::{Task, Workflow};
use model::workflow::{Refusal, TaskState, TaskStatus, TaskTrigger, Trigger};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// How many tasks a workflow may have.
const MAX_TASKS: usize = 1000;

/// What a list of tasks says that is still to happen.
#[derive(Default)]
pub(crate) struct TaskListUpdate {
    /// Whether there are others than before.
    pub(crate) is_other_plan: bool,
    /// The tasks that have advanced, or must be begun again.
    changes: Vec<TaskChange>,
}

/// The new state of a task.
struct TaskChange {
    id: String,
    to: TaskState,
    said: TaskReport,
}

/// Takes the tasks that a client sends: a new plan replaces the previous tasks, otherwise they are added. Their states are not
/// taken but returned: the state machine of tasks decides about them, see [`bring`].
pub(crate) fn take(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    payload: &TriggerPayload,
) -> Result<TaskListUpdate, Failure> {
    let Some(tasks) = payload.tasks() else {
        return Ok(TaskListUpdate::default());
    };
    let invalid = |words: String| Failure::from(Refusal::invalid(words, "context.tasks"));
    let Value::Array(tasks) = tasks else { return Err(invalid("tasks must be an array".to_owned())) };
    let is_replaced = trigger == Trigger::PlanCreated;
    let mut known: HashMap<String, Task> =
        draft.tasks(&workflow.id)?.into_iter().map(|task| (task.id.clone(), task)).collect();
    let mut next = known.values().map(|task| task.no).max().unwrap_or_default() + 1;
    let mut rows = Vec::with_capacity(tasks.len());
    let mut named = HashSet::new();
    let mut taken = TaskListUpdate::default();
    let mut dropped = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        let brought = TaskInput::read(task).map_err(|words| invalid(format!("tasks[{number}]: {words}")))?;
        if !named.insert(brought.id.clone()) {
            return Err(invalid(format!("tasks[{number}]: duplicate id {}", brought.id)));
        }
        let mut before = known.remove(&brought.id);
        taken.is_other_plan |= before.is_none();
        if is_replaced
            && brought.named.is_some_and(ReportedState::is_beginning)
            && let Some(task) =
                before.take_if(|task| !matches!(task.state, TaskState::Created | TaskState::Ready))
        {
            // Planned anew: only the name is the same.
            before = Some(Task { version: task.version, no: task.no, ..blank(workflow, &task.id) });
            dropped.push(task);
        }
        rows.push(row_of(brought, before, workflow, &mut next, &mut taken.changes));
    }
    if is_replaced {
        dropped.extend(known.into_values());
    } else {
        rows.extend(known.into_values());
    }
    if rows.len() > MAX_TASKS {
        return Err(invalid(format!("more than {MAX_TASKS} tasks")));
    }
    task::check_needs(&needs_of(&rows)).map_err(invalid)?;
    for task in dropped {
        if let Some(agent) = task.agent.as_ref().filter(|_| task.state.is_in_flight()) {
            agents::leave(draft, agent, workflow, &task.id)?;
        }
        if !named.contains(&task.id) {
            draft.remove(Task::key_of(&workflow.id, &task.id));
        }
    }
    for row in rows {
        draft.put(row);
    }
    unblock(draft, workflow)?;
    Ok(taken)
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
    let mut tasks = draft.tasks(&workflow.id)?;
    let mut done: HashSet<String> = HashSet::new();
    // A task may need the result of another one, whatever their order in the list.
    let order = task::in_order(&needs_of(&tasks));
    for at in order {
        let task = &mut tasks[at];
        if let Some(change) = changes.remove(&task.id) {
            if task.state == TaskState::Created
                && rows::names(&task.needs).iter().all(|need| done.contains(need))
            {
                task.state = task.state.next(TaskTrigger::DepsSatisfied).unwrap_or(task.state);
            }
            *task = advance(draft, workflow, task.clone(), change.to, trigger, &change.said, &mut outcome)?;
        }
        if task.state.simple() == TaskStatus::Completed {
            done.insert(task.id.clone());
        }
    }
    unblock(draft, workflow)?;
    Ok(outcome)
}

/// The tasks with what each of them needs.
fn needs_of(tasks: &[Task]) -> Vec<TaskNeeds<'_>> {
    tasks.iter().map(|task| TaskNeeds { id: &task.id, needs: rows::names(&task.needs) }).collect()
}

/// Checks a task that a client or an agent has sent.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_brought(task: &Value) -> Result<(), String> {
    TaskInput::read(task).map(drop)
}

/// The row that a task becomes: what the client does not say stays as it was, and how far it has come is for later.
fn row_of(
    input: TaskInput,
    known: Option<Task>,
    workflow: &Workflow,
    next: &mut i64,
    changes: &mut Vec<TaskChange>,
) -> Task {
    let json = |names: &[String]| Value::from(names).to_string();
    let mut row = known.unwrap_or_else(|| {
        let no = *next;
        *next += 1;
        Task { no, ..blank(workflow, &input.id) }
    });
    let TaskInput {
        id,
        description,
        kind,
        named,
        needs,
        capabilities,
        min_level,
        agent,
        due,
        estimate,
        result,
        error,
        reason,
    } = input;
    row.description = description.unwrap_or(row.description);
    row.kind = kind.unwrap_or(row.kind);
    row.needs = needs.as_deref().map(json).unwrap_or(row.needs);
    row.capabilities = capabilities.as_deref().map(json).unwrap_or(row.capabilities);
    row.min_level = min_level.or(row.min_level);
    row.due = due.or(row.due);
    row.estimate = estimate.or(row.estimate);
    let result = result.map(|result| result.to_string());
    match named.and_then(|named| named.beyond(row.state)) {
        Some(to) => changes.push(TaskChange {
            id,
            to,
            said: TaskReport { agent, result, error, reason, retryable: None },
        }),
        // Another agent has the task now.
        None if row.state.is_in_flight() && agent.is_some() && agent != row.agent => {
            changes.push(TaskChange {
                id,
                to: row.state,
                said: TaskReport { agent, ..TaskReport::default() },
            });
        }
        None => {
            row.agent = agent.or(row.agent);
            row.result = result.or(row.result);
            row.error = error.or(row.error);
        }
    }
    row
}
