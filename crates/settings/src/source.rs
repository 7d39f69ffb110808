//! Where a value was said, and values that are said outside of the files.

use crate::Origin;
use std::ffi::OsString;
use std::path::PathBuf;

/// Where a value was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// By a flag of the command line.
    Flag(&'static str),
    /// By a variable of the environment.
    Variable(&'static str),
    /// In a file.
    File {
        /// Whose it is.
        origin: Origin,
        /// Where it is.
        file: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
    },
    /// Nowhere: it is the default.
    Default,
}

/// A text as written, and where. What it means is known where it is used; if it means nothing there, the place belongs to
/// the complaint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub source: Source,
}

/// A value as it was said, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncheckedValue {
    /// Where.
    pub source: Source,
    /// What.
    pub text: OsString,
}

impl Source {
    /// Whether it stands in the project's file.
    pub fn is_project(&self) -> bool {
        matches!(self, Self::File { origin: Origin::Project, .. })
    }
}

impl Spanned {
    pub(crate) fn default_text(text: &str) -> Self {
        Self { text: text.to_owned(), source: Source::Default }
    }
}
