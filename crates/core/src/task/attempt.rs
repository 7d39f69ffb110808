//! Attempts at tasks: dispatching, accepting, rejecting, retrying, interrupting and restoring them.

use super::{Task, newly_ready};
use crate::Millis;
use protocol::agent::Timestamp;
use protocol::workflow::api::TaskProgressEntry;
use protocol::workflow::{TaskState, TaskTrigger};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Beginning of the error of a task that no agent has accepted.
const UNDELIVERED_PREFIX: &str = "DISPATCH_FAILED: ";

impl Task {
    /// Returns the task with its result accepted; `None` if it has none to accept.
    pub fn accepted(&self) -> Option<Self> {
        let state = self.under_review().next(TaskTrigger::ReviewPass)?;
        Some(Self { state, ..self.clone() })
    }

    /// Returns the task reopened, with its result rejected; `None` if it has none to reject. `named` are the tasks that the
    /// review names; `None` if it rejects all.
    pub fn rejected(&self, named: Option<&[Value]>) -> Option<Self> {
        let is_named = |names: &[Value]| names.iter().any(|name| name.as_str() == Some(&self.id));
        let rework = self.under_review().next(TaskTrigger::ReviewReject);
        let state = rework.filter(|_| named.is_none_or(is_named))?.next(TaskTrigger::ReplanOrRetry)?;
        Some(Self { state, rejections: self.rejections + 1, ..self.clone() })
    }

    fn under_review(&self) -> TaskState {
        self.state.next(TaskTrigger::ReviewRequested).unwrap_or(self.state)
    }

    /// Returns the task ready for another attempt; `None` if it has not failed.
    pub fn retried(&self) -> Option<Self> {
        let state = self.state.next(TaskTrigger::RetryOrReassign)?;
        Some(Self { state, ..self.clone() })
    }

    /// Returns the same also for a task that could not be done.
    pub fn retried_on_request(&self) -> Option<Self> {
        let is_blocked = self.state == TaskState::Blocked;
        self.retried().or_else(|| is_blocked.then(|| Self { state: TaskState::Ready, ..self.clone() }))
    }

    /// Returns the task sent to an agent, as an attempt with this ID; `None` if it is not ready.
    pub fn dispatched(&self, agent: &str, dispatch: String) -> Option<Self> {
        let state = self.state.next(TaskTrigger::OrchestratorDispatch)?;
        let mut task = Self { state, agent: Some(agent.to_owned()), ..self.clone() };
        task.begin_attempt(dispatch);
        Some(task)
    }

    /// Returns the task ready to be sent again, after its agent has not accepted it: `why` is the trigger, `words` are the
    /// message. `None` if it is not on its way to an agent.
    pub fn undelivered(&self, why: TaskTrigger, words: &str, now: Millis) -> Option<Self> {
        let state = self.state.next(why)?.next(TaskTrigger::RecoverableRetry)?;
        let error = format!("{UNDELIVERED_PREFIX}{words}");
        Some(Self { state, finished: Some(now), error: Some(error), ..self.clone() })
    }

    /// Whether no agent has accepted the task in all attempts. It is then sent again only on request.
    pub fn is_undeliverable(&self, retries: i64) -> bool {
        let is_undelivered = |error: &String| error.starts_with(UNDELIVERED_PREFIX);
        self.attempt > retries && self.error.as_ref().is_some_and(is_undelivered)
    }

    /// Returns the task without its agent's work; `None` if no agent has it.
    pub fn interrupted(&self) -> Option<Self> {
        let is_in_flight = self.state.is_in_flight();
        is_in_flight.then(|| Self { state: self.state.interrupted(), started: None, ..self.clone() })
    }
}

/// The tasks of a workflow as they were at a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredTasks {
    /// All tasks of the workflow.
    pub tasks: Vec<Task>,
    /// IDs of the tasks that did not exist at the checkpoint.
    pub removed: Vec<String>,
}

/// Restores the tasks of a checkpoint: results stay, and everything else can begin. No task is in progress.
pub fn restore(known: Vec<Task>, then: &[TaskProgressEntry]) -> RestoredTasks {
    let mut next = known.iter().map(|task| task.no).max().unwrap_or_default() + 1;
    let mut known: HashMap<String, Task> = known.into_iter().map(|task| (task.id.clone(), task)).collect();
    let mut tasks = Vec::with_capacity(then.len());
    for entry in then {
        let task = known.remove(&entry.task_id).unwrap_or_else(|| {
            next += 1;
            Task { no: next - 1, ..Task::new(&entry.task_id) }
        });
        tasks.push(task.restored(entry));
    }
    let removed = known.into_keys().collect();
    let ready = newly_ready(&tasks);
    let ready: HashSet<&str> = ready.iter().map(|task| &*task.id).collect();
    for task in tasks.iter_mut().filter(|task| ready.contains(&*task.id)) {
        task.state = TaskState::Ready;
    }
    RestoredTasks { tasks, removed }
}

impl Task {
    fn restored(self, entry: &TaskProgressEntry) -> Self {
        let time = |text: &Option<String>| Some(text.as_deref()?.parse::<Timestamp>().ok()?.unix_millis());
        let came = |key: &str| entry.result.as_ref()?.get(key).cloned();
        let mut task = Self {
            description: entry.description.clone(),
            kind: entry.kind.clone().unwrap_or(self.kind),
            state: match &*entry.status {
                "completed" => TaskState::ExecutionSucceeded,
                "failed" => TaskState::ExecutionFailed,
                _ => TaskState::Created,
            },
            needs: entry.dependencies.clone().unwrap_or(self.needs),
            capabilities: entry.required_capabilities.clone().unwrap_or(self.capabilities),
            min_level: entry.min_level,
            agent: entry.assigned_agent.clone(),
            // The changes since the checkpoint are undone: the attempt does not continue.
            dispatch: None,
            attempt: i64::try_from(entry.iteration_count).unwrap_or(i64::MAX),
            started: None,
            finished: None,
            result: None,
            error: None,
            ..self
        };
        if task.state != TaskState::Created {
            (task.started, task.finished) = (time(&entry.started_at), time(&entry.completed_at));
            task.result = came("output").map(|output| output.to_string());
            task.error = came("error").and_then(|error| error.as_str().map(str::to_owned));
        }
        task
    }
}
