//! What `gemini --output-format json` prints: an object with `response` and `stats`, or with `error`.

use super::{count, text, values, with_status};
use crate::words::error_message;
use crate::{Answer, BadAnswer, Usage};
use serde_json::Value;

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let mut result = None;
    let notes = values::each(raw, |value| {
        if value.get("response").is_some() || value.get("error").is_some_and(|error| !error.is_null()) {
            result = Some(value);
        }
    });
    let Some(result) = result else { return Err(values::no_result(raw, &notes)) };
    if let Some(error) = result.get("error").filter(|error| !error.is_null()) {
        let message = error_message(error).unwrap_or_default();
        return Err(BadAnswer::Refused { message: with_status(message, error.get("code")) });
    }
    let Some(response) = text(&result, "response") else { return Err(values::no_result(raw, &notes)) };
    let models = result.get("stats").and_then(|stats| stats.get("models")).and_then(Value::as_object);
    let usage = models.map(|models| {
        models.values().fold(Usage::default(), |sum, model| {
            let usage = usage_of(model);
            Usage {
                input_tokens: sum.input_tokens.saturating_add(usage.input_tokens),
                output_tokens: sum.output_tokens.saturating_add(usage.output_tokens),
            }
        })
    });
    // Small models route the question; the one that has written most has answered it.
    let model =
        models.and_then(|models| models.iter().rev().max_by_key(|(_, model)| usage_of(model).output_tokens));
    Ok(Answer {
        text: response.to_owned(),
        model: model.map(|(name, _)| name.clone()),
        usage,
        notes,
        ..Answer::default()
    })
}

/// What one model has read and written. Its thoughts are written as well, and counted apart.
fn usage_of(model: &Value) -> Usage {
    let tokens = model.get("tokens").unwrap_or(&Value::Null);
    Usage {
        input_tokens: count(tokens, "prompt"),
        output_tokens: count(tokens, "candidates").saturating_add(count(tokens, "thoughts")),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::{BadAnswer, Usage};

    /// A router that reads more, and the model that answers.
    const ROUTED: &str = r#"{"response":"42","stats":{"models":{
        "flash-lite":{"tokens":{"prompt":900,"candidates":3,"thoughts":0,"total":903}},
        "pro":{"tokens":{"prompt":100,"candidates":2,"thoughts":50,"total":152}}}}}"#;
    const RESULT: &str = "Loaded cached credentials.\n{\n  \"response\": \"42\",\n  \"stats\": {\n    \"models\": {\n      \
                          \"gemini-x\": {\"tokens\": {\"prompt\": 9, \"candidates\": 2}},\n      \"gemini-y\": {\"tokens\": \
                          {\"prompt\": 1, \"candidates\": 1}}\n    }\n  }\n}\n";

    #[test]
    fn the_response_is_the_answer() {
        let answer = read(RESULT.as_bytes()).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.model.as_deref()), ("42", Some("gemini-x")));
        assert_eq!(answer.usage, Some(Usage { input_tokens: 10, output_tokens: 3 }));
        assert_eq!(answer.notes, ["Loaded cached credentials."]);
        let answer = read(ROUTED.as_bytes()).expect("an answer");
        assert_eq!(answer.model.as_deref(), Some("pro"));
        assert_eq!(answer.usage, Some(Usage { input_tokens: 1000, output_tokens: 55 }));
        assert_eq!(read(b"{\"response\":\"a\",\"error\":null}").expect("an answer").usage, None);
    }

    #[test]
    fn what_has_no_response_is_none() {
        let error = |text: &str| read(text.as_bytes()).expect_err(text);
        let refused = BadAnswer::Refused { message: "no quota".to_owned() };
        assert_eq!(error("{\"error\":{\"type\":\"E\",\"message\":\"no quota\",\"code\":429}}"), refused);
        assert_eq!(error("{\"response\":\"42\",\"error\":{\"message\":\"no quota\"}}"), refused);
        assert!(matches!(error(&RESULT[..60]), BadAnswer::NoResult { .. }));
        assert!(matches!(error("{\"response\":42}"), BadAnswer::NoResult { .. }));
        assert!(matches!(error("{\"stats\":{}}"), BadAnswer::NoResult { .. }));
    }
}
