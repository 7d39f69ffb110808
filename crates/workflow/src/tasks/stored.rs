//! The rows of tasks as values, and back.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::rows;
use aide_core::task;
use journal::Task;
use serde_json::Value;
use std::collections::HashMap;

/// The tasks of a workflow, in its order, and the versions of their rows.
pub(crate) struct StoredTasks {
    workflow: String,
    pub(crate) tasks: Vec<task::Task>,
    versions: HashMap<String, i64>,
}

impl StoredTasks {
    /// Reads the tasks of a workflow, including those that were written in this draft.
    pub(crate) fn read(draft: &Draft<'_>, workflow: &str) -> Result<Self, Failure> {
        Ok(Self::of_rows(workflow, draft.tasks(workflow)?))
    }

    /// Reads one task of a workflow.
    pub(crate) fn read_one(draft: &Draft<'_>, workflow: &str, id: &str) -> Result<Self, Failure> {
        let row = draft.row::<Task>(&Task::key_of(workflow, id))?;
        Ok(Self::of_rows(workflow, row))
    }

    /// Returns the task of a row that was read.
    pub(crate) fn of_row(row: &Task) -> Self {
        Self::of_rows(&row.workflow, [row.clone()])
    }

    fn of_rows(workflow: &str, rows: impl IntoIterator<Item = Task>) -> Self {
        let mut versions = HashMap::new();
        let value = |row: Task| {
            versions.insert(row.id.clone(), row.version);
            value_of(row)
        };
        let tasks = rows.into_iter().map(value).collect();
        Self { workflow: workflow.to_owned(), tasks, versions }
    }

    /// Writes a task, which is new if it was not read.
    pub(crate) fn put(&self, draft: &mut Draft<'_>, task: task::Task) {
        let version = self.versions.get(&task.id).copied().unwrap_or_default();
        draft.put(row_of(&self.workflow, task, version));
    }

    /// Writes the tasks that a rule changes.
    pub(crate) fn change(&self, draft: &mut Draft<'_>, rule: impl Fn(&task::Task) -> Option<task::Task>) {
        for task in self.tasks.iter().filter_map(rule) {
            self.put(draft, task);
        }
    }

    /// Removes a task.
    pub(crate) fn remove(&self, draft: &mut Draft<'_>, id: &str) {
        draft.remove(Task::key_of(&self.workflow, id));
    }
}

/// Returns the value of a row.
pub(crate) fn task_of(row: &Task) -> task::Task {
    value_of(row.clone())
}

fn value_of(row: Task) -> task::Task {
    task::Task {
        id: row.id,
        no: row.no,
        description: row.description,
        kind: row.kind,
        state: row.state,
        needs: rows::names(&row.needs),
        capabilities: rows::names(&row.capabilities),
        min_level: row.min_level.and_then(|level| u64::try_from(level).ok()),
        agent: row.agent,
        dispatch: row.dispatch,
        attempt: row.attempt,
        rejections: row.rejections,
        due: row.due,
        estimate: row.estimate,
        started: row.started,
        finished: row.finished,
        result: row.result,
        error: row.error,
    }
}

fn row_of(workflow: &str, task: task::Task, version: i64) -> Task {
    Task {
        workflow: workflow.to_owned(),
        id: task.id,
        no: task.no,
        description: task.description,
        kind: task.kind,
        state: task.state,
        needs: Value::from(task.needs).to_string(),
        capabilities: Value::from(task.capabilities).to_string(),
        min_level: task.min_level.and_then(|level| i64::try_from(level).ok()),
        agent: task.agent,
        dispatch: task.dispatch,
        attempt: task.attempt,
        rejections: task.rejections,
        due: task.due,
        estimate: task.estimate,
        started: task.started,
        finished: task.finished,
        result: task.result,
        error: task.error,
        version,
    }
}
