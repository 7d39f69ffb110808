//! What keeps an action from being recorded, as a person is told it.

use super::Failure;
use crate::messages::{FlowMessage, Message};
use flow::{BackError, FlowError, GitError, HookError};
use model::flow::{FlowStatusError, PhaseError, SummaryError};
use store::{FlowFileError, StoreError};

impl Failure {
    /// `✗ what`, what to do, and further lines.
    pub(crate) fn flow(
        what: FlowMessage,
        hint: impl Into<Option<FlowMessage>>,
        lines: Vec<FlowMessage>,
    ) -> Self {
        let lines = lines.into_iter().map(Message::flow).collect();
        Self { lines, ..Self::new(Message::flow(what), hint.into().map(Message::flow)) }
    }
}

impl From<FlowError> for Failure {
    fn from(error: FlowError) -> Self {
        match error {
            FlowError::Summary(SummaryError::Blank) => Self::flow(FlowMessage::Blank, None, Vec::new()),
            FlowError::Summary(SummaryError::TooLong { limit, found }) => {
                Self::flow(FlowMessage::TooLong { limit, found }, None, Vec::new())
            }
            FlowError::NoTask => Self::flow(FlowMessage::NoStatus, None, Vec::new()),
            FlowError::Phase(error) => of_phase(error),
            FlowError::Busy(holder) => {
                let what = FlowMessage::Busy { pid: holder.pid, purpose: holder.purpose };
                Self::flow(what, FlowMessage::TryLater, Vec::new())
            }
            FlowError::File(error) => of_file(error),
            FlowError::Git(error) => of_git(error),
            FlowError::Hook(error) => of_hook(error),
            FlowError::Undecided { phase, open } if open.is_empty() => {
                Self::flow(FlowMessage::NothingAsked { phase }, FlowMessage::AskFirst, Vec::new())
            }
            FlowError::Undecided { phase, open } => {
                let items = open.into_iter().map(|(id, title)| FlowMessage::OpenItem { id, title });
                Self::flow(FlowMessage::Undecided { phase }, FlowMessage::OpenPage, items.collect())
            }
        }
    }
}

impl From<FlowFileError> for Failure {
    fn from(error: FlowFileError) -> Self {
        of_file(error)
    }
}

impl From<BackError> for Failure {
    fn from(error: BackError) -> Self {
        match error {
            BackError::Flow(error) => error.into(),
            BackError::WrongKey => Self::flow(FlowMessage::WrongKey, None, Vec::new()),
            BackError::NoRequest | BackError::Pending(_) => {
                Self::flow(FlowMessage::NoBackRequest, None, Vec::new())
            }
        }
    }
}

fn of_phase(error: PhaseError) -> Failure {
    let all = |known: Vec<String>| FlowMessage::PhasesAre { phases: known.join(", ") };
    match error {
        PhaseError::Unknown { phase, known } => {
            Failure::flow(FlowMessage::UnknownPhase { phase }, all(known), Vec::new())
        }
        PhaseError::NotNext { from, to, next } => {
            let hint = match next {
                Some(phase) => FlowMessage::NextPhaseIs { phase },
                None => FlowMessage::AtLastPhase,
            };
            Failure::flow(FlowMessage::NotNext { from, to }, hint, Vec::new())
        }
        PhaseError::NotBack { from, to, known } => {
            Failure::flow(FlowMessage::NotBack { from, to }, all(known), Vec::new())
        }
    }
}

fn of_file(error: FlowFileError) -> Failure {
    match error {
        FlowFileError::Store(StoreError::NoAideFolder { .. }) => {
            Failure::flow(FlowMessage::NoAideFolder, None, Vec::new())
        }
        FlowFileError::Store(error) => error.into(),
        FlowFileError::Status { file, error } => {
            Failure::flow(unreadable(file, error), FlowMessage::MendStatus, Vec::new())
        }
    }
}

/// What is wrong with the state of a task.
pub(crate) fn unreadable(file: String, error: FlowStatusError) -> FlowMessage {
    match error {
        FlowStatusError::Syntax { message } => FlowMessage::NotJson { file, words: message },
        FlowStatusError::Invalid { path, rule } => FlowMessage::BadStatus { file, path, rule },
    }
}

fn of_git(error: GitError) -> Failure {
    let (what, hint, words) = told(error);
    Failure::flow(what, hint, lines(&words))
}

/// The error, what to do about it, and git's own words.
pub(crate) fn told(error: GitError) -> (FlowMessage, FlowMessage, String) {
    let none = String::new();
    match error {
        GitError::NotInstalled => (FlowMessage::NoGit, FlowMessage::InstallGit, none),
        GitError::NotARepository => (FlowMessage::NoRepository, FlowMessage::MakeRepository, none),
        GitError::Bare => (FlowMessage::Bare, FlowMessage::UseWorkTree, none),
        GitError::Detached => (FlowMessage::Detached, FlowMessage::SwitchBranch, none),
        GitError::InProgress(what) => (FlowMessage::GoingOn { what }, FlowMessage::EndIt { what }, none),
        GitError::Unmerged { files } => {
            (FlowMessage::Unmerged { files: files.join(", ") }, FlowMessage::Resolve, none)
        }
        GitError::IndexLocked { path } => (FlowMessage::IndexLocked { path }, FlowMessage::UnlockIndex, none),
        GitError::NoIdentity { words } => (FlowMessage::NoIdentity, FlowMessage::SetIdentity, words),
        GitError::Failed { command, words } => {
            (FlowMessage::GitFailed { command }, FlowMessage::NothingRecorded, words)
        }
        GitError::Io { path, source } => {
            let what = FlowMessage::RepositoryFile { path, error: source };
            (what, FlowMessage::NothingRecorded, none)
        }
    }
}

fn of_hook(error: HookError) -> Failure {
    match error {
        HookError::Diagrams { problems } => {
            let problems = problems.into_iter().map(|(file, words)| FlowMessage::BadDiagram { file, words });
            Failure::flow(FlowMessage::BadDiagrams, FlowMessage::CorrectDiagrams, problems.collect())
        }
        HookError::Picture { file, words } => {
            let what = FlowMessage::NoPicture { file, words };
            Failure::flow(what, FlowMessage::CorrectDiagrams, Vec::new())
        }
        HookError::NoPlantUml => {
            Failure::flow(FlowMessage::PlantUmlMissing, FlowMessage::InstallPlantUml, Vec::new())
        }
        HookError::NoChangelog { path } => {
            let hint = FlowMessage::WriteChangelog { path: path.clone() };
            Failure::flow(FlowMessage::NoChangelog { path }, hint, Vec::new())
        }
        HookError::ChangelogUnchanged { path } => {
            let hint = FlowMessage::WriteChangelog { path: path.clone() };
            Failure::flow(FlowMessage::ChangelogUnchanged { path }, hint, Vec::new())
        }
        HookError::Failed { command, code, words } => {
            let what = FlowMessage::HookFailed { command, code };
            Failure::flow(what, FlowMessage::CorrectHook, lines(&words))
        }
        HookError::TimedOut { command, seconds } => {
            let what = FlowMessage::HookTimedOut { command, seconds };
            Failure::flow(what, FlowMessage::CorrectHook, Vec::new())
        }
        HookError::NotStarted { command, source } => {
            let what = FlowMessage::HookNotStarted { command, error: source };
            Failure::flow(what, FlowMessage::CorrectHook, Vec::new())
        }
    }
}

/// The last lines of what a program said.
fn lines(words: &str) -> Vec<FlowMessage> {
    const MOST: usize = 20;
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(MOST)..];
    last.iter().map(|line| FlowMessage::Words { words: (*line).to_owned() }).collect()
}
