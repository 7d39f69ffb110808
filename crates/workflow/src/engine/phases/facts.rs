//! The facts about a workflow and its session in the prompts of the phases (contract/workflows §6.3).

use super::PhaseExecution;
use crate::draft::{Draft, iso};
use crate::engine::track::StopReason;
use crate::{agent_row, stages};
use aide_core::Context;
use journal::{Message, Query, ViewExt as _};
use protocol::workflow::TaskStatus;
use serde_json::{Map, Value, json};

/// How many messages of a session the intent prompt includes (contract/workflows §6.3).
const HISTORY: u32 = 5;

/// How much of each of them, in characters.
const HISTORY_TEXT: usize = 200;

/// What a session was about before a workflow.
pub(super) struct SessionHistory {
    /// What was said last, as it was said.
    pub(super) said: Value,
    /// How its last workflow stands.
    pub(super) workflow: Value,
}

impl PhaseExecution<'_> {
    /// What the session was about before this workflow: a person may refer to it.
    pub(super) fn earlier(&self) -> Result<SessionHistory, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let session = &self.workflow.session;
        let mut said = view.find(&Query::messages_of(session).limit(HISTORY + 1))?;
        said.retain(|message| message.workflow.as_ref() != Some(&self.workflow.id));
        said.truncate(HISTORY as usize);
        let shown = |message: &Message| {
            let content: String = message.content.chars().take(HISTORY_TEXT).collect();
            json!({ "role": message.role, "content": content })
        };
        let draft = Draft::new(&*view, &*self.shared.runtime.world);
        let workflow = match self.stage {
            // It is known already.
            Some(_) => None,
            None => stages::before(&draft, session, Some(&self.workflow.id))?,
        };
        Ok(SessionHistory {
            said: said.iter().rev().map(shown).collect(),
            workflow: workflow.unwrap_or_default(),
        })
    }

    /// How the workflow stands, in numbers, and who could do something for it (contract/workflows §6.3).
    pub(super) fn standing(&self) -> Result<Value, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let tasks = view.find(&Query::tasks_of(&self.workflow.id))?;
        let count = |status: TaskStatus| tasks.iter().filter(|task| task.state.simple() == status).count();
        let completed = count(TaskStatus::Completed);
        let progress = (100 * completed).checked_div(tasks.len());
        let current = progress.map(|progress| {
            json!({
                "goal": self.workflow.task, "progress": progress, "completed": completed,
                "failed": count(TaskStatus::Failed), "blocked": count(TaskStatus::Blocked),
            })
        });
        let mut available: Map<String, Value> = Map::new();
        for agent in view.find_readable(&Query::agents())? {
            if agent_row::agent_of(&agent).is_free() && self.shared.drives(&agent.id) {
                let count = available.get(&agent.kind).and_then(Value::as_u64).unwrap_or_default();
                available.insert(agent.kind, json!(count + 1));
            }
        }
        Ok(json!({
            "workflowStatus": self.workflow.state.simple(), "currentTask": current,
            "lastActivity": iso(self.workflow.updated), "availableResources": available,
        }))
    }

    /// What is known of the workflow.
    pub(super) fn known(&self) -> Value {
        Context::read(&self.workflow.context).for_prompts()
    }
}
