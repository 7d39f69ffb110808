//! Earlier decisions: which there are, and which of them somebody looks for.

use crate::Session;
use model::{DecideInput, DecisionRecord, Ending, SessionId};
use serde_json::Value;
use std::collections::HashMap;
use store::{Decisions, StoreError};

/// How many of them a page shows.
const PAGE: usize = 50;

/// One page of the list.
#[derive(Debug)]
pub(crate) struct Listing {
    /// The open questions; on the first page alone.
    pub(crate) open: Option<Entry>,
    /// What has ended, the latest first.
    pub(crate) ended: Vec<Entry>,
    /// Whether there is more of it.
    pub(crate) has_older: bool,
}

/// One set of questions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) session: SessionId,
    pub(crate) state: State,
    /// Empty where the file does not say, as is the source.
    pub(crate) task: String,
    pub(crate) source: String,
    pub(crate) items: usize,
    /// When they ended, else when they were asked.
    pub(crate) at: String,
}

/// What has become of a set of questions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    Answered,
    Returned,
    Cancelled,
    /// Those of this session were asked in their place.
    Replaced(SessionId),
    /// What is wrong with the file.
    Unreadable(String),
}

impl State {
    pub(crate) fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Decided(_) => Self::Answered,
            Ending::Returned(_) => Self::Returned,
            Ending::Cancelled => Self::Cancelled,
            Ending::Replaced(by) => Self::Replaced(by.clone()),
        }
    }
}

/// The page `page`, counted from 1, of what has all words of `search` in it. Files are read until it is full.
pub(crate) fn list(session: &Session, search: &str, page: usize) -> Result<Listing, StoreError> {
    let words = Words::new(search);
    let decisions = session.decisions();
    let sessions = decisions.records()?;
    let first = page.saturating_sub(1).saturating_mul(PAGE);
    let input = session.questions().input();
    let is_open = first == 0 && !sessions.contains(session.id()) && words.fit(question_texts(input));
    let open = is_open.then(|| open_entry(session, input));
    // Without a search nothing has to be read to be passed over.
    let unread = if words.are_none() { first } else { 0 };
    let mut found =
        sessions.into_iter().skip(unread).filter_map(|session| ended_entry(decisions, session, &words));
    let ended = found.by_ref().skip(first - unread).take(PAGE).collect();
    Ok(Listing { open, ended, has_older: found.next().is_some() })
}

fn open_entry(session: &Session, input: &DecideInput) -> Entry {
    Entry {
        session: session.id().clone(),
        state: State::Open,
        task: input.task.clone(),
        source: input.source.clone(),
        items: input.items.len(),
        at: session.asked_at().to_owned(),
    }
}

/// `None` when it is not looked for. What cannot be read may be what is looked for.
fn ended_entry(decisions: &Decisions, session: SessionId, words: &Words) -> Option<Entry> {
    let entry = match decisions.record(&session) {
        Ok(record) => {
            // `None` was removed since the folder was read.
            let record = record.filter(|record| words.fit(record_texts(record)))?;
            let items = record.input.get("items").and_then(Value::as_array).map_or(0, Vec::len);
            let text = |key| record.input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let state = State::of(&record.ending);
            Entry {
                session,
                state,
                task: text("task"),
                source: text("source"),
                items,
                at: record.completed_at,
            }
        }
        Err(error) => {
            let state = State::Unreadable(error.to_string());
            let nothing = String::new;
            Entry { session, state, task: nothing(), source: nothing(), items: 0, at: nothing() }
        }
    };
    Some(entry)
}

/// The words of a search, in lower case.
struct Words(Vec<String>);

impl Words {
    fn new(search: &str) -> Self {
        Self(search.split_whitespace().map(str::to_lowercase).collect())
    }

    fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether each word occurs in one of the texts.
    fn fit<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        if self.are_none() {
            return true;
        }
        let texts: Vec<_> = texts.into_iter().map(str::to_lowercase).collect();
        self.0.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

fn question_texts(input: &DecideInput) -> impl Iterator<Item = &str> {
    let titles = input.items.iter().map(|item| item.title.as_str());
    [input.task.as_str(), input.source.as_str()].into_iter().chain(titles)
}

/// What was asked, chosen and said. The questions are read as they stand: a record that would not be asked today is
/// found as well.
fn record_texts(record: &DecisionRecord) -> Vec<&str> {
    let input = ["task", "source"].into_iter().filter_map(|key| record.input.get(key)?.as_str());
    let mut texts: Vec<_> = input.collect();
    let decisions = record.output().map(|output| output.decisions.as_slice()).unwrap_or_default();
    // Ids may be written as `1.0`.
    let by_id: HashMap<_, _> =
        decisions.iter().map(|decision| (as_f64(decision.id).to_bits(), decision)).collect();
    for item in record.input.get("items").and_then(Value::as_array).into_iter().flatten() {
        texts.extend(item.get("title").and_then(Value::as_str));
        let id = item.get("id").and_then(Value::as_f64).map(f64::to_bits);
        let Some(decision) = id.and_then(|id| by_id.get(&id)) else { continue };
        for option in item.get("options").and_then(Value::as_array).into_iter().flatten() {
            let text = |key| option.get(key).and_then(Value::as_str);
            if text("value").is_some_and(|value| decision.chosen.has(value)) {
                texts.extend(text("label"));
            }
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

/// No valid id is so large that this would not be exact.
#[expect(clippy::cast_precision_loss, reason = "at most 2^53 - 1")]
fn as_f64(id: u64) -> f64 {
    id as f64
}
