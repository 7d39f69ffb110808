//! The errors of `store`.

use super::model::unreadable_status;
use super::{Explain, Explanation};
use crate::Lang;
use store::{FlowFileError, InitError, StoreError};

impl Explain for StoreError {
    fn zh(&self) -> Explanation {
        match self {
            Self::NoAideFolder { .. } => Explanation::new(".aide 目录不存在，请先执行 aide init"),
            Self::MissingSession => Explanation::new("数据异常")
                .with_hint("pending.json 缺少 session_id，请重新执行 aide decide submit"),
            Self::TooManyOpen { count } => {
                Explanation::new(format!("已有 {count} 组待定项等待决策，不再接受新的提交"))
                    .with_hint("请先回答其中一些，或用 aide decide cancel SESSION 取消")
            }
            Self::AttachmentsChanged => Explanation::new(Lang::Zh.files().changed),
            Self::NoSessionLeft => Explanation::new("无法生成更晚的会话标识")
                .with_hint("检查系统时间，以及 .aide/decisions/ 中日期过晚的文件"),
            Self::Journal { reason } => Explanation::new(format!("守护进程的日志库不可用: {reason}"))
                .with_hint("查看 aide daemon logs"),
            Self::File(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::NoAideFolder { .. } => Explanation::new("there is no .aide folder, run aide init first"),
            Self::MissingSession => Explanation::new("the data is damaged")
                .with_hint("pending.json has no session_id, run aide decide submit again"),
            Self::TooManyOpen { count } => {
                let sets =
                    if *count == 1 { "1 set of questions" } else { &format!("{count} sets of questions") };
                Explanation::new(format!("{sets} are open; no more are accepted"))
                    .with_hint("answer some first, or cancel some with aide decide cancel SESSION")
            }
            Self::AttachmentsChanged => Explanation::new(Lang::En.files().changed),
            Self::NoSessionLeft => Explanation::new("cannot create a later session id")
                .with_hint("check the system clock, and .aide/decisions/ for files dated far in the future"),
            Self::Journal { reason } => {
                Explanation::new(format!("the daemon's journal cannot be used: {reason}"))
                    .with_hint("see aide daemon logs")
            }
            Self::File(error) => error.en(),
        }
    }
}

impl Explain for InitError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Store(error) => error.zh(),
            Self::Config(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Store(error) => error.en(),
            Self::Config(error) => error.en(),
        }
    }
}

impl Explain for FlowFileError {
    fn zh(&self) -> Explanation {
        match self {
            // As `aide flow` is documented.
            Self::Store(StoreError::NoAideFolder { .. }) => {
                Explanation::new("未找到 .aide 目录，请先运行：aide init")
            }
            Self::Store(error) => error.zh(),
            Self::Status { file, error } => Explanation::new(unreadable_status(Lang::Zh, file, error))
                .with_hint("该文件没有被改动；请修正它，或备份后删除，再执行 aide flow start"),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Store(StoreError::NoAideFolder { .. }) => {
                Explanation::new("No .aide folder found; run aide init first")
            }
            Self::Store(error) => error.en(),
            Self::Status { file, error } => Explanation::new(unreadable_status(Lang::En, file, error))
                .with_hint(
                    "the file was not changed; correct it, or back it up, delete it and run aide flow start",
                ),
        }
    }
}
