//! What `codex exec --json` prints: an event on each line.

use super::{count, text, values};
use crate::words::{error_message, one_line};
use crate::{Answer, BadAnswer, FinishReason, Usage};
use serde_json::Value;

#[derive(Default)]
struct Turn {
    message: Option<String>,
    usage: Option<Usage>,
    is_complete: bool,
    failure: Option<String>,
    /// The last trouble, which it may have got over.
    trouble: Option<String>,
}

impl Turn {
    /// Unknown events are those of a later version.
    fn take(&mut self, event: &Value) {
        match text(event, "type") {
            Some("turn.started") => (self.is_complete, self.failure) = (false, None),
            Some("item.completed") => {
                let item = event.get("item").unwrap_or(&Value::Null);
                if text(item, "type") == Some("agent_message") {
                    self.message = text(item, "text").map(str::to_owned);
                }
            }
            Some("turn.completed") => {
                (self.is_complete, self.failure) = (true, None);
                self.usage = event.get("usage").filter(|usage| usage.is_object()).map(|usage| Usage {
                    input_tokens: count(usage, "input_tokens"),
                    output_tokens: count(usage, "output_tokens"),
                });
            }
            Some("turn.failed") => {
                let error = event.get("error").unwrap_or(event);
                self.is_complete = false;
                self.failure = Some(error_message(error).unwrap_or_default());
            }
            Some("error") => self.trouble = error_message(event),
            _ => {}
        }
    }
}

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let mut turn = Turn::default();
    let notes = values::each(raw, |event| turn.take(&event));
    let Turn { message, usage, is_complete, failure, trouble } = turn;
    if let Some(message) = failure {
        return Err(BadAnswer::Refused { message: one_line(&message) });
    }
    match (message, trouble) {
        (Some(text), _) if is_complete => Ok(Answer { text, usage, notes, ..Answer::default() }),
        (_, Some(message)) => Err(BadAnswer::Refused { message }),
        (Some(_), None) => Err(BadAnswer::Unfinished { reason: FinishReason::Missing }),
        (None, None) => Err(values::no_result(raw, &notes)),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::{BadAnswer, FinishReason, Usage};

    const START: &str = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n";
    const FIRST: &str = "{\"type\":\"item.completed\",\"item\":{\"id\":\"0\",\"type\":\"agent_message\",\"text\":\"thinking\"}}\n";
    const LAST: &str =
        "{\"type\":\"item.completed\",\"item\":{\"id\":\"1\",\"type\":\"agent_message\",\"text\":\"42\"}}\n";
    const TOOL: &str = "{\"type\":\"item.completed\",\"item\":{\"id\":\"2\",\"type\":\"command_execution\",\"text\":\"x\"}}\n";
    const DONE: &str = "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":100,\"cached_input_tokens\":90,\"output_tokens\":5}}\n";
    const TROUBLE: &str = "{\"type\":\"error\",\"message\":\"Reconnecting 1/5\"}\n";
    const FAILED: &str = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\\nquota\"}}\n";

    #[test]
    fn the_last_message_of_a_complete_turn_is_the_answer() {
        let raw = [
            START,
            "Reading prompt from stdin...\n",
            TROUBLE,
            FIRST,
            "{\"type\":\"new\"}\n",
            LAST,
            TOOL,
            DONE,
        ];
        let answer = read(raw.concat().as_bytes()).expect("an answer");
        assert_eq!(answer.text, "42");
        assert_eq!(answer.usage, Some(Usage { input_tokens: 100, output_tokens: 5 }));
        assert_eq!(answer.notes, ["Reading prompt from stdin..."]);
    }

    #[test]
    fn what_is_no_complete_turn_is_none() {
        let refused = |message: &str| BadAnswer::Refused { message: message.to_owned() };
        let nothing = |said: &str| BadAnswer::NoResult { said: said.to_owned() };
        let cut = || BadAnswer::Unfinished { reason: FinishReason::Missing };
        for (raw, error) in [
            ([START, LAST, FAILED].concat(), refused("no quota")),
            ([START, LAST].concat(), cut()),
            ([START, LAST, TROUBLE].concat(), refused("Reconnecting 1/5")),
            ([START, TOOL, DONE].concat(), nothing("")),
            ([START, LAST, &DONE[..30]].concat(), cut()),
            ([START, LAST, DONE, START].concat(), cut()),
        ] {
            assert_eq!(read(raw.as_bytes()), Err(error), "{raw}");
        }
    }
}
