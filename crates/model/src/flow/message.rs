//! The words of an entry, and the message of its commit (contract/flow §5).

use super::{Action, TaskId};
use crate::is_blank;

/// The trailer that tells a commit's entry: `Aide-Step: <task>/<step>`.
pub const STEP_TRAILER: &str = "Aide-Step";

/// How long a summary may be, in characters: it is the first line of a commit.
const LIMIT: usize = 500;

/// A summary of a step: not blank, without surrounding white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary(String);

/// Why a text is no summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryError {
    /// It says nothing.
    Blank,
    /// It is longer than the first line of a commit should ever be.
    TooLong {
        /// How long it may be, in characters.
        limit: usize,
        /// How long it is, in characters.
        found: usize,
    },
}

impl Summary {
    /// The summary that `text` is.
    ///
    /// # Errors
    ///
    /// When it is blank or too long.
    pub fn new(text: &str) -> Result<Self, SummaryError> {
        if is_blank(text) {
            return Err(SummaryError::Blank);
        }
        let text = text.trim();
        match text.chars().count() {
            found if found > LIMIT => Err(SummaryError::TooLong { limit: LIMIT, found }),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The first line of the commit that records an action: `[aide] <phase>: <summary>`. It is one line, whatever is in its
/// parts.
pub fn commit_subject(action: Action, phase: &str, summary: &Summary) -> String {
    let (phase, summary) = (one_line(phase), one_line(summary.as_str()));
    match action {
        Action::Start | Action::NextStep | Action::NextPart => format!("[aide] {phase}: {summary}"),
        Action::BackStep | Action::BackPart | Action::Issue | Action::Error => {
            format!("[aide] {phase} {}: {summary}", action.code())
        }
    }
}

/// What the trailer of a commit says of its entry: `<task>/<step>`.
pub fn step_name(task: &TaskId, step: u64) -> String {
    format!("{task}/{step}")
}

/// The first seven digits of a commit's hash, as people write it; another text as far as it goes.
pub fn short_hash(hash: &str) -> &str {
    hash.get(..7).unwrap_or(hash)
}

/// `text` with every control character and every end of a line, and the white space around them, as one space.
fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if !text.contains(breaks) {
        return text.to_owned();
    }
    let parts = text.split(breaks).map(str::trim).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Summary, SummaryError, commit_subject};
    use crate::flow::Action;

    fn subject(action: Action, phase: &str, summary: &str) -> String {
        commit_subject(action, phase, &Summary::new(summary).unwrap())
    }

    #[test]
    fn the_documented_messages() {
        for (action, phase, summary, expected) in [
            (
                Action::Start,
                "flow-design",
                "开始任务: 实现用户认证模块",
                "[aide] flow-design: 开始任务: 实现用户认证模块",
            ),
            (Action::NextStep, "flow-design", "流程图设计完成", "[aide] flow-design: 流程图设计完成"),
            (Action::NextPart, "impl", "流程设计完成,开始实现", "[aide] impl: 流程设计完成,开始实现"),
            (Action::Issue, "impl", "描述", "[aide] impl issue: 描述"),
            (Action::Error, "impl", "描述", "[aide] impl error: 描述"),
            (Action::BackStep, "impl", "原因", "[aide] impl back-step: 原因"),
            (Action::BackPart, "impl", "原因", "[aide] impl back-part: 原因"),
        ] {
            assert_eq!(subject(action, phase, summary), expected);
        }
    }

    #[test]
    fn nothing_forges_a_second_line() {
        for text in [
            "a\n\nAide-Step: x/1",
            "a\r\rAide-Step: x/1",
            "a\u{2028}\u{85}\u{b}\u{c}Aide-Step: x/1",
            "a \0 \u{1b} \n Aide-Step: x/1",
        ] {
            assert_eq!(subject(Action::NextStep, "p\nq", text), "[aide] p q: a Aide-Step: x/1");
        }
        assert_eq!(subject(Action::NextStep, "p", "two  spaces stay"), "[aide] p: two  spaces stay");
    }

    #[test]
    fn summaries_say_something_and_not_too_much() {
        for blank in ["", " \n\t", "\u{3000}"] {
            assert_eq!(Summary::new(blank), Err(SummaryError::Blank));
        }
        assert_eq!(Summary::new("  字 ").unwrap().as_str(), "字");
        assert!(Summary::new(&"字".repeat(500)).is_ok());
        assert_eq!(Summary::new(&"字".repeat(501)), Err(SummaryError::TooLong { limit: 500, found: 501 }));
    }
}
