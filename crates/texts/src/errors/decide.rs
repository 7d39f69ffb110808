//! The errors of `decide`.

use super::{Explain, Explanation};
use crate::Lang;
use decide::{DecideError, Replacement};
use model::{Ending, Remainder, SessionId};

/// How the names of what a workflow asks begin.
const OF_WORKFLOW: &str = "decision-";

impl Explain for DecideError {
    fn zh(&self) -> Explanation {
        match self {
            Self::NothingAsked => {
                Explanation::new("未找到待定项数据").with_hint("请先执行 aide decide submit '<json>'")
            }
            Self::NoSession { name } => {
                let hint = match name.starts_with(OF_WORKFLOW) {
                    true => format!("它属于工作流: aide workflow decision respond {name} 答案"),
                    false => "执行 aide decide list 查看全部会话".to_owned(),
                };
                Explanation::new(format!("没有此会话: {name}")).with_hint(hint)
            }
            Self::SeveralOpen { open } => Explanation {
                lines: listed(open),
                ..Explanation::new(format!("有 {} 组待定项，未指明回答哪一组", open.len()))
                    .with_hint("指明会话: aide decide answer SESSION")
            },
            Self::Ended { ending, replacement } => {
                let (what, hint) = match ending {
                    Ending::Decided(_) => ("用户已完成决策".to_owned(), SEE_RESULT_ZH.to_owned()),
                    Ending::Returned(returned) => {
                        (format!("用户已退回待定项: {}", returned.message), SEE_RESULT_ZH.to_owned())
                    }
                    Ending::Cancelled => ("待定项已取消".to_owned(), SEE_OPEN_ZH.to_owned()),
                    Ending::Expired(deadline) => {
                        (format!("截止时间已过，没有得到回答: {deadline}"), SEE_OPEN_ZH.to_owned())
                    }
                    // Those in their place can be answered instead.
                    Ending::Replaced(_) => match replacement {
                        Some(Replacement { session, task }) => (
                            format!("待定项已被新的提交取代: {session}（{task}）"),
                            format!("执行 aide decide answer {session} 回答新的待定项"),
                        ),
                        None => (
                            "待定项已被新的提交取代".to_owned(),
                            "执行 aide decide answer 回答新的待定项".to_owned(),
                        ),
                    },
                };
                Explanation::new(what).with_hint(hint).with_lines(meant(Lang::Zh, ending))
            }
            Self::PendingCorrupt { message } => Explanation::new(format!("无法解析 pending.json: {message}"))
                .with_hint("文件可能已损坏，请重新执行 aide decide submit '<json>'"),
            Self::RecordCorrupt { file, message } => {
                Explanation::new(format!("无法解析决策记录 {file}: {message}"))
                    .with_hint("文件可能已损坏，请恢复该文件，或重新执行 aide decide submit '<json>'")
            }
            Self::Store(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::NothingAsked => {
                Explanation::new("no questions found").with_hint("run aide decide submit '<json>' first")
            }
            Self::NoSession { name } => {
                let hint = match name.starts_with(OF_WORKFLOW) {
                    true => format!("it belongs to a workflow: aide workflow decision respond {name} ANSWER"),
                    false => "run aide decide list to see all sessions".to_owned(),
                };
                Explanation::new(format!("no such session: {name}")).with_hint(hint)
            }
            Self::SeveralOpen { open } => Explanation {
                lines: listed(open),
                ..Explanation::new(format!(
                    "{} sets of questions are open, and no session is given",
                    open.len()
                ))
                .with_hint("name one: aide decide answer SESSION")
            },
            Self::Ended { ending, replacement } => {
                let (what, hint) = match ending {
                    Ending::Decided(_) => {
                        ("the user has already decided".to_owned(), SEE_RESULT_EN.to_owned())
                    }
                    Ending::Returned(returned) => (
                        format!("the user sent the questions back: {}", returned.message),
                        SEE_RESULT_EN.to_owned(),
                    ),
                    Ending::Cancelled => {
                        ("the questions have been cancelled".to_owned(), SEE_OPEN_EN.to_owned())
                    }
                    Ending::Expired(deadline) => {
                        (format!("not answered before the deadline: {deadline}"), SEE_OPEN_EN.to_owned())
                    }
                    Ending::Replaced(_) => match replacement {
                        Some(Replacement { session, task }) => (
                            format!("newer questions have replaced these: {session} ({task})"),
                            format!("run aide decide answer {session} to answer the new questions"),
                        ),
                        None => (
                            "newer questions have replaced these".to_owned(),
                            "run aide decide answer to answer the new questions".to_owned(),
                        ),
                    },
                };
                Explanation::new(what).with_hint(hint).with_lines(meant(Lang::En, ending))
            }
            Self::PendingCorrupt { message } => {
                Explanation::new(format!("cannot parse pending.json: {message}"))
                    .with_hint("the file may be damaged, run aide decide submit '<json>' again")
            }
            Self::RecordCorrupt { file, message } => {
                Explanation::new(format!("cannot parse the record {file}: {message}"))
                    .with_hint("the file may be damaged, restore it or run aide decide submit '<json>' again")
            }
            Self::Store(error) => error.en(),
        }
    }
}

/// Which questions were sent back, where it is not all of them.
pub fn sent_back(lang: Lang, items: &[u64]) -> Option<String> {
    let names: Vec<_> = items.iter().map(u64::to_string).collect();
    Some(match (lang, &names[..]) {
        (_, []) => return None,
        (Lang::Zh, names) => format!("只涉及第 {} 项", names.join("、")),
        (Lang::En, [name]) => format!("only question {name}"),
        (Lang::En, names) => format!("only questions {}", names.join(", ")),
    })
}

fn meant(lang: Lang, ending: &Ending) -> Vec<String> {
    match ending {
        Ending::Returned(returned) => sent_back(lang, &returned.items).into_iter().collect(),
        // What was left for later is still open.
        Ending::Decided(output) => match output.open.as_deref() {
            Some(Remainder { session_id: Some(session), items }) => {
                vec![format!("{}: {session}", lang.page().left_for_later(items.len()))]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn listed(open: &[(SessionId, String)]) -> Vec<String> {
    open.iter().map(|(session, task)| format!("{session}: {task}")).collect()
}

// Of these there is no decision.
const SEE_OPEN_ZH: &str = "执行 aide decide list 查看尚未回答的待定项";
const SEE_OPEN_EN: &str = "run aide decide list to see open questions";
const SEE_RESULT_ZH: &str = "执行 aide decide result 查看";
const SEE_RESULT_EN: &str = "run aide decide result to see the decision";
