//! What an endpoint of OpenAI's kind answers: one object, or events with a piece of it each.

use super::sse::SseParser;
use super::{count, surrogates, text};
use crate::cause::status_of;
use crate::words::{error_message, one_line};
use crate::{Answer, AnswerProgress, BadAnswer, FinishReason, Usage};
use serde_json::Value;

/// The data of the event after which nothing comes.
const DONE: &[u8] = b"[DONE]";
/// The mark of the byte order.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// How far an answer has come, while it is coming.
#[derive(Debug, Default)]
pub(crate) struct ResponseProgress {
    /// What has come before it is known which form it has: spaces, and a mark of the byte order.
    head: Vec<u8>,
    form: Option<ResponseForm>,
    has_data: bool,
    /// It is said why the answer ends, or that nothing more comes.
    is_finished: bool,
    is_done: bool,
    failure: Option<Failure>,
    received: AnswerProgress,
}

/// An error that comes with a status of success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) message: String,
    /// The status that it should have come with.
    pub(crate) status: Option<u16>,
    /// Its own code, or the name of its kind.
    pub(crate) code: Option<String>,
}

#[derive(Debug)]
enum ResponseForm {
    /// One object, as a whole.
    Whole(Vec<u8>),
    Events(SseParser),
}

/// What has come when nothing more comes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResponseEnd {
    /// An answer, good or bad.
    Complete,
    /// The beginning of one.
    Cut,
    /// Nothing of the kind.
    Other,
    /// An error.
    Failed(Failure),
}

impl ResponseProgress {
    /// Looks at what has come.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let head;
        let bytes = if self.form.is_none() {
            self.head.extend_from_slice(bytes);
            match body_of(&self.head).first() {
                None => return,
                // Perhaps the beginning of the mark.
                Some(0xef) if self.head.len() < BOM.len() => return,
                Some(b'{' | b'[') => self.form = Some(ResponseForm::Whole(Vec::new())),
                Some(_) => self.form = Some(ResponseForm::Events(SseParser::default())),
            }
            head = std::mem::take(&mut self.head);
            head.as_slice()
        } else {
            bytes
        };
        match self.form.take() {
            Some(ResponseForm::Whole(mut whole)) => {
                whole.extend_from_slice(bytes);
                self.form = Some(ResponseForm::Whole(whole));
            }
            Some(ResponseForm::Events(mut events)) => {
                events.push(bytes, &mut |data| self.look(data));
                self.form = Some(ResponseForm::Events(events));
            }
            None => {}
        }
    }

    /// How much has come.
    pub(crate) fn received(&self) -> AnswerProgress {
        self.received
    }

    /// Nothing that matters comes any more.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done || self.failure.is_some()
    }

    /// It is known how the answer ends.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The stream has ended.
    pub(crate) fn end(mut self) -> ResponseEnd {
        match self.form.take() {
            Some(ResponseForm::Whole(whole)) => {
                let whole = body_of(&whole);
                return match serde_json::from_slice(whole) {
                    Ok(value) => failure_in(&value).map_or(ResponseEnd::Complete, ResponseEnd::Failed),
                    // Without a length, a connection that is cut looks like the end.
                    Err(error) if error.is_eof() => ResponseEnd::Cut,
                    Err(_) => ResponseEnd::Complete,
                };
            }
            Some(ResponseForm::Events(mut events)) => events.finish(&mut |data| self.look(data)),
            None => {}
        }
        match self.failure {
            Some(failure) => ResponseEnd::Failed(failure),
            None if self.is_finished => ResponseEnd::Complete,
            None if self.has_data => ResponseEnd::Cut,
            None => ResponseEnd::Other,
        }
    }

    fn count(&mut self, chunk: &Value) {
        let delta = choice(chunk).and_then(|choice| choice.get("delta"));
        let mut text = String::new();
        for part in ["reasoning_content", "reasoning", "content"] {
            add(&mut text, delta.and_then(|delta| delta.get(part)));
        }
        let characters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        self.received.characters = self.received.characters.saturating_add(characters);
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.get("completion_tokens").is_some()) {
            self.received.output_tokens = Some(count(usage, "completion_tokens"));
        }
    }

    fn look(&mut self, data: &[u8]) {
        let data = data.trim_ascii();
        if data.is_empty() {
            return;
        }
        self.has_data = true;
        if data == DONE {
            (self.is_done, self.is_finished) = (true, true);
        } else if let Ok(chunk) = json(data) {
            self.is_finished |= choice(&chunk).is_some_and(|choice| text(choice, "finish_reason").is_some());
            if self.failure.is_none() && !self.is_done {
                self.failure = failure_in(&chunk);
            }
            self.count(&chunk);
        }
    }
}

/// The error that is there instead of an answer.
fn failure_in(value: &Value) -> Option<Failure> {
    let value = value.as_array().and_then(|values| values.first()).unwrap_or(value);
    let error = value.get("error").filter(|error| !error.is_null() && *error != false)?;
    if choice(value).is_some_and(|choice| choice.get("message").is_some()) {
        return None;
    }
    let message = error_message(error).unwrap_or_else(|| one_line(&error.to_string()));
    let (status, code) = codes_in(error, value);
    Some(Failure { message, status, code })
}

/// The status that an error names, as a number or as a word for one, and its code as a word.
pub(crate) fn codes_in(error: &Value, around: &Value) -> (Option<u16>, Option<String>) {
    let named = ["code", "status", "type"].iter().filter_map(|name| error.get(*name));
    let named: Vec<&Value> =
        named.chain(["code", "status"].iter().filter_map(|name| around.get(*name))).collect();
    let number = |value: &&Value| match value {
        Value::Number(_) => value.as_u64().and_then(|code| u16::try_from(code).ok()),
        Value::String(text) => status_of(text),
        _ => None,
    };
    let status = named.iter().filter_map(number).find(|code| (400..600).contains(code));
    let code = named.iter().find_map(|value| value.as_str()).filter(|code| code.parse::<u64>().is_err());
    (status, code.map(one_line))
}

/// The first of the answers.
fn choice(value: &Value) -> Option<&Value> {
    let choices = value.get("choices")?.as_array()?;
    choices.iter().find(|choice| count(choice, "index") == 0)
}

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let start = body_of(raw);
    let mut pieces = StreamPieces::default();
    if matches!(start.first(), Some(b'{' | b'[')) {
        pieces.take(start);
    } else {
        let mut events = SseParser::default();
        let mut take = |data: &[u8]| pieces.take(data);
        events.push(raw, &mut take);
        events.finish(&mut take);
    }
    pieces.answer()
}

/// What the pieces add up to.
#[derive(Default)]
struct StreamPieces {
    text: String,
    refusal: String,
    model: Option<String>,
    usage: Option<Usage>,
    cost: Option<f64>,
    finish: Option<String>,
    is_done: bool,
    error: Option<BadAnswer>,
}

impl StreamPieces {
    fn take(&mut self, data: &[u8]) {
        if self.is_done || self.error.is_some() {
            return;
        }
        if data.trim_ascii().is_empty() {
            return;
        }
        if data.trim_ascii() == DONE {
            self.is_done = true;
            return;
        }
        let value: Value = match json(data) {
            Ok(value) => value,
            Err(error) => {
                let is_text = std::str::from_utf8(data);
                self.error = Some(match is_text {
                    Ok(_) => BadAnswer::NotJson { message: error.to_string() },
                    Err(error) => BadAnswer::NotUtf8 { at: error.valid_up_to() },
                });
                return;
            }
        };
        if let Some(Failure { message, .. }) = failure_in(&value) {
            self.error = Some(BadAnswer::Refused { message });
            return;
        }
        if let Some(choice) = choice(&value) {
            for message in ["delta", "message"].iter().filter_map(|name| choice.get(*name)) {
                add(&mut self.text, message.get("content"));
                add(&mut self.refusal, message.get("refusal"));
            }
            if let Some(finish) = text(choice, "finish_reason") {
                self.finish = Some(finish.to_owned());
            }
            // All of it at once.
            self.is_done |= choice.get("message").is_some();
        }
        if let Some(model) = text(&value, "model").filter(|model| !model.is_empty()) {
            self.model = Some(model.to_owned());
        }
        if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(Usage {
                input_tokens: count(usage, "prompt_tokens"),
                output_tokens: count(usage, "completion_tokens"),
            });
            self.cost = usage.get("cost").and_then(Value::as_f64);
        }
    }

    fn answer(self) -> Result<Answer, BadAnswer> {
        let Self { text, refusal, model, usage, cost, finish, is_done, error } = self;
        if let Some(error) = error {
            return Err(error);
        }
        let text = surrogates::join(text);
        if text.trim().is_empty() && !refusal.trim().is_empty() {
            return Err(BadAnswer::Refused { message: one_line(&refusal) });
        }
        match finish.as_deref().map(FinishReason::parse) {
            Some(Some(reason)) => return Err(BadAnswer::Unfinished { reason }),
            None if !is_done => return Err(BadAnswer::Unfinished { reason: FinishReason::Missing }),
            Some(None) | None => {}
        }
        if text.trim().is_empty() {
            return Err(BadAnswer::NoResult { said: finish.unwrap_or_default() });
        }
        Ok(Answer { text, model, usage, cost, notes: Vec::new() })
    }
}

/// What comes after spaces and a mark of the byte order.
fn body_of(raw: &[u8]) -> &[u8] {
    let raw = raw.trim_ascii_start();
    raw.strip_prefix(BOM).unwrap_or(raw).trim_ascii_start()
}

/// A chunk, which may have half a character.
fn json(data: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(data)
        .or_else(|error| surrogates::mark(data).map_or(Err(error), |marked| serde_json::from_slice(&marked)))
}

/// Adds a text, or the texts of a list of parts.
fn add(sum: &mut String, content: Option<&Value>) {
    match content {
        Some(Value::String(text)) => sum.push_str(text),
        Some(Value::Array(parts)) => {
            sum.extend(parts.iter().filter_map(|part| text(part, "text").or_else(|| part.as_str())));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, ResponseEnd, ResponseProgress, read};
    use crate::{Answer, BadAnswer, FinishReason, Usage};

    const PIECES: &str = "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\
                          \"finish_reason\":null}],\"usage\":null}\n\n: ping\n\n\
                          data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},{\"index\":0,\"delta\":{\"content\":\"4\"}}]}\n\n\
                          data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"2\"}]}}]}\r\n\r\n";
    const STOP: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    const USAGE: &str =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"cost\":0.5}}\n\n";
    const DONE: &str = "data: [DONE]\n\n";

    fn end(raw: &str) -> ResponseEnd {
        let mut progress = ResponseProgress::default();
        progress.push(raw.as_bytes());
        progress.end()
    }

    #[test]
    fn pieces_are_put_together() {
        let usage = Some(Usage { input_tokens: 3, output_tokens: 2 });
        let raw = [PIECES, STOP, USAGE, DONE, "data: {broken\n\n"].concat();
        let expected = Answer {
            text: "42".to_owned(),
            model: Some("m".to_owned()),
            usage,
            cost: Some(0.5),
            ..Answer::default()
        };
        assert_eq!(read(raw.as_bytes()), Ok(expected));
        for raw in [[PIECES, STOP].concat(), [PIECES, DONE].concat(), [PIECES, "data: [DONE]"].concat()] {
            assert_eq!(read(raw.as_bytes()).map(|answer| answer.text), Ok("42".to_owned()));
            assert_eq!(end(&raw), ResponseEnd::Complete);
        }
    }

    #[test]
    fn an_answer_that_did_not_come_to_its_end_is_none() {
        let cut = |reason| Err(BadAnswer::Unfinished { reason });
        for (word, reason) in [
            ("length", FinishReason::Length),
            ("max_tokens", FinishReason::Length),
            ("content_filter", FinishReason::Filter),
            ("", FinishReason::Other(String::new())),
            ("tool_calls", FinishReason::Other("tool_calls".to_owned())),
            ("insufficient_system_resource", FinishReason::Other("insufficient_system_resource".to_owned())),
        ] {
            let raw = [PIECES, &STOP.replace("stop", word), DONE].concat();
            assert_eq!(read(raw.as_bytes()), cut(reason), "{word}");
        }
        assert_eq!(read(PIECES.as_bytes()), cut(FinishReason::Missing));
        assert_eq!(end("{\"choices\":[{\"message\":{\"content\":\"4"), ResponseEnd::Cut);
    }

    #[test]
    fn odd_bytes_around_and_within_chunks_are_read() {
        let whole = "{\"choices\":[{\"message\":{\"content\":\"42\"},\"finish_reason\":\"stop\"}]}";
        let halves = "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{\"content\":\"\\ude00\"}}]}\n\n";
        for (raw, text) in [
            (format!("\u{feff}{whole}"), "42"),
            (format!("\u{feff}{PIECES}{STOP}{DONE}"), "42"),
            (format!("data:\n\n{PIECES}data: \n\n{STOP}data:\n\n{DONE}"), "42"),
            (format!("{halves}{STOP}{DONE}"), "😀"),
        ] {
            assert_eq!(read(raw.as_bytes()).map(|answer| answer.text), Ok(text.to_owned()), "{raw}");
            // However it is cut.
            let mut progress = ResponseProgress::default();
            raw.as_bytes().chunks(1).for_each(|byte| progress.push(byte));
            assert_eq!(progress.end(), ResponseEnd::Complete, "{raw}");
        }
    }

    #[test]
    fn a_whole_answer_is_read_as_well() {
        let raw = " {\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"42\",\"refusal\":null},\
                   \"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2},\"error\":null}\n";
        let answer = read(raw.as_bytes()).expect("an answer");
        assert_eq!(answer.text, "42");
        assert_eq!(end(raw), ResponseEnd::Complete);
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let nothing = |said: &str| BadAnswer::NoResult { said: said.to_owned() };
        let refused = |message: &str| BadAnswer::Refused { message: message.to_owned() };
        for (raw, error) in [
            (format!("{USAGE}{DONE}"), nothing("")),
            (format!("{STOP}{DONE}"), nothing("stop")),
            ("{\"choices\":[]}".into(), BadAnswer::Unfinished { reason: FinishReason::Missing }),
            (
                "{\"choices\":[{\"message\":{\"content\":null},\"finish_reason\":\"stop\"}]}".into(),
                nothing("stop"),
            ),
            (
                "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I\\ncannot\"}}]}".into(),
                refused("I cannot"),
            ),
            ("{\"error\":{\"message\":\"busy\",\"code\":503}}".into(), refused("busy")),
            ("[{\"error\":{\"message\":\"busy\"}}]".into(), refused("busy")),
            (format!("{PIECES}data: {{\"error\":{{\"message\":\"busy\"}}}}\n\n"), refused("busy")),
            ("<html>".into(), BadAnswer::Unfinished { reason: FinishReason::Missing }),
            (String::new(), BadAnswer::Unfinished { reason: FinishReason::Missing }),
        ] {
            assert_eq!(read(raw.as_bytes()), Err(error), "{raw}");
        }
        assert!(matches!(read(b"{\"choices\":["), Err(BadAnswer::NotJson { .. })));
        assert!(matches!(read(b"data: {\"choices\":[\n\ndata: [DONE]\n\n"), Err(BadAnswer::NotJson { .. })));
        assert_eq!(read(b"data: {\"a\":\"\xff\"}\n\n"), Err(BadAnswer::NotUtf8 { at: 6 }));
    }

    #[test]
    fn the_end_of_a_stream_says_what_it_was() {
        let failed = |message: &str, status| {
            ResponseEnd::Failed(Failure { message: message.to_owned(), status, code: None })
        };
        let coded = |status, code: &str| {
            ResponseEnd::Failed(Failure { message: "busy".to_owned(), status, code: Some(code.to_owned()) })
        };
        for (raw, expected) in [
            ("", ResponseEnd::Other),
            ("<html>\n\n", ResponseEnd::Other),
            (PIECES, ResponseEnd::Cut),
            (&PIECES[..PIECES.len() - 9], ResponseEnd::Cut),
            ("{\"error\":{\"message\":\"busy\",\"code\":503}}", failed("busy", Some(503))),
            ("{\"error\":\"busy\",\"status\":429}", failed("busy", Some(429))),
            ("{\"error\":{\"message\":\"busy\",\"code\":\"x\"}}", coded(None, "x")),
            ("{\"error\":{\"message\":\"busy\",\"code\":\"503\"}}", failed("busy", Some(503))),
            (
                "data: {\"error\":{\"message\":\"busy\",\"code\":null,\"type\":\"overloaded_error\"}}\n\n",
                coded(Some(529), "overloaded_error"),
            ),
            (
                "[{\"error\":{\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}]",
                coded(Some(503), "UNAVAILABLE"),
            ),
            ("data: {\"error\":{\"message\":\"busy\",\"code\":7}}\n\n", failed("busy", None)),
            ("{\"half\":", ResponseEnd::Cut),
            ("{half}", ResponseEnd::Complete),
        ] {
            assert_eq!(end(raw), expected, "{raw}");
        }
    }
}
