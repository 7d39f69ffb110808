//! What `opencode run --format json` prints: an event on each line.

use super::{count, text, values};
use crate::words::{error_message, one_line};
use crate::{Answer, BadAnswer, FinishReason, Usage};
use serde_json::Value;

#[derive(Default)]
struct Steps {
    /// What was said in the last step.
    text: String,
    usage: Option<Usage>,
    cost: Option<f64>,
    /// Why the last step has ended, if it has.
    reason: Option<String>,
    failure: Option<String>,
}

impl Steps {
    /// Unknown events are those of a later version.
    fn take(&mut self, event: &Value) {
        let part = event.get("part").unwrap_or(&Value::Null);
        match text(event, "type") {
            Some("step_start") => {
                self.text.clear();
                self.reason = None;
            }
            Some("text") => self.text.push_str(text(part, "text").unwrap_or_default()),
            Some("step_finish") => {
                self.reason = text(part, "reason").map(str::to_owned);
                self.cost =
                    part.get("cost").and_then(Value::as_f64).map(|cost| cost + self.cost.unwrap_or(0.0));
                if let Some(tokens) = part.get("tokens") {
                    let sum = self.usage.unwrap_or_default();
                    let cache = tokens.get("cache").unwrap_or(&Value::Null);
                    let read = [count(tokens, "input"), count(cache, "read"), count(cache, "write")];
                    let written = [count(tokens, "output"), count(tokens, "reasoning")];
                    self.usage = Some(Usage {
                        input_tokens: read.iter().fold(sum.input_tokens, |sum, n| sum.saturating_add(*n)),
                        output_tokens: written
                            .iter()
                            .fold(sum.output_tokens, |sum, n| sum.saturating_add(*n)),
                    });
                }
            }
            Some("error") => {
                let error = event.get("error").unwrap_or(&Value::Null);
                let message = error.get("data").and_then(error_message).or_else(|| error_message(error));
                let message = message.or_else(|| text(error, "name").map(one_line)).unwrap_or_default();
                let status =
                    error.get("data").and_then(|data| data.get("statusCode")).and_then(Value::as_u64);
                self.failure = Some(
                    status.map_or_else(|| message.clone(), |status| format!("status {status}: {message}")),
                );
            }
            _ => {}
        }
    }
}

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let mut steps = Steps::default();
    let notes = values::each(raw, |event| steps.take(&event));
    let Steps { text, usage, cost, reason, failure } = steps;
    if let Some(message) = failure {
        return Err(BadAnswer::Refused { message });
    }
    match reason.as_deref().map(FinishReason::parse) {
        Some(None) if text.trim().is_empty() => Err(values::no_result(raw, &notes)),
        Some(None) => Ok(Answer { text, usage, cost, notes, model: None }),
        Some(Some(reason)) => Err(BadAnswer::Unfinished { reason }),
        None if text.trim().is_empty() => Err(values::no_result(raw, &notes)),
        None => Err(BadAnswer::Unfinished { reason: FinishReason::Missing }),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::{BadAnswer, FinishReason, Usage};

    const FIRST: &str = "{\"type\":\"step_start\",\"part\":{}}\n\
                         {\"type\":\"text\",\"part\":{\"text\":\"I look first.\"}}\n\
                         {\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\",\"cost\":0.25,\
                         \"tokens\":{\"input\":10,\"output\":1,\"reasoning\":0,\"cache\":{\"read\":5,\"write\":0}}}}\n";
    const SECOND: &str = "{\"type\":\"step_start\",\"part\":{}}\n\
                          {\"type\":\"text\",\"part\":{\"text\":\"42\"}}\n";
    const STOP: &str = "{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\",\"cost\":0.5,\
                        \"tokens\":{\"input\":20,\"output\":2,\"reasoning\":3,\"cache\":{\"read\":0,\"write\":1}}}}\n";
    const ERROR: &str = "{\"type\":\"error\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":\"Rate limit \
                         exceeded\",\"statusCode\":429}}}\n";

    #[test]
    fn the_text_of_the_last_step_is_the_answer_and_all_steps_cost() {
        let answer = read([FIRST, SECOND, STOP].concat().as_bytes()).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.cost), ("42", Some(0.75)));
        assert_eq!(answer.usage, Some(Usage { input_tokens: 36, output_tokens: 6 }));
    }

    #[test]
    fn what_has_not_come_to_its_end_is_none() {
        let cut = |reason| BadAnswer::Unfinished { reason };
        for (raw, error) in [
            ([FIRST, SECOND].concat(), cut(FinishReason::Missing)),
            ([SECOND, &STOP.replace("stop", "length")].concat(), cut(FinishReason::Length)),
            (FIRST.to_owned(), cut(FinishReason::Other("tool-calls".to_owned()))),
            (
                [FIRST, ERROR].concat(),
                BadAnswer::Refused { message: "status 429: Rate limit exceeded".to_owned() },
            ),
            (String::new(), BadAnswer::NoResult { said: String::new() }),
        ] {
            assert_eq!(read(raw.as_bytes()), Err(error), "{raw}");
        }
    }
}
