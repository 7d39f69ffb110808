//! The state of a workflow as a value: how it is read from the rows of a draft, and how its events are written back.

use crate::agents;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::rows;
use aide_core::{Context, Event, Moment, Scope, Scratch, State, task};
use journal::{Agent, Query, Task, Workflow};
use model::workflow::Refusal;
use serde_json::Value;
use std::collections::HashMap;

/// Changes the state of a workflow: `change` makes the events, which are written into the draft.
pub(crate) fn change<T>(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    change: impl FnOnce(&mut Scratch) -> Result<T, Refusal>,
) -> Result<T, Failure> {
    change_reported(draft, workflow, None, change)
}

/// The same for a change that depends on the number of the last step of the task `reported`.
pub(crate) fn change_reported<T>(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    reported: Option<&str>,
    change: impl FnOnce(&mut Scratch) -> Result<T, Refusal>,
) -> Result<T, Failure> {
    let (state, rows) = load(draft, workflow, reported)?;
    let mut scratch = Scratch::new(state, Moment { now: draft.now(), seed: draft.world().random() });
    let result = change(&mut scratch)?;
    write(draft, workflow, &rows, scratch.into_events());
    Ok(result)
}

/// What rows hold besides the values that were read from them.
struct Rows {
    /// The versions of the tasks.
    tasks: HashMap<String, i64>,
    agents: HashMap<String, Agent>,
}

fn load(draft: &Draft<'_>, workflow: &Workflow, reported: Option<&str>) -> Result<(State, Rows), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let agents = draft.find(&Query::agents())?;
    let pool = agents.iter().map(agents::agent_of).collect();
    let rows = Rows {
        tasks: tasks.iter().map(|task| (task.id.clone(), task.version)).collect(),
        agents: agents.into_iter().map(|agent| (agent.id.clone(), agent)).collect(),
    };
    let state = State {
        workflow: workflow_of(workflow),
        tasks: tasks.into_iter().map(into_task).collect(),
        decisions: Vec::new(),
        pool,
        last_round: reported.map_or(Ok(0), |task| draft.last_step(&workflow.id, task))?,
    };
    Ok((state, rows))
}

fn write(draft: &mut Draft<'_>, workflow: &Workflow, rows: &Rows, events: Vec<Event>) {
    for event in events {
        match event {
            Event::TaskChanged(task) => {
                let version = rows.tasks.get(&task.id).copied().unwrap_or_default();
                draft.put(task_row(&workflow.id, *task, version));
            }
            Event::TaskRemoved(id) => draft.remove(Task::key_of(&workflow.id, &id)),
            Event::AgentChanged(agent) => {
                if let Some(row) = rows.agents.get(&agent.id) {
                    agents::put(draft, row.clone(), *agent);
                }
            }
            Event::CheckpointDue => draft.keep(&workflow.id),
            Event::Published(scope, event) => draft.emit(scope_of(&scope), *event),
            _ => {}
        }
    }
}

fn scope_of(scope: &Scope) -> EventScope<'_> {
    EventScope {
        session: scope.session.as_deref(),
        workflow: scope.workflow.as_deref(),
        task: scope.task.as_deref(),
        agent: scope.agent.as_deref(),
    }
}

fn workflow_of(row: &Workflow) -> aide_core::Workflow {
    aide_core::Workflow {
        id: row.id.clone(),
        session: row.session.clone(),
        state: row.state,
        previous: row.previous,
        task: row.task.clone(),
        context: Context::read(&row.context),
        round: row.round,
        error: row.error.clone(),
        output: row.output.clone(),
        cancelled: row.cancelled,
        wake_at: row.wake_at,
        updated: row.updated,
    }
}

/// Returns the value of a row.
pub(crate) fn task_of(row: &Task) -> task::Task {
    into_task(row.clone())
}

fn into_task(row: Task) -> task::Task {
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

fn task_row(workflow: &str, task: task::Task, version: i64) -> Task {
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
