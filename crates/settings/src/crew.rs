//! `[[daemon.agents]]` and `[daemon.tools]`: who works on workflows, and what they may do. Only the person's own file has a say in
//! it.

use protocol::workflow::{ToolName, ToolPolicy};
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;

/// Who works on workflows, and what they may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrewConfig {
    /// `daemon.provider`: the provider of all agents that name none, and have no folder.
    pub provider: Option<String>,
    /// `[[daemon.agents]]`, each with an id of its own.
    pub agents: Vec<CrewAgent>,
    /// `[daemon.tools]`: whether tools may be used, where that is said.
    pub policies: Vec<(ToolName, ToolPolicy)>,
    /// `[daemon.tools]`: how to look for something.
    pub search: Option<SearchBy>,
    /// `[daemon.concurrency]` and `daemon.task_timeout`.
    pub limits: CrewLimits,
}

/// How many agents work at a time, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrewLimits {
    /// How many work at a time, of all kinds together.
    pub total: u16,
    /// How many executors, and how many searchers.
    pub executor: u16,
    /// How many orchestrators.
    pub orchestrator: u16,
    /// How many reviewers.
    pub reviewer: u16,
    /// How many tools.
    pub tool: u16,
    /// How many programs elsewhere.
    pub api: u16,
    /// How many databases.
    pub database: u16,
    /// How long one may work on a task, in seconds.
    pub task_timeout: u32,
}

impl Default for CrewLimits {
    fn default() -> Self {
        Self {
            total: 5,
            executor: 3,
            orchestrator: 1,
            reviewer: 2,
            tool: 5,
            api: 10,
            database: 3,
            task_timeout: 1800,
        }
    }
}

/// An agent that works on workflows. What is not said of one that there is anyway stays as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrewAgent {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: Option<String>,
    /// One of [`Self::KINDS`].
    pub kind: Option<&'static str>,
    /// What it is able to do, and how well, from 1 to 10.
    pub capabilities: Option<Vec<(String, u64)>>,
    /// Who answers for it; that of `daemon.provider` where nothing is said.
    pub answers: Option<AnsweredBy>,
}

/// Who answers for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The provider of this name.
    Provider(String),
    /// An agent with a folder of its own.
    Folder(PathBuf),
}

/// How to look for something.
#[derive(Clone, PartialEq, Eq)]
pub enum SearchBy {
    /// A program with its arguments.
    Command(Vec<String>),
    /// An address, in which `{query}` stands for the query.
    Url(String),
}

impl CrewAgent {
    /// What kinds of agents there are.
    pub const KINDS: &'static [&'static str] =
        &["executor", "orchestrator", "reviewer", "searcher", "tool", "api", "database"];
    /// How well an agent does what it is only said to be able to do.
    pub const USUAL_LEVEL: u64 = 5;
}

impl Debug for SearchBy {
    /// Without what may be secret: arguments, and the address, which may hold a key.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => out.debug_tuple("Command").field(&command.first()).finish(),
            Self::Url(_) => out.write_str("Url(…)"),
        }
    }
}
