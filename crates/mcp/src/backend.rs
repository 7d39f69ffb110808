//! What the server needs of the program that it is part of.

use decide::SearchCache;
use model::SessionId;
use std::path::{Path, PathBuf};
use store::{Decisions, PendingSet, Project};

/// What a program can do that has configuration, starts servers, and knows the commands. All of it may take a while.
pub trait Backend: Send + Sync + 'static {
    /// Has the page of open questions served, by whichever server there is or a new one. `news` are questions that the person
    /// has not been told of.
    ///
    /// # Errors
    ///
    /// When there is no server to be had. The questions are open all the same.
    fn serve(
        &self,
        project: &Project,
        decisions: &Decisions,
        session: &SessionId,
        news: Option<&UnannouncedQuestions>,
    ) -> Result<PageState, ToolFailure>;

    /// Makes a folder a project, as `aide init` does.
    ///
    /// # Errors
    ///
    /// Where that cannot be.
    fn init(&self, folder: &Path) -> Result<(), ToolFailure>;

    /// Returns all that [`Self::remember`] was given, by any process; empty where there is nothing to be had.
    fn remembered(&self) -> String;

    /// Adds what was learned of clients to what is kept for other processes of this person, by [`with_learned`]. Without it they
    /// learn it anew.
    ///
    /// [`with_learned`]: crate::with_learned
    fn remember(&self, learned: &str);

    /// Runs a command of the program in a project's folder, without a terminal.
    fn run(&self, folder: &Path, arguments: &[String]) -> CommandOutput;
}

/// Questions that the person has not been told of.
#[derive(Debug)]
pub struct UnannouncedQuestions {
    /// What they are about.
    pub task: String,
    /// How many there are.
    pub items: usize,
}

/// Where questions are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageState {
    /// At this link, which is no login.
    At(String),
    /// They have ended meanwhile.
    Over,
}

/// Why something could not be done, in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    /// What is wrong.
    pub what: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

impl ToolFailure {
    /// Returns it as one text.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => {
                let mut rest = hint.chars();
                let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
                format!("{}. {first}{}", self.what.trim_end_matches('.'), rest.as_str())
            }
            None => self.what.clone(),
        }
    }
}

/// What a command has printed.
#[derive(Debug, Default)]
pub struct CommandOutput {
    /// Its exit code.
    pub code: u8,
    /// Results.
    pub output: String,
    /// What else it said.
    pub notes: String,
}

/// The variable that is `1` where the client is woken with the answer: `aide setup --hook` sets it in the entry of the server.
pub const WAKE: &str = "AIDE_MCP_WAKE";

/// Which clients are to show the person the link to the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Elicit {
    /// Those of earlier revisions that can, and whose calls may take less than ten minutes.
    #[default]
    Auto,
    /// All that can.
    Url,
    /// None.
    Off,
}

/// How the server is started.
#[derive(Debug, Default)]
pub struct Options {
    /// The folder that `--project` names.
    pub project: Option<PathBuf>,
    /// How long a call is held, for every client.
    pub hold: Option<std::time::Duration>,
    /// Whether each call has to name its project: the server belongs to none.
    pub names_project: bool,
    /// Which clients show the link to the page.
    pub elicit: Elicit,
    /// Whether the client is woken with the answer, and need not wait.
    pub wakes: bool,
    /// The cache for the search in earlier decisions.
    pub search: Option<SearchCache>,
}

/// A set of questions that is open or was just asked, and where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) project: Project,
    pub(crate) decisions: std::sync::Arc<Decisions>,
}

/// Questions that were asked.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub(crate) place: Place,
    pub(crate) pending: PendingSet,
    pub(crate) news: Option<UnannouncedQuestions>,
    /// What the client asks for the answer by, where it takes a task.
    pub(crate) task: Option<String>,
}
