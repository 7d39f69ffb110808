//! What `claude -p --output-format json` prints: an object of the type `result`, alone, at the end of a list, or as the last
//! of many lines.

use super::{count, text, values, with_status};
use crate::words::{error_message, one_line};
use crate::{Answer, BadAnswer, FinishReason, Usage};
use serde_json::Value;

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let mut result = None;
    let mut consider = |value: Value| {
        if text(&value, "type") == Some("result") {
            result = Some(value);
        }
    };
    let notes = values::each(raw, |value| match value {
        Value::Array(values) => values.into_iter().for_each(&mut consider),
        value => consider(value),
    });
    let Some(result) = result else { return Err(values::no_result(raw, &notes)) };
    let said = text(&result, "result");
    let subtype = text(&result, "subtype").unwrap_or_default();
    match result.get("is_error").and_then(Value::as_bool) {
        // It may say that it is no error, and name one.
        Some(is_error) if is_error || subtype.starts_with("error") => {
            let message = reason(&result, said, subtype);
            return Err(BadAnswer::Refused { message: with_status(message, result.get("api_error_status")) });
        }
        Some(_) => {}
        None => return Err(BadAnswer::NoResult { said: said.map(one_line).unwrap_or_default() }),
    }
    if let Some(reason) = text(&result, "stop_reason").and_then(FinishReason::parse) {
        return Err(BadAnswer::Unfinished { reason });
    }
    let structured = result.get("structured_output").filter(|value| !value.is_null());
    let text = structured.map(Value::to_string).or_else(|| said.map(str::to_owned));
    let Some(text) = text else { return Err(values::no_result(raw, &notes)) };
    let models = result.get("modelUsage").and_then(Value::as_object);
    let usage = result.get("usage").filter(|usage| usage.is_object()).map(|usage| Usage {
        input_tokens: ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
            .iter()
            .fold(0, |sum: u64, name| sum.saturating_add(count(usage, name))),
        output_tokens: count(usage, "output_tokens"),
    });
    Ok(Answer {
        text,
        model: models.and_then(|models| models.keys().next().cloned()),
        usage,
        cost: result.get("total_cost_usd").and_then(Value::as_f64),
        notes,
    })
}

/// Why there is no result: in its words, in those of the list of errors, and by the name of its kind.
fn reason(result: &Value, said: Option<&str>, subtype: &str) -> String {
    if let Some(said) = said.filter(|said| !said.trim().is_empty()) {
        return one_line(said);
    }
    let errors = result.get("errors").and_then(Value::as_array).into_iter().flatten();
    let errors: Vec<String> =
        errors.filter_map(|error| error.as_str().map(one_line).or_else(|| error_message(error))).collect();
    let kind = if subtype == "success" { "" } else { subtype };
    let errors = errors.join("; ");
    let words = [kind, &errors].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    one_line(&words.join(": "))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::{BadAnswer, FinishReason, Usage};

    const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"42\n","session_id":"s","num_turns":1,"duration_ms":9,"total_cost_usd":0.25,"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7},"modelUsage":{"claude-x":{}},"new":[1]}"#;

    #[test]
    fn the_result_is_read_alone_in_a_list_and_as_the_last_line() {
        for raw in [
            RESULT.to_owned(),
            format!("{RESULT}\n"),
            format!("[{{\"type\":\"system\"}},{RESULT}]"),
            format!("warning\n{{\"type\":\"system\"}}\n{{\"type\":\"assistant\"}}\n{RESULT}\n"),
        ] {
            let answer = read(raw.as_bytes()).expect(&raw);
            assert_eq!((answer.text.as_str(), answer.model.as_deref()), ("42\n", Some("claude-x")));
            assert_eq!(answer.usage, Some(Usage { input_tokens: 113, output_tokens: 7 }));
            assert_eq!(answer.cost, Some(0.25));
        }
        let structured = RESULT.replace("\"new\":[1]", "\"structured_output\":{ \"a\": 1 }");
        assert_eq!(read(structured.as_bytes()).expect("an answer").text, "{\"a\":1}");
    }

    #[test]
    fn what_is_no_success_is_none() {
        let refused = |message: &str| BadAnswer::Refused { message: message.to_owned() };
        let nothing = |said: &str| BadAnswer::NoResult { said: said.to_owned() };
        for (raw, error) in [
            (RESULT.replace("false", "true"), refused("42")),
            (
                r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#.into(),
                refused("error_max_turns"),
            ),
            (
                r#"{"type":"result","subtype":"error_max_turns","is_error":false,"errors":[]}"#.into(),
                refused("error_max_turns"),
            ),
            (
                r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No\nconversation",{"message":"x"}]}"#
                    .into(),
                refused("error_during_execution: No conversation; x"),
            ),
            (
                RESULT.replace("\"new\":[1]", "\"stop_reason\":\"max_tokens\""),
                BadAnswer::Unfinished { reason: FinishReason::Length },
            ),
            (RESULT.replace("\"is_error\":false,", ""), nothing("42")),
            (RESULT.replace("false", "\"false\""), nothing("42")),
            (RESULT.replace("\"result\":\"42\\n\",", ""), nothing("")),
            (RESULT.replace("\"42\\n\"", "42"), nothing("")),
            (RESULT[..80].to_owned(), nothing(&RESULT[..80])),
            ("Please log in".to_owned(), nothing("Please log in")),
            (String::new(), nothing("")),
        ] {
            assert_eq!(read(raw.as_bytes()), Err(error), "{raw}");
        }
        let mut bytes = RESULT.as_bytes().to_vec();
        let at = RESULT.find("42").expect("there");
        bytes[at] = 0xff;
        assert_eq!(read(&bytes), Err(BadAnswer::NotUtf8 { at }));
    }
}
