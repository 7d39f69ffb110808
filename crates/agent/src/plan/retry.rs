//! A task that has ended is done again when a person asks for it: in the answer to the question about it, or by its name.

use super::PlanError;
use super::documents::PauseReason;
use super::folders::Folders;
use crate::clock::Clock;
use crate::dag::{Graph, Instruction};
use crate::document::text;
use files::{Dir, durable, json};
use protocol::agent::{Id, SchemaVersion, State, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The folder that says which tasks must be done again: one file for each task.
pub(super) const RETRIES: &str = "retries";

/// A request to do a task again.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RetryRequest {
    schema_version: Value,
    plan_id: Id,
    task_id: Id,
    /// The number of the command that has ended.
    pub(super) command_seq: u64,
    requested_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requested_by: Option<String>,
    /// What was written for this attempt and, when they were requested, for those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
}

/// What the user has written for an attempt.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    written_at: Timestamp,
    command_seq: u64,
    text: String,
}

impl RetryRequest {
    /// What the user has written for the task.
    pub(super) fn instructions(&self) -> Vec<Instruction> {
        let one = |note: &Note| Instruction {
            written_at: note.written_at.clone(),
            seq: note.command_seq,
            text: note.text.clone(),
        };
        self.notes.iter().map(one).collect()
    }
}

/// Who wants a task to be done again, and their instruction.
#[derive(Debug, Clone, Default)]
pub struct RetryOrder {
    /// The user, if it is known.
    pub by: Option<String>,
    /// What the agent is to know.
    pub note: Option<String>,
}

/// The result of a request for another try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryOutcome {
    /// The next pass issues a new command.
    Requested {
        /// The number of the command that has ended.
        command_seq: u64,
        /// The tasks that have begun and build on it: they are done again as well.
        dependents: Vec<Id>,
    },
    /// The plan has no such task; these have failed.
    UnknownTask {
        /// The failed tasks.
        failed: Vec<Id>,
    },
    /// It has not ended.
    NotEnded {
        /// How far it has come; `None` before anything is known of it.
        state: Option<State>,
    },
    /// It has never begun, because these have failed or were left out: they are what can be tried again.
    NeverBegun {
        /// The tasks that it depends on.
        failed: Vec<Id>,
    },
}

impl Folders {
    /// Asks for a task that has failed or is done to be done again: with its next command, once for each that has ended. What
    /// builds on a task that was done is done again after it.
    ///
    /// # Errors
    ///
    /// When the plan has no DAG that is active, and whatever the disk says.
    pub fn retry(
        &self,
        plan: &Id,
        task: &Id,
        wish: RetryOrder,
        clock: &dyn Clock,
    ) -> Result<RetryOutcome, PlanError> {
        let documents = self.documents(plan).map_err(|paused| match paused {
            PauseReason::Other(error) => error,
            PauseReason::Dag(_) => PlanError::UnknownPlan(plan.clone()),
        })?;
        let status = self.status(plan)?;
        let state = |task: &Id| {
            let mut tasks = status.iter().flat_map(|status| &status.tasks);
            tasks.find(|known| known.task_id == *task).map(|known| known.state)
        };
        let is_failed = |task: &&Id| state(task) == Some(State::Failed);
        let Some(node) = documents.active.dag.node(task) else {
            let tasks = documents.active.dag.nodes.iter().map(|node| &node.task_id);
            return Ok(RetryOutcome::UnknownTask { failed: tasks.filter(is_failed).cloned().collect() });
        };
        if !matches!(state(task), Some(State::Failed | State::Completed)) {
            return Ok(RetryOutcome::NotEnded { state: state(task) });
        }
        let Some(command_seq) = self.last_seq(plan, task, &documents.active.sha256.to_string())? else {
            let over = |task: &&Id| state(task).is_some_and(|state| state.is_terminal());
            let failed = node.depends_on.iter().filter(|it| over(it) && state(it) != Some(State::Completed));
            return Ok(RetryOutcome::NeverBegun { failed: failed.cloned().collect() });
        };
        let folder = self.ensure(["plans", plan.as_str(), RETRIES])?;
        let lock = self.lock()?;
        let name = format!("{task}.json");
        let before = folder.read(&name, json::MAX_JSON)?;
        let before = before.and_then(|bytes| serde_json::from_slice::<RetryRequest>(&bytes).ok());
        let mut notes = before.map(|before| before.notes).unwrap_or_default();
        if let Some(text) = wish.note.filter(|note| !note.trim().is_empty()) {
            notes.push(Note { written_at: clock.now(), command_seq, text });
        }
        let request = RetryRequest {
            schema_version: serde_json::to_value(SchemaVersion::CURRENT)?,
            plan_id: plan.clone(),
            task_id: task.clone(),
            command_seq,
            requested_at: clock.now().to_string(),
            requested_by: wish.by,
            notes,
        };
        durable::replace(&lock, &folder, &name, &text(&request)?)?;
        let graph = Graph::new(&documents.active.dag);
        let nodes = documents.active.dag.nodes.iter();
        let dependents = nodes.filter(|node| graph.is_after(&node.task_id, task)).map(|node| &node.task_id);
        let mut begun = Vec::new();
        for dependent in dependents {
            if self.last_seq(plan, dependent, &documents.active.sha256.to_string())?.is_some() {
                begun.push(dependent.clone());
            }
        }
        Ok(RetryOutcome::Requested { command_seq, dependents: begun })
    }

    /// The number of the last command that a task has had for a DAG.
    fn last_seq(&self, plan: &Id, task: &Id, dag: &str) -> Result<Option<u64>, PlanError> {
        use protocol::agent::{Envelope, Format as _, Mode};
        let Some(plan) = self.plan(plan)? else { return Ok(None) };
        let Some(commands) = plan.folder(super::deliver::COMMANDS)? else { return Ok(None) };
        let mut last = None;
        for name in commands.names()?.iter().filter(|name| name.ends_with(".msg.json")) {
            let Some(bytes) = commands.read(name, crate::folder::ENVELOPE_LIMIT)? else { continue };
            let Ok(envelope) = Envelope::parse_for(&bytes, Mode::Direct) else { continue };
            let Some(command) = envelope.command().filter(|command| command.task_id == *task) else {
                continue;
            };
            if command.dag_ref.as_ref().is_some_and(|of| *of.sha256 == *dag) {
                last = last.max(Some(command.seq()));
            }
        }
        Ok(last)
    }
}

/// The tasks to do again, each with its request.
pub(super) fn requested(plan: &Dir) -> Result<BTreeMap<Id, RetryRequest>, PlanError> {
    let mut requested = BTreeMap::new();
    let Some(folder) = plan.folder(RETRIES)? else { return Ok(requested) };
    for name in folder.names()? {
        let Some(bytes) = folder.read(&name, json::MAX_JSON)? else { continue };
        // One that cannot be read asks for nothing.
        if let Ok(request) = serde_json::from_slice::<RetryRequest>(&bytes) {
            requested.insert(request.task_id.clone(), request);
        }
    }
    Ok(requested)
}
