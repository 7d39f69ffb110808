//! What the tools about decisions return, and in which words. Always in English: a model reads it.

use decide::{Outcome, State};
use model::{DecideOutput, DecisionRecord, Ending, RecordMeta, Returned, SessionId};
use serde_json::{Map, Value, json};
use std::time::Duration;
use store::Decisions;

/// A result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ToolResult {
    pub(crate) status: &'static str,
    pub(crate) session: Option<SessionId>,
    pub(crate) url: Option<String>,
    pub(crate) answers: Option<Vec<Value>>,
    pub(crate) message: Option<String>,
    pub(crate) waited: Option<Duration>,
    pub(crate) summary: String,
    pub(crate) next: String,
    /// The session of the questions that were left for later, where a part was answered.
    pub(crate) rest: Option<SessionId>,
    pub(crate) decisions: Option<Vec<Value>>,
    /// What open questions are about. It stands in the summary, and not by itself.
    pub(crate) task: String,
}

/// More characters than this of a text are left out of a summary.
const SUMMARY_TEXT: usize = 80;

impl ToolResult {
    /// Returns it as an object.
    pub(crate) fn into_json(self) -> Value {
        let told = self.with_rest();
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| {
            object.insert(name.to_owned(), value);
        };
        put("status", told.status.into());
        if let Some(session) = &told.session {
            put("session_id", session.to_string().into());
        }
        if let Some(url) = &told.url {
            put("url", url.as_str().into());
        }
        if let Some(answers) = &told.answers {
            put("answers", json!(answers));
        }
        if let Some(message) = &told.message {
            put("message", message.as_str().into());
        }
        if let Some(waited) = &told.waited {
            put("waited_seconds", waited.as_secs().into());
        }
        if let Some(decisions) = &told.decisions {
            put("decisions", json!(decisions));
        }
        put("summary", told.summary.as_str().into());
        put("next", told.next.as_str().into());
        Value::Object(object)
    }

    /// The same with what to do about the questions that were left for later.
    fn with_rest(mut self) -> Self {
        if let Some(rest) = self.rest.take() {
            self.next += &format!(" For those call decide_wait with session_id {rest}.");
        }
        self
    }

    /// The same for a client that is woken with the answer to those.
    pub(crate) fn with_rest_by_itself(mut self) -> Self {
        if self.rest.take().is_some() {
            self.next += " Their answer will be delivered to you: do not wait for it.";
        }
        self
    }

    /// Whether a person has said something that their asker has to get.
    pub(crate) fn is_answer(&self) -> bool {
        matches!(self.status, "answered" | "returned")
    }

    /// Questions that are open; `before` others were asked before them.
    pub(crate) fn open(session: SessionId, task: &str, url: Option<String>, before: usize) -> Self {
        let status = if before > 0 { "queued" } else { State::Open.code() };
        let place = match before {
            0 => String::new(),
            before => {
                let were = if before == 1 { "was" } else { "were" };
                format!("; {} of questions {were} asked earlier", texts::en_count(before, "other set"))
            }
        };
        let link = url
            .as_ref()
            .map(|url| format!(" Tell the user to open {url} if they have not seen the page."))
            .unwrap_or_default();
        Self {
            status,
            summary: format!("The user has not answered \"{}\" yet{place}", shortened(task)),
            next: format!(
                "Nothing is decided. Call decide_wait with session_id {session}; do not submit the questions \
                 again and do not decide for the user. Until then you may do work that does not depend on the \
                 answer.{link}"
            ),
            session: Some(session),
            url,
            task: task.to_owned(),
            ..Self::default()
        }
    }

    /// The same for a client that is woken with the answer.
    pub(crate) fn waking(self) -> Self {
        let link = self
            .url
            .as_ref()
            .map(|url| format!(" Tell the user to open {url} if they have not seen the page."))
            .unwrap_or_default();
        let next = format!(
            "Nothing is decided. Finish the work that does not depend on the answer, then end your turn: the answer will \
             be delivered to you once the user has given it. Do not wait for it, do not submit the questions again and do \
             not decide for the user.{link}"
        );
        Self { next, ..self }
    }

    /// How the questions `session` ended.
    pub(crate) fn ended(decisions: &Decisions, session: &SessionId, ending: Ending) -> Self {
        let record = decisions.record(session).ok().flatten();
        let told = match ending {
            Ending::Decided(output) => Self::answered(record.as_ref(), &output),
            Ending::Returned(returned) => Self::returned(&returned),
            Ending::Cancelled => Self {
                status: "cancelled",
                summary: "The questions were withdrawn before they were answered".to_owned(),
                next:
                    "Nothing was decided. Ask again with decide_submit only if the decision is still needed."
                        .to_owned(),
                ..Self::default()
            },
            Ending::Expired(deadline) => Self {
                status: "expired",
                summary: format!("The user did not answer before the deadline, {deadline}"),
                next: "Nothing was decided: silence is not an answer. Ask again with decide_submit if the \
                       decision is still needed."
                    .to_owned(),
                ..Self::default()
            },
            Ending::Replaced(by) => Self::replaced(by.as_ref()),
        };
        Self { session: Some(session.clone()), ..told }
    }

    fn answered(record: Option<&DecisionRecord>, output: &DecideOutput) -> Self {
        let answers = answers(record, output);
        let summary = answers.iter().map(one_line).collect::<Vec<_>>().join("; ");
        let mut next = "Continue with these answers. `other` and `note` are the user's own words: follow them where they \
                        say more than the option. An item with neither `chosen` nor `other` was left open: do not \
                        decide it for the user."
            .to_owned();
        if let Some(open) = &output.open {
            next +=
                &format!(" Some items are still open: the user will answer {} later.", named(&open.items));
        }
        let rest = output.open.as_ref().and_then(|open| open.session_id.clone());
        Self {
            status: State::Answered.code(),
            answers: Some(answers),
            summary,
            next,
            rest,
            ..Self::default()
        }
    }

    fn returned(returned: &Returned) -> Self {
        let items = match &*returned.items {
            [] => String::new(),
            items => format!(" ({})", named(items)),
        };
        Self {
            status: State::Returned.code(),
            summary: format!("The user sent the questions back{items}: {}", shortened(&returned.message)),
            message: Some(returned.message.clone()),
            next: "Nothing was decided. Read `message`, correct the questions and submit them with \
                   decide_submit. What the user filled in for unchanged items is kept."
                .to_owned(),
            ..Self::default()
        }
    }

    fn replaced(by: Option<&SessionId>) -> Self {
        let (summary, next) = match by {
            Some(by) => (
                format!("These questions were replaced by other questions: session {by}"),
                format!(
                    "Nothing was decided here. If you asked the new ones, call decide_wait with session_id {by}; \
                     otherwise ask again with decide_submit if the decision is still needed."
                ),
            ),
            None => (
                "The questions were removed before they were answered".to_owned(),
                "Nothing was decided. Ask again with decide_submit if the decision is still needed."
                    .to_owned(),
            ),
        };
        Self { status: State::Replaced.code(), summary, next, ..Self::default() }
    }

    /// What the questions `session` have come to; `url` is the link to their page.
    pub(crate) fn from_outcome(
        decisions: &Decisions,
        session: &SessionId,
        outcome: Outcome,
        url: Option<String>,
    ) -> Self {
        match outcome {
            Outcome::Ended(ending) => Self::ended(decisions, session, ending),
            Outcome::None => Self::nothing("No questions have been asked in this project yet"),
            Outcome::Pending { .. } | Outcome::Unserved { .. } => {
                let open = decisions.open_sets().unwrap_or_default();
                let before = open.iter().filter(|set| set.session < *session).count();
                let task = open.iter().find(|set| set.session == *session).map(|set| set.task.as_str());
                Self::open(session.clone(), task.unwrap_or_default(), url, before)
            }
        }
    }

    /// That there is nothing to tell.
    pub(crate) fn nothing(summary: &str) -> Self {
        Self {
            status: "none",
            summary: summary.to_owned(),
            next: "Ask with decide_submit if the user has to decide something.".to_owned(),
            ..Self::default()
        }
    }
}

/// Returns how the questions `session` ended, as `decide_result` does. With `is_woken` the answer to what was left for later comes
/// by itself as well.
pub fn ended_json(decisions: &Decisions, session: &SessionId, ending: Ending, is_woken: bool) -> Value {
    let told = ToolResult::ended(decisions, session, ending);
    if is_woken { told.with_rest_by_itself().into_json() } else { told.into_json() }
}

/// The answers with the words that the person has read.
pub(crate) fn answers(record: Option<&DecisionRecord>, output: &DecideOutput) -> Vec<Value> {
    let items = record.and_then(|record| record.input.get("items")?.as_array());
    let items = items.map(Vec::as_slice).unwrap_or_default();
    let meta = record.and_then(|record| record.meta.as_ref());
    output
        .decisions
        .iter()
        .map(|decision| {
            let item = items.iter().find(|item| item.get("id").and_then(Value::as_u64) == Some(decision.id));
            let options = item.and_then(|item| item.get("options")?.as_array());
            let label = |value: &String| {
                let named = |option: &&Value| option.get("value").and_then(Value::as_str) == Some(value);
                let option = options.and_then(|options| options.iter().find(named));
                option.and_then(|option| option.get("label")?.as_str()).unwrap_or(value).to_owned()
            };
            let title = item.and_then(|item| item.get("title")?.as_str()).unwrap_or_default();
            let chosen = decision.chosen.values();
            let labels: Vec<_> = chosen.iter().map(label).collect();
            let mut answer = json!({ "id": decision.id, "title": title, "chosen": chosen, "labels": labels });
            if let Some(other) = &decision.other {
                answer["other"] = json!(other);
            }
            if let Some(note) = decision.note.as_ref().filter(|note| !model::is_blank(note)) {
                answer["note"] = json!(note);
            }
            if !decision.files.is_empty() {
                let path =
                    |meta: &RecordMeta, name| store::attachment_path(&meta.session_id, decision.id, name);
                let paths = decision.files.iter().filter_map(|file| Some(path(meta?, &file.name)));
                answer["files"] = paths.collect();
            }
            if let Some(via) = meta.and_then(|meta| via(meta, decision.id)) {
                answer["via"] = via.into();
            }
            answer
        })
        .collect()
}

fn via(meta: &RecordMeta, id: u64) -> Option<&'static str> {
    let item = meta.items.iter().find(|item| item.id == id)?;
    Some(item.via.name())
}

/// One answer in one line.
pub(crate) fn one_line(answer: &Value) -> String {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).map(shortened);
    let labels: Vec<_> =
        answer["labels"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let files =
        answer.get("files").and_then(Value::as_array).map(|files| texts::en_count(files.len(), "file"));
    let mut parts: Vec<String> = labels.into_iter().map(shortened).collect();
    parts.extend(text("other").map(|other| format!("\"{other}\"")));
    parts.extend(files);
    if parts.is_empty() {
        parts.push("left open".to_owned());
    }
    let note = text("note").map(|note| format!(" (note: {note})")).unwrap_or_default();
    format!("{}: {}{note}", text("title").unwrap_or_default(), parts.join(", "))
}

/// Items by their ids.
fn named(items: &[u64]) -> String {
    let ids: Vec<_> = items.iter().map(u64::to_string).collect();
    let items = if items.len() == 1 { "item" } else { "items" };
    format!("{items} {}", ids.join(", "))
}

/// The beginning of a text, in one line.
pub(crate) fn shortened(text: &str) -> String {
    model::beginning(&model::on_one_line(text), SUMMARY_TEXT)
}

#[cfg(test)]
mod tests {
    use super::ToolResult;
    use model::{DecideOutput, Returned};
    use serde_json::{from_value, json};

    #[test]
    fn what_is_counted_agrees_with_its_number() {
        for (items, named) in [(json!([3]), "item 3"), (json!([3, 4]), "items 3, 4")] {
            let returned: Returned = from_value(json!({ "message": "why", "items": items })).unwrap();
            assert_eq!(
                ToolResult::returned(&returned).summary,
                format!("The user sent the questions back ({named}): why")
            );
            let output = json!({ "decisions": [], "open": { "session_id": null, "items": items } });
            let output: DecideOutput = from_value(output).unwrap();
            let next = ToolResult::answered(None, &output).next;
            assert!(next.ends_with(&format!("the user will answer {named} later.")), "{next}");
        }
    }
}
