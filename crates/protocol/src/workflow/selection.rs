//! Event subscription of a client.

use super::{EventGroup, EventType};
use model::glob_matches;
use std::fmt;

/// Maximum number of entries of a [`Selection`].
pub const MAX_ENTRIES: usize = 256;

/// Maximum length of a pattern, in bytes.
pub const MAX_PATTERN: usize = 128;

/// Events that a client subscribes to: all until its first subscription, then those that match an entry. Entries are added and
/// removed individually.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// `None` before the first subscription.
    entries: Option<Vec<Entry>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Pattern(String),
    Group(String),
}

/// Too many entries, or an entry that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionFull;

impl Selection {
    /// Adds event types, with `*` for any characters, and names of groups; an entry that is already present or matches nothing
    /// has no effect.
    ///
    /// # Errors
    ///
    /// When there would be too many entries or one is too long; then none is added.
    pub fn add(&mut self, patterns: &[String], groups: &[String]) -> Result<(), SelectionFull> {
        let mut entries = self.entries.clone().unwrap_or_default();
        for entry in entries_of(patterns, groups) {
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        let is_short = |entry: &Entry| match entry {
            Entry::Pattern(text) | Entry::Group(text) => text.len() <= MAX_PATTERN,
        };
        if entries.len() > MAX_ENTRIES || !entries.iter().all(is_short) {
            return Err(SelectionFull);
        }
        self.entries = Some(entries);
        Ok(())
    }

    /// Removes these entries, all of them if none are named. A client that removes its last entry receives no events; one that
    /// has none yet has none to remove, and still receives all events.
    pub fn remove(&mut self, patterns: &[String], groups: &[String]) {
        let removed: Vec<Entry> = entries_of(patterns, groups).collect();
        if removed.is_empty() {
            self.entries = Some(Vec::new());
        } else if let Some(entries) = &mut self.entries {
            entries.retain(|entry| !removed.contains(entry));
        }
    }

    /// Whether the client receives events of this type.
    pub fn has(&self, kind: EventType) -> bool {
        self.entries.as_ref().is_none_or(|entries| entries.iter().any(|entry| entry.has(kind)))
    }
}

impl Entry {
    fn has(&self, kind: EventType) -> bool {
        match self {
            Self::Pattern(pattern) => glob_matches(pattern, kind.name()),
            Self::Group(name) => match EventGroup::named(name) {
                Some(EventGroup::All) => true,
                group => group == Some(kind.group()),
            },
        }
    }
}

fn entries_of<'a>(patterns: &'a [String], groups: &'a [String]) -> impl Iterator<Item = Entry> + 'a {
    let patterns = patterns.iter().map(|pattern| Entry::Pattern(pattern.clone()));
    patterns.chain(groups.iter().map(|group| Entry::Group(group.clone())))
}

impl fmt::Display for SelectionFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MAX_ENTRIES} entries, or one of more than {MAX_PATTERN} bytes")
    }
}

impl std::error::Error for SelectionFull {}
