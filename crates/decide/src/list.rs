//! All sets of questions, each in one line.

use crate::State;
use crate::history::PAGE;
use model::{DecisionRecord, Ending, Origin, SessionId};
use serde_json::{Map, Value, json};
use store::{Decisions, StoreError};

/// One set of questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Their name.
    pub session: SessionId,
    /// Where they stand.
    pub state: State,
    /// What they are about; empty where the file does not say.
    pub task: String,
    /// How many there are.
    pub items: usize,
    /// How many of them were left for later, in a set of their own.
    pub left: usize,
    /// Who asks, or asked.
    pub origin: Origin,
    /// Until when they are, or were, to be answered.
    pub deadline: Option<String>,
    /// Empty while they are open.
    pub completed_at: String,
    /// What is in the place of questions that were replaced.
    pub replaced_by: Option<SessionId>,
}

/// Returns the open questions first, the oldest of them before the others, then those that have ended, the latest first.
///
/// # Errors
///
/// When the folder cannot be read. A broken file is an entry as well.
pub fn list(decisions: &Decisions) -> Result<Vec<Entry>, StoreError> {
    // Where nothing can be written, they are shown as they stand.
    let _ = decisions.expire_all();
    let sessions = decisions.records()?;
    let mut entries = of_open_and_damaged_sets(decisions)?;
    // One may have been removed since the folder was read.
    entries.extend(sessions.into_iter().filter_map(|session| Entry::read(decisions, session)));
    Ok(entries)
}

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage {
    /// The sets on it.
    pub entries: Vec<Entry>,
    /// Whether there is another page.
    pub has_older: bool,
}

/// Returns page `page` of the same list, counted from 1: of the sets that have ended 50, on the first page after all others.
///
/// # Errors
///
/// As [`list`].
pub fn list_page(decisions: &Decisions, page: usize) -> Result<ListPage, StoreError> {
    let _ = decisions.expire_all();
    let (sessions, has_older) = decisions.latest_records(page.saturating_mul(PAGE))?;
    let before = page.saturating_sub(1);
    let mut entries = if before == 0 { of_open_and_damaged_sets(decisions)? } else { Vec::new() };
    let shown = sessions.into_iter().skip(before.saturating_mul(PAGE)).take(PAGE);
    entries.extend(shown.filter_map(|session| Entry::read(decisions, session)));
    Ok(ListPage { entries, has_older })
}

fn of_open_and_damaged_sets(decisions: &Decisions) -> Result<Vec<Entry>, StoreError> {
    let mut entries = of_open_sets(decisions)?;
    let damaged = decisions.damaged_sets()?;
    entries.extend(damaged.into_iter().map(|(session, _)| Entry::unreadable(session)));
    Ok(entries)
}

/// Returns the open questions alone, the oldest first.
///
/// # Errors
///
/// When the folder cannot be read. A broken file is left out.
pub fn list_open(decisions: &Decisions) -> Result<Vec<Entry>, StoreError> {
    let _ = decisions.expire_all();
    of_open_sets(decisions)
}

fn of_open_sets(decisions: &Decisions) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::new();
    for pending in decisions.open_sets()? {
        // A broken file must not hide the others; a request for it returns its error.
        if let Ok(Some((pending, questions))) = decisions.set(&pending.session) {
            entries.push(Entry {
                state: State::of_open(decisions, &pending.session),
                session: pending.session,
                task: pending.task,
                items: questions.input().items.len(),
                left: 0,
                origin: pending.origin,
                deadline: pending.deadline,
                completed_at: String::new(),
                replaced_by: None,
            });
        }
    }
    Ok(entries)
}

impl Entry {
    /// Returns how the questions of `session` ended; `None` when their record is gone. What cannot be read is an entry as
    /// well.
    pub fn read(decisions: &Decisions, session: SessionId) -> Option<Self> {
        match decisions.record(&session) {
            Ok(Some(record)) => Some(Self::ended(session, record)),
            Ok(None) => None,
            Err(_) => Some(Self::unreadable(session)),
        }
    }

    fn unreadable(session: SessionId) -> Self {
        Self {
            session,
            state: State::Unreadable,
            task: String::new(),
            items: 0,
            left: 0,
            origin: Origin::Decide,
            deadline: None,
            completed_at: String::new(),
            replaced_by: None,
        }
    }

    fn ended(session: SessionId, record: DecisionRecord) -> Self {
        let items = record.input.get("items").and_then(Value::as_array).map_or(0, Vec::len);
        let (task, state) = (record.task().to_owned(), State::from_ending(&record.ending));
        let (replaced_by, left) = match record.ending {
            Ending::Replaced(by) => (by, 0),
            Ending::Decided(output) => (None, output.open.map_or(0, |open| open.items.len())),
            _ => (None, 0),
        };
        let (origin, deadline) = record.meta.map(|meta| (meta.origin, meta.deadline)).unwrap_or_default();
        let completed_at = record.completed_at;
        Self { session, state, task, items, left, origin, deadline, completed_at, replaced_by }
    }

    /// Returns it as an object, without what is not known.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("session_id".to_owned(), json!(self.session));
        object.insert("status".to_owned(), self.state.code().into());
        if self.state != State::Unreadable {
            object.insert("task".to_owned(), self.task.as_str().into());
            object.insert("items".to_owned(), self.items.into());
            if self.left > 0 {
                object.insert("left_for_later".to_owned(), self.left.into());
            }
        }
        if !self.origin.is_decide() {
            object.insert("origin".to_owned(), json!(self.origin));
        }
        if let Some(deadline) = &self.deadline {
            object.insert("deadline".to_owned(), deadline.as_str().into());
        }
        if !self.completed_at.is_empty() {
            object.insert("completed_at".to_owned(), self.completed_at.as_str().into());
        }
        if let Some(by) = &self.replaced_by {
            object.insert("replaced_by".to_owned(), json!(by));
        }
        Value::Object(object)
    }
}
