//! Why something was not done. Then nothing was.

use files::{ActionLockError, FileError, Holder};
use model::flow::{PhaseError, SummaryError};
use std::io;
use std::path::PathBuf;
use store::{FlowFileError, StoreError};

/// Why an action was refused, or failed. State, index and history are as before.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// The text says nothing, or too much.
    #[error("not a summary")]
    Summary(SummaryError),
    /// There is no task.
    #[error("no task")]
    NoTask,
    /// There is no step before the first one.
    #[error("no step before")]
    NoStepBefore,
    /// The task has no such step.
    #[error("no step {step}")]
    UnknownStep {
        /// What was named.
        step: u64,
        /// The latest that there is.
        last: u64,
    },
    /// Neither for the step nor for one before it was anything committed.
    #[error("no commit of step {step}")]
    StepWithoutCommit {
        /// The step.
        step: u64,
    },
    /// The phase cannot be entered.
    #[error("not a phase to enter")]
    Phase(PhaseError),
    /// Another action is going on.
    #[error("another action is going on")]
    Busy(Holder),
    /// The state of a task cannot be used.
    #[error(transparent)]
    File(#[from] FlowFileError),
    /// The repository does not allow it, or git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A hook of `aide` or of the configuration objected.
    #[error(transparent)]
    Hook(#[from] HookError),
    /// The present phase needs decisions, and a person has not made them.
    #[error("decisions are needed")]
    Undecided {
        /// The phase.
        phase: String,
        /// The items that are open, by number and title; empty when nothing was asked in this phase.
        open: Vec<(u64, String)>,
    },
}

/// Why git could not be used, or what it said.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no such command.
    #[error("no git command")]
    NotInstalled,
    /// The project is in no repository.
    #[error("not a repository")]
    NotARepository,
    /// The project's `.git` leads to a repository that is not there.
    #[error("{} leads to {}, which does not exist", link.display(), target.display())]
    LeadsNowhere {
        /// The `.git`: a file that names a folder, or a symlink.
        link: PathBuf,
        /// The folder that it names.
        target: PathBuf,
    },
    /// The repository has no work tree.
    #[error("a repository without work tree")]
    Bare,
    /// No branch would remember the commit.
    #[error("HEAD is detached")]
    Detached,
    /// Something else has to be brought to its end first.
    #[error("{0:?} in progress")]
    InProgress(InProgress),
    /// Files are in conflict.
    #[error("files in conflict")]
    Unmerged {
        /// Some of them.
        files: Vec<String>,
    },
    /// Another git works on the index, or was killed while it did.
    #[error("{} exists", path.display())]
    IndexLocked {
        /// The lock.
        path: PathBuf,
    },
    /// Git does not know whose commit it would be.
    #[error("no identity")]
    NoIdentity {
        /// Git's own words.
        words: String,
    },
    /// A git command failed.
    #[error("{command} failed: {words}")]
    Failed {
        /// Which: `git commit`.
        command: String,
        /// Its own words, and those of the user's hooks.
        words: String,
    },
    /// A git command was interrupted, and ended with all that it had started.
    #[error("{command} was interrupted while it waited for {}", programs.join(", "))]
    Interrupted {
        /// Which: `git commit`.
        command: String,
        /// The programs that were being waited for, as the system calls them.
        programs: Vec<String>,
    },
    /// A file of the repository could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// What is going on in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InProgress {
    /// `git merge`
    Merge,
    /// `git rebase`, or `git am`
    Rebase,
    /// `git cherry-pick`
    CherryPick,
    /// `git revert`
    Revert,
}

/// Why a hook objected.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// Diagrams have mistakes.
    #[error("diagrams have mistakes")]
    Diagrams {
        /// The files, and what PlantUML says of each.
        problems: Vec<(String, String)>,
    },
    /// No picture could be made of a diagram.
    #[error("no picture of {file}")]
    Picture {
        /// The file.
        file: String,
        /// PlantUML's words.
        words: String,
    },
    /// There is no PlantUML, and the configuration wants it.
    #[error("no PlantUML")]
    NoPlantUml,
    /// There is no change log.
    #[error("no {path}")]
    NoChangelog {
        /// Where it should be.
        path: String,
    },
    /// Nothing was written into the change log.
    #[error("{path} was not changed")]
    ChangelogUnchanged {
        /// Where it is.
        path: String,
    },
    /// A program of the configuration failed.
    #[error("{command} failed")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// Its exit code; `None` when it was ended by a signal.
        code: Option<i32>,
        /// What it said last.
        words: String,
    },
    /// A program of the configuration took too long, and was ended.
    #[error("{command} took longer than {seconds} s")]
    TimedOut {
        /// The program and its arguments.
        command: String,
        /// How long it may take.
        seconds: u64,
    },
    /// A program could not be started.
    #[error("{command}: {source}")]
    NotStarted {
        /// The program and its arguments.
        command: String,
        /// The system's words.
        source: io::Error,
    },
}

impl From<StoreError> for FlowError {
    fn from(error: StoreError) -> Self {
        Self::File(error.into())
    }
}

impl From<ActionLockError> for FlowError {
    fn from(error: ActionLockError) -> Self {
        match error {
            ActionLockError::Held(holder) => Self::Busy(holder),
            ActionLockError::File(error) => error.into(),
        }
    }
}

impl From<FileError> for FlowError {
    fn from(error: FileError) -> Self {
        Self::File(error.into())
    }
}
