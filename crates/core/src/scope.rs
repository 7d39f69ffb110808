//! What a published event concerns.

use crate::workflow::Workflow;

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
