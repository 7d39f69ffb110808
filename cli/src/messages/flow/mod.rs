//! What `aide flow` says.

pub(super) mod en;
pub(super) mod zh;

use flow::InProgress;
use model::flow::StatusRule;
use std::io;
use std::path::PathBuf;
use texts::Lang;

/// One line for people about phases and steps.
#[derive(Debug)]
pub(crate) enum FlowMessage {
    // What was done.
    Started {
        phase: String,
    },
    Entered {
        phase: String,
    },
    WentBack {
        phase: String,
    },
    ErrorRecorded {
        summary: String,
    },
    DiagramsDone {
        count: usize,
    },
    NoPlantUml,
    ChangelogReminder {
        path: String,
    },
    ChangelogMissed {
        path: String,
    },
    /// With the words of what kept it from being committed.
    NotCommitted {
        why: Box<FlowMessage>,
    },
    Interrupted {
        task: String,
        phase: String,
    },

    // Going back in two steps.
    ConfirmBack,
    ConfirmBackFirst,
    ConfirmBackThen,
    ConfirmBackCommand,
    ConfirmCommand {
        key: String,
    },
    RunConfirm {
        key: String,
    },
    BackRequested,
    BackTarget {
        phase: String,
    },
    BackReason {
        reason: String,
    },
    BackCancelled,
    BeginAnew,
    NoBackRequest,
    WrongKey,
    GiveKey,

    // What is seen.
    NoTask,
    PresentTask {
        task: String,
    },
    Phase {
        phase: String,
    },
    Step {
        step: u64,
    },
    StartedAt {
        time: String,
    },
    Latest {
        summary: String,
    },
    LatestAt {
        time: String,
    },
    Commit {
        hash: String,
    },
    /// The phases in a line, the present one between brackets.
    PhaseLine {
        phases: Vec<String>,
        present: String,
    },
    TimeSpent {
        seconds: u64,
        in_phase: u64,
    },
    /// Of the whole task.
    Problems {
        errors: usize,
        issues: usize,
    },
    LastSteps,
    OpenDecisions {
        count: usize,
    },
    NoTasks,
    PresentTasks,
    EarlierTasks,
    TaskLine {
        number: usize,
        is_present: bool,
        task: String,
        phase: String,
        summary: String,
    },
    UnreadableTask {
        number: usize,
        task: String,
        why: Box<FlowMessage>,
    },
    SeeTask,
    TaskId {
        task: String,
    },
    PresentPhase {
        phase: String,
    },
    PresentStep {
        step: u64,
    },
    History,
    Entry {
        number: usize,
        time: String,
        action: &'static str,
        phase: String,
        step: u64,
        summary: String,
        hash: String,
    },

    // What went wrong.
    NoAideFolder,
    NoStatus,
    Blank,
    TooLong {
        limit: usize,
        found: usize,
    },
    UnknownPhase {
        phase: String,
    },
    NotNext {
        from: String,
        to: String,
    },
    NotBack {
        from: String,
        to: String,
    },
    NextPhaseIs {
        phase: String,
    },
    PhasesAre {
        phases: String,
    },
    AtLastPhase,
    Busy {
        pid: Option<u32>,
        purpose: String,
    },
    TryLater,
    NotJson {
        file: String,
        words: String,
    },
    BadStatus {
        file: String,
        path: String,
        rule: StatusRule,
    },
    MendStatus,
    UnknownTask {
        task: String,
    },
    SeeTasks,
    Undecided {
        phase: String,
    },
    NothingAsked {
        phase: String,
    },
    OpenItem {
        id: u64,
        title: String,
    },
    OpenPage,
    AskFirst,

    // Git.
    NoGit,
    InstallGit,
    NoRepository,
    MakeRepository,
    Bare,
    UseWorkTree,
    Detached,
    SwitchBranch,
    GoingOn {
        what: InProgress,
    },
    EndIt {
        what: InProgress,
    },
    Unmerged {
        files: String,
    },
    Resolve,
    IndexLocked {
        path: PathBuf,
    },
    UnlockIndex,
    NoIdentity,
    SetIdentity,
    GitFailed {
        command: String,
    },
    NothingRecorded,
    RepositoryFile {
        path: PathBuf,
        error: io::Error,
    },

    // Hooks.
    BadDiagrams,
    BadDiagram {
        file: String,
        words: String,
    },
    CorrectDiagrams,
    NoPicture {
        file: String,
        words: String,
    },
    PlantUmlMissing,
    InstallPlantUml,
    NoChangelog {
        path: String,
    },
    ChangelogUnchanged {
        path: String,
    },
    WriteChangelog {
        path: String,
    },
    HookFailed {
        command: String,
        code: Option<i32>,
    },
    HookTimedOut {
        command: String,
        seconds: u64,
    },
    HookNotStarted {
        command: String,
        error: io::Error,
    },
    CorrectHook,
    /// Of a program, as it is.
    Words {
        words: String,
    },
}

impl FlowMessage {
    /// In words.
    pub(super) fn tell(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh::tell(self),
            Lang::En => en::tell(self),
        }
    }
}

/// The phases, the present one between brackets.
fn phase_line(phases: &[String], present: &str) -> String {
    let names =
        phases.iter().map(|phase| if phase == present { format!("[{phase}]") } else { phase.clone() });
    names.collect::<Vec<_>>().join(" → ")
}

#[cfg(test)]
mod tests;
