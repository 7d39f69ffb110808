//! Lists of tasks that a client or a planner sends.

use super::{ReportedState, Task, TaskInput, TaskReport};
use protocol::workflow::{TaskState, TaskStatus, TaskTrigger};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// How many tasks a workflow may have.
const MAX_TASKS: usize = 1000;

/// What a list makes of the tasks of a workflow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskListUpdate {
    /// All tasks of the workflow. Their states are still the previous ones.
    pub tasks: Vec<Task>,
    /// The tasks that are planned anew, as they were.
    pub replaced: Vec<Task>,
    /// The tasks that the workflow no longer has.
    pub removed: Vec<Task>,
    /// Whether there are tasks that the workflow did not have before.
    pub is_other_plan: bool,
    /// The tasks that advance.
    pub changes: Vec<TaskChange>,
}

/// A task that advances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskChange {
    /// Its ID.
    pub id: String,
    /// Its new state.
    pub to: TaskState,
    /// What the list says about it.
    pub report: TaskReport,
}

/// Takes a list: a new plan replaces the known tasks, any other list is merged into them. The states in the list become
/// [`TaskListUpdate::changes`]: only transitions lead there.
///
/// # Errors
///
/// What is wrong with the list.
pub fn apply_list(known: Vec<Task>, list: &Value, is_new_plan: bool) -> Result<TaskListUpdate, String> {
    let Value::Array(list) = list else { return Err("tasks must be an array".to_owned()) };
    let mut next = known.iter().map(|task| task.no).max().unwrap_or_default() + 1;
    let places: HashMap<String, usize> = known.iter().map(|task| task.id.clone()).zip(0..).collect();
    let mut known: Vec<Option<Task>> = known.into_iter().map(Some).collect();
    let mut named = HashSet::new();
    let mut taken = TaskListUpdate::default();
    for (number, task) in list.iter().enumerate() {
        let input = TaskInput::read(task).map_err(|words| format!("tasks[{number}]: {words}"))?;
        if !named.insert(input.id.clone()) {
            return Err(format!("tasks[{number}]: duplicate id {}", input.id));
        }
        let mut before = places.get(&input.id).and_then(|place| known[*place].take());
        taken.is_other_plan |= before.is_none();
        if is_new_plan
            && input.reported.is_some_and(ReportedState::is_not_started)
            && let Some(task) =
                before.take_if(|task| !matches!(task.state, TaskState::Created | TaskState::Ready))
        {
            // Planned anew: only the name is the same.
            before = Some(Task { no: task.no, ..Task::new(&task.id) });
            taken.replaced.push(task);
        }
        let before = before.unwrap_or_else(|| {
            next += 1;
            Task { no: next - 1, ..Task::new(&input.id) }
        });
        let (task, change) = before.described(input);
        taken.tasks.push(task);
        taken.changes.extend(change);
    }
    let left = known.into_iter().flatten();
    if is_new_plan {
        taken.removed.extend(left)
    } else {
        taken.tasks.extend(left)
    }
    if taken.tasks.len() > MAX_TASKS {
        return Err(format!("more than {MAX_TASKS} tasks"));
    }
    check_needs(&taken.tasks)?;
    Ok(taken)
}

impl Task {
    /// Returns the task as a client describes it, and its advance: members that the client does not send stay, and the state
    /// stays until the task advances.
    fn described(mut self, input: TaskInput) -> (Self, Option<TaskChange>) {
        let TaskInput {
            id,
            description,
            kind,
            reported,
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
        self.description = description.unwrap_or(self.description);
        self.kind = kind.unwrap_or(self.kind);
        self.needs = needs.unwrap_or(self.needs);
        self.capabilities = capabilities.unwrap_or(self.capabilities);
        self.min_level = min_level.or(self.min_level);
        self.due = due.or(self.due);
        self.estimate = estimate.or(self.estimate);
        let result = result.map(|result| result.to_string());
        if let Some(to) = reported.and_then(|reported| reported.target_from(self.state)) {
            let report = TaskReport { agent, result, error, reason, retryable: None };
            return (self, Some(TaskChange { id, to, report }));
        }
        if self.state.is_in_flight() && agent.is_some() && agent != self.agent {
            // Another agent has the task now.
            let report = TaskReport { agent, ..TaskReport::default() };
            let to = self.state;
            return (self, Some(TaskChange { id, to, report }));
        }
        self.agent = agent.or(self.agent);
        self.result = result.or(self.result);
        self.error = error.or(self.error);
        (self, None)
    }

    /// Returns the task in the state `ready` if it waits for other tasks, and all of them are done.
    #[must_use]
    pub fn unblocked(self, is_done: impl Fn(&str) -> bool) -> Self {
        match self.state.next(TaskTrigger::DepsSatisfied) {
            Some(state) if self.needs_are_met(is_done) => Self { state, ..self },
            _ => self,
        }
    }
}

/// Returns the tasks that wait for others, all of which are done: in their new state.
pub fn newly_ready(tasks: &[Task]) -> Vec<Task> {
    let done = tasks.iter().filter(|task| task.state.simple() == TaskStatus::Completed);
    let done: HashSet<&str> = done.map(|task| &*task.id).collect();
    let waiting = tasks.iter().filter(|task| task.state == TaskState::Created);
    let unblocked = waiting.map(|task| task.clone().unblocked(|id| done.contains(id)));
    unblocked.filter(|task| task.state != TaskState::Created).collect()
}

/// Returns the places of the tasks, each after those that it needs; without those that need themselves, directly or through
/// others.
pub fn topological_order(tasks: &[Task]) -> Vec<usize> {
    let places: HashMap<&str, usize> = (0..).zip(tasks).map(|(at, task)| (&*task.id, at)).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut left: Vec<usize> = Vec::with_capacity(tasks.len());
    for (at, task) in tasks.iter().enumerate() {
        let needs: Vec<usize> = task.needs.iter().filter_map(|id| places.get(&**id).copied()).collect();
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

/// Checks that every task that is needed exists, and that none needs itself, directly or through others.
///
/// # Errors
///
/// Which task is missing, or needs itself.
pub fn check_needs(tasks: &[Task]) -> Result<(), String> {
    let known: HashSet<&str> = tasks.iter().map(|task| &*task.id).collect();
    for task in tasks {
        if let Some(missing) = task.needs.iter().find(|needed| !known.contains(needed.as_str())) {
            return Err(format!("{} depends on {missing}, which does not exist", task.id));
        }
    }
    let order: HashSet<usize> = topological_order(tasks).into_iter().collect();
    match tasks.iter().enumerate().find(|(at, _)| !order.contains(at)) {
        Some((_, task)) => Err(format!("{} depends on itself", task.id)),
        None => Ok(()),
    }
}
