//! What a rule has found.

use std::fmt;

/// One defect: where it is, what is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the root of the repository.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub defect: String,
    /// What to do.
    pub remedy: String,
}

impl Finding {
    /// Creates a finding.
    pub fn new(path: &str, line: usize, defect: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, defect: defect.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, defect, remedy } = self;
        write!(formatter, "{path}:{line}: {defect}: {remedy}")
    }
}
