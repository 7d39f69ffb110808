//! What comes from outside may be anything.

use llm::{BadAnswer, Format, read};
use proptest::prelude::*;

const FORMATS: [Format; 5] = [Format::Plain, Format::Claude, Format::Codex, Format::Gemini, Format::OpenAi];

/// Pieces of which good and bad answers are made.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "\n\n",
    " ",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "0",
    "-1e999",
    "\u{feff}",
    "data: ",
    "data:",
    ": ping\n",
    "data: [DONE]\n\n",
    "noise",
    "{\"type\":\"result\",\"is_error\":false,\"result\":\"42\"}",
    "{\"type\":\"result\",\"is_error\":true,\"result\":[]}",
    "{\"type\":\"result\",\"is_error\":false,\"result\":\"a\",\"usage\":{\"input_tokens\":18446744073709551615,\"cache_read_input_tokens\":1},\"modelUsage\":[]}",
    "{\"type\":\"turn.started\"}",
    "{\"type\":\"turn.completed\",\"usage\":[]}",
    "{\"type\":\"turn.failed\"}",
    "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"42\"}}",
    "{\"type\":\"item.completed\",\"item\":5}",
    "{\"type\":\"error\",\"message\":{}}",
    "{\"response\":\"42\",\"stats\":{\"models\":{\"a\":{\"tokens\":{\"prompt\":18446744073709551615}},\"b\":{\"tokens\":{\"prompt\":1}}}}}",
    "{\"response\":\n\"42\",",
    "{\"error\":\"x\"}",
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"4\"}}]}",
    "{\"choices\":[{\"message\":{\"content\":[{\"text\":\"42\"},5]},\"finish_reason\":\"length\"}]}",
    "{\"choices\":[{\"delta\":{\"content\":null},\"finish_reason\":\"stop\"}],\"usage\":{}}",
    "{\"choices\":{}}",
    "{\"error\":{\"code\":503}}",
];

fn answers() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn reading_never_fails_otherwise_and_is_always_the_same(raw in answers()) {
        for format in FORMATS {
            let answer = read(format, &raw);
            prop_assert_eq!(&read(format, &raw), &answer);
            match answer {
                Ok(answer) => prop_assert!(!answer.text.trim().is_empty()),
                Err(BadAnswer::NotUtf8 { at }) => prop_assert!(at < raw.len()),
                Err(BadAnswer::NoResult { said } | BadAnswer::Refused { message: said }) => {
                    prop_assert!(!said.chars().any(char::is_control) && said.chars().count() <= 301, "{:?}", said);
                }
                Err(BadAnswer::NotJson { .. } | BadAnswer::Unfinished { .. }) => {}
            }
        }
    }

    #[test]
    fn noise_around_a_result_does_not_change_it(before in "[^\\[{]{0,20}", after in "[^\\[{]{0,20}") {
        let result = "{\"type\":\"result\",\"is_error\":false,\"result\":\"42\"}";
        let raw = format!("{}\n{result}\n{after}", before.replace(['\n', '\r'], " "));
        prop_assert_eq!(read(Format::Claude, raw.as_bytes()).map(|answer| answer.text), Ok("42".to_owned()));
    }
}
