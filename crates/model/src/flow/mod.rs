//! A task as phases and steps (contract/flow §3 and §5): what was recorded of it, and what may follow.

mod change;
mod history;
mod message;
mod phases;
mod read;
mod task_id;
mod written;

pub use change::FileChange;
pub use history::History;
pub use message::{STEP_TRAILER, Summary, SummaryError, commit_subject, short_hash, step_name};
pub use phases::{PhaseError, Phases};
pub use read::{FlowStatusError, StatusRule};
pub use task_id::{TaskId, TaskIdError};

use crate::MAX_SAFE_INTEGER;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// What is recorded: the `action` of a history entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The task begins.
    Start,
    /// One step was done.
    NextStep,
    /// A step is taken back.
    BackStep,
    /// The next phase begins.
    NextPart,
    /// An earlier phase begins anew.
    BackPart,
    /// Something is to be looked at later.
    Issue,
    /// Something went wrong.
    Error,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Start,
        Self::NextStep,
        Self::BackStep,
        Self::NextPart,
        Self::BackPart,
        Self::Issue,
        Self::Error,
    ];

    /// As it is written in files and on the command line.
    pub fn code(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::NextStep => "next-step",
            Self::BackStep => "back-step",
            Self::NextPart => "next-part",
            Self::BackPart => "back-part",
            Self::Issue => "issue",
            Self::Error => "error",
        }
    }

    /// The action that is written so.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.code() == code)
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// The state of a task (contract/flow §3.1). Fields of other programs and versions are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowStatus {
    /// The name of the task, from the clock.
    pub task_id: TaskId,
    /// The phase that the task is in.
    pub current_phase: String,
    /// The number of the latest entry. It only ever grows, also on the way back.
    pub current_step: u64,
    /// Local time with offset, whole seconds.
    pub started_at: String,
    /// What was recorded, in the order of time.
    pub history: History,
    /// What else stands in the file.
    pub others: Map<String, Value>,
}

/// One thing that was recorded (contract/flow §3.1).
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// Local time with offset, whole seconds.
    pub timestamp: String,
    /// What was done.
    pub action: Action,
    /// The phase that the task was in afterwards.
    pub phase: String,
    /// Its number within the task.
    pub step: u64,
    /// The purpose, in its author's words.
    pub summary: String,
    /// The commit that recorded it. Absent when nothing was committed, and in the newest entry of a file that is part of
    /// that very commit: it is found by its trailer ([`STEP_TRAILER`]).
    pub git_commit: Option<String>,
    /// What else stands in the file, if there is anything.
    pub others: Option<Box<Map<String, Value>>>,
}

impl FlowStatus {
    /// A task that begins at `now` in `phase`.
    pub fn start(task_id: TaskId, now: &str, phase: &str, summary: &Summary) -> Self {
        let mut status = Self {
            task_id,
            current_phase: phase.to_owned(),
            current_step: 0,
            started_at: now.to_owned(),
            history: History::default(),
            others: Map::new(),
        };
        status.record(Action::Start, now, phase, summary);
        status
    }

    /// Records an action that leaves the task in `phase`.
    pub fn record(&mut self, action: Action, now: &str, phase: &str, summary: &Summary) {
        // A file edited by hand may have an entry later than `current_step`.
        let last = self.history.last().map_or(0, |entry| entry.step);
        let next = self.current_step.max(last).saturating_add(1);
        // A larger one could not be read again.
        self.current_step = next.min(MAX_SAFE_INTEGER);
        phase.clone_into(&mut self.current_phase);
        self.history.push(HistoryEntry {
            timestamp: now.to_owned(),
            action,
            phase: phase.to_owned(),
            step: self.current_step,
            summary: summary.as_str().to_owned(),
            git_commit: None,
            others: None,
        });
    }

    /// The latest entry.
    pub fn newest(&self) -> Option<&HistoryEntry> {
        self.history.last()
    }

    /// When the work on the task ended: with its latest entry, once it is in the last of these phases.
    pub fn ended_at(&self, phases: &[String]) -> Option<&str> {
        let is_in_last = phases.last() == Some(&self.current_phase);
        self.newest().filter(|_| is_in_last).map(|newest| &*newest.timestamp)
    }

    /// What the task is about: the words it was started with.
    pub fn summary(&self) -> &str {
        self.history.first().map_or("", |entry| &entry.summary)
    }

    /// The entries since the present phase was entered, that one first.
    pub fn present_phase(&self) -> &[HistoryEntry] {
        let entered = self
            .history
            .iter()
            .rposition(|entry| matches!(entry.action, Action::Start | Action::NextPart | Action::BackPart));
        self.history.get(entered.unwrap_or_default()..).unwrap_or_default()
    }
}

impl FlowStatus {
    /// Returns the text of `flow-status.json`: with an indent of two spaces, and a final line feed. Entries that were read as
    /// text are copied.
    ///
    /// # Errors
    ///
    /// When a value of another program cannot be written.
    pub fn to_text(&self) -> Result<Vec<u8>, serde_json::Error> {
        let (earlier, latest) = self.history.parts();
        let mut text = serde_json::to_vec_pretty(&WithEntries { status: self, entries: latest })?;
        text.push(b'\n');
        let Some(earlier) = earlier else { return Ok(text) };
        // No string has a line feed in it, so this is the list itself.
        let begin = b"\n  \"history\": [";
        let Some(begins) = text.windows(begin.len()).position(|found| found == begin) else {
            return Err(serde::ser::Error::custom("the history is not where it is expected"));
        };
        let (before, after) = text.split_at(begins + begin.len());
        let separator = if latest.is_empty() { b"\n  " } else { history::SEPARATOR.as_bytes() };
        Ok([before, b"\n    ", earlier, separator, after.trim_ascii_start()].concat())
    }
}

/// A state, written with `entries` as its history.
struct WithEntries<'s> {
    status: &'s FlowStatus,
    entries: &'s [HistoryEntry],
}

impl Serialize for WithEntries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let status = self.status;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("task_id", status.task_id.as_str())?;
        map.serialize_entry("current_phase", &status.current_phase)?;
        map.serialize_entry("current_step", &status.current_step)?;
        map.serialize_entry("started_at", &status.started_at)?;
        map.serialize_entry("history", self.entries)?;
        for (key, value) in &status.others {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Serialize for FlowStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WithEntries { status: self, entries: &self.history }.serialize(serializer)
    }
}

impl Serialize for HistoryEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("timestamp", &self.timestamp)?;
        map.serialize_entry("action", &self.action)?;
        map.serialize_entry("phase", &self.phase)?;
        map.serialize_entry("step", &self.step)?;
        map.serialize_entry("summary", &self.summary)?;
        if let Some(commit) = &self.git_commit {
            map.serialize_entry("git_commit", commit)?;
        }
        for (key, value) in self.others.iter().flat_map(|others| others.iter()) {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
