//! What an asker hands over: questions, who asks them, and until when.

use crate::Questions;
use serde::{Deserialize, Serialize};

/// Questions to be asked.
#[derive(Debug, Clone)]
pub struct Ask<'q> {
    /// The questions.
    pub questions: &'q Questions,
    /// Who asks.
    pub origin: Origin,
    /// Until when they can be answered, as local time with offset and whole seconds; `None` for ever.
    pub deadline: Option<String>,
}

/// Who asks a set of questions. Written as `_meta.origin`, which is absent for [`Origin::Decide`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "asker", rename_all = "lowercase")]
pub enum Origin {
    /// The caller of `aide decide submit`.
    #[default]
    Decide,
    /// An agent that executes a command, and cannot go on without a person.
    Agent {
        /// The plan that it works on.
        plan: String,
        /// The task in that plan.
        task: String,
        /// The agent.
        agent: String,
        /// Its request.
        request: String,
    },
    /// An agent that asks by way of `aide mcp`.
    Mcp {
        /// What its program calls itself; what no program says is empty.
        client: String,
        /// The version of that program.
        #[serde(skip_serializing_if = "String::is_empty", default)]
        version: String,
        /// The branch that was checked out then; absent where there was none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        branch: Option<String>,
    },
    /// A program that asks by way of a daemon, mostly for a workflow that waits for a person.
    Workflow {
        /// The workflow; absent when the program asks for none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        workflow: Option<String>,
        /// The session that it belongs to; absent when it belongs to none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        session: Option<String>,
        /// The task of it that waits; absent when the workflow as a whole does.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        task: Option<String>,
        /// The agent that waits; absent when none does.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        agent: Option<String>,
        /// The decision, by the name that the workflow knows it by.
        decision: String,
    },
}

impl Origin {
    /// Whether `aide decide submit` asked.
    pub fn is_decide(&self) -> bool {
        *self == Self::Decide
    }

    /// Whether a program asked by way of a daemon.
    pub fn is_workflow(&self) -> bool {
        matches!(self, Self::Workflow { .. })
    }
}

/// Asked by `aide decide submit`, with no deadline.
impl<'q> From<&'q Questions> for Ask<'q> {
    fn from(questions: &'q Questions) -> Self {
        Self { questions, origin: Origin::Decide, deadline: None }
    }
}
