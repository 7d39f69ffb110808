//! Paths below a folder that others write to.

use super::Rule;
use super::macros::{leaf_schema, text};
use std::fmt;
use std::str::FromStr;

/// A path that stays below the folder it is joined to: relative, without `..`, empty components and control characters. It may be
/// a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

/// A [`RelPath`] that a payload may have: not the name of a control file of the agents, and not hidden.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadPath(String);

/// Fault of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathFault {
    /// The path or a component is empty, or a component is `.`.
    Empty,
    /// The path begins with `/`.
    Absolute,
    /// The path leads to a parent folder.
    Parent,
    /// The path contains a control character.
    Control,
    /// The path or a component is too long.
    TooLong,
    /// The path names a control file of the agents, or a hidden file.
    Reserved,
}

impl RelPath {
    /// Maximum length in bytes.
    pub const MAX: usize = 1024;
    /// Maximum length of a component in bytes: that of a name in a file system.
    pub const MAX_COMPONENT: usize = 255;

    /// Returns the components.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl PayloadPath {
    /// Returns the components.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl From<PayloadPath> for RelPath {
    fn from(path: PayloadPath) -> Self {
        Self(path.0)
    }
}

fn check(path: &str) -> Result<(), PathFault> {
    if path.starts_with('/') {
        return Err(PathFault::Absolute);
    }
    if path.contains(char::is_control) {
        return Err(PathFault::Control);
    }
    if path.len() > RelPath::MAX {
        return Err(PathFault::TooLong);
    }
    for component in path.split('/') {
        match component {
            "" | "." => return Err(PathFault::Empty),
            // `\` separates for some programs that unpack or copy what is delivered.
            _ if component.split('\\').any(|part| part == "..") => return Err(PathFault::Parent),
            _ if component.len() > RelPath::MAX_COMPONENT => return Err(PathFault::TooLong),
            _ => {}
        }
    }
    Ok(())
}

/// Case is ignored, because some file systems ignore it.
fn is_reserved(component: &str, is_last: bool) -> bool {
    const BEGINNINGS: [&str; 6] =
        ["ack_", "task_state_", "human_intervention_", "decision_record_", "release_manifest_", "alert_"];
    const ENDINGS: [&str; 2] = [".msg.json", ".tmp"];
    let name = component.to_ascii_lowercase();
    // The one kind of hidden file that people are asked for.
    let is_environment = is_last && (name == ".env" || name.starts_with(".env."));
    name.starts_with('.') && !is_environment
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

impl FromStr for RelPath {
    type Err = PathFault;

    fn from_str(text: &str) -> Result<Self, PathFault> {
        check(text)?;
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for PayloadPath {
    type Err = PathFault;

    fn from_str(text: &str) -> Result<Self, PathFault> {
        check(text)?;
        let mut components = text.split('/').rev().enumerate();
        if components.any(|(from_end, component)| is_reserved(component, from_end == 0)) {
            return Err(PathFault::Reserved);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty, or a part of it is",
            Self::Absolute => "absolute",
            Self::Parent => "leads upwards",
            Self::Control => "has a control character",
            Self::TooLong => "too long",
            Self::Reserved => "reserved",
        })
    }
}

impl std::error::Error for PathFault {}

text!(RelPath, |fault| Rule::IsPath { fault });
text!(PayloadPath, |fault| Rule::IsPath { fault });
leaf_schema!(RelPath, { "type": "string", "minLength": 1, "pattern": "^[^/]" });
leaf_schema!(PayloadPath, { "type": "string", "minLength": 1, "pattern": "^[^/]" });

#[cfg(test)]
mod tests {
    use super::{PathFault, PayloadPath, RelPath};

    #[test]
    fn a_path_stays_below_its_folder() {
        for good in ["a", "a/b.txt", "a..b", "...", "报告.md", "feedback_*.json", ".env.staging", "a\\b"] {
            assert_eq!(good.parse::<RelPath>().unwrap().as_str(), good);
        }
        let long = "x".repeat(256);
        let deep = "x/".repeat(512) + "x";
        for (bad, fault) in [
            ("", PathFault::Empty),
            (".", PathFault::Empty),
            ("./a", PathFault::Empty),
            ("a//b", PathFault::Empty),
            ("a/", PathFault::Empty),
            ("/etc/passwd", PathFault::Absolute),
            ("..", PathFault::Parent),
            ("../a", PathFault::Parent),
            ("a/../b", PathFault::Parent),
            ("a\\..\\b", PathFault::Parent),
            ("a\0b", PathFault::Control),
            ("a\nb", PathFault::Control),
            ("a\u{85}b", PathFault::Control),
            (&long, PathFault::TooLong),
            (&deep, PathFault::TooLong),
        ] {
            assert_eq!(bad.parse::<RelPath>(), Err(fault), "{bad:?}");
            assert_eq!(bad.parse::<PayloadPath>(), Err(fault), "{bad:?}");
        }
    }

    #[test]
    fn a_payload_is_no_file_by_which_agents_are_controlled() {
        for good in ["acknowledgement.md", "release_manifest.json", "decision_record.json", "tmp", "a/.env"] {
            assert_eq!(good.parse::<PayloadPath>().unwrap().as_str(), good);
        }
        for good in [".env.staging", "msg.json", "artifact_a.json"] {
            assert!(good.parse::<PayloadPath>().is_ok(), "{good}");
        }
        for bad in [
            "ack_1.json",
            "ACK_1.json",
            "task_state_a.json",
            "human_intervention_request_1.json",
            "human_intervention_response_1.json",
            "decision_record_1.json",
            "release_manifest_1.json",
            "alert_1.json",
            "a.msg.json",
            ".msg.json",
            "a.tmp",
            "a/b.MSG.json",
            "ack_x/a",
            ".pending/a",
            ".processed",
            ".env/a",
            ".envrc",
            ".git/config",
        ] {
            assert_eq!(bad.parse::<PayloadPath>(), Err(PathFault::Reserved), "{bad}");
        }
    }
}
