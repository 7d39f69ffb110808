//! Some lines of a file, for a person to read beside a question.

use crate::SourceFile;

/// How many lines of a range are kept.
pub const MAX_EXCERPT_LINES: u64 = 400;

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first of `lines`, from 1.
    pub first_line: u64,
    /// The lines without their ends; at least one, at most [`MAX_EXCERPT_LINES`].
    pub lines: Vec<String>,
    /// How many more lines the range has in the file.
    pub omitted: u64,
}

impl SourceFile {
    /// The lines from `start` to `end`, both included; `None` when the file has none of them.
    pub fn excerpt(&self, start: u64, end: u64) -> Option<Excerpt> {
        cut(self.text(), start, end)
    }
}

fn cut(text: &str, start: u64, end: u64) -> Option<Excerpt> {
    if text.is_empty() {
        return None;
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    let first_line = start.max(1);
    let wanted = end.checked_sub(first_line)?.saturating_add(1);
    let mut rest = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .skip(usize::try_from(first_line - 1).ok()?)
        .take(usize::try_from(wanted).unwrap_or(usize::MAX));
    let kept = usize::try_from(MAX_EXCERPT_LINES).ok()?;
    let lines: Vec<String> = rest.by_ref().take(kept).map(str::to_owned).collect();
    let omitted = u64::try_from(rest.count()).ok()?;
    if lines.is_empty() { None } else { Some(Excerpt { first_line, lines, omitted }) }
}
