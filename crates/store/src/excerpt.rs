//! Some lines of a file, for a person to read beside a question.

use crate::SourceFile;

/// How many lines of a range are kept.
pub const MAX_EXCERPT_LINES: u64 = 400;

/// How many bytes of one line are kept: there are files of one line.
pub const MAX_EXCERPT_LINE: usize = 8 << 10;

/// How many bytes of all lines are kept; what is beyond counts as omitted.
pub const MAX_EXCERPT: usize = 64 << 10;

/// Stands for the rest of a line.
const CLIPPED: char = '…';

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first of `lines`, from 1.
    pub first_line: u64,
    /// The lines without their ends; at least one, at most [`MAX_EXCERPT_LINES`]. One of more than [`MAX_EXCERPT_LINE`]
    /// bytes is cut and ends in `…`.
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
    let range = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .skip(usize::try_from(first_line - 1).ok()?)
        .take(usize::try_from(wanted).unwrap_or(usize::MAX));
    let most = usize::try_from(MAX_EXCERPT_LINES).ok()?;
    let (mut lines, mut bytes, mut omitted) = (Vec::new(), 0_usize, 0);
    for line in range {
        // Once one is left out, all after it are.
        if omitted > 0 || lines.len() >= most || bytes + line.len().min(MAX_EXCERPT_LINE) > MAX_EXCERPT {
            omitted += 1;
            continue;
        }
        let line = clip(line);
        bytes += line.len();
        lines.push(line);
    }
    if lines.is_empty() { None } else { Some(Excerpt { first_line, lines, omitted }) }
}

fn clip(line: &str) -> String {
    if line.len() <= MAX_EXCERPT_LINE {
        return line.to_owned();
    }
    let end = line.floor_char_boundary(MAX_EXCERPT_LINE);
    let mut clipped = line[..end].to_owned();
    clipped.push(CLIPPED);
    clipped
}
