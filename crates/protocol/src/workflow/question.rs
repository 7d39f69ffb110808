//! Questions of the daemon about a workflow, and their words.
//!
//! contract/workflows §5.3, §6.3 and §6.5 prescribe the words. They are Chinese, and so a question is stored and sent; this table
//! is the only place that has them. A reader is asked in their own language by `texts`, which parses the question.

use std::fmt;

/// What precedes the resources that no agent has.
const MISSING: &str = "资源不足：缺少 ";
const NETWORK: &str = "检测到网络访问，是否继续？";
const READING: &str = "检测到文件读取（";
const WRITING: &str = "检测到文件写入（";
const RUNNING: &str = "检测到命令执行（";
const END_OF_CALL: &str = "），是否继续？";
const TASK: &str = "任务 ";
const HAS_FAILED: &str = " 失败，如何继续？";
const TASK_CHANGED: &str = "任务有变化，如何继续？";
const PLAN_UNCONFIRMED: &str = "计划待确认，如何继续？";
const REVIEWS_FAILED: &str = "审查多次未通过，如何继续？";

/// Asks for consent to a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question<'m> {
    /// Whether the network may be used.
    Network,
    /// Whether this file may be read.
    Read(&'m str),
    /// Whether this file may be written.
    Write(&'m str),
    /// Whether this command may be run.
    Run(&'m str),
}

impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network => f.write_str(NETWORK),
            Self::Read(path) => write!(f, "{READING}{path}{END_OF_CALL}"),
            Self::Write(path) => write!(f, "{WRITING}{path}{END_OF_CALL}"),
            Self::Run(command) => write!(f, "{RUNNING}{command}{END_OF_CALL}"),
        }
    }
}

impl<'m> Question<'m> {
    /// Parses the words of a question; `None` for any other text.
    pub fn parse(message: &'m str) -> Option<Self> {
        if message == NETWORK {
            return Some(Self::Network);
        }
        let named = |before: &str| message.strip_prefix(before)?.strip_suffix(END_OF_CALL);
        let read = named(READING).map(Self::Read);
        read.or_else(|| named(WRITING).map(Self::Write)).or_else(|| named(RUNNING).map(Self::Run))
    }
}

/// Asks how a workflow continues that cannot continue by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryQuestion<'m> {
    /// A task has failed for good.
    TaskFailed {
        /// Number of the task.
        number: &'m str,
    },
    /// The user's new instructions change the task.
    TaskChanged,
    /// The plan needs the user's consent.
    PlanUnconfirmed,
    /// The result was rejected as often as it may be.
    ReviewsFailed,
    /// No agent qualifies.
    ResourcesMissing {
        /// Capabilities or agent type, perhaps with a level, separated by `, `.
        resources: &'m str,
    },
}

impl fmt::Display for RecoveryQuestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TaskFailed { number } => write!(f, "{TASK}{number}{HAS_FAILED}"),
            Self::TaskChanged => f.write_str(TASK_CHANGED),
            Self::PlanUnconfirmed => f.write_str(PLAN_UNCONFIRMED),
            Self::ReviewsFailed => f.write_str(REVIEWS_FAILED),
            Self::ResourcesMissing { resources } => write!(f, "{MISSING}{resources}"),
        }
    }
}

impl<'m> RecoveryQuestion<'m> {
    /// Parses the words of a question; `None` for any other text.
    pub fn parse(message: &'m str) -> Option<Self> {
        Some(match message {
            TASK_CHANGED => Self::TaskChanged,
            PLAN_UNCONFIRMED => Self::PlanUnconfirmed,
            REVIEWS_FAILED => Self::ReviewsFailed,
            _ => match message.strip_prefix(MISSING) {
                Some(resources) => Self::ResourcesMissing { resources },
                None => Self::TaskFailed { number: message.strip_prefix(TASK)?.strip_suffix(HAS_FAILED)? },
            },
        })
    }

    /// Returns the options, as the contract names them.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Self::TaskFailed { .. } | Self::PlanUnconfirmed | Self::ResourcesMissing { .. } => {
                &["continue", "replan", "abort"]
            }
            Self::TaskChanged => &["continue", "replan", "new_task", "abort"],
            Self::ReviewsFailed => &["accept", "continue", "replan", "abort"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Question, RecoveryQuestion};

    #[test]
    fn a_question_about_a_call_has_the_words_of_the_contract_and_is_parsed_from_them() {
        for (message, question) in [
            ("检测到网络访问，是否继续？", Question::Network),
            ("检测到文件读取（a），是否继续？", Question::Read("a")),
            ("检测到文件写入（a（b）），是否继续？", Question::Write("a（b）")),
            ("检测到命令执行（make），是否继续？", Question::Run("make")),
        ] {
            assert_eq!(question.to_string(), message);
            assert_eq!(Question::parse(message), Some(question));
        }
        for other in ["检测到命令执行（make", "Go on?", "任务有变化，如何继续？"] {
            assert_eq!(Question::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_question_about_a_workflow_has_the_words_of_the_contract_and_is_parsed_from_them() {
        for (message, question, options) in [
            (
                "任务 1 失败，如何继续？",
                RecoveryQuestion::TaskFailed { number: "1" },
                "continue replan abort",
            ),
            ("任务有变化，如何继续？", RecoveryQuestion::TaskChanged, "continue replan new_task abort"),
            ("计划待确认，如何继续？", RecoveryQuestion::PlanUnconfirmed, "continue replan abort"),
            ("审查多次未通过，如何继续？", RecoveryQuestion::ReviewsFailed, "accept continue replan abort"),
            (
                "资源不足：缺少 file_ops, web_search ≥ 8",
                RecoveryQuestion::ResourcesMissing { resources: "file_ops, web_search ≥ 8" },
                "continue replan abort",
            ),
        ] {
            assert_eq!(question.to_string(), message);
            assert_eq!(RecoveryQuestion::parse(message), Some(question));
            assert_eq!(question.options().join(" "), options, "{message}");
        }
        for other in ["任务 失败，如何继续", "任务 1", "检测到网络访问，是否继续？", ""]
        {
            assert_eq!(RecoveryQuestion::parse(other), None, "{other}");
        }
    }
}
