//! What a command leads to: changes of the state, and what is published about them, in their order.

use crate::Context;
use crate::agent::Agent;
use crate::decision::{Decision, Resolution};
use crate::scope::Scope;
use crate::task::Task;
use crate::workflow::Workflow;
use model::Via;
use protocol::workflow;

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
