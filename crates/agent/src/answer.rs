//! What an LLM has answered (§8.4): data in, data out.

use model::agent::{Code, Score};
use serde_json::{Map, Value};

/// An answer in the form that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Mostly a text.
    pub result: Value,
    /// The score, where one was asked for.
    pub score: Option<Score>,
    /// Why this score.
    pub score_explanation: Option<String>,
    /// Files by their paths.
    pub files: Map<String, Value>,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The code under which it is told.
    pub code: Code,
    /// What was found, for the LLM that is asked again, and for the log.
    pub detail: String,
}

impl Violation {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

impl Answer {
    /// Reads an answer, of which a score may be required.
    ///
    /// # Errors
    ///
    /// What is wrong with it. Without a score, a text that is no JSON is a result.
    pub fn parse(text: &str, score_required: bool) -> Result<Self, Violation> {
        let Some(object) = object_in(text, score_required)? else {
            let result = Value::from(text.trim());
            return Ok(Self { result, score: None, score_explanation: None, files: Map::new() });
        };
        let result = match object.get("result") {
            None | Some(Value::Null) => {
                return Err(Violation::new(Code::LlmOutputInvalid, "the object has no `result`"));
            }
            Some(result) => result.clone(),
        };
        let score = if score_required { Some(score_in(&object)?) } else { None };
        let explanation = object.get("score_explanation").and_then(Value::as_str);
        let explanation = explanation.filter(|text| score_required && !text.trim().is_empty());
        let files = match object.get("files") {
            Some(Value::Object(files)) => files.clone(),
            _ => Map::new(),
        };
        Ok(Self { result, score, score_explanation: explanation.map(str::to_owned), files })
    }

    /// Returns the result as a text: JSON on one line where it is none.
    pub fn result_text(&self) -> String {
        text_of(&self.result)
    }
}

/// A text as it is, anything else as JSON on one line.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn score_in(object: &Map<String, Value>) -> Result<Score, Violation> {
    match object.get("score") {
        Some(Value::Number(number)) => Score::of(number).ok_or_else(|| {
            Violation::new(Code::ScoreOutOfRange, format!("`score` is {number}, not from 0 to 100"))
        }),
        None | Some(Value::Null) => Err(Violation::new(Code::ScoreMissing, "the object has no `score`")),
        Some(other) => {
            let found = text_of(other).chars().take(80).collect::<String>();
            Err(Violation::new(Code::ScoreMissing, format!("`score` is no number: {found}")))
        }
    }
}

/// The object that an answer is: all of it, else what its last block of JSON is, else the last object in it. `None` for a
/// text, where a text will do.
fn object_in(text: &str, score_required: bool) -> Result<Option<Map<String, Value>>, Violation> {
    let text = text.trim().trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => return Ok(Some(object)),
        Ok(_) => return Err(Violation::new(Code::LlmOutputInvalid, "the answer is JSON, but no object")),
        Err(_) => {}
    }
    let found = fenced(text).or_else(|| last_object(text));
    match found {
        // A text may quote any object.
        Some(object) if score_required || object.contains_key("result") => Ok(Some(object)),
        _ if score_required => Err(Violation::new(Code::LlmOutputInvalid, "the answer has no JSON object")),
        _ if text.is_empty() => Err(Violation::new(Code::LlmOutputInvalid, "the answer is empty")),
        _ => Ok(None),
    }
}

/// The last block between ```` ```json ```` and ```` ``` ````.
fn fenced(text: &str) -> Option<Map<String, Value>> {
    const FENCE: &str = "```json";
    let (mut found, mut end) = (None, 0);
    for (start, _) in text.match_indices(FENCE) {
        // A string in a block may have a fence of its own: the parser says where it ends.
        if start < end {
            continue;
        }
        let body = &text[start + FENCE.len()..];
        let mut stream = serde_json::Deserializer::from_str(body).into_iter::<Value>();
        if let Some(Ok(Value::Object(object))) = stream.next() {
            end = start + FENCE.len() + stream.byte_offset();
            found = Some(object);
        }
    }
    found
}

/// The last object that is balanced and part of no other.
fn last_object(text: &str) -> Option<Map<String, Value>> {
    /// So many braces are tried: each may be read to the end of the text.
    const ATTEMPTS: usize = 200;
    let (mut found, mut end, mut attempts) = (None, 0, 0);
    for (start, _) in text.match_indices('{') {
        if start < end {
            continue;
        }
        attempts += 1;
        if attempts > ATTEMPTS {
            break;
        }
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        if let Some(Ok(Value::Object(object))) = stream.next() {
            end = start + stream.byte_offset();
            found = Some(object);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use model::agent::Code;
    use serde_json::{Value, json};

    fn code(text: &str, score_required: bool) -> Code {
        Answer::parse(text, score_required).unwrap_err().code
    }

    fn result(text: &str, score_required: bool) -> Value {
        Answer::parse(text, score_required).unwrap().result
    }

    #[test]
    fn s8_4_the_whole_answer_is_json_or_its_last_block_or_its_last_object() {
        let scored = r#"{"result":"r","score":85,"score_explanation":"why"}"#;
        for text in [
            scored.to_owned(),
            format!("\u{feff} {scored}\n"),
            format!("```json\n{{\"result\":\"old\",\"score\":1}}\n```\nand\n```json\n{scored}\n```\nend"),
            format!("first {{\"result\":\"old\",\"score\":1}} then {scored} end {{ not json"),
            format!("```\n{scored}\n```"),
        ] {
            let answer = Answer::parse(&text, true).unwrap();
            assert_eq!((&answer.result, answer.score.unwrap().value()), (&json!("r"), 85.0), "{text}");
            assert_eq!(answer.score_explanation.as_deref(), Some("why"));
        }
        let fence_inside = "```json\n{\"result\":\"a ```json {} ``` b\",\"score\":3}\n```";
        assert_eq!(result(fence_inside, true), "a ```json {} ``` b");
    }

    #[test]
    fn s8_4_what_is_no_json_is_a_result_where_no_score_is_asked_for() {
        assert_eq!(result(" plain text \n", false), "plain text");
        assert_eq!(result("text with {\"an\": \"object\"}", false), "text with {\"an\": \"object\"}");
        assert_eq!(result(r#"{"result":"r","score":"ignored"}"#, false), "r");
        assert_eq!(Answer::parse(r#"{"result":"r","score":85}"#, false).unwrap().score, None);
        for text in [r#"{"other":1}"#, "[1]", "42", "\"text\"", r#"{"result":null}"#, " "] {
            assert_eq!(code(text, false), Code::LlmOutputInvalid, "{text}");
        }
    }

    #[test]
    fn s8_4_a_result_that_is_no_text_is_kept_and_told_on_one_line() {
        let answer = Answer::parse("{\"result\": {\"a\": [1,\n2]}}", false).unwrap();
        assert_eq!(
            (answer.result.clone(), answer.result_text()),
            (json!({"a": [1, 2]}), r#"{"a":[1,2]}"#.to_owned())
        );
    }

    #[test]
    fn s8_4_a_score_is_a_number_from_0_to_100() {
        for (score, expected) in [
            ("\"85\"", Code::ScoreMissing),
            ("true", Code::ScoreMissing),
            ("null", Code::ScoreMissing),
            ("-1", Code::ScoreOutOfRange),
            ("100.5", Code::ScoreOutOfRange),
            ("1e300", Code::ScoreOutOfRange),
        ] {
            assert_eq!(code(&format!(r#"{{"result":"r","score":{score}}}"#), true), expected, "{score}");
        }
        assert_eq!(code(r#"{"result":"r"}"#, true), Code::ScoreMissing);
        assert_eq!(code("no json", true), Code::LlmOutputInvalid);
        for score in ["0", "100", "62.5", "85.0"] {
            assert!(Answer::parse(&format!(r#"{{"result":"r","score":{score}}}"#), true).is_ok(), "{score}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_answer_is_read_or_refused(text in ".*", score_required in proptest::bool::ANY) {
            let _ = Answer::parse(&text, score_required);
        }

        #[test]
        fn a_result_comes_back_whatever_it_says(text in ".*", score in 0.0..=100.0) {
            let written = json!({ "result": text, "score": score }).to_string();
            let answer = Answer::parse(&written, true).unwrap();
            assert_eq!((answer.result, answer.score.unwrap().value()), (json!(text), score));
        }
    }

    #[test]
    fn many_braces_are_no_burden() {
        assert_eq!(code(&"{".repeat(100_000), true), Code::LlmOutputInvalid);
        assert_eq!(code(&"{\"a\":".repeat(20_000), true), Code::LlmOutputInvalid);
    }
}
