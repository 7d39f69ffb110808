//! List of earlier decisions, and the search in it.

use crate::State;
use memchr::memmem::{self, Finder};
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
/// Files are read until it is full.
///
/// # Errors
///
/// When the folder cannot be read. A broken file is an entry as well.
pub fn history(decisions: &Decisions, search: &str, page: usize) -> Result<HistoryPage, StoreError> {
    // Where nothing can be written, they are shown as they stand.
    let _ = decisions.expire_all();
    let words = Words::new(search);
    let first = page.saturating_sub(1).saturating_mul(PAGE);
    let sessions = if words.are_none() {
        // One more says whether there are others.
        decisions.latest_records(first.saturating_add(PAGE).saturating_add(1))?.0
    } else {
        decisions.records()?
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
    let mut found = find(decisions, sessions.get(unread..).unwrap_or_default(), &words, wanted);
    let mut ended = found.split_off(skipped.min(found.len()));
    let has_older = ended.len() > PAGE;
    ended.truncate(PAGE);
    Ok(HistoryPage { open, ended, has_older })
}

/// Returns at least the first `wanted` of `sessions` that have all words, if there are so many. What is rare is looked for by all
/// processors: the system takes most of the time, to open one file after the other.
fn find(decisions: &Decisions, sessions: &[SessionId], words: &Words, wanted: usize) -> Vec<HistoryEntry> {
    let read = |session: &SessionId| HistoryEntry::read(decisions, session.clone(), words);
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let (mut found, mut left, mut length) = (Vec::new(), sessions, PAGE + 1);
    while !left.is_empty() && found.len() < wanted {
        let block;
        (block, left) = left.split_at(length.min(left.len()));
        if length < MIN_FOR_THREADS || processors == 1 {
            found.extend(block.iter().filter_map(read));
        } else {
            found.extend(thread::scope(|scope| {
                let parts = block.chunks(block.len().div_ceil(processors));
                let search = |part: &'_ [SessionId]| part.iter().filter_map(read).collect::<Vec<_>>();
                let begun: Vec<_> = parts
                    .map(|part| {
                        let thread = thread::Builder::new().spawn_scoped(scope, move || search(part));
                        // Where the system gives no more threads, this one reads.
                        thread.map_err(|_| search(part))
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
    }
    found
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
            Ok(record) => {
                // `None` was removed since the folder was read.
                let record = record.filter(|record| words.fit(record_texts(record)))?;
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
}

/// The words of a search, in lower case.
struct Words {
    all: Vec<String>,
    /// Those to look for in the bytes of a file: JSON does not escape them.
    literal: Vec<Finder<'static>>,
    /// Whether the letters of those have no other capitals than those of ASCII, except for [`FOLDED_TO_ASCII`].
    are_ascii_cased: bool,
}

/// The letters outside of ASCII that have a lower case with one of ASCII in it.
const FOLDED_TO_ASCII: [char; 2] = ['\u{130}', '\u{212a}'];

impl Words {
    fn new(search: &str) -> Self {
        let all: Vec<_> = search.split_whitespace().map(str::to_lowercase).collect();
        let is_literal = |word: &&String| !word.contains(|c: char| c == '"' || c == '\\' || c.is_control());
        let literal: Vec<_> = all.iter().filter(is_literal).collect();
        // What a capital becomes is a small letter, and a dot above it in one case.
        let is_ascii_cased = |c: char| c.is_ascii() || !c.is_lowercase() && c != '\u{307}';
        let are_ascii_cased = literal.iter().all(|word| word.chars().all(is_ascii_cased));
        let literal = literal.into_iter().map(|word| Finder::new(word.as_str()).into_owned()).collect();
        Self { all, literal, are_ascii_cased }
    }

    fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a file that has no escapes may have each word in one of its texts.
    fn may_fit(&self, file: &[u8]) -> bool {
        if self.are_none() {
            return true;
        }
        let are_in = |text: &[u8]| self.literal.iter().all(|word| word.find(text).is_some());
        if self.are_ascii_cased && are_in(&file.to_ascii_lowercase()) {
            return true;
        }
        let is_folded = |c: char| memmem::find(file, c.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
        if self.are_ascii_cased && !FOLDED_TO_ASCII.into_iter().any(is_folded) {
            return false;
        }
        are_in(String::from_utf8_lossy(file).to_lowercase().as_bytes())
    }

    /// Whether each word occurs in one of the texts.
    fn fit<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        if self.are_none() {
            return true;
        }
        let texts: Vec<_> = texts.into_iter().map(str::to_lowercase).collect();
        self.all.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

fn question_texts(input: &DecideInput) -> Vec<&str> {
    let mut texts = vec![input.task.as_str(), &input.source];
    for item in &input.items {
        texts.push(&item.title);
        for option in &item.options {
            texts.push(&option.label);
            texts.extend(option.description.as_deref());
            texts.extend([&option.pros, &option.cons].into_iter().flatten().flatten().map(String::as_str));
        }
    }
    texts
}

/// What was asked, with all options, also those that were not chosen, and what was said. The questions are read as they stand: a
/// record that would not be asked today is found as well.
fn record_texts(record: &DecisionRecord) -> Vec<&str> {
    let input = ["task", "source"].into_iter().filter_map(|key| record.input.get(key)?.as_str());
    let mut texts: Vec<_> = input.collect();
    let decisions = record.output().map(|output| output.decisions.as_slice()).unwrap_or_default();
    for item in record.input.get("items").and_then(Value::as_array).into_iter().flatten() {
        texts.extend(item.get("title").and_then(Value::as_str));
        for option in item.get("options").and_then(Value::as_array).into_iter().flatten() {
            texts.extend(["label", "description"].into_iter().filter_map(|key| option.get(key)?.as_str()));
            let lists = ["pros", "cons"].into_iter().filter_map(|key| option.get(key)?.as_array());
            texts.extend(lists.flatten().filter_map(Value::as_str));
        }
    }
    for decision in decisions {
        texts.extend([&decision.other, &decision.note].into_iter().flatten().map(String::as_str));
    }
    if let Ending::Returned(returned) = &record.ending {
        texts.push(&returned.message);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::Words;

    /// What is looked for in the bytes is looked for in all texts alike, whatever has which case.
    #[test]
    fn a_file_is_passed_over_only_if_no_text_of_it_has_all_words() {
        let pieces = [
            "k", "K", "\u{212a}", "i", "\u{130}", "i\u{307}", "\u{307}", "I", "é", "É", "ß", "ẞ", "SS", "流",
            "Σ", "σ", "ς", "\u{1f1}", "\u{1c5}", "1", "Å", "\u{212b}", "\u{2126}", "ω", "ﬀ", "FF",
        ];
        let texts: Vec<String> =
            pieces.iter().flat_map(|one| pieces.iter().map(move |other| format!("{one}{other}"))).collect();
        for search in texts.iter().map(String::as_str).chain(pieces) {
            let words = Words::new(search);
            for text in &texts {
                let file = format!("{{\"task\": \"a {text} b\"}}");
                assert!(words.may_fit(file.as_bytes()) || !words.fit([text.as_str()]), "{search}: {text}");
            }
        }
        assert!(!Words::new("流 x").may_fit("{\"task\": \"流\"}".as_bytes()));
        assert!(!Words::new("é").may_fit("{\"task\": \"e\"}".as_bytes()));
    }
}
