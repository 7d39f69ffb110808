//! The errors of `journal`, `workflow` and `client`: of the resident process and of its clients.

use super::{Explain, Explanation};
use crate::Lang;
use client::{BadUrl, ClientError};
use journal::JournalError;
use protocol::workflow::{ErrorCode, Refusal, WorkflowState};
use serde_json::Value;
use workflow::Failure;

impl Explain for JournalError {
    fn zh(&self) -> Explanation {
        const DISK: &str = "检查磁盘空间与目录权限";
        let (what, hint) = match self {
            Self::Damaged { path, detail } => (
                format!("日志文件已损坏: {}: {detail}", path.display()),
                "文件没有被改动。请用 aide daemon backup 做过的备份恢复，或把它与其旁的 -wal、-shm 文件一起移走，从空的日志开始",
            ),
            Self::Newer { path, found, known, needed } => {
                let what =
                    format!("{} 由更新的版本写成（版本 {found}，此程序只认识 {known}）", path.display());
                let hint = match needed {
                    Some(version) => format!("文件没有被改动。需要 aide {version} 或更新的版本"),
                    None => "请使用写成它的那个版本，或更新的版本".to_owned(),
                };
                return Explanation::new(what).with_hint(hint);
            }
            Self::Full { path } => {
                (format!("磁盘空间不足，无法写入 {}", path.display()), "腾出空间；读取不受影响")
            }
            Self::Io { path, detail } => (format!("读写失败: {}: {detail}", path.display()), DISK),
            Self::Unsynced { path } => (
                format!("无法确认数据已写入磁盘: {}；此后不再写入", path.display()),
                "检查磁盘后执行 aide daemon restart；已确认的内容都在",
            ),
            Self::Folder(error) => return error.zh(),
            Self::Unreadable(cell) => (
                format!("日志中的 {}.{} 无法读取", cell.table, cell.column),
                "请使用写成它的那个版本，或从备份恢复",
            ),
            Self::Invalid(words) => return Explanation::new(format!("日志拒绝了此更改: {words}")),
            Self::Nested => return Explanation::new("程序错误: 线程已持有日志的视图，不能再要求更多"),
            Self::Busy => ("日志正忙".to_owned(), "请稍后重试；aide daemon logs 说明在等待什么"),
            Self::Closed => return Explanation::new("日志已关闭"),
        };
        Explanation::new(what).with_hint(hint)
    }

    fn en(&self) -> Explanation {
        const DISK: &str = "check the free space and the permissions of the folder";
        let (what, hint) = match self {
            Self::Damaged { path, detail } => (
                format!("the journal is damaged: {}: {detail}", path.display()),
                "nothing was written to it; restore a copy made by aide daemon backup, or move it away together with the -wal \
                 and -shm files beside it to start with an empty one",
            ),
            Self::Newer { path, found, known, needed } => {
                let what = format!(
                    "{} was written by a later version (it has version {found}, this program knows {known})",
                    path.display()
                );
                let hint = match needed {
                    Some(version) => format!("nothing was changed; aide {version} or later is needed"),
                    None => "use the version that wrote it, or a later one".to_owned(),
                };
                return Explanation::new(what).with_hint(hint);
            }
            Self::Full { path } => (
                format!("the disk is full: cannot write {}", path.display()),
                "free some space; reading still works",
            ),
            Self::Io { path, detail } => (format!("cannot read or write {}: {detail}", path.display()), DISK),
            Self::Unsynced { path } => (
                format!(
                    "cannot tell whether {} has reached the disk; nothing more is written to it",
                    path.display()
                ),
                "check the disk, then run aide daemon restart; acknowledged changes are kept",
            ),
            Self::Folder(error) => return error.en(),
            Self::Unreadable(cell) => (
                format!("{}.{} in the journal cannot be read", cell.table, cell.column),
                "use the version that wrote it, or restore a backup",
            ),
            Self::Invalid(words) => {
                return Explanation::new(format!("the journal refused this change: {words}"));
            }
            Self::Nested => {
                return Explanation::new(
                    "a bug in this program: a thread that reads the journal requests another view of it",
                );
            }
            Self::Busy => (
                "the journal is busy".to_owned(),
                "try again later; aide daemon logs shows what it is waiting for",
            ),
            Self::Closed => return Explanation::new("the journal is closed"),
        };
        Explanation::new(what).with_hint(hint)
    }
}

impl Explain for Failure {
    fn zh(&self) -> Explanation {
        match self {
            Self::Refused(refusal) => refused(Lang::Zh, refusal),
            Self::Journal(error) => error.zh(),
            Self::Lost => Explanation::new("请求意外终止").with_hint("再次请求之前，先查看当前状态"),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Refused(refusal) => refused(Lang::En, refusal),
            Self::Journal(error) => error.en(),
            Self::Lost => Explanation::new("the request ended unexpectedly")
                .with_hint("look at the current state before you repeat it"),
        }
    }
}

impl Explain for ClientError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Unreachable { url, reason } => {
                Explanation::new(format!("{url} 没有守护进程应答: {reason}"))
                    .with_hint("执行 aide daemon start，或用 --base-url 指定地址")
            }
            Self::Unresponsive { url } => Explanation::new(format!("{url} 的守护进程没有应答"))
                .with_hint("执行 aide daemon status 查看详情，或执行 aide daemon restart 重新启动它"),
            Self::Refused { refusal, .. } => refused(Lang::Zh, refusal),
            Self::Unintelligible { url, reason } => {
                Explanation::new(format!("{url} 的应答无法理解: {reason}"))
                    .with_hint("检查该地址上运行的是否为同一版本的守护进程")
            }
            Self::TimedOut { after } => Explanation::new(format!("{} 秒内没有应答", after.as_secs_f32()))
                .with_hint("用 --timeout 延长等待，或省略它"),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Unreachable { url, reason } => {
                Explanation::new(format!("no daemon answers at {url}: {reason}"))
                    .with_hint("run aide daemon start, or give its address with --base-url")
            }
            Self::Unresponsive { url } => Explanation::new(format!("the daemon at {url} does not answer"))
                .with_hint("run aide daemon status for details, or aide daemon restart to restart it"),
            Self::Refused { refusal, .. } => refused(Lang::En, refusal),
            Self::Unintelligible { url, reason } => {
                Explanation::new(format!("{url} sent an unexpected response: {reason}"))
                    .with_hint("check that a daemon of this version is running there")
            }
            Self::TimedOut { after } => {
                Explanation::new(format!("no answer within {} s", after.as_secs_f32()))
                    .with_hint("raise --timeout, or leave it out")
            }
        }
    }
}

impl Explain for BadUrl {
    fn zh(&self) -> Explanation {
        Explanation::new(format!("不是守护进程的地址: {}", self.0))
            .with_hint("例如 http://localhost:8080 与 ws://localhost:8081")
    }

    fn en(&self) -> Explanation {
        Explanation::new(format!("not the address of a daemon: {}", self.0))
            .with_hint("for example http://localhost:8080 and ws://localhost:8081")
    }
}

/// What a daemon has refused, with whatever it says about it.
fn refused(lang: Lang, refusal: &Refusal) -> Explanation {
    let what = match lang {
        Lang::Zh => zh(refusal),
        // The contract calls it by what is looked for.
        Lang::En if refusal.code == ErrorCode::WorkflowNotFound => "No such workflow".to_owned(),
        Lang::En => refusal.error.clone(),
    };
    let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_cancelled = refusal.details.get("cancelled") == Some(&Value::Bool(true));
    let lines =
        refusal.details.iter().filter(|(name, _)| *name != "cancelled").map(|(name, value)| match &**name {
            "currentState" if is_cancelled => format!("{name}: cancelled"),
            _ => format!("{name}: {}", told(value)),
        });
    let lines = lines.collect();
    let hint = match (refusal.code, lang) {
        (ErrorCode::Unauthorized, Lang::Zh) => Some("以启动守护进程的用户执行，或在其机器上执行"),
        (ErrorCode::Unauthorized, Lang::En) => {
            Some("run this on the daemon's machine, as the user who started it")
        }
        (ErrorCode::ProviderMissing, Lang::Zh) => Some(
            "在您自己的配置文件（aide config path）中设置 [daemon] provider，然后执行 aide daemon restart",
        ),
        (ErrorCode::ProviderMissing, Lang::En) => Some(
            "set provider in [daemon] of your own configuration (aide config path), then run aide daemon restart",
        ),
        (ErrorCode::WorkflowNotFound, Lang::Zh) => Some("执行 aide workflow list 查看所有工作流"),
        (ErrorCode::WorkflowNotFound, Lang::En) => Some("run aide workflow list to see all workflows"),
        (ErrorCode::SessionNotFound, Lang::Zh) => Some("执行 aide workflow sessions 查看所有会话"),
        (ErrorCode::SessionNotFound, Lang::En) => Some("run aide workflow sessions to see all sessions"),
        (ErrorCode::DecisionNotFound, Lang::Zh) => {
            Some("执行 aide workflow decision list --all 查看所有决策")
        }
        (ErrorCode::DecisionNotFound, Lang::En) => {
            Some("run aide workflow decision list --all to see all decisions")
        }
        (ErrorCode::WorkflowTerminal, Lang::Zh) => {
            Some("aide workflow list 显示它如何结束；重新开始: aide orchestrate")
        }
        (ErrorCode::WorkflowTerminal, Lang::En) => {
            Some("aide workflow list shows how it ended; to start again, run aide orchestrate")
        }
        (ErrorCode::WorkflowActive, Lang::Zh) => Some("等待它结束，或先执行 aide workflow cancel"),
        (ErrorCode::WorkflowActive, Lang::En) => {
            Some("wait until it has ended, or run aide workflow cancel first")
        }
        (ErrorCode::WorkflowAlreadyPaused, Lang::Zh) => Some("继续: aide workflow resume"),
        (ErrorCode::WorkflowAlreadyPaused, Lang::En) => Some("to continue it, run aide workflow resume"),
        (ErrorCode::WorkflowNotPaused, Lang::Zh) if waits_for_person(refusal) => {
            Some("它在等待您的决策: aide workflow decision list")
        }
        (ErrorCode::WorkflowNotPaused, Lang::En) if waits_for_person(refusal) => {
            Some("it waits for your decision: run aide workflow decision list")
        }
        (ErrorCode::WorkflowNotPaused, Lang::Zh) => Some("它正在进行，查看进展: aide workflow status"),
        (ErrorCode::WorkflowNotPaused, Lang::En) => {
            Some("it is already running; aide workflow status shows its progress")
        }
        (ErrorCode::InvalidResponse, Lang::Zh) => Some(
            "请回答选项的编号或文字，可多选时也可回答多个编号（1,3）；需要说明或退回时，在页面上回答: aide daemon status 显示地址",
        ),
        (ErrorCode::InvalidResponse, Lang::En) => Some(
            "answer with the number or the text of an option, or with several numbers (1,3) if several may be chosen; to add a note or to send it back, use the page (aide daemon status)",
        ),
        _ => None,
    };
    let explanation = Explanation { lines, ..Explanation::new(what) };
    match hint {
        Some(hint) => explanation.with_hint(hint),
        None => explanation,
    }
}

fn waits_for_person(refusal: &Refusal) -> bool {
    refusal.details.get("currentState").is_some_and(|state| state == WorkflowState::WaitUserDecision.name())
}

/// The words of the contract are English; these say the same.
fn zh(refusal: &Refusal) -> String {
    let said = match refusal.code {
        ErrorCode::WorkflowNotFound => "没有此工作流",
        ErrorCode::SessionNotFound => "没有此会话",
        ErrorCode::CheckpointNotFound => "没有检查点",
        ErrorCode::AgentNotFound => "没有此智能体",
        ErrorCode::DecisionNotFound => "没有此决策",
        ErrorCode::ModuleNotFound => "没有此接收者",
        ErrorCode::MessageNotFound => "没有此消息",
        ErrorCode::OutputNotFound => "此工作流还没有结果",
        ErrorCode::WorkflowAlreadyPaused => "工作流已经暂停",
        ErrorCode::WorkflowNotPaused => "工作流没有暂停",
        ErrorCode::WorkflowTerminal => "工作流已经结束",
        ErrorCode::WorkflowActive => "工作流尚未结束，或有决策等待回答",
        ErrorCode::InvalidTransition => "工作流目前不能这样转换",
        ErrorCode::DecisionAlreadyResolved => "此决策已有答案",
        ErrorCode::DecisionExpired => "此决策已经过期",
        ErrorCode::SessionNotResumable => "此会话没有可以继续的工作流",
        ErrorCode::SessionBusy => "此会话的工作流正在进行",
        ErrorCode::ProviderMissing => "没有为所需的智能体配置 provider",
        ErrorCode::ResourceBusy => "此智能体正被使用",
        ErrorCode::QueueFull => "等待处理的消息已满",
        ErrorCode::Timeout => "守护进程没有在时限内完成",
        ErrorCode::Unauthorized => "守护进程要求登录",
        ErrorCode::Unavailable => "守护进程繁忙",
        _ => return format!("守护进程拒绝了请求: {}", refusal.error),
    };
    said.to_owned()
}
