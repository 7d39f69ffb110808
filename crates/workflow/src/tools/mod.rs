//! What agents do outside the journal: they read and write files of their project, run commands there, and access the internet.
//!
//! Permissions are not known here: the caller of [`Toolbox::run`] has checked them. This module enforces what a tool must never
//! do, even if allowed: leave the project, touch `.git` or `.aide`, reach an address that is not on the internet, reveal secrets
//! to a program, run longer than it may, or continue after it was cancelled.
//!
//! Errors are reported to the agent, in English like all its prompts ([`ToolError`]).

mod command;
mod error;
mod fetch;
mod files;
mod network;
mod place;
mod policies;
mod search;

pub use error::{PlaceFault, ToolError};
pub(crate) use files::read_bytes;
pub use policies::ToolSettings;

use process::Cancellation;
use protocol::workflow::ToolName;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// What a person has configured of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolConfig {
    /// How to search; without it, no agent can.
    pub search: Option<Search>,
}

/// How to look for something.
#[derive(Clone, PartialEq, Eq)]
pub enum Search {
    /// A program with its arguments: it reads the query and prints what it has found.
    Command(Vec<String>),
    /// An address, in which `{query}` stands for the query.
    Url(String),
}

impl std::fmt::Debug for Search {
    /// Without what may be secret: arguments, and the address, which may hold a key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command(command) => f.debug_tuple("Command").field(&command.first()).finish(),
            Self::Url(_) => f.write_str("Url(…)"),
        }
    }
}

/// How long tools may take, and how much they may return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToolLimits {
    /// How long a command may take.
    pub(crate) command: Duration,
    /// How long a program may take to end once it was asked to.
    pub(crate) grace: Duration,
    /// How much a command may say, in bytes.
    pub(crate) output: usize,
    /// How long everything may take that is fetched, with all redirects.
    pub(crate) fetch: Duration,
    /// How large it may be, in bytes.
    pub(crate) body: usize,
    /// How often another address may be named instead.
    pub(crate) redirects: usize,
    /// How long a search may take.
    pub(crate) search: Duration,
    /// How long reading or writing a file may take.
    pub(crate) file: Duration,
    /// How large a file may be that is read, in bytes.
    pub(crate) read: u64,
    /// How large a file may be that is written, in bytes.
    pub(crate) write: usize,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            command: Duration::from_secs(120),
            grace: Duration::from_millis(500),
            output: 1 << 20,
            fetch: Duration::from_secs(30),
            body: 8 << 20,
            redirects: 5,
            search: Duration::from_secs(30),
            file: Duration::from_secs(30),
            read: 1 << 20,
            write: 8 << 20,
        }
    }
}

/// The tools for work in a project.
#[derive(Debug)]
pub struct Toolbox {
    folder: Option<PathBuf>,
    config: ToolConfig,
    limits: ToolLimits,
    network: network::Network,
}

impl Toolbox {
    /// Returns the tools of the project in `folder`; without one there are neither files nor commands.
    pub fn new(folder: Option<PathBuf>, config: ToolConfig) -> Self {
        Self { folder, config, limits: ToolLimits::default(), network: network::Network::default() }
    }

    /// Does one call. It blocks, and ends at once when it is cancelled; programs get half a second for that.
    ///
    /// # Errors
    ///
    /// When it came to nothing.
    pub fn run(
        &self,
        tool: ToolName,
        params: &Map<String, Value>,
        cancellation: &Cancellation,
    ) -> Result<Value, ToolError> {
        let text = |name| tool.parameter(params, name);
        tool.check(params)?;
        if cancellation.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        match tool {
            ToolName::WebSearch => self.search(text("query")?, cancellation),
            ToolName::FetchUrl => self.fetch(text("url")?, cancellation),
            ToolName::ReadFile => self.read_file(text("path")?),
            ToolName::WriteFile => self.write_file(text("path")?, text("content")?),
            ToolName::ShellExec => self.shell(text("command")?, cancellation),
        }
    }

    /// Whether everything is there that a tool needs: a search, or a project.
    pub fn is_there(&self, tool: ToolName) -> bool {
        match tool {
            ToolName::WebSearch => self.config.search.is_some(),
            ToolName::FetchUrl => true,
            ToolName::ReadFile | ToolName::WriteFile | ToolName::ShellExec => self.folder.is_some(),
        }
    }
}
