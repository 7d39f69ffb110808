//! `aide decide list`

use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use decide::{Entry, State};
use serde_json::Value;

pub(super) fn run(context: &Context, json: bool) -> Result<u8, Failure> {
    let entries = decide::list(&context.project()?.decisions()?)?;
    if json {
        let values: Vec<Value> = entries.iter().map(Entry::to_json).collect();
        context.output.json(&Value::Array(values).to_string())?;
        return Ok(DONE);
    }
    if entries.is_empty() {
        context.output.info(&Message::NoSessions);
    }
    let unserved = entries.iter().find(|entry| entry.state == State::Unserved);
    let unserved = unserved.map(|entry| entry.session.clone());
    for entry in entries {
        context.output.entry(0, &Message::session(entry))?;
    }
    if let Some(session) = unserved {
        context.output.notice(&Message::BringBack { session });
    }
    Ok(DONE)
}
