//! Which agents of the pool a command depends on.

use super::Command;
use crate::TriggerPayload;
use crate::task::{Task, TaskInput, target_of};
use protocol::workflow::Trigger;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// The agents that a command depends on, besides those that work for its workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeededAgents {
    /// These, if they are in the pool.
    Named(BTreeSet<String>),
    /// All: an agent is searched.
    All,
}

impl Command {
    /// Returns the agents that it depends on, where these are the tasks of the workflow.
    pub fn needed_agents(&self, tasks: &[Task]) -> NeededAgents {
        let mut named: BTreeSet<String> = tasks.iter().filter_map(|task| task.agent.clone()).collect();
        match self {
            Self::Begin(message) => {
                let Some(request) = &message.phase else { return NeededAgents::Named(named) };
                let Some(agent) = &request.agent else { return NeededAgents::All };
                named.insert(agent.clone());
                named.extend(request.sender.as_ref().map(|sender| sender.id.clone()));
            }
            Self::Transition { trigger, payload, .. } => {
                let list = list_of(payload);
                if searches_agent(*trigger, payload, &list, tasks) {
                    return NeededAgents::All;
                }
                named.extend(payload.agent().map(str::to_owned));
                named.extend(list.into_iter().filter_map(|input| input.agent));
            }
            Self::Deploy { agent, .. }
            | Self::Release { agent }
            | Self::Dispatch { agent, .. }
            | Self::TakeUp { agent, .. }
            | Self::LayAside { agent, .. } => {
                named.insert(agent.clone());
            }
            _ => {}
        }
        NeededAgents::Named(named)
    }
}

/// Returns the tasks of the list that comes with a trigger. One that cannot be read makes the list a wrong one.
fn list_of(payload: &TriggerPayload) -> Vec<TaskInput> {
    let list = payload.tasks().and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|task| TaskInput::read(task).ok()).collect()
}

/// Whether an attempt may begin for which no agent is named, at a task that states what its agent must be able to do.
fn searches_agent(trigger: Trigger, payload: &TriggerPayload, list: &[TaskInput], tasks: &[Task]) -> bool {
    let reported = payload.task().filter(|_| target_of(trigger).is_some() && payload.agent().is_none());
    let listed = list.iter().filter(|input| input.reported.is_some() && input.agent.is_none());
    let unassigned: HashSet<&str> = listed.map(|input| &*input.id).chain(reported).collect();
    let is_stated = |input: &TaskInput| {
        input.min_level.is_some() || input.capabilities.as_ref().is_some_and(|names| !names.is_empty())
    };
    let searches = |task: &Task| task.agent.is_none() && task.states_needs();
    tasks.iter().any(|task| unassigned.contains(&*task.id) && searches(task))
        || list.iter().any(|input| unassigned.contains(&*input.id) && is_stated(input))
}
