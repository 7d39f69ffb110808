//! What `aide flow` says.

pub(super) mod en;
pub(super) mod zh;

use texts::{Explain, Lang};

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
    /// With what kept it from being committed.
    NotCommitted {
        why: Box<dyn Explain>,
    },
    Interrupted {
        task: String,
        phase: String,
    },
    /// Repositories within the repository, by their folders.
    RepositoriesLeftOut {
        paths: Vec<String>,
    },
    SubmoduleOrIgnore {
        path: String,
    },

    // What is committed.
    Committed {
        files: usize,
        hash: String,
    },
    /// A commit that a killed action had made.
    Recovered {
        files: usize,
        hash: String,
    },
    /// What was changed before the task began; `paths` are all of them.
    OthersCommitted {
        paths: Vec<String>,
        count: usize,
    },
    HowToBeAsked,
    SecretsCommitted {
        paths: Vec<String>,
    },
    TakeOut {
        paths: Vec<String>,
    },
    SecretsLeftOut {
        paths: Vec<String>,
    },
    AddOrIgnore {
        paths: Vec<String>,
    },
    CommitOthers {
        paths: Vec<String>,
        count: usize,
    },
    CommitSecrets {
        paths: Vec<String>,
    },
    NothingBegun,
    HowNotToCommit,
    CannotAsk {
        paths: Vec<String>,
        count: usize,
    },
    SayYes,

    /// No step is left that the task could be back at.
    BackAtNothing,
    /// What a step back has led to.
    BackAt {
        step: u64,
        summary: String,
    },
    /// The files of a step in a work tree of their own.
    Restored {
        step: u64,
        hash: String,
        path: String,
    },
    RemoveRestored {
        path: String,
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
        why: Box<dyn Explain>,
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
    UnknownTask {
        task: String,
    },
    SeeTasks,
}

impl FlowMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh::render(self),
            Lang::En => en::render(self),
        }
    }
}

/// The first of many folders, each with a slash at its end.
fn folders(paths: &[String], separator: &str) -> String {
    first(paths.iter().map(|path| format!("{path}/")), separator)
}

/// The first of many files.
fn files(paths: &[String], separator: &str) -> String {
    first(paths.iter().cloned(), separator)
}

/// How many files are named one by one.
const MAX_FILES: usize = 10;

/// Files as words of a command. Of many, only that there are some: a command that names a few of them does something else.
fn shell_words(paths: &[String]) -> String {
    if paths.len() > MAX_FILES {
        return "FILE...".to_owned();
    }
    let is_plain = |c: char| c.is_alphanumeric() || "._-/+@".contains(c);
    let word = |path: &String| {
        let path = if path.starts_with('-') { format!("./{path}") } else { path.clone() };
        if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
    };
    paths.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn first(paths: impl ExactSizeIterator<Item = String>, separator: &str) -> String {
    let count = paths.len();
    let mut names: Vec<String> = paths.take(MAX_FILES).collect();
    if let Some(further) = count.checked_sub(MAX_FILES).filter(|further| *further > 0) {
        names.push(format!("… (+{further})"));
    }
    names.join(separator)
}

/// The phases, the present one between brackets.
fn phase_line(phases: &[String], present: &str) -> String {
    let names =
        phases.iter().map(|phase| if phase == present { format!("[{phase}]") } else { phase.clone() });
    names.collect::<Vec<_>>().join(" → ")
}

#[cfg(test)]
mod tests;
