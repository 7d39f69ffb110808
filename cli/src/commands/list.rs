//! `aide decide list`

use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, State};
use crate::outcome;
use model::{DecisionRecord, Ending, SessionId};
use serde_json::{Map, Value, json};
use store::Decisions;

/// One line of the list.
pub(super) struct Entry {
    session: SessionId,
    state: State,
    task: String,
    items: usize,
    /// Empty while the questions are open.
    completed_at: String,
    /// What is in the place of questions that were replaced.
    replaced_by: Option<SessionId>,
}

pub(super) fn run(context: &Context, json: bool) -> Result<u8, Failure> {
    let decisions = context.project()?.decisions()?;
    let entries = entries(&decisions)?;
    if json {
        let values: Vec<Value> = entries.iter().map(to_json).collect();
        context.output.json(&Value::Array(values).to_string())?;
        return Ok(DONE);
    }
    if entries.is_empty() {
        context.output.info(&Message::NoSessions);
    }
    let unserved = entries.iter().find(|entry| entry.state == State::Unserved);
    let unserved = unserved.map(|entry| entry.session.clone());
    for entry in entries {
        entry.tell(context)?;
    }
    if let Some(session) = unserved {
        context.output.notice(&Message::BringBack { session });
    }
    Ok(DONE)
}

impl Entry {
    /// How the questions of `session` ended; `None` when their record is gone. What cannot be read is an entry as well.
    pub(super) fn of(decisions: &Decisions, session: SessionId) -> Option<Self> {
        match decisions.record(&session) {
            Ok(Some(record)) => Some(ended(session, record)),
            Ok(None) => None,
            Err(_) => Some(Self {
                session,
                state: State::Unreadable,
                task: String::new(),
                items: 0,
                completed_at: String::new(),
                replaced_by: None,
            }),
        }
    }

    pub(super) fn tell(self, context: &Context) -> Result<(), Failure> {
        let Self { session, state, task, items, completed_at, replaced_by: _ } = self;
        context.output.entry(0, &Message::Session { session, state, task, items, completed_at })
    }
}

/// The open questions first, then the latest.
fn entries(decisions: &Decisions) -> Result<Vec<Entry>, Failure> {
    let sessions = decisions.records()?;
    let mut entries = Vec::with_capacity(sessions.len() + 1);
    // A broken file must not hide the others; `show` and `result` say what is wrong with it.
    if let Ok(Some((pending, questions))) = decisions.pending_questions()
        && !sessions.contains(&pending.session)
    {
        entries.push(Entry {
            state: outcome::open_state(decisions, &pending.session),
            session: pending.session,
            task: questions.input().task.clone(),
            items: questions.input().items.len(),
            completed_at: String::new(),
            replaced_by: None,
        });
    }
    // One may have been removed since the folder was read.
    entries.extend(sessions.into_iter().filter_map(|session| Entry::of(decisions, session)));
    Ok(entries)
}

fn ended(session: SessionId, record: DecisionRecord) -> Entry {
    let items = record.input.get("items").and_then(Value::as_array).map_or(0, Vec::len);
    let (task, state) = (record.task().to_owned(), State::of(&record.ending));
    let replaced_by = match record.ending {
        Ending::Replaced(by) => Some(by),
        _ => None,
    };
    Entry { session, state, task, items, completed_at: record.completed_at, replaced_by }
}

fn to_json(entry: &Entry) -> Value {
    let mut object = Map::new();
    object.insert("session_id".to_owned(), json!(entry.session));
    object.insert("status".to_owned(), entry.state.code().into());
    if entry.state != State::Unreadable {
        object.insert("task".to_owned(), entry.task.as_str().into());
        object.insert("items".to_owned(), entry.items.into());
    }
    if !entry.completed_at.is_empty() {
        object.insert("completed_at".to_owned(), entry.completed_at.as_str().into());
    }
    if let Some(by) = &entry.replaced_by {
        object.insert("replaced_by".to_owned(), json!(by));
    }
    Value::Object(object)
}
