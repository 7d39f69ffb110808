//! The files that the questions of a page are about.

use super::escape::escape_html;
use super::highlight::highlight;
use model::Location;
use store::{MAX_EXCERPT_LINE, Project, SourceChange, SourceFile, SourceHashes};

/// How many lines above and below can be opened.
const AROUND: u64 = 20;

/// A line whose HTML has more bytes than this is not worth sending in case the user opens it.
const LONG_LINE: usize = 8 << 10;

/// Reads the files as they are now. Items about one file mostly follow each other: it is read once for them, and never
/// is more than one held.
pub(crate) struct Sources<'s> {
    /// `None` where the questions are about none.
    project: Option<&'s Project>,
    /// What they were when the questions were asked.
    hashes: &'s SourceHashes,
    last: Option<ReadSource<'s>>,
}

struct ReadSource<'s> {
    name: &'s str,
    file: Option<SourceFile>,
    since: SourceChange,
}

/// The place a question is about.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(crate) since: SourceChange,
    /// `None` when there is nothing to show.
    pub(crate) shown: Option<ExcerptLines>,
}

/// What can be shown of it.
#[derive(Debug)]
pub(crate) struct ExcerptLines {
    pub(crate) before: Lines,
    pub(crate) meant: Lines,
    pub(crate) after: Lines,
    /// How many more lines are meant.
    pub(crate) omitted: u64,
}

/// Lines that follow each other, as HTML.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The number of the first one.
    pub(crate) first: u64,
    pub(crate) html: Vec<String>,
}

impl Passage {
    /// Only the place itself: what stands there now need not be what stood there.
    pub(crate) fn unread() -> Self {
        Self { since: SourceChange::Same, shown: None }
    }
}

impl<'s> Sources<'s> {
    pub(crate) fn new(project: Option<&'s Project>, hashes: &'s SourceHashes) -> Self {
        Self { project, hashes, last: None }
    }

    pub(crate) fn passage(&mut self, location: &'s Location) -> Passage {
        let ReadSource { file, since, .. } = match self.last.take() {
            Some(read) if read.name == location.file => self.last.insert(read),
            _ => {
                let name = location.file.as_str();
                let file = self.project.and_then(|project| project.source(name));
                let since = self.hashes.since(name, file.as_ref());
                self.last.insert(ReadSource { name, file, since })
            }
        };
        Passage { since: *since, shown: file.as_ref().and_then(|file| shown(file, location)) }
    }
}

fn shown(file: &SourceFile, location: &Location) -> Option<ExcerptLines> {
    let excerpt = file.excerpt(location.start, location.end)?;
    let first = excerpt.first_line.saturating_sub(AROUND).max(1);
    let above = usize::try_from(excerpt.first_line - first).ok()?;
    // What is meant goes on below when it was cut.
    let below = if excerpt.omitted == 0 { usize::try_from(AROUND).ok()? } else { 0 };
    let meant = excerpt.lines.len();
    let mut before = highlight(&location.file, file.text(), first, above + meant + below);
    let mut html = before.split_off(above.min(before.len()));
    let mut after = html.split_off(meant.min(html.len()));
    // Of a line that is cut, what is left is shown as it is.
    for (html, line) in html.iter_mut().zip(&excerpt.lines) {
        if line.len() >= MAX_EXCERPT_LINE {
            *html = escape_html(line);
        }
    }
    let is_long = |line: &String| line.len() > LONG_LINE;
    let before = match before.iter().rposition(is_long) {
        Some(long) => before.split_off(long + 1),
        None => before,
    };
    after.truncate(after.iter().position(is_long).unwrap_or(after.len()));
    Some(ExcerptLines {
        before: Lines { first: excerpt.first_line.saturating_sub(length(&before)), html: before },
        after: Lines { first: excerpt.first_line.saturating_add(length(&html)), html: after },
        meant: Lines { first: excerpt.first_line, html },
        omitted: excerpt.omitted,
    })
}

fn length(lines: &[String]) -> u64 {
    u64::try_from(lines.len()).unwrap_or(u64::MAX)
}

impl Lines {
    /// The number of the last one; `None` when there is none.
    pub(crate) fn last(&self) -> Option<u64> {
        length(&self.html).checked_sub(1).map(|further| self.first.saturating_add(further))
    }

    /// Each line with its number.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        (self.first..).zip(self.html.iter().map(String::as_str))
    }
}
