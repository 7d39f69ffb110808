//! `[[daemon.agents]]` and `[daemon.tools]`: who works on workflows, and what they may do. Only the person's own file has a say in
//! it.

use model::workflow::{ToolName, ToolPolicy};
use std::fmt::{self, Debug, Formatter};

/// Who works on workflows, and what they may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrewConfig {
    /// `daemon.provider`: the provider of all agents that name none.
    pub provider: Option<String>,
    /// `[[daemon.agents]]`, each with an id of its own.
    pub agents: Vec<CrewAgent>,
    /// `[daemon.tools]`: whether tools may be used, where that is said.
    pub policies: Vec<(ToolName, ToolPolicy)>,
    /// `[daemon.tools]`: how to look for something.
    pub search: Option<SearchBy>,
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
    /// The provider that answers for it; that of `daemon.provider` where nothing is said.
    pub provider: Option<String>,
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
