//! What a language model answers.

use llm::{BadAnswer, Format, read};

/// It is read or refused, always in the same way, and what is told of it is one line.
pub(crate) fn model_answer(data: &[u8]) {
    for format in [Format::Plain, Format::Claude, Format::Codex, Format::Gemini, Format::OpenAi] {
        let answer = read(format, data);
        assert_eq!(read(format, data), answer, "{format}");
        match answer {
            Ok(answer) => {
                assert!(!answer.text.trim().is_empty());
                assert!(answer.notes.iter().all(|note| is_a_line(note)), "{:?}", answer.notes);
            }
            Err(BadAnswer::NoResult { said } | BadAnswer::Refused { message: said }) => {
                assert!(is_a_line(&said), "{said:?}");
            }
            Err(BadAnswer::NotUtf8 { .. } | BadAnswer::NotJson { .. } | BadAnswer::LineTooLong { .. }) => {}
        }
    }
}

/// Short, and without what a terminal obeys.
fn is_a_line(text: &str) -> bool {
    !text.chars().any(char::is_control) && text.chars().count() <= 301
}
