//! `aide hook wake`: the answer brought to a session of an agent that did not wait for it.

use super::agent::{self, HookInput, Presence, Stream};
use super::wait::{self, NoPagePolicy};
use super::{help, limit, stop};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, SetupMessage};
use clap::ArgMatches;
use model::{Ending, SessionId, Via};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store::{AnswerRoute, Decisions, Waker};

/// `aide hook wake`
pub(super) static COMMAND: Command = Command { name: "wake", build, run };

/// Of questions that were asked longer ago than this, in seconds, no session waits any more.
pub(super) const RECENT: u64 = 7 * 24 * 60 * 60;
/// What wakes a session of Claude Code.
const WAKES: u8 = 2;
/// How deep an answer of a tool may be nested.
const DEPTH: usize = 8;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let of = &words.wake;
    layout
        .command(COMMAND.name, of.about, of.usage, of.after)
        .arg(layout.value("agent", "AGENT", words.agent))
        .arg(layout.value("timeout", "SECONDS", words.timeout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let limit = limit(matches)?;
    let named = text(matches, "agent");
    let named = named.as_deref().map_or("claude".into(), |named| named.to_string_lossy());
    let Some(given) = HookInput::read() else { return Ok(DONE) };
    match &*named {
        "claude" => Ok(wake(context, &given, limit).unwrap_or_else(|failure| {
            tracing::debug!(error = %failure.explain(texts::Lang::En).what, "cannot wake the session");
            DONE
        })),
        "codex" => Ok(stop::deliver(context, &given, stop::Agent::Codex)),
        "cursor" => Ok(stop::deliver(context, &given, stop::Agent::Cursor)),
        _ => {
            let names = vec!["claude", "codex", "cursor"];
            let unknown = Message::setup(SetupMessage::UnknownAgent { name: named.into_owned() });
            let known = Message::setup(SetupMessage::KnownAgents { names });
            Err(Failure::new(unknown, known).with_code(FAILED))
        }
    }
}

/// Waits for what the session of Claude Code has asked, and wakes it with the first answer.
fn wake(context: &Context, given: &HookInput, limit: Duration) -> Result<u8, Failure> {
    let presence = Presence::new(Stream::Error);
    let Some(session) = given.text("session_id") else { return Ok(DONE) };
    let Some(project) = agent::project(&folders(given)) else { return Ok(DONE) };
    let quiet = &agent::quiet(context, project.root());
    let decisions = project.decisions()?;
    let asked = match given.text("hook_event_name") {
        Some("PostToolUse") => {
            let asked = asked_in(given.value("tool_response"));
            for asked in &asked {
                decisions.change_receipt(asked, |receipt| {
                    receipt.wakes.entry(session.to_owned()).or_default();
                })?;
            }
            asked
        }
        Some("Stop") => {
            let receipts = decisions.receipts_since(RECENT)?.into_iter();
            let of_session = receipts.filter(|(_, receipt)| receipt.wakes.contains_key(session));
            of_session.map(|(asked, _)| asked).collect()
        }
        _ => return Ok(DONE),
    };
    let mut waiting = Vec::new();
    for asked in asked {
        waiting.extend(WaitingQuestions::begin(&decisions, asked, session)?);
    }
    let deadline = Instant::now() + limit;
    while !waiting.is_empty() {
        let sessions: Vec<_> = waiting.iter().map(|waiting| waiting.asked.clone()).collect();
        let ending = |asked: &SessionId| {
            let Some(record) = decide::record(&decisions, asked)? else { return Ok(None) };
            // A call of the agent brings it; or does not, which shows soon.
            let is_on_its_way = way(&decisions, asked, session)? == AnswerRoute::Call;
            Ok(Some(record.ending).filter(|_| !is_on_its_way))
        };
        let (place, without_page) = ((&project, &decisions), NoPagePolicy::GoesOn);
        let ended = wait::first_end(quiet, place, &sessions, ending, deadline, &presence, without_page)?;
        let Some(_) = ended else { return Ok(DONE) };
        // Several may have ended at once.
        let mut ended_sets = Vec::new();
        for was in std::mem::take(&mut waiting) {
            match was.look(&decisions, session)? {
                QuestionState::Open(still) => waiting.push(still),
                QuestionState::Ended(was, ending) => {
                    let json = mcp::ended_json(&decisions, &was.asked, ending, true);
                    ended_sets.push((was, json));
                }
                QuestionState::Over => {}
            }
        }
        if ended_sets.is_empty() {
            continue;
        }
        if presence.is_over() {
            return Ok(DONE);
        }
        let text = message(ended_sets.iter().map(|(_, json)| json));
        if !context.output.wake(&text) {
            return Ok(DONE);
        }
        for (was, _) in &ended_sets {
            // Other sessions may have asked the same by calls of their own.
            decisions.delivered(&was.asked, session, |_| false)?;
        }
        return Ok(WAKES);
    }
    Ok(DONE)
}

/// Questions whose answer this process brings to a session, and no other does.
struct WaitingQuestions {
    asked: SessionId,
    _waker: Waker,
}

/// How questions stand.
enum QuestionState {
    Open(WaitingQuestions),
    Ended(WaitingQuestions, Ending),
    /// There is nothing to bring.
    Over,
}

impl WaitingQuestions {
    fn begin(decisions: &Decisions, asked: SessionId, session: &str) -> Result<Option<Self>, Failure> {
        if way(decisions, &asked, session)? == AnswerRoute::Arrived {
            return Ok(None);
        }
        let Some(waker) = decisions.wake(&asked, session)? else { return Ok(None) };
        // Another process may have brought it and ended in between.
        if way(decisions, &asked, session)? == AnswerRoute::Arrived {
            return Ok(None);
        }
        Ok(Some(Self { asked, _waker: waker }))
    }

    fn look(self, decisions: &Decisions, session: &str) -> Result<QuestionState, Failure> {
        let Some(record) = decide::record(decisions, &self.asked)? else {
            return Ok(QuestionState::Open(self));
        };
        match way(decisions, &self.asked, session)? {
            AnswerRoute::Arrived => return Ok(QuestionState::Over),
            AnswerRoute::Call => return Ok(QuestionState::Open(self)),
            AnswerRoute::Hook => {}
        }
        Ok(match record.ending {
            // The agent has corrected them, and waits for those in their place.
            Ending::Replaced(Some(by)) if decisions.receipt(&by)?.is_some() => {
                decisions.change_receipt(&by, |receipt| {
                    receipt.wakes.entry(session.to_owned()).or_default();
                })?;
                match Self::begin(decisions, by, session)? {
                    Some(next) => next.look(decisions, session)?,
                    None => QuestionState::Over,
                }
            }
            // By the agent itself, which knows.
            Ending::Cancelled if record.meta.as_ref().is_some_and(|meta| meta.via == Via::Api) => {
                QuestionState::Over
            }
            ending => QuestionState::Ended(self, ending),
        })
    }
}

/// How the answer to `asked` gets to the session of Claude Code.
fn way(decisions: &Decisions, asked: &SessionId, session: &str) -> Result<AnswerRoute, Failure> {
    let is_claude = |client: &str| client.to_ascii_lowercase().contains("claude");
    Ok(decisions.way_to(asked, session, is_claude)?)
}

/// What the agent reads.
pub(super) fn message<'j>(answers: impl Iterator<Item = &'j Value>) -> String {
    let answers: Vec<_> = answers.map(ToString::to_string).collect();
    let lead = match answers.len() {
        1 => "aide: the questions that you asked have ended. Follow `next`:",
        _ => "aide: several sets of questions that you asked have ended. Follow `next` of each:",
    };
    format!("{lead}\n{}\n", answers.join("\n"))
}

/// The folders that a call was about: the one that it named first.
fn folders(given: &HookInput) -> Vec<PathBuf> {
    let folders = given.folders();
    let named = given.object("tool_input").and_then(|input| input.get("project")?.as_str());
    let named = named.and_then(|named| Some(folders.first()?.join(named)));
    named.into_iter().filter(|folder| folder.is_dir()).chain(folders.iter().cloned()).collect()
}

/// The questions that a result of `decide_submit` says are open, wherever in it that stands.
fn asked_in(response: Option<&Value>) -> Vec<SessionId> {
    let mut asked = Vec::new();
    if let Some(response) = response {
        find_asked(response, DEPTH, &mut asked);
    }
    asked
}

fn find_asked(value: &Value, depth: usize, asked: &mut Vec<SessionId>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(object) => {
            let text = |name: &str| object.get(name).and_then(Value::as_str);
            if let (Some("pending" | "queued"), Some(session)) = (text("status"), text("session_id"))
                && let Ok(session) = session.parse()
            {
                if !asked.contains(&session) {
                    asked.push(session);
                }
                return;
            }
            object.values().for_each(|value| find_asked(value, depth, asked));
        }
        Value::Array(array) => array.iter().for_each(|value| find_asked(value, depth, asked)),
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            if let Ok(value) = serde_json::from_str(text) {
                find_asked(&value, depth, asked);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::asked_in;
    use serde_json::json;

    #[test]
    fn the_session_is_found_in_whatever_form_the_result_has() {
        let told = json!({ "status": "pending", "session_id": "2026-01-15T10-30-00", "next": "…" });
        let found = |response| asked_in(Some(&response)).iter().map(ToString::to_string).collect::<Vec<_>>();
        for response in [
            told.clone(),
            json!(told.to_string()),
            json!([{ "type": "text", "text": told.to_string() }]),
            json!({ "content": [{ "type": "text", "text": told.to_string() }], "structuredContent": told }),
        ] {
            assert_eq!(found(response), ["2026-01-15T10-30-00"]);
        }
        for response in [
            json!({ "status": "answered", "session_id": "2026-01-15T10-30-00" }),
            json!({ "status": "pending", "session_id": "../x" }),
            json!("{\"status\":"),
            json!(null),
        ] {
            assert!(found(response).is_empty());
        }
        assert!(asked_in(None).is_empty());
    }
}
