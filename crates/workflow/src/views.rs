//! Workflows as they are told of.

use crate::draft::{Draft, iso};
use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::{steer, tasks, waiting};
use journal::{Cell, Count, Find, Task, ViewExt as _, Workflow};
use model::workflow::api::{
    AgentSnapshot, PhaseEntry, Snapshots, StateSnapshot, TaskNode, TaskSnapshot, WorkflowOutput,
    WorkflowSummary,
};
use model::workflow::{ErrorCode, EventType, PhaseTransition, Refusal, TaskState, TaskStatus, Trigger};
use serde_json::Value;
use std::collections::HashMap;

impl Runtime {
    /// Returns all workflows, what changed last first.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn workflows(&self) -> Result<Vec<WorkflowSummary>, Failure> {
        let view = self.journal.view()?;
        let mut counts: HashMap<String, Counts> = HashMap::new();
        for (cells, count) in view.count(&Count::TASKS)? {
            if let [Cell::Text(workflow), Cell::Text(state)] = &cells[..]
                && let Some(state) = TaskState::named(state)
            {
                counts
                    .entry(workflow.clone())
                    .or_default()
                    .add(state, u64::try_from(count).unwrap_or_default());
            }
        }
        let workflows = view.find(&Find::workflows())?;
        Ok(workflows
            .iter()
            .map(|row| summary(row, counts.get(&row.id).copied().unwrap_or_default()))
            .collect())
    }

    /// Returns a workflow.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn workflow(&self, id: &str) -> Result<WorkflowSummary, Failure> {
        let view = self.journal.view()?;
        let row = steer::find(&Draft::new(&*view, &*self.world), id)?;
        let mut counts = Counts::default();
        for task in view.find(&Find::tasks_of(id))? {
            counts.add(task.state, 1);
        }
        Ok(summary(&row, counts))
    }

    /// Returns everything about a workflow.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn state(&self, id: &str) -> Result<StateSnapshot, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let row = draft.look::<Workflow>(&Workflow::key_of(id))?;
        let missing =
            || Refusal::new(ErrorCode::WorkflowNotFound, "State snapshot not found").with("workflowId", id);
        self.snapshot(&draft, &row.ok_or_else(missing)?)
    }

    /// Returns everything about all workflows, what changed last first.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn states(&self) -> Result<Snapshots, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let rows = view.find(&Find::workflows())?;
        Ok(Snapshots {
            snapshots: rows.iter().map(|row| self.snapshot(&draft, row)).collect::<Result<_, _>>()?,
        })
    }

    fn snapshot(&self, draft: &Draft<'_>, row: &Workflow) -> Result<StateSnapshot, Failure> {
        let task = |task: &Task| TaskSnapshot {
            id: task.id.clone(),
            fsm_state: task.state,
            simplified_status: task.state.simple(),
            assignee: task.agent.clone(),
        };
        let agents = draft.find(&Find::agents_of(&row.id))?;
        let agents = agents.into_iter().map(|agent| AgentSnapshot {
            simplified_status: agent.state.simple().to_owned(),
            id: agent.id,
            fsm_state: agent.state,
        });
        Ok(StateSnapshot {
            workflow_id: row.id.clone(),
            session_id: row.session.clone(),
            fsm_state: row.state,
            simplified_status: row.state.simple(),
            previous_state: row.previous,
            tasks: draft.tasks(&row.id)?.iter().map(task).collect(),
            agents: agents.collect(),
            context: steer::shown_context(draft, row)?,
            user_task: row.task.clone(),
            round: u64::try_from(row.round).unwrap_or_default(),
            history: phases(draft, row)?,
            pending_decision: steer::pending_decision(draft, row)?,
            waiting_for: self.with_work(row, waiting::of(draft, row)?),
            output: output_of(row),
            error: row.error.clone(),
            timestamp: iso(row.updated),
        })
    }

    /// Returns the tasks of a workflow, in its order.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, or it cannot be read.
    pub fn tasks(&self, id: &str) -> Result<Vec<TaskNode>, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let workflow = steer::find(&draft, id)?;
        Ok(tasks::assigned(&workflow, &draft.tasks(id)?))
    }

    /// Returns what a workflow has come to.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, it has come to nothing yet, or it cannot be read.
    pub fn output(&self, id: &str) -> Result<WorkflowOutput, Failure> {
        let view = self.journal.view()?;
        let row = steer::find(&Draft::new(&*view, &*self.world), id)?;
        let missing =
            || Refusal::new(ErrorCode::OutputNotFound, "Workflow has no output").with("workflowId", id);
        let output = output_of(&row).ok_or_else(|| missing().at(row.state))?;
        let path = output.get("path").and_then(Value::as_str).map(str::to_owned);
        let output = match output.get("output") {
            Some(inner) if path.is_some() => inner.clone(),
            _ => output,
        };
        Ok(WorkflowOutput { workflow_id: row.id, output, path })
    }
}

#[derive(Default, Clone, Copy)]
pub(crate) struct Counts {
    all: u64,
    completed: u64,
    failed: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, state: TaskState, count: u64) {
        self.all += count;
        match state.simple() {
            TaskStatus::Completed => self.completed += count,
            TaskStatus::Failed => self.failed += count,
            _ => {}
        }
    }
}

pub(crate) fn output_of(row: &Workflow) -> Option<Value> {
    row.output.as_deref().and_then(|output| serde_json::from_str(output).ok())
}

pub(crate) fn summary(row: &Workflow, counts: Counts) -> WorkflowSummary {
    WorkflowSummary {
        id: row.id.clone(),
        workflow_id: row.id.clone(),
        session_id: row.session.clone(),
        status: row.state.simple(),
        fsm_state: row.state,
        task_count: counts.all,
        completed_tasks: counts.completed,
        failed_tasks: counts.failed,
        created_at: iso(row.created),
        updated_at: iso(row.updated),
        user_task: row.task.clone(),
    }
}

/// The phases that a workflow has been in, as they came.
pub(crate) fn phases(draft: &Draft<'_>, row: &Workflow) -> Result<Vec<PhaseEntry>, Failure> {
    let mut history = Vec::new();
    for (at, payload) in draft.told(&row.id, EventType::PhaseTransition)? {
        let Ok(told) = serde_json::from_str::<PhaseTransition>(&payload) else { continue };
        let trigger = told.trigger.map(|trigger: Trigger| trigger.name().to_owned());
        history.push(PhaseEntry { state: told.to, timestamp: iso(at), trigger });
    }
    Ok(history)
}
