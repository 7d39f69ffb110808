//! A task as a client reports it.

use protocol::agent::Timestamp;
use protocol::workflow::{TaskState, TaskStatus};
use serde_json::Value;

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
    pub reported: Option<ReportedState>,
    /// The tasks that must be done before.
    pub needs: Option<Vec<String>>,
    /// What its agent must be able to do.
    pub capabilities: Option<Vec<String>>,
    /// How well, from 1 to [`MAX_LEVEL`].
    pub min_level: Option<u64>,
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
    pub fn is_not_started(self) -> bool {
        matches!(self, Self::State(TaskState::Created | TaskState::Ready))
            || matches!(self, Self::Status(TaskStatus::Pending | TaskStatus::Ready))
    }

    /// Returns the state to advance to from `now`; `None` if it says nothing new. A word stands for several states.
    pub fn target_from(self, now: TaskState) -> Option<TaskState> {
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
        let reported = match (text("fsmState")?, text("status")?) {
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
                let level = level.as_u64().filter(|level| (1..=MAX_LEVEL).contains(level));
                Some(level.ok_or(format!("minLevel must be a number from 1 to {MAX_LEVEL}"))?)
            }
        };
        Ok(Self {
            id: id.ok_or("id must be a string of 1 to 128 bytes")?,
            description: text("description")?,
            kind,
            reported,
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
