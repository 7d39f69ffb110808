//! The entries of a task. Those that an action does not change may stay text: a task of many entries is then neither taken apart
//! nor put together again for each new one.

use super::{FlowStatus, HistoryEntry};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

/// What was recorded, in the order of time: a slice of entries. Reading them takes the text apart, once; the newest ones need not
/// be read.
#[derive(Clone, Default)]
pub struct History {
    earlier: Option<EarlierText>,
    /// The entries after those.
    latest: Vec<HistoryEntry>,
    /// All entries, once they have been asked for.
    all: OnceLock<Vec<HistoryEntry>>,
}

/// Entries as they are written.
#[derive(Clone)]
struct EarlierText {
    /// A whole state, in exactly the form in which it would be written.
    text: Arc<Vec<u8>>,
    /// Where its first entries are, separated by [`SEPARATOR`].
    range: Range<usize>,
    /// How many.
    count: usize,
}

/// What is between two entries.
pub(super) const SEPARATOR: &str = ",\n    ";

impl History {
    /// The first `count` entries are at `range` in `text`, and `latest` follow. The caller has checked that the text is what
    /// would be written of the same entries.
    pub(super) fn with_text(
        text: Arc<Vec<u8>>,
        range: Range<usize>,
        count: usize,
        latest: Vec<HistoryEntry>,
    ) -> Self {
        Self { earlier: Some(EarlierText { text, range, count }), latest, all: OnceLock::new() }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.earlier.as_ref().map_or(0, |earlier| earlier.count) + self.latest.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest entry.
    pub fn last(&self) -> Option<&HistoryEntry> {
        self.nth_last(0)
    }

    /// The newest entry, to be changed.
    pub fn last_mut(&mut self) -> Option<&mut HistoryEntry> {
        self.all.take();
        if self.latest.is_empty() && self.earlier.is_some() {
            *self = self.to_vec().into();
        }
        self.latest.last_mut()
    }

    /// The entry with `newer` entries after it.
    pub fn nth_last(&self, newer: usize) -> Option<&HistoryEntry> {
        match self.latest.len().checked_sub(newer + 1) {
            Some(index) => self.latest.get(index),
            None => self.iter().nth_back(newer),
        }
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: HistoryEntry) {
        self.all.take();
        self.latest.push(entry);
    }

    /// The text of the first entries, if they are kept as text, and the entries after those.
    pub(super) fn parts(&self) -> (Option<&[u8]>, &[HistoryEntry]) {
        let text = self.earlier.as_ref().and_then(|earlier| earlier.text.get(earlier.range.clone()));
        (text, &self.latest)
    }
}

impl EarlierText {
    fn parse(&self) -> Vec<HistoryEntry> {
        let Ok(status) = FlowStatus::parse(&self.text) else { unreachable!("the text was parsed before") };
        let mut entries = status.history.latest;
        entries.truncate(self.count);
        entries
    }
}

impl Deref for History {
    type Target = [HistoryEntry];

    fn deref(&self) -> &[HistoryEntry] {
        let Some(earlier) = &self.earlier else { return &self.latest };
        self.all.get_or_init(|| {
            let mut entries = earlier.parse();
            entries.extend_from_slice(&self.latest);
            entries
        })
    }
}

impl From<Vec<HistoryEntry>> for History {
    fn from(entries: Vec<HistoryEntry>) -> Self {
        Self { latest: entries, ..Self::default() }
    }
}

impl<'h> IntoIterator for &'h History {
    type Item = &'h HistoryEntry;
    type IntoIter = std::slice::Iter<'h, HistoryEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
