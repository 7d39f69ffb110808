//! What a command leads to: changes of the state, and what is published about them, in their order.

use crate::Context;
use crate::agent::Agent;
use crate::decision::{Decision, Resolution};
use crate::state::Workflow;
use crate::task::Task;
use model::Via;
use model::workflow;

/// A change of a [`State`](crate::State), as the new value of what has changed, or something else that follows from a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The workflow as a whole has changed.
    WorkflowChanged(Box<Workflow>),
    /// The context of the workflow has changed.
    ContextChanged(Box<Context>),
    /// A task is new or has changed.
    TaskChanged(Box<Task>),
    /// The workflow no longer has this task.
    TaskRemoved(String),
    /// An agent has changed.
    AgentChanged(Box<Agent>),
    /// The user was asked.
    DecisionAsked(Box<Decision>),
    /// A decision has ended.
    DecisionEnded {
        /// Its ID.
        decision: String,
        /// How it has ended.
        resolution: Box<Resolution>,
        /// The way in which the answer came.
        via: Via,
    },
    /// The user has said this to the workflow.
    Instructed(String),
    /// Messages that wait for the end of the workflow end like this.
    MailEnded(MailEnding),
    /// The workflow gets a checkpoint, in its last state of the change.
    CheckpointDue,
    /// This is published.
    Published(Scope, Box<workflow::Event>),
}

/// How the messages end that have begun a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailEnding {
    /// With its output, as JSON.
    Completed(String),
    /// With its error.
    Failed(Option<String>),
}

/// What a published event concerns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// A session.
    pub session: Option<String>,
    /// A workflow.
    pub workflow: Option<String>,
    /// A task.
    pub task: Option<String>,
    /// An agent.
    pub agent: Option<String>,
}

impl Scope {
    /// Returns that of an event about a workflow.
    pub fn of(workflow: &Workflow) -> Self {
        let (session, workflow) = (Some(workflow.session.clone()), Some(workflow.id.clone()));
        Self { session, workflow, task: None, agent: None }
    }

    /// Returns that of an event about a task of it.
    #[must_use]
    pub fn task(self, task: &str) -> Self {
        Self { task: Some(task.to_owned()), ..self }
    }

    /// Returns that of an event about an agent of it, if there is one.
    #[must_use]
    pub fn agent(self, agent: Option<&str>) -> Self {
        Self { agent: agent.map(str::to_owned), ..self }
    }
}
