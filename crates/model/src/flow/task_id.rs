//! Names of tasks.

use crate::SessionId;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// How long a name may be, in bytes: it is part of a file's name.
const LIMIT: usize = 128;

/// The name of a task. Those of this program come from the clock, like those of sessions; others are kept as they are.
///
/// Ordered by time; what is no time comes before all that is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskId(String);

/// A text that cannot be the name of a task, because it cannot be part of a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskIdError;

impl TaskId {
    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The time that it names, if it names one.
    pub fn time(&self) -> Option<SessionId> {
        self.0.parse().ok()
    }
}

impl From<SessionId> for TaskId {
    fn from(id: SessionId) -> Self {
        Self(id.into())
    }
}

impl FromStr for TaskId {
    type Err = TaskIdError;

    fn from_str(text: &str) -> Result<Self, TaskIdError> {
        let fits = !crate::is_blank(text)
            && text.len() <= LIMIT
            && !text.starts_with('.')
            && !text.contains(|c: char| c == '/' || c == '\\' || c.is_control());
        if fits { Ok(Self(text.to_owned())) } else { Err(TaskIdError) }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Ord for TaskId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time().cmp(&other.time()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for TaskId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for TaskIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the name of a task")
    }
}

impl std::error::Error for TaskIdError {}

#[cfg(test)]
mod tests {
    use super::TaskId;

    #[test]
    fn names_are_parts_of_file_names() {
        for good in ["2025-01-15T10-30-00", "2025-01-15T10-30-00-2", "任务 1", "a.b"] {
            assert_eq!(good.parse::<TaskId>().unwrap().as_str(), good);
        }
        let long = "x".repeat(129);
        for bad in ["", " ", "a/b", "..", ".x", "a\\b", "a\nb", "a\0", &long] {
            assert!(bad.parse::<TaskId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_order_is_that_of_time() {
        let mut names: Vec<TaskId> =
            ["2025-01-15T10-30-00-10", "x", "2025-01-15T10-30-00-2", "a", "2025-01-15T10-30-00"]
                .iter()
                .map(|name| name.parse().unwrap())
                .collect();
        names.sort();
        let names: Vec<_> = names.iter().map(TaskId::as_str).collect();
        assert_eq!(
            names,
            ["a", "x", "2025-01-15T10-30-00", "2025-01-15T10-30-00-2", "2025-01-15T10-30-00-10"]
        );
    }
}
