//! The errors of `model`.

use super::{Explain, Explanation};
use crate::{Lang, problem, problem_hint, syntax};
use model::InputError;
use model::flow::{FlowStatusError, PhaseError, StatusRule, SummaryError};

impl Explain for InputError {
    /// Of several problems, the first.
    fn zh(&self) -> Explanation {
        match self {
            Self::Syntax(error) => Explanation::new(format!("JSON 解析失败: {}", syntax(Lang::Zh, error)))
                .with_hint("检查 JSON 格式是否正确"),
            Self::Invalid(problems) => match problems.first() {
                Some(first) => Explanation::new(format!("数据验证失败: {}", problem(Lang::Zh, first)))
                    .with_hint(problem_hint(Lang::Zh, first)),
                None => Explanation::new("数据验证失败"),
            },
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Syntax(error) => {
                Explanation::new(format!("cannot parse the JSON: {}", syntax(Lang::En, error)))
                    .with_hint("check that the JSON is well-formed")
            }
            Self::Invalid(problems) => match problems.first() {
                Some(first) => Explanation::new(format!("invalid data: {}", problem(Lang::En, first)))
                    .with_hint(problem_hint(Lang::En, first)),
                None => Explanation::new("invalid data"),
            },
        }
    }
}

impl Explain for SummaryError {
    fn zh(&self) -> Explanation {
        Explanation::new(match self {
            Self::Blank => "文本参数不能为空".to_owned(),
            Self::TooLong { limit, found } => format!("文本参数过长: {found} 个字符，最多 {limit} 个"),
        })
    }

    fn en(&self) -> Explanation {
        Explanation::new(match self {
            Self::Blank => "SUMMARY must not be blank".to_owned(),
            Self::TooLong { limit, found } => {
                format!("SUMMARY is too long: {found} characters, at most {limit}")
            }
        })
    }
}

impl Explain for PhaseError {
    fn zh(&self) -> Explanation {
        let all = |known: &[String]| format!("环节依次为: {}", known.join(", "));
        match self {
            Self::Unknown { phase, known } => {
                Explanation::new(format!("未知环节: {phase}（请检查 flow.phases 配置）"))
                    .with_hint(all(known))
            }
            Self::NotNext { from, to, next } => Explanation::new(format!(
                "非法跳转: {from} -> {to}（next-part 只能前进到相邻环节，不可跳过环节）"
            ))
            .with_hint(match next {
                Some(phase) => format!("下一个环节是 {phase}"),
                None => "当前已是最后一个环节".to_owned(),
            }),
            Self::NotBack { from, to, known } => {
                Explanation::new(format!("非法回退: {from} -> {to}（back-part 只能回退到之前环节）"))
                    .with_hint(all(known))
            }
        }
    }

    fn en(&self) -> Explanation {
        let all = |known: &[String]| format!("the phases are: {}", known.join(", "));
        match self {
            Self::Unknown { phase, known } => {
                Explanation::new(format!("Unknown phase: {phase} (see flow.phases)")).with_hint(all(known))
            }
            Self::NotNext { from, to, next } => Explanation::new(format!(
                "Invalid transition: {from} -> {to} (next-part only goes to the next phase; none can be skipped)"
            ))
            .with_hint(match next {
                Some(phase) => format!("the next phase is {phase}"),
                None => "this is the last phase".to_owned(),
            }),
            Self::NotBack { from, to, known } => Explanation::new(format!(
                "Invalid transition: {from} -> {to} (back-part only goes to an earlier phase)"
            ))
            .with_hint(all(known)),
        }
    }
}

/// What is wrong with the state of a task in `file`.
pub(super) fn unreadable_status(lang: Lang, file: &str, error: &FlowStatusError) -> String {
    let what = match (lang, error) {
        (_, FlowStatusError::Syntax { message }) => message.clone(),
        (Lang::Zh, FlowStatusError::Invalid { path, rule }) => match rule {
            StatusRule::Object if path.is_empty() => "状态文件顶层必须为对象".to_owned(),
            StatusRule::Object => format!("history 条目必须为对象（{path}）"),
            StatusRule::Text => format!("{path} 必须为非空字符串"),
            StatusRule::TaskName => format!("{path} 不能用作文件名"),
            StatusRule::Integer => format!("{path} 必须为整数"),
            StatusRule::List => format!("{path} 必须为列表"),
            StatusRule::Action => format!("{path} 不是已知的操作类型"),
            StatusRule::TextOrMissing => format!("{path} 必须为字符串或缺失"),
            StatusRule::Once => format!("{path} 重复出现"),
        },
        (Lang::En, FlowStatusError::Invalid { path, rule }) => match rule {
            StatusRule::Object if path.is_empty() => "the top level must be an object".to_owned(),
            StatusRule::Object => format!("{path} must be an object"),
            StatusRule::Text => format!("{path} must be a non-blank string"),
            StatusRule::TaskName => format!("{path} cannot be used in a file name"),
            StatusRule::Integer => format!("{path} must be an integer"),
            StatusRule::List => format!("{path} must be a list"),
            StatusRule::Action => format!("{path} is not a known action"),
            StatusRule::TextOrMissing => format!("{path} must be a string or absent"),
            StatusRule::Once => format!("{path} appears twice"),
        },
    };
    match lang {
        Lang::Zh => format!("状态文件解析失败: {file}: {what}"),
        Lang::En => format!("Cannot read the state file: {file}: {what}"),
    }
}
