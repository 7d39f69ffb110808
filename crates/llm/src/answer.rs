//! Reads an answer from the received bytes.
//!
//! Only these bytes and their [`Format`] determine the answer: a stored one is read again as it was read first, without asking
//! again.

use crate::words::{one_line, with_words};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// How long a line of a program's answer may be, in bytes. A longer one is left out; what comes after it is read.
pub const MAX_LINE: usize = 4 << 20;
/// How many lines that mean nothing are kept.
const MAX_NOTES: usize = 20;

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// All of it is the answer.
    Plain,
    /// As `claude -p --output-format json` does, or `stream-json`.
    Claude,
    /// As `codex exec --json` does.
    Codex,
    /// As `gemini --output-format json` does.
    Gemini,
    /// As `opencode run --format json` does.
    Opencode,
    /// As an endpoint of OpenAI's kind does, in pieces or at once.
    OpenAi,
}

/// A text that is no [`Format`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a known format")]
pub struct UnknownFormat;

/// What was answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The answer itself.
    pub text: String,
    /// The model that gave it, if reported.
    pub model: Option<String>,
    /// How much was read and written for it, if reported.
    pub usage: Option<Usage>,
    /// What it cost, in dollars, if reported.
    pub cost: Option<f64>,
    /// Lines that came with it and are no part of it.
    pub notes: Vec<String>,
}

/// How much was read and written, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// What was read, also what was found in a cache.
    pub input_tokens: u64,
    /// What was written.
    pub output_tokens: u64,
}

/// How much of an answer has arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerProgress {
    /// How many characters of its text.
    pub characters: u64,
    /// How many tokens were written, where the stream says so.
    pub output_tokens: Option<u64>,
}

/// Why bytes are no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// They are not UTF-8.
    #[error("the answer is not valid UTF-8 (at byte {at})")]
    NotUtf8 {
        /// Where the first byte is that is not.
        at: usize,
    },
    /// They are no JSON where they must be.
    #[error("the answer is not valid JSON: {message}")]
    NotJson {
        /// The parser's own words.
        message: String,
    },
    /// It is there, and says nothing.
    #[error("{}", with_words("there is no answer", said))]
    NoResult {
        /// What was said instead; often nothing.
        said: String,
    },
    /// It has begun, and its end is missing.
    #[error("{reason}")]
    Unfinished {
        /// Why.
        reason: FinishReason,
    },
    /// It says that there is none.
    #[error("{}", with_words("no answer was given", message))]
    Refused {
        /// Why, on one line.
        message: String,
    },
}

/// Why an answer did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// It was as long as it may be.
    Length,
    /// A filter has stopped it.
    Filter,
    /// Nothing says that it has ended.
    Missing,
    /// For another reason, in the endpoint's own word.
    Other(String),
}

impl FinishReason {
    /// What a `finish_reason` says; `None` for a complete answer.
    pub(crate) fn parse(reason: &str) -> Option<Self> {
        let word = reason.trim().to_ascii_lowercase();
        match &*word {
            "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "end" | "complete"
            | "completed" => None,
            "length" | "max_tokens" | "max_output_tokens" | "max_completion_tokens" | "model_length" => {
                Some(Self::Length)
            }
            "content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content" | "spii"
            | "refusal" => Some(Self::Filter),
            _ => Some(Self::Other(one_line(reason))),
        }
    }
}

impl Display for FinishReason {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => out.write_str("the answer was cut off at the length limit (max_tokens)"),
            Self::Filter => out.write_str("the answer was stopped by a content filter (content_filter)"),
            Self::Missing => out.write_str("the end of the answer is missing"),
            Self::Other(reason) => {
                write!(out, "the answer was not completed: finish_reason is {reason:?}")
            }
        }
    }
}

impl Format {
    const ALL: [Self; 6] =
        [Self::Plain, Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::OpenAi];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::OpenAi => "openai",
        }
    }
}

impl Display for Format {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or(UnknownFormat)
    }
}

impl Answer {
    /// Keeps a line that is no part of the answer: the last ones.
    pub(crate) fn note(notes: &mut Vec<String>, line: &[u8]) {
        let line = one_line(&String::from_utf8_lossy(line));
        if !line.is_empty() {
            if notes.len() >= MAX_NOTES {
                notes.remove(0);
            }
            notes.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn a_format_is_what_it_is_called() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("".parse::<Format>().is_err());
    }
}
