//! The names of what lies where, for those who share them.

/// The folder of a project that everything is in.
pub(crate) const AIDE: &str = ".aide";
/// The configuration, below it.
pub(crate) const CONFIG: &str = "config.toml";
/// The folder of the decisions, below it. Its lock is that of all of `.aide/`.
pub(crate) const DECISIONS: &str = "decisions";
