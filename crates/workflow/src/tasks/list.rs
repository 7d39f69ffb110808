//! Lists of tasks that a client sends, with their states.

use super::advance::{ChangeSummary, TaskReport, advance, unblock};
use super::blank;
use crate::agents;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::requirement::MAX_LEVEL;
use crate::rows;
use aide_core::TriggerPayload;
use journal::{Millis, Task, Workflow};
use model::agent::Timestamp;
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
        rows.push(brought.onto(before, workflow, &mut next, &mut taken.changes));
    }
    if is_replaced {
        dropped.extend(known.into_values());
    } else {
        rows.extend(known.into_values());
    }
    if rows.len() > MAX_TASKS {
        return Err(invalid(format!("more than {MAX_TASKS} tasks")));
    }
    check(&rows).map_err(invalid)?;
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
    for at in in_order(&tasks) {
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

/// The places of the tasks, what another needs before that; without those that need themselves, be it by way of others.
fn in_order(tasks: &[Task]) -> Vec<usize> {
    let places: HashMap<&str, usize> = (0..).zip(tasks).map(|(at, task)| (&*task.id, at)).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut left: Vec<usize> = Vec::with_capacity(tasks.len());
    for (at, task) in tasks.iter().enumerate() {
        let needs: Vec<usize> =
            rows::names(&task.needs).iter().filter_map(|id| places.get(&**id).copied()).collect();
        left.push(needs.len());
        needs.into_iter().for_each(|need| dependents[need].push(at));
    }
    let mut order: Vec<usize> = (0..tasks.len()).filter(|at| left[*at] == 0).collect();
    let mut next = 0;
    while let Some(at) = order.get(next).copied() {
        next += 1;
        for dependent in &dependents[at] {
            left[*dependent] -= 1;
            if left[*dependent] == 0 {
                order.push(*dependent);
            }
        }
    }
    order
}

/// A task as a client sends it.
struct TaskInput {
    id: String,
    description: Option<String>,
    kind: Option<String>,
    named: Option<ReportedState>,
    needs: Option<Vec<String>>,
    capabilities: Option<Vec<String>>,
    min_level: Option<i64>,
    agent: Option<String>,
    due: Option<Millis>,
    estimate: Option<i64>,
    result: Option<Value>,
    error: Option<String>,
    reason: Option<String>,
}

/// How far a task has come, as its reporter puts it.
#[derive(Clone, Copy)]
enum ReportedState {
    State(TaskState),
    Status(TaskStatus),
}

impl ReportedState {
    /// Whether it says that the task has not begun.
    fn is_beginning(self) -> bool {
        matches!(self, Self::State(TaskState::Created | TaskState::Ready))
            || matches!(self, Self::Status(TaskStatus::Pending | TaskStatus::Ready))
    }

    /// How far the task is to come that has come so far; `None` if it says nothing new. A word stands for several states.
    fn beyond(self, now: TaskState) -> Option<TaskState> {
        let (is_so, state) = match self {
            Self::State(state) => (state == now, state),
            Self::Status(TaskStatus::Pending) => {
                (matches!(now, TaskState::Created | TaskState::Ready), TaskState::Created)
            }
            Self::Status(TaskStatus::InProgress) => (now == TaskState::Running, TaskState::Running),
            Self::Status(status) => (
                now.simple() == status,
                match status {
                    TaskStatus::Completed => TaskState::ExecutionSucceeded,
                    TaskStatus::Failed => TaskState::ExecutionFailed,
                    TaskStatus::Blocked => TaskState::Blocked,
                    _ => TaskState::Ready,
                },
            ),
        };
        (!is_so).then_some(state)
    }
}

/// Checks a task that a client or an agent has sent.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_brought(task: &Value) -> Result<(), String> {
    TaskInput::read(task).map(drop)
}

impl TaskInput {
    fn read(task: &Value) -> Result<Self, String> {
        let task = task.as_object().ok_or("must be an object")?;
        let text = |key: &str| match task.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{key} must be a string")),
        };
        let names = |key: &str| match task.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(names)) => {
                let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                names
                    .collect::<Option<Vec<_>>>()
                    .map(Some)
                    .ok_or(format!("{key} must be an array of strings"))
            }
            Some(_) => Err(format!("{key} must be an array of strings")),
        };
        let id = text("id")?.filter(|id| !model::is_blank(id) && id.len() <= 128);
        let kind = text("type")?;
        if kind.as_deref().is_some_and(|kind| !matches!(kind, "executor" | "reviewer")) {
            return Err("type must be executor or reviewer".to_owned());
        }
        let named = match (text("fsmState")?, text("status")?) {
            (Some(name), _) => {
                Some(ReportedState::State(TaskState::named(&name).ok_or(format!("{name} is no fsmState"))?))
            }
            (None, Some(name)) => {
                Some(ReportedState::Status(TaskStatus::named(&name).ok_or(format!("{name} is no status"))?))
            }
            (None, None) => None,
        };
        let due = match text("deadline")? {
            Some(time) => {
                Some(time.parse::<Timestamp>().map_err(|error| format!("deadline: {error}"))?.unix_millis())
            }
            None => None,
        };
        let estimate = match task.get("estimatedDuration") {
            None | Some(Value::Null) => None,
            Some(number) => {
                let number = number.as_i64().filter(|number| *number >= 0);
                Some(number.ok_or("estimatedDuration must be a number of milliseconds")?)
            }
        };
        let min_level = match task.get("minLevel") {
            None | Some(Value::Null) => None,
            Some(level) => {
                let level = level.as_i64().filter(|level| (1..=MAX_LEVEL as i64).contains(level));
                Some(level.ok_or(format!("minLevel must be a number from 1 to {MAX_LEVEL}"))?)
            }
        };
        Ok(Self {
            id: id.ok_or("id must be a string of 1 to 128 bytes")?,
            description: text("description")?,
            kind,
            named,
            needs: names("dependencies")?,
            capabilities: names("requiredCapabilities")?,
            min_level,
            agent: text("assignee")?,
            due,
            estimate,
            result: task.get("result").filter(|result| !result.is_null()).cloned(),
            error: text("error")?,
            reason: text("reason")?,
        })
    }

    /// The row that it becomes: what it does not say stays as it was, and how far it has come is for later.
    fn onto(
        self,
        known: Option<Task>,
        workflow: &Workflow,
        next: &mut i64,
        changes: &mut Vec<TaskChange>,
    ) -> Task {
        let json = |names: &[String]| Value::from(names).to_string();
        let mut row = known.unwrap_or_else(|| {
            let no = *next;
            *next += 1;
            Task { no, ..blank(workflow, &self.id) }
        });
        let Self {
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
        } = self;
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
}

/// That every task that is needed is there, and none needs itself, be it by way of others.
fn check(tasks: &[Task]) -> Result<(), String> {
    let known: HashSet<&str> = tasks.iter().map(|task| &*task.id).collect();
    for task in tasks {
        if let Some(missing) = rows::names(&task.needs).iter().find(|needed| !known.contains(needed.as_str()))
        {
            return Err(format!("{} depends on {missing}, which does not exist", task.id));
        }
    }
    let order: HashSet<usize> = in_order(tasks).into_iter().collect();
    match tasks.iter().enumerate().find(|(at, _)| !order.contains(at)) {
        Some((_, task)) => Err(format!("{} depends on itself", task.id)),
        None => Ok(()),
    }
}
