//! What a commit has changed.

/// One file that a commit has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path from the top of the work tree.
    pub path: String,
    /// Lines added and removed; `None` for a file that is no text.
    pub lines: Option<(u64, u64)>,
}
