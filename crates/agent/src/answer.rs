//! What an LLM has answered (contract/plans §8.4): data in, data out.

mod tolerant;

use protocol::agent::{Code, Score};
use serde_json::{Map, Number, Value};
use tolerant::Object;

/// How a draft begins. One that is closed is no part of an answer that comes here.
const DRAFTS: &[&str] = &["<think>", "<thinking>", "<thought>", "[THINK]"];

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
    /// The error code.
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
    /// Reads an answer, which may have to contain a score.
    ///
    /// # Errors
    ///
    /// What is wrong with it. Without a score, a text that is no JSON is a result, unless its end is missing.
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
        Some(Value::Number(number)) => score_of(number),
        // Some write it as a text.
        Some(Value::String(text)) if text.trim().parse::<Number>().is_ok() => {
            score_of(&text.trim().parse().map_err(|_| Violation::new(Code::ScoreMissing, "no number"))?)
        }
        None | Some(Value::Null) => Err(Violation::new(Code::ScoreMissing, "the object has no `score`")),
        Some(other) => {
            let found = text_of(other).chars().take(80).collect::<String>();
            Err(Violation::new(Code::ScoreMissing, format!("`score` is not a number: {found}")))
        }
    }
}

fn score_of(number: &Number) -> Result<Score, Violation> {
    let refused = || Violation::new(Code::ScoreOutOfRange, format!("`score` is {number}, not from 0 to 100"));
    Score::new(number).ok_or_else(refused)
}

/// The object that an answer is: all of it, else what its last block of JSON is, else the last object in it. `None` for a
/// text, where a text will do.
fn object_in(text: &str, score_required: bool) -> Result<Option<Map<String, Value>>, Violation> {
    let refused = |detail: &str| Err(Violation::new(Code::LlmOutputInvalid, detail));
    let text = text.trim().trim_start_matches('\u{feff}').trim_start();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => return Ok(Some(object)),
        Ok(_) => return refused("the answer is JSON, but not an object"),
        Err(_) => {}
    }
    let fenced = fenced(text);
    let found = match fenced {
        ObjectSearch::None => last_object(text),
        found => found,
    };
    match found {
        ObjectSearch::Unfinished if score_required || begins_as_json(text) => refused(
            "the answer ends in the middle of a JSON object: it may have reached the length limit (max_tokens)",
        ),
        // A text may quote any object.
        ObjectSearch::Object(object) if score_required || object.contains_key("result") => Ok(Some(object)),
        _ if score_required => refused("the answer has no JSON object"),
        _ if text.is_empty() => refused("the answer is empty"),
        _ if DRAFTS.iter().any(|draft| text.starts_with(draft)) => {
            refused("the answer contains only unfinished reasoning")
        }
        _ if tolerant::ends_in_a_fence(text) => {
            refused("the answer ends within a code block: it may have reached the length limit (max_tokens)")
        }
        _ => Ok(None),
    }
}

/// What was looked for in an answer.
enum ObjectSearch {
    Object(Map<String, Value>),
    /// The last one has begun, and does not end.
    Unfinished,
    None,
}

fn begins_as_json(text: &str) -> bool {
    text.starts_with('{') || text.starts_with(FENCE)
}

const FENCE: &str = "```json";

/// The last block between ```` ```json ```` and ```` ``` ````.
fn fenced(text: &str) -> ObjectSearch {
    let (mut found, mut end) = (ObjectSearch::None, 0);
    for (start, _) in text.match_indices(FENCE) {
        // A string in a block may have a fence of its own: the parser says where it ends.
        if start < end {
            continue;
        }
        let inside = &text[start + FENCE.len()..];
        let body = inside.trim_start();
        match tolerant::object(body) {
            Object::Whole(object, length) => {
                end = text.len() - body.len() + length;
                found = ObjectSearch::Object(object);
            }
            Object::Unfinished => return ObjectSearch::Unfinished,
            Object::Other => {}
        }
    }
    found
}

/// The last object that is balanced and part of no other.
fn last_object(text: &str) -> ObjectSearch {
    /// So many braces are tried: each may be read to the end of the text.
    const ATTEMPTS: usize = 200;
    let (mut found, mut end, mut attempts) = (ObjectSearch::None, 0, 0);
    for (start, _) in text.match_indices('{') {
        if start < end {
            continue;
        }
        attempts += 1;
        if attempts > ATTEMPTS {
            break;
        }
        match tolerant::object(&text[start..]) {
            Object::Whole(object, length) => {
                end = start + length;
                found = ObjectSearch::Object(object);
            }
            // What stands in it are parts of it, or drafts.
            Object::Unfinished => return ObjectSearch::Unfinished,
            Object::Other => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use protocol::agent::Code;
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
    fn s8_4_what_models_get_wrong_is_read() {
        let scored = "{\"result\": \"r\", \"score\": 85, \"score_explanation\": \"why\",\n}";
        for text in [
            scored.to_owned(),
            format!("```json\n{scored}\n```"),
            format!("So: {scored} That is all."),
            format!("````markdown\n```json\n{scored}\n```\n````"),
            format!("<think>A draft: {{\"result\":\"d\",\"score\":1}}\n\n{scored}"),
        ] {
            let answer = Answer::parse(&text, true).unwrap();
            assert_eq!((&answer.result, answer.score.unwrap().value()), (&json!("r"), 85.0), "{text}");
        }
    }

    #[test]
    fn s8_4_an_answer_whose_end_is_missing_is_none() {
        let cut = |text: &str, score_required| {
            let violation = Answer::parse(text, score_required).unwrap_err();
            assert_eq!(violation.code, Code::LlmOutputInvalid, "{text}");
            violation.detail
        };
        for (text, score_required, part) in [
            (r#"{"result":"r","score":8"#, true, "in the middle of a JSON object"),
            // An object within it is no answer, nor is a draft before it.
            (r#"{"draft":{"result":"d","score":1},"final":{"resu"#, true, "in the middle of a JSON object"),
            (r#"First {"result":"d","score":1} then {"result":"r"#, true, "in the middle of a JSON object"),
            ("```json\n{\"result\":\"r", true, "in the middle of a JSON object"),
            (r#"{"result":"r"#, false, "in the middle of a JSON object"),
            ("```json\n{\"result\":\"r", false, "in the middle of a JSON object"),
            ("Do this:\n```sh\nmake", false, "within a code block"),
            ("<think>The user wants", false, "only unfinished reasoning"),
        ] {
            let detail = cut(text, score_required);
            assert!(detail.contains(part), "{text}: {detail}");
        }
        // Words about JSON are words.
        assert_eq!(result("It begins with `{\"a\":` here", false), "It begins with `{\"a\":` here");
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
            ("\"85 of 100\"", Code::ScoreMissing),
            ("\"high\"", Code::ScoreMissing),
            ("\"101\"", Code::ScoreOutOfRange),
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
        for score in ["0", "100", "62.5", "85.0", "\"85\"", "\" 62.5 \""] {
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
