//! Where a value was said, and values that are said outside of the files.

use crate::{Key, Kind, Origin};
use std::ffi::{OsStr, OsString};
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

/// A value as it was said, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
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

impl Key {
    /// What is said of this key above every file: by its flag, else by its variable, which `variable` looks up. An empty
    /// variable is one that is not set, but an empty link has a meaning.
    pub fn given(
        &self,
        flag: Option<&OsStr>,
        variable: impl FnOnce(&str) -> Option<OsString>,
    ) -> Option<Given> {
        if let (Some(name), Some(text)) = (self.flag, flag) {
            return Some(Given { source: Source::Flag(name), text: text.to_owned() });
        }
        let name = self.variable?;
        let text = variable(name).filter(|text| !text.is_empty() || self.kind == Kind::Link)?;
        Some(Given { source: Source::Variable(name), text })
    }
}
