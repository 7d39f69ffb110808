//! A task: how a client reports it, and which triggers lead to the state that it reports.

use model::agent::Timestamp;
use model::workflow::{TaskState, TaskStatus, TaskTrigger};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The highest level of a capability.
pub const MAX_LEVEL: u64 = 10;

/// A task as a client sends it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskInput {
    /// Its ID.
    pub id: String,
    /// What is to be done.
    pub description: Option<String>,
    /// What kind of agent does it.
    pub kind: Option<String>,
    /// How far it has come.
    pub named: Option<ReportedState>,
    /// The tasks that must be done before.
    pub needs: Option<Vec<String>>,
    /// What its agent must be able to do.
    pub capabilities: Option<Vec<String>>,
    /// How well, from 1 to [`MAX_LEVEL`].
    pub min_level: Option<i64>,
    /// Its agent.
    pub agent: Option<String>,
    /// When it is to be done, in milliseconds since 1970.
    pub due: Option<i64>,
    /// How long it may take, in milliseconds.
    pub estimate: Option<i64>,
    /// Its result.
    pub result: Option<Value>,
    /// Why it has failed.
    pub error: Option<String>,
    /// Why it cannot be done.
    pub reason: Option<String>,
}

/// How far a task has come, as its reporter puts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedState {
    /// A state of the machine.
    State(TaskState),
    /// A word that stands for several states.
    Status(TaskStatus),
}

impl ReportedState {
    /// Whether it says that the task has not begun.
    pub fn is_beginning(self) -> bool {
        matches!(self, Self::State(TaskState::Created | TaskState::Ready))
            || matches!(self, Self::Status(TaskStatus::Pending | TaskStatus::Ready))
    }

    /// How far the task is to come that has come so far; `None` if it says nothing new. A word stands for several states.
    pub fn beyond(self, now: TaskState) -> Option<TaskState> {
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

impl TaskInput {
    /// Reads a task.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(task: &Value) -> Result<Self, String> {
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
}

/// A task of a list, and the tasks that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskNeeds<'a> {
    /// Its ID.
    pub id: &'a str,
    /// Their IDs.
    pub needs: Vec<String>,
}

/// Returns the places of the tasks, what another needs before that; without those that need themselves, be it by way of others.
pub fn in_order(tasks: &[TaskNeeds<'_>]) -> Vec<usize> {
    let places: HashMap<&str, usize> = (0..).zip(tasks).map(|(at, task)| (task.id, at)).collect();
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

/// Checks that every task that is needed is there, and none needs itself, be it by way of others.
///
/// # Errors
///
/// Which task is missing, or needs itself.
pub fn check_needs(tasks: &[TaskNeeds<'_>]) -> Result<(), String> {
    let known: HashSet<&str> = tasks.iter().map(|task| task.id).collect();
    for task in tasks {
        if let Some(missing) = task.needs.iter().find(|needed| !known.contains(needed.as_str())) {
            return Err(format!("{} depends on {missing}, which does not exist", task.id));
        }
    }
    let order: HashSet<usize> = in_order(tasks).into_iter().collect();
    match tasks.iter().enumerate().find(|(at, _)| !order.contains(at)) {
        Some((_, task)) => Err(format!("{} depends on itself", task.id)),
        None => Ok(()),
    }
}

/// Returns the triggers that lead from one state to another: the shortest path, filling in steps that the driver may have
/// skipped. `None` if there is none.
pub fn path(from: TaskState, to: TaskState) -> Option<Vec<TaskTrigger>> {
    use TaskState::{
        DispatchFailed, Dispatched, Dispatching, Done, ExecutionSucceeded, Ready, Reviewing, ReworkRequired,
        Running,
    };
    // A result ends an attempt: beyond it there is only what is thought of it.
    let is_passed = |state: TaskState| match state {
        Ready | Dispatching | Dispatched | Running => true,
        ExecutionSucceeded => matches!(to, Reviewing | Done | ReworkRequired),
        Reviewing => matches!(to, Done | ReworkRequired),
        DispatchFailed => to == TaskState::Blocked,
        _ => false,
    };
    let mut ways = vec![(from, Vec::new())];
    let mut seen = HashSet::from([from]);
    let mut at = 0;
    while at < ways.len() {
        let (state, way) = ways[at].clone();
        if state == to {
            return Some(way);
        }
        for trigger in TaskTrigger::ALL {
            // Clients cannot assert this.
            if *trigger != TaskTrigger::DepsSatisfied
                && let Some(next) = state.next(*trigger).filter(|next| *next == to || is_passed(*next))
                && seen.insert(next)
            {
                let mut way = way.clone();
                way.push(*trigger);
                ways.push((next, way));
            }
        }
        at += 1;
    }
    None
}
