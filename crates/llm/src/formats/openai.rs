//! What an endpoint of OpenAI's kind answers: one object, or events with a piece of it each.

use super::sse::Events;
use super::{count, text};
use crate::words::{error_message, one_line};
use crate::{Answer, BadAnswer, Usage};
use serde_json::Value;

/// The data of the event after which nothing comes.
const DONE: &[u8] = b"[DONE]";

/// How far an answer has come, while it is coming.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    form: Option<Form>,
    has_data: bool,
    /// It is said why the answer ends, or that nothing more comes.
    is_finished: bool,
    is_done: bool,
    failure: Option<Failure>,
}

/// An error that comes with a status of success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) message: String,
    /// The status that it should have come with.
    pub(crate) status: Option<u16>,
}

#[derive(Debug)]
enum Form {
    /// One object, as a whole.
    Whole(Vec<u8>),
    Events(Events),
}

/// What has come when nothing more comes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// An answer, good or bad.
    Complete,
    /// The beginning of one.
    Cut,
    /// Nothing of the kind.
    Other,
    /// An error.
    Failed(Failure),
}

impl Progress {
    /// Looks at what has come.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.form.is_none() {
            match bytes.trim_ascii_start().first() {
                None => return,
                Some(b'{' | b'[') => self.form = Some(Form::Whole(Vec::new())),
                Some(_) => self.form = Some(Form::Events(Events::default())),
            }
        }
        match self.form.take() {
            Some(Form::Whole(mut whole)) => {
                whole.extend_from_slice(bytes);
                self.form = Some(Form::Whole(whole));
            }
            Some(Form::Events(mut events)) => {
                events.push(bytes, &mut |data| self.look(data));
                self.form = Some(Form::Events(events));
            }
            None => {}
        }
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
    pub(crate) fn end(mut self) -> End {
        match self.form.take() {
            Some(Form::Whole(whole)) => {
                let failure = serde_json::from_slice(&whole).ok().and_then(|value| failure_in(&value));
                return failure.map_or(End::Complete, End::Failed);
            }
            Some(Form::Events(mut events)) => events.finish(&mut |data| self.look(data)),
            None => {}
        }
        match self.failure {
            Some(failure) => End::Failed(failure),
            None if self.is_finished => End::Complete,
            None if self.has_data => End::Cut,
            None => End::Other,
        }
    }

    fn look(&mut self, data: &[u8]) {
        self.has_data = true;
        if data.trim_ascii() == DONE {
            (self.is_done, self.is_finished) = (true, true);
        } else if let Ok(chunk) = serde_json::from_slice::<Value>(data) {
            self.is_finished |= choice(&chunk).is_some_and(|choice| text(choice, "finish_reason").is_some());
            if self.failure.is_none() && !self.is_done {
                self.failure = failure_in(&chunk);
            }
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
    let code =
        ["code", "status"].iter().find_map(|name| error.get(*name).or_else(|| value.get(*name))?.as_u64());
    let status = code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    Some(Failure { message: error_message(error).unwrap_or_else(|| one_line(&error.to_string())), status })
}

/// The first of the answers.
fn choice(value: &Value) -> Option<&Value> {
    let choices = value.get("choices")?.as_array()?;
    choices.iter().find(|choice| count(choice, "index") == 0)
}

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let start = raw.strip_prefix("\u{feff}".as_bytes()).unwrap_or(raw).trim_ascii_start();
    let mut pieces = Pieces::default();
    if matches!(start.first(), Some(b'{' | b'[')) {
        pieces.take(start);
    } else {
        let mut events = Events::default();
        let mut take = |data: &[u8]| pieces.take(data);
        events.push(raw, &mut take);
        events.finish(&mut take);
    }
    pieces.answer()
}

/// What the pieces add up to.
#[derive(Default)]
struct Pieces {
    text: String,
    refusal: String,
    model: Option<String>,
    usage: Option<Usage>,
    cost: Option<f64>,
    finish: Option<String>,
    is_done: bool,
    error: Option<BadAnswer>,
}

impl Pieces {
    fn take(&mut self, data: &[u8]) {
        if self.is_done || self.error.is_some() {
            return;
        }
        if data.trim_ascii() == DONE {
            self.is_done = true;
            return;
        }
        let value: Value = match serde_json::from_slice(data) {
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
        if text.trim().is_empty() && !refusal.trim().is_empty() {
            return Err(BadAnswer::Refused { message: one_line(&refusal) });
        }
        if !is_done && finish.is_none() {
            return Err(BadAnswer::NoResult { said: one_line(&text) });
        }
        if text.trim().is_empty() {
            return Err(BadAnswer::NoResult { said: finish.unwrap_or_default() });
        }
        let is_cut = finish.as_deref() == Some("length");
        Ok(Answer { text, model, usage, cost, is_cut, notes: Vec::new() })
    }
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
    use super::{End, Failure, Progress, read};
    use crate::{Answer, BadAnswer, Usage};

    const PIECES: &str = "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\
                          \"finish_reason\":null}],\"usage\":null}\n\n: ping\n\n\
                          data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},{\"index\":0,\"delta\":{\"content\":\"4\"}}]}\n\n\
                          data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"2\"}]}}]}\r\n\r\n";
    const STOP: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    const USAGE: &str =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"cost\":0.5}}\n\n";
    const DONE: &str = "data: [DONE]\n\n";

    fn end(raw: &str) -> End {
        let mut progress = Progress::default();
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
            assert_eq!(end(&raw), End::Complete);
        }
        let long = [PIECES, &STOP.replace("stop", "length")].concat();
        assert!(read(long.as_bytes()).expect("an answer").is_cut);
    }

    #[test]
    fn a_whole_answer_is_read_as_well() {
        let raw = " {\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"42\",\"refusal\":null},\
                   \"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2},\"error\":null}\n";
        let answer = read(raw.as_bytes()).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.is_cut), ("42", false));
        assert_eq!(end(raw), End::Complete);
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let nothing = |said: &str| BadAnswer::NoResult { said: said.to_owned() };
        let refused = |message: &str| BadAnswer::Refused { message: message.to_owned() };
        for (raw, error) in [
            (PIECES.to_owned(), nothing("42")),
            (format!("{USAGE}{DONE}"), nothing("")),
            (format!("{STOP}{DONE}"), nothing("stop")),
            ("{\"choices\":[]}".into(), nothing("")),
            ("{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[]},\"finish_reason\":\"tool_calls\"}]}".into(), nothing("tool_calls")),
            ("{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I\\ncannot\"}}]}".into(), refused("I cannot")),
            ("{\"error\":{\"message\":\"busy\",\"code\":503}}".into(), refused("busy")),
            ("[{\"error\":{\"message\":\"busy\"}}]".into(), refused("busy")),
            (format!("{PIECES}data: {{\"error\":{{\"message\":\"busy\"}}}}\n\n"), refused("busy")),
            ("<html>".into(), nothing("")),
            (String::new(), nothing("")),
        ] {
            assert_eq!(read(raw.as_bytes()), Err(error), "{raw}");
        }
        assert!(matches!(read(b"{\"choices\":["), Err(BadAnswer::NotJson { .. })));
        assert!(matches!(read(b"data: {\"choices\":[\n\ndata: [DONE]\n\n"), Err(BadAnswer::NotJson { .. })));
        assert_eq!(read(b"data: {\"a\":\"\xff\"}\n\n"), Err(BadAnswer::NotUtf8 { at: 6 }));
    }

    #[test]
    fn the_end_of_a_stream_says_what_it_was() {
        let failed = |message: &str, status| End::Failed(Failure { message: message.to_owned(), status });
        for (raw, expected) in [
            ("", End::Other),
            ("<html>\n\n", End::Other),
            (PIECES, End::Cut),
            (&PIECES[..PIECES.len() - 9], End::Cut),
            ("{\"error\":{\"message\":\"busy\",\"code\":503}}", failed("busy", Some(503))),
            ("{\"error\":\"busy\",\"status\":429}", failed("busy", Some(429))),
            ("{\"error\":{\"message\":\"busy\",\"code\":\"x\"}}", failed("busy", None)),
            ("data: {\"error\":{\"message\":\"busy\",\"code\":7}}\n\n", failed("busy", None)),
            ("{\"half\":", End::Complete),
        ] {
            assert_eq!(end(raw), expected, "{raw}");
        }
    }
}
