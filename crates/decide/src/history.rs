//! List of earlier decisions, and the search in it.

use crate::State;
use crate::search::{
    CachedSearch, Reader, SearchCache, Verdict, Words, folded, question_texts, record_texts,
};
use model::{DecideInput, DecisionRecord, Ending, Origin, SessionId};
use serde_json::Value;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;
use store::{Decisions, PendingSet, StoreError};

/// How many of them a page shows.
pub(crate) const PAGE: usize = 50;
/// Fewer records than this are read on one thread.
const MIN_FOR_THREADS: usize = 500;
/// How many records are read at most before counting whether those found are enough.
const MAX_BLOCK: usize = 10_000;

/// One page of the list.
#[derive(Debug)]
pub struct HistoryPage {
    /// The open questions, the oldest first; on the first page alone.
    pub open: Vec<HistoryEntry>,
    /// What has ended, the latest first.
    pub ended: Vec<HistoryEntry>,
    /// Whether there is more of it.
    pub has_older: bool,
}

/// One set of questions.
#[derive(Debug)]
pub struct HistoryEntry {
    /// Their name.
    pub session: SessionId,
    /// Where they stand.
    pub state: State,
    /// What is in the place of questions that were replaced.
    pub replaced_by: Option<SessionId>,
    /// What is wrong with the file, if something is.
    pub problem: Option<StoreError>,
    /// Empty where the file does not say, as is the source.
    pub task: String,
    /// Where they come from.
    pub source: String,
    /// How many there are.
    pub items: usize,
    /// Who asks, or asked.
    pub origin: Origin,
    /// When they ended, else when they were asked.
    pub at: String,
}

/// Returns the page `page`, counted from 1, of what has all words of `search` in it, and of the open questions that have.
/// Files are read until it is full; with a cache, of those that have not changed since an earlier search only those that fit.
///
/// # Errors
///
/// When the folder cannot be read. A broken file is an entry as well.
pub fn history(
    decisions: &Decisions,
    search: &str,
    page: usize,
    cache: Option<&SearchCache>,
) -> Result<HistoryPage, StoreError> {
    // Where nothing can be written, they are shown as they stand.
    let _ = decisions.expire_all();
    let words = Words::new(search);
    let first = page.saturating_sub(1).saturating_mul(PAGE);
    let (sessions, cached) = if words.are_none() {
        // One more says whether there are others.
        (decisions.latest_records(first.saturating_add(PAGE).saturating_add(1))?.0, None)
    } else {
        records_and_cache(decisions, cache)?
    };
    let open = if first == 0 { decisions.open_sets()? } else { Vec::new() };
    // Damaged sets are reported where they are answered.
    let open = open.into_iter().filter_map(|pending| decisions.set(&pending.session).ok().flatten());
    let open = open
        .filter(|(_, questions)| words.fit(question_texts(questions.input())))
        .map(|(pending, questions)| HistoryEntry::open(&pending, questions.input()))
        .collect();
    // Without a search nothing has to be read to be passed over.
    let unread = if words.are_none() { first } else { 0 };
    let skipped = first - unread;
    // One more says whether there are others.
    let wanted = skipped.saturating_add(PAGE).saturating_add(1);
    let search = Search { decisions, words: &words, cached };
    let mut found = search.find(sessions.get(unread..).unwrap_or_default(), wanted);
    let mut ended = found.split_off(skipped.min(found.len()));
    let has_older = ended.len() > PAGE;
    ended.truncate(PAGE);
    Ok(HistoryPage { open, ended, has_older })
}

/// Reads which records there are, and which texts of records are kept, at the same time: of many records, either takes as long as
/// half of the search itself.
fn records_and_cache<'c>(
    decisions: &Decisions,
    cache: Option<&'c SearchCache>,
) -> Result<(Vec<SessionId>, Option<CachedSearch<'c>>), StoreError> {
    let begin = || cache.and_then(|cache| CachedSearch::begin(cache, decisions));
    thread::scope(|scope| {
        let begun = thread::Builder::new().spawn_scoped(scope, begin);
        let sessions = decisions.records()?;
        // Where the system gives no more threads, this one reads.
        let cached = match begun {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => begin(),
        };
        Ok((sessions, cached))
    })
}

/// What is looked for, and where.
struct Search<'s> {
    decisions: &'s Decisions,
    words: &'s Words,
    cached: Option<CachedSearch<'s>>,
}

impl Search<'_> {
    /// Returns at least the first `wanted` of `sessions` that have all words, if there are so many. What is rare is looked for by
    /// all processors: the system takes most of the time, to open one file after the other.
    fn find(&self, sessions: &[SessionId], wanted: usize) -> Vec<HistoryEntry> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let (mut found, mut left, mut length) = (Vec::new(), sessions, PAGE + 1);
        while !left.is_empty() && found.len() < wanted {
            let block;
            (block, left) = left.split_at(length.min(left.len()));
            if length < MIN_FOR_THREADS || processors == 1 {
                found.extend(self.look_through(block));
            } else {
                found.extend(thread::scope(|scope| {
                    let begun: Vec<_> = block
                        .chunks(block.len().div_ceil(processors))
                        .map(|part| {
                            let thread =
                                thread::Builder::new().spawn_scoped(scope, || self.look_through(part));
                            // Where the system gives no more threads, this one reads.
                            thread.map_err(|_| self.look_through(part))
                        })
                        .collect();
                    let found = begun.into_iter().map(|part| match part {
                        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                        Err(found) => found,
                    });
                    found.flatten().collect::<Vec<_>>()
                }));
            }
            length = (length * 4).min(MAX_BLOCK);
            if let Some(cached) = &self.cached {
                cached.keep(sessions, left.is_empty() || found.len() >= wanted);
            }
        }
        found
    }

    /// Returns those of `sessions` that have all words.
    fn look_through(&self, sessions: &[SessionId]) -> Vec<HistoryEntry> {
        let mut reader = self.cached.as_ref().map(CachedSearch::reader);
        sessions.iter().filter_map(|session| self.look_at(session, reader.as_mut())).collect()
    }

    fn look_at(&self, session: &SessionId, reader: Option<&mut Reader<'_>>) -> Option<HistoryEntry> {
        if let Some(reader) = reader {
            match reader.look(self.decisions, session, self.words) {
                Verdict::Misses => return None,
                Verdict::Unknown(identity) => {
                    // What cannot be read is read, and reported, as without a cache.
                    if let Ok(Some(record)) = self.decisions.record(session) {
                        let text = folded(record_texts(&record));
                        let fits = self.words.are_in(text.as_bytes());
                        reader.learn(session, &identity, text);
                        return fits.then(|| HistoryEntry::ended(session.clone(), record));
                    }
                }
                Verdict::Fits | Verdict::Unsettled => {}
            }
        }
        HistoryEntry::read(self.decisions, session.clone(), self.words)
    }
}

impl HistoryEntry {
    fn open(pending: &PendingSet, input: &DecideInput) -> Self {
        Self {
            session: pending.session.clone(),
            // The page that shows this is served.
            state: State::Open,
            replaced_by: None,
            problem: None,
            task: input.task.clone(),
            source: input.source.clone(),
            items: input.items.len(),
            origin: pending.origin.clone(),
            at: pending.created_at.clone(),
        }
    }

    /// `None` when it is not looked for. What cannot be read may be what is looked for.
    fn read(decisions: &Decisions, session: SessionId, words: &Words) -> Option<Self> {
        Some(match decisions.record_if(&session, |bytes| words.may_fit(bytes)) {
            // `None` was removed since the folder was read.
            Ok(record) => Self::ended(session, record.filter(|record| words.fit(record_texts(record)))?),
            Err(error) => Self {
                session,
                state: State::Unreadable,
                replaced_by: None,
                problem: Some(error),
                task: String::new(),
                source: String::new(),
                items: 0,
                origin: Origin::Decide,
                at: String::new(),
            },
        })
    }

    fn ended(session: SessionId, record: DecisionRecord) -> Self {
        let items = record.input.get("items").and_then(Value::as_array).map_or(0, Vec::len);
        let text = |key| record.input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (task, source) = (text("task"), text("source"));
        let state = State::from_ending(&record.ending);
        let replaced_by = match record.ending {
            Ending::Replaced(by) => by,
            _ => None,
        };
        let origin = record.meta.map_or(Origin::Decide, |meta| meta.origin);
        let (problem, at) = (None, record.completed_at);
        Self { session, state, replaced_by, problem, task, source, items, origin, at }
    }
}
