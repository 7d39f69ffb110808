//! 中文: the documented messages to the letter, and the others in their manner.

use super::{Help, Message, Need};
use decide::State;
use model::Via;
use settings::{ConfigErrorKind, Origin, PhasesFault, Source};
use std::io::{self, ErrorKind};
use std::path::Path;
use texts::Lang;

pub(super) fn tell(message: &Message) -> String {
    match message {
        Message::ConfigCreated => "已创建默认配置 .aide/config.toml".to_owned(),
        Message::Initialised => "初始化完成，.aide/ 与默认配置已准备就绪".to_owned(),
        Message::ServerStarted => "Web 服务已启动".to_owned(),
        Message::OpenLink { url } => format!("请访问: {url}"),
        Message::Waiting => "等待用户完成决策...".to_owned(),
        Message::Decided => "决策已完成".to_owned(),
        Message::TimedOut => "服务超时，已自动关闭".to_owned(),
        Message::Interrupted => "服务已中断".to_owned(),
        Message::FetchLater { session } => {
            format!("会话 {session}: 执行 aide decide wait {session} 等待并获取结果")
        }
        Message::Newest { session, task } => format!("会话 {session}: {task}"),
        Message::GoOnWaiting { session } => {
            format!("待定项已保留，执行 aide decide wait {session} 继续等待")
        }
        Message::BringBack { session } => {
            format!("待定项仍在等待决策，但没有服务在运行: 执行 aide decide wait {session} 恢复服务并继续等待")
        }
        Message::SubmitOrBringBack { session } => {
            format!(
                "请重新执行 aide decide submit '<json>'；待定项仍在等待决策，也可执行 aide decide wait {session} 恢复服务并继续等待"
            )
        }
        Message::BroughtBack => "没有服务在运行，现已恢复".to_owned(),
        Message::BrowserStarted { program } => format!("已启动 {program}"),
        Message::ForwardPort { command } => {
            format!("请在您自己的电脑上执行 {command}，再打开上面的链接")
        }
        Message::NoBrowser => "这里没有可用的浏览器，请自行打开上面的链接".to_owned(),
        Message::NotifyTitle { items } => format!("aide: {items} 个待定项等待您决策"),
        Message::NotifyFailed { program, error } => {
            format!("无法通知您: 无法启动 {program}: {}", reason(error))
        }
        Message::NoNotifyCommand { file } => format!("无法通知您: {} 中没有设置 notify.command", file.display()),
        Message::NotifyIgnored { file, line } => {
            format!("已忽略 {} 第 {line} 行的 [notify]，它只能写在您自己的配置中", file.display())
        }
        Message::NothingOpen => "没有等待决策的待定项".to_owned(),
        Message::StillPending { url, session } => {
            format!("用户尚未完成决策: {url}，可再次执行 aide decide wait {session} 继续等待")
        }
        Message::WasReturned { message } => format!("用户退回了待定项: {message}"),
        Message::SentBack => "待定项已退回".to_owned(),
        Message::AnswersKept => "尚未提交，已填写的内容保留为草稿，执行 aide decide answer 继续".to_owned(),
        Message::NoMoreInput => "答案还不完整，输入就已结束或无法识别".to_owned(),
        Message::AnswerThose => "执行 aide decide answer 回答新的待定项".to_owned(),
        Message::WasCancelled | Message::Cancelled => "待定项已取消".to_owned(),
        Message::StoppedWaiting => "已停止等待，网页仍由另一个进程提供".to_owned(),
        Message::WasReplaced { by } | Message::Replaced { by } => match by {
            Some(by) => format!("待定项已被新的提交取代: {}（{}）", by.session, by.task),
            None => "待定项已被新的提交取代".to_owned(),
        },
        Message::AskAgainLater => "这些待定项没有得到回答；新的待定项完成后，可再次提交它们".to_owned(),
        Message::ReplacedOpen { session, task } => format!("取代了尚未回答的待定项: {session}（{task}）"),
        Message::SeeReplaced { session } => {
            format!("等待它们的程序会得知此事；执行 aide decide show {session} 查看")
        }
        Message::ReplacedBy { session } => format!("被 {session} 取代"),

        Message::Exported { path } => format!("已写入 {}", path.display()),
        Message::NothingToClean => "没有可删除的记录".to_owned(),
        Message::WouldRemove { count } => format!("将删除 {count} 份记录"),
        Message::ReallyRemove { count } => format!("永久删除这 {count} 份记录吗？[y/N]"),
        Message::Removed { count } => format!("已删除 {count} 份记录"),
        Message::NothingRemoved => "没有删除任何记录".to_owned(),
        Message::NeedsYes => "没有终端，无法询问是否删除这些记录".to_owned(),
        Message::SayYes => "加上 --yes 直接删除，或用 --dry-run 只查看".to_owned(),
        Message::AlreadyExported { path } => format!("此前已导出: {}", path.display()),
        Message::NothingToExport => "此会话没有决策可导出".to_owned(),
        Message::NoSessions => "还没有待定项".to_owned(),
        Message::Session { session, state, task, items, completed_at } => {
            let state = match state {
                State::Open => "待决策",
                State::Unserved => "待决策（没有服务在运行）",
                State::Answered => "已决策",
                State::Returned => "已退回",
                State::Cancelled => "已取消",
                State::Replaced => "已被取代",
                State::Unreadable => return format!("{session}  无法读取"),
            };
            let ended = if completed_at.is_empty() { String::new() } else { format!("，{completed_at}") };
            format!("{session}  {state}  {task}（{items} 项{ended}）")
        }
        Message::OpenItem { id, title, labels } => format!("{id}. {title}: {labels}"),
        Message::Answer { id, title, label, via, followed, decided_at } => {
            let followed = followed.map(|yes| if yes { "采纳推荐" } else { "未采纳推荐" });
            let via = via.map(|via| match via {
                Via::Page => "网页",
                Via::Form => "纯表单网页",
                Via::Api => "接口",
                Via::Terminal => "终端",
            });
            let time = (!decided_at.is_empty()).then_some(decided_at.as_str());
            let how: Vec<_> = [followed, via, time].into_iter().flatten().collect();
            let how = if how.is_empty() { String::new() } else { format!("（{}）", how.join("，")) };
            format!("{id}. {title} → {label}{how}")
        }
        Message::AnswerNote { note } => format!("备注: {note}"),
        Message::ReturnedBecause { message, items } => {
            let items = if items.is_empty() { String::new() } else { format!("（待定项 {items}）") };
            format!("退回原因{items}: {message}")
        }

        Message::UnknownArgument { argument } => format!("无法识别的参数: {argument}"),
        Message::UnknownCommand { name } => format!("无法识别的子命令: {name}"),
        Message::MissingArgument { argument } => format!("缺少参数: {argument}"),
        Message::MissingValue { argument } => format!("参数缺少值: {argument}"),
        Message::Repeated { argument } => format!("参数不能重复: {argument}"),
        Message::OtherUsage { words } => format!("命令行有误: {words}"),
        Message::SeeHelp { command } => format!("执行 {command} --help 查看用法"),
        Message::MissingLimit => "至少需要 --keep 与 --older-than 之一".to_owned(),
        Message::DidYouMean { other, command } => {
            format!("是否要用 {other}？执行 {command} --help 查看用法")
        }

        Message::BadSetting { at: source, key, value, need } => {
            let required = required(*need);
            match source {
                Source::Flag(flag) => format!("参数 {flag} 的值无效: \"{value}\"，{required}"),
                Source::Variable(name) => format!("环境变量 {name} 的值无效: \"{value}\"，{required}"),
                Source::File { file, line, .. } => {
                    bad_config(file, *line, &format!("{key} {required}，实际为 \"{value}\""))
                }
                Source::Default => format!("{key} {required}，实际为 \"{value}\""),
            }
        }
        Message::BadConfig { file, line, key, kind } => {
            let key = key.map(|key| format!("{key} ")).unwrap_or_default();
            let column = match kind {
                ConfigErrorKind::Syntax { column, .. } => format!("第 {column} 列"),
                _ => String::new(),
            };
            format!("配置有误: {}{}{column}: {key}{}", file.display(), at(*line), config(kind))
        }
        Message::CorrectSetting { need } => match need {
            Need::Port => "0 表示任意空闲端口".to_owned(),
            Need::Timeout => "0 表示不超时".to_owned(),
            Need::Host => "默认为 127.0.0.1".to_owned(),
            Need::Auth => "默认为 auto".to_owned(),
            Need::Login => "请用 auto 或 always，或监听 127.0.0.1，远程访问可用 ssh -L 转发端口".to_owned(),
            Need::Url => "为空时自动生成".to_owned(),
            Need::Format | Need::ReportFormat => "默认为 md".to_owned(),
            Need::Notify => "command 在 ~/.config/aide/config.toml 的 notify.command 中设置".to_owned(),
            Need::Count => "0 表示只保留最近一次提交".to_owned(),
            Need::Age => "例如 12h、30d 或 2w".to_owned(),
            Need::Language => "auto 表示跟随系统语言".to_owned(),
            Need::Boolean | Need::Integer { .. } | Need::OneOf(_) | Need::List | Need::Utf8 => {
                "执行 aide config list 查看全部配置项".to_owned()
            }
        },
        Message::CorrectConfig => "修正该文件后重试".to_owned(),
        Message::BadPhases { fault } => format!("flow.phases 配置无效：{}", phases(fault)),
        Message::CorrectConfigAt { file, line } => format!("修正 {}{}，再重试", file.display(), at(*line)),

        Message::Setting { key, value } => format!("{key} = {value}"),
        Message::Listed { setting, source, ignored } => {
            let source = match source {
                Source::Flag(name) => format!("参数 {name}"),
                Source::Variable(name) => format!("环境变量 {name}"),
                Source::File { origin: Origin::Project, line, .. } => format!("项目配置{}", at(*line)),
                Source::File { origin: Origin::User, line, .. } => format!("用户配置{}", at(*line)),
                Source::Default => "默认".to_owned(),
            };
            let ignored = ignored.as_ref().map_or_else(String::new, |value| {
                format!("；项目配置中的 {value} 尚未信任，没有生效")
            });
            format!("{setting}  ({source}{ignored})")
        }
        Message::Path { file } => file.display().to_string(),
        Message::ConfigPath { file, origin, exists } => {
            let whose = match origin {
                Origin::Project => "项目",
                Origin::User => "用户",
            };
            let missing = if *exists { "" } else { "，不存在" };
            format!("{}  ({whose}{missing})", file.display())
        }
        Message::KeySet { key, value } => format!("已更新 {key} = {value}"),
        Message::KeyIsSet { key, value } => format!("{key} 已是 {value}，无须更新"),
        Message::KeyUnset { key } => format!("已移除 {key}"),
        Message::NoSuchKey { key } => format!("未找到配置项 {key}"),
        Message::UnknownKey { key } => format!("没有此配置项: {key}"),
        Message::NearKey { key } => format!("是否要用 {key}？"),
        Message::SeeKeys => "执行 aide config list 查看全部配置项".to_owned(),
        Message::BadValue { key, value, need } => format!("{key} 的值无效: \"{value}\"，{}", required(*need)),
        Message::DefaultIs { value } => format!("默认为 {value}"),
        Message::UserOnly { key } => format!("{key} 只能写在您自己的配置中"),
        Message::AddUser => "加上 --user".to_owned(),
        Message::IsTables { key } => format!("{key} 由若干个表组成，不能用命令修改"),
        Message::IsSection { key } => format!("{key} 是一节，不是配置项"),
        Message::SeeSection { key } => format!("执行 aide config get {key} 查看其中的配置项"),
        Message::CannotEdit { key } => format!("无法只修改 {key} 而不影响文件的其他内容"),
        Message::EditFile { file } => format!("请直接编辑 {}", file.display()),
        Message::NoConfigFolder => "没有可保存用户配置的目录".to_owned(),
        Message::SetConfigHome => "设置 HOME，或将 XDG_CONFIG_HOME 设为绝对路径".to_owned(),

        Message::NotTrusted { file, keys } => {
            format!("{} 中的 {keys} 没有生效，执行 aide trust 查看并信任", file.display())
        }
        Message::Trusted { file } => format!("已信任其当前内容: {}", file.display()),
        Message::TrustUntrusted => "尚未信任，执行 aide trust 信任".to_owned(),
        Message::NothingToTrust => "配置中没有需要信任的内容".to_owned(),
        Message::TrustRevoked => "已不再信任此项目的任何内容".to_owned(),
        Message::NothingTrusted => "此前没有信任过此项目的内容".to_owned(),
        Message::NoStateFolder => "没有可保存信任记录的目录".to_owned(),
        Message::SetHome => "设置 HOME，或将 XDG_STATE_HOME 设为绝对路径".to_owned(),

        Message::NotJson { error } => format!("JSON 解析失败: {}", texts::syntax(Lang::Zh, error)),
        Message::Invalid { problem } => format!("数据验证失败: {}", texts::problem(Lang::Zh, problem)),
        Message::MoreProblems { count } => format!("另有 {count} 个问题:"),
        Message::ProblemsLeftOut { count } => format!("以及其他 {count} 个问题"),
        Message::InFile { path } => format!("文件: {path}"),
        Message::Slip { slip } => texts::slip(Lang::Zh, slip),
        Message::SlipsLeftOut { count } => format!("另有 {count} 个字段不是已知字段"),
        Message::NoSuchFile { path } => format!("文件不存在: {path}"),
        Message::IsFolder { path } => format!("输入是目录而不是文件: {path}"),
        Message::Unreadable { path, error } => format!("读取文件失败: {path}: {}", reason(error)),
        Message::TooLarge { limit_mib } => format!("输入过大: 超过 {limit_mib} MiB"),
        Message::CorrectJson => "检查 JSON 格式是否正确".to_owned(),
        Message::CorrectProblem { problem } => texts::problem_hint(Lang::Zh, problem),
        Message::GiveFile => "请给出 JSON 文件的路径、以 { 开头的 JSON，或用 - 表示标准输入".to_owned(),
        Message::CheckPath => "检查路径是否正确；JSON 内容须以 { 开头，或用 - 表示标准输入".to_owned(),
        Message::CheckPermissions => "检查文件是否可读".to_owned(),
        Message::SendLess => "减少待定项或缩短内容".to_owned(),

        Message::PortsBusy { first, last } if first == last => format!("无法启动服务: 端口 {first} 已被占用"),
        Message::PortsBusy { first, last } => format!("无法启动服务: 端口 {first}-{last} 均被占用"),
        Message::CannotListen { address, error } => {
            format!("无法启动服务: 无法监听 {address}: {}", reason(error))
        }
        Message::ServerFailed { words } => format!("Web 服务异常终止: {words}"),
        Message::ServerStuck { pid, url } => {
            format!("无法启动服务: 此项目原有的服务 {url}（进程 {pid}）没有退出")
        }
        Message::EndProcess => "结束该进程后重新执行".to_owned(),
        Message::FreePort => "关闭占用端口的程序，或在配置中指定其他端口".to_owned(),
        Message::OtherAddress => "在配置中指定其他地址或端口".to_owned(),
        Message::SubmitAgain => "请重新执行 aide decide submit '<json>'".to_owned(),

        Message::NoAideFolder => ".aide 目录不存在，请先执行 aide init".to_owned(),
        Message::NoPending => "未找到待定项数据".to_owned(),
        Message::PendingCorrupt { words } => format!("无法解析 pending.json: {words}"),
        Message::PendingWithoutSession => "数据异常".to_owned(),
        Message::NoResult => "尚无决策结果".to_owned(),
        Message::Returned { message } => format!("用户已退回待定项: {message}"),
        Message::AlreadyDecided => "用户已完成决策".to_owned(),
        Message::NoSession { session } => format!("没有此会话: {session}"),
        Message::Expired => "决策结果已过期".to_owned(),
        Message::RecordCorrupt { file, words } => format!("无法解析决策记录 {file}: {words}"),
        Message::SubmitFirst => "请先执行 aide decide submit '<json>'".to_owned(),
        Message::SubmitAgainDamaged => "文件可能已损坏，请重新执行 aide decide submit '<json>'".to_owned(),
        Message::SubmitAgainWithoutSession => {
            "pending.json 缺少 session_id，请重新执行 aide decide submit".to_owned()
        }
        Message::WaitForPerson => "请等待用户在 Web 界面完成操作".to_owned(),
        Message::AskBetter => "根据用户的说明修改待定项，再重新执行 aide decide submit '<json>'".to_owned(),
        Message::SeeResult => "执行 aide decide result 查看".to_owned(),
        Message::SeeList => "执行 aide decide list 查看全部会话".to_owned(),
        Message::RestoreOrSubmit => {
            "文件可能已损坏，请恢复该文件，或重新执行 aide decide submit '<json>'".to_owned()
        }
        Message::IsSymlink { path } => format!("不能是符号链接: {}", path.display()),
        Message::NotOurs { path } => format!("其他用户可以写入该目录: {}", path.display()),
        Message::NotAFolder { path } => format!("不是目录: {}", path.display()),
        Message::NotAFile { path } => format!("不是普通文件: {}", path.display()),
        Message::FileTooLarge { path, limit } => format!("文件超过 {limit} 字节: {}", path.display()),
        Message::FileCorrupt { file, words } => format!("无法解析 {file}: {words}"),
        Message::NoSessionLeft => "无法生成更晚的会话标识".to_owned(),
        Message::FolderBusy { path } => format!("另一个程序正占用 {}", path.display()),
        Message::FileFailed { path, error } => format!("读写失败: {}: {}", path.display(), reason(error)),
        Message::MakeItOurs => "移走它后重试；.aide/ 下只能是普通目录与文件".to_owned(),
        Message::MakePrivate => {
            "使该目录归您所有，并执行 chmod o-w 去掉其他用户的写权限；chmod 不起作用时（如 WSL 的 /mnt/c、FAT 格式的磁盘），将项目移到能保存权限的文件系统"
                .to_owned()
        }
        Message::CheckClock => "检查系统时间，以及 .aide/decisions/ 中日期过晚的文件".to_owned(),
        Message::EndOther => "等待或结束另一个 aide 后重试".to_owned(),
        Message::CheckSpace => "检查磁盘空间与目录权限".to_owned(),
        Message::NameFolder => "用 --dir 指定要写入的文件夹".to_owned(),

        Message::Flow(message) => message.tell(Lang::Zh),

        Message::NoCurrentFolder { error } => format!("无法确定当前目录: {}", reason(error)),
        Message::CannotPrint { error } => format!("无法写入标准输出: {}", reason(error)),
        Message::Internal { words } => format!("内部错误: {words}"),
    }
}

fn bad_config(file: &Path, line: Option<usize>, what: &str) -> String {
    format!("配置有误: {}{}: {what}", file.display(), at(line))
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(" 第 {line} 行")).unwrap_or_default()
}

fn phases(fault: &PhasesFault) -> String {
    match fault {
        PhasesFault::Empty => "必须为非空列表".to_owned(),
        PhasesFault::Blank => "环节名必须为非空字符串".to_owned(),
        PhasesFault::Repeated(name) => format!("环节名重复 \"{name}\""),
    }
}

fn required(need: Need) -> String {
    match need {
        Need::Port => "必须为 0 到 65535 的整数".to_owned(),
        Need::Timeout => "必须为 0 到 315360000 的整数（秒）".to_owned(),
        Need::Host => "必须为 localhost 或 IP 地址".to_owned(),
        Need::Auth => "必须为 auto、always 或 never".to_owned(),
        Need::Login => "不能用于其他机器可访问的地址".to_owned(),
        Need::Url => "必须为空或以 http://、https:// 开头的地址".to_owned(),
        Need::Language => "必须为 zh、en 或 auto".to_owned(),
        Need::Format => "必须为 md 或 adr".to_owned(),
        Need::ReportFormat => "必须为 md".to_owned(),
        Need::Notify => "必须为 bell、desktop、command 或 none".to_owned(),
        Need::Count => "必须为记录的数量".to_owned(),
        Need::Age => "必须为小时（h）、天（d）或周（w）的数量".to_owned(),
        Need::Boolean => "必须为 true 或 false".to_owned(),
        Need::Integer { min, max } => format!("必须为 {min} 到 {max} 的整数"),
        Need::OneOf(allowed) => format!("必须为 {} 之一", allowed.join("、")),
        Need::List => "必须为字符串列表，例如 a,b 或 [\"a\", \"b\"]".to_owned(),
        Need::Utf8 => "必须为有效的 UTF-8".to_owned(),
    }
}

fn config(kind: &ConfigErrorKind) -> String {
    match kind {
        ConfigErrorKind::Io(error) => format!("无法读取: {}", reason(error)),
        ConfigErrorKind::Symlink => "不能是符号链接".to_owned(),
        ConfigErrorKind::NotAFile => "不是普通文件".to_owned(),
        ConfigErrorKind::NotAFolder => "不是目录".to_owned(),
        ConfigErrorKind::TooLarge { limit } => format!("超过 {limit} 字节"),
        ConfigErrorKind::NotUtf8 => "不是有效的 UTF-8".to_owned(),
        ConfigErrorKind::Syntax { message, .. } => format!("不是有效的 TOML: {message}"),
        ConfigErrorKind::WrongType { expected, found } => {
            let expected = match *expected {
                "boolean" => "布尔值",
                "integer" => "整数",
                "string" => "字符串",
                "table" => "表",
                "table of strings" => "字符串表",
                "array of strings" => "字符串数组",
                "array of tables" => "表数组（[[…]]）",
                "string or array of strings" => "字符串或字符串数组",
                other => other,
            };
            format!("必须为{expected}，实际为 {found}")
        }
        ConfigErrorKind::OutOfRange { min, max, found } => {
            format!("必须在 {min} 到 {max} 之间，实际为 {found}")
        }
        ConfigErrorKind::NotOneOf { allowed, found } => {
            format!("必须为 {} 之一，实际为 \"{found}\"", allowed.join("、"))
        }
        ConfigErrorKind::Missing => "必须给出".to_owned(),
        ConfigErrorKind::NoProgram => "必须给出要执行的程序".to_owned(),
        ConfigErrorKind::Phases(fault) => phases(fault),
        ConfigErrorKind::UnknownPhase { name } => format!("不是 flow.phases 中的环节: \"{name}\""),
    }
}

/// The operating system's reason, where it is a common one.
pub(super) fn reason(error: &io::Error) -> String {
    let words = match error.kind() {
        ErrorKind::NotFound => "不存在",
        ErrorKind::PermissionDenied => "权限不足",
        ErrorKind::AddrNotAvailable => "本机没有此地址",
        ErrorKind::StorageFull => "磁盘空间不足",
        ErrorKind::QuotaExceeded => "超出磁盘配额",
        ErrorKind::ReadOnlyFilesystem => "文件系统只读",
        ErrorKind::IsADirectory => "是目录",
        ErrorKind::NotADirectory => "不是目录",
        _ => return error.to_string(),
    };
    match error.raw_os_error() {
        Some(code) => format!("{words} (os error {code})"),
        None => words.to_owned(),
    }
}

pub(super) const HELP: Help = Help {
    usage: "用法:",
    commands: "子命令",
    arguments: "参数",
    options: "选项",

    about: "AI 智能体提问，人来决策",
    aide_usage: "aide [选项] <子命令>",
    aide_after: "\
向用户提问:
  aide init                                        每个项目执行一次
  aide decide submit --detach ./questions.json     输出供用户打开的链接，以及会话
  aide decide wait SESSION --timeout 540           输出答案
完整的示例见 aide decide --help。

退出码:
  0    成功
  1    失败，标准错误输出给出原因与建议
  2    命令行用法有误
  75   aide decide wait 的时间用尽，用户尚未完成决策
  130  被 Ctrl-C 中断（SIGTERM 为 143，SIGHUP 为 129）

环境变量:
  AIDE_LANG  同 --lang
  NO_COLOR   不使用颜色

配置文件: 项目的 .aide/config.toml，您自己的 ~/.config/aide/config.toml
优先级: 参数 > 环境变量 > 项目 > 用户 > 默认值",
    help_flag: "显示帮助",
    version_flag: "显示版本",
    lang_flag: "语言: zh（默认）、en 或 auto（跟随系统语言）",

    init: "初始化 .aide 目录与默认配置",
    init_usage: "aide init [选项]",
    init_after: "\
在当前目录创建 .aide/；可重复执行，已有的配置不会被覆盖。新的配置会写入本次命令的语言
（general.lang）。",

    config: "查看与修改配置",
    config_usage: "aide config [选项] <子命令>",
    config_after: "\
项目的配置是 .aide/config.toml，您自己的是 ~/.config/aide/config.toml（或
$XDG_CONFIG_HOME/aide/config.toml）。优先级: 参数 > 环境变量 > 项目 > 用户 > 默认值。

  aide config list
  aide config set decide.port 8080
  aide config set --user general.lang en",
    config_key: "配置项，如 decide.port",
    config_value: "值: 布尔值为 true 或 false，字符串不加引号，列表为 a,b 或 [\"a\", \"b\"]",
    config_user: "修改您自己的配置，而不是项目的",
    config_get: "输出一个配置项生效的值",
    config_get_usage: "aide config get [选项] <KEY>",
    config_get_after: "给出一节（如 decide）时输出其中的全部配置项。没有此配置项时退出码为 1。",
    config_set: "修改一个配置项",
    config_set_usage: "aide config set [选项] <KEY> <VALUE>",
    config_set_after: "\
只改动这一项，文件的注释、顺序与格式保持不变；没有文件时以默认配置创建。文件曾被
信任且改动的不是需要信任的配置项时，信任继续有效，否则须重新执行 aide trust。",
    config_unset: "移除一个配置项",
    config_unset_usage: "aide config unset [选项] <KEY>",
    config_unset_after: "移除之后使用您自己的配置或默认值。没有此配置项时退出码为 1。",
    config_list: "列出全部配置项生效的值与来源",
    config_list_usage: "aide config list [选项]",
    config_list_after: "来源: 参数、环境变量、项目配置、用户配置或默认。",
    config_path: "输出配置文件的位置",
    config_path_usage: "aide config path [选项]",
    config_path_after: "文件不存在时会注明。",
    config_get_json: "输出 JSON",
    config_list_json: "输出一行 JSON: 每个配置项的 value、source，以及 file、line 或 name",
    config_path_user: "只输出您自己的配置文件的路径",
    config_path_json: "输出一行 JSON（file、exists）",

    trust: "信任此项目的配置",
    trust_usage: "aide trust [选项]",
    trust_after: "\
配置可能来自他人的仓库。其中的 decide.bind（回环地址以外）、decide.url、
decide.auth = \"never\"，以及会启动程序的 flow.hooks、plantuml.jar_path 与
plantuml.java_path，在您信任之前不会生效，并给出警告。参数与环境变量由您自己给出，
无须信任。

信任的是文件现在的内容，改动之后须重新信任。记录保存在项目之外:
$XDG_STATE_HOME/aide/trust，否则为 ~/.local/state/aide/trust；两者都没有时无法信任。",
    trust_show: "只显示将要信任的内容；尚未信任时退出码为 1",
    trust_revoke: "不再信任此项目的任何内容",

    flow: super::flow::zh::HELP,

    decide: "请用户在网页上决策，并获取结果",
    decide_usage: "aide decide [选项] <子命令>",
    decide_after: "\
先在项目中执行一次 aide init，然后提交待定项，等待答案:

  aide init

  aide decide submit --detach '{\"task\": \"实现用户认证\", \"source\": \"task.md\", \"items\": [
    {\"id\": 1, \"title\": \"认证方式选择\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\"}, {\"value\": \"session\", \"label\": \"Session\"}]}]}'
  aide decide wait 2025-01-15T10-30-00 --timeout 540

submit 输出访问链接与会话: 请将链接告知用户，并用该会话执行 wait。wait 输出答案，退出码
为 0:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"}]}
退出码为 75 表示尚无答案，请再次执行 wait；为 1 表示不会有答案，标准错误输出给出原因与
建议。

待定项也可以写在文件中: aide decide submit --detach ./questions.json
不用 --detach 时 submit 自己等待，之后用 aide decide result 获取结果。
aide decide schema 输出待定项的全部字段。
aide decide '<json>' 等同于 aide decide submit '<json>'。",

    submit: "提交待定项数据并启动 Web 服务",
    submit_usage: "aide decide submit [选项] <INPUT>",
    submit_after: "\
命令输出访问链接，然后一直等待，直到用户完成决策（退出码 0）；用户退回、被取消、
被取代或超时（1）；或被 Ctrl-C、SIGTERM、SIGHUP 中断（130、143、129）。之后用
aide decide result 获取结果。

同样的待定项仍在等待时，再次提交会接着等待同一个网页；不同的待定项会取代原来
的。命令被杀死后待定项仍在，用 aide decide wait 或再次提交继续等待。

Linux 不接受超过 131071 字节的单个命令行参数（约 200 个待定项），
数据较多时请使用 - 或文件:
  aide decide submit - < pending-items.json
  aide decide submit ./pending-items.json

待定项格式:
  {\"task\": \"实现用户认证\", \"source\": \"task-now.md\", \"items\": [
    {\"id\": 1, \"title\": \"认证方式选择\", \"recommend\": \"jwt\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\", \"score\": 85, \"pros\": [\"无状态\"], \"cons\": [\"撤销复杂\"]},
      {\"value\": \"session\", \"label\": \"Session\", \"score\": 70}]}]}",
    input: "以 { 开头的 JSON，- 表示标准输入，否则为文件路径；最大 16 MiB",
    port: "起始端口，被占用时依次尝试其后 9 个；0 为任意空闲端口（默认 3721；AIDE_DECIDE_PORT）",
    bind: "监听地址: localhost 或 IP 地址（默认 127.0.0.1；AIDE_DECIDE_BIND）",
    url: "输出的访问地址；为空时自动生成（AIDE_DECIDE_URL）",
    auth: "登录: auto（监听回环地址以外的地址时）、always 或 never（默认 auto；AIDE_DECIDE_AUTH）",
    timeout: "最长等待时间，单位秒；0 为不超时（默认 0；AIDE_DECIDE_TIMEOUT）",
    detach: "在后台提供网页，命令立即返回；之后用 aide decide wait 获取答案",
    detach_json: "与 --detach 合用: 输出一行 JSON（session_id、url、pid；取代了其他待定项时另有 replaced）",
    json: "任何状态都输出一行 JSON，其 status 字段给出状态",

    open: "在浏览器中打开等待决策的网页",
    open_usage: "aide decide open [选项]",
    open_after: "\
依次采用 AIDE_BROWSER、BROWSER（以 : 分隔的命令，%s 为链接）、桌面的默认浏览器。
通过 SSH 登录时改为输出转发端口的命令（AIDE_REMOTE=0 或 1 可改变判断）。没有服务
在运行时会在后台重新启动。没有浏览器可用时退出码为 1。",
    open_link: "只输出一个登录链接（只能使用一次，十分钟内有效），不启动浏览器；可以发给这台电脑的其他用户",

    answer: "在终端中回答待定项",
    answer_usage: "aide decide answer [选项] [SESSION]",
    answer_after: "\
逐项显示等待决策的待定项，按 ? 查看按键。不需要浏览器，可在 SSH 与 tmux 中使用。
所作的选择立即保留为草稿，与网页共用。尚未提交就离开时退出码为 1。

没有终端或 TERM=dumb 时改为逐行提问，从标准输入读取答案: 每项先是选项的编号，再是
备注（可为空），最后是 y:
  printf '1\\n\\n2\\n团队更熟悉\\ny\\n' | aide decide answer",

    wait: "等待用户完成决策，并获取结果",
    wait_usage: "aide decide wait [选项] [SESSION]",
    wait_after: "\
用户完成决策后输出与 aide decide result 相同的结果（退出码 0）；时间用尽而用户
尚未完成时退出码为 75，可再次执行。没有服务在运行时会在后台重新启动，并尽量
沿用原来的地址与端口。中断或杀死本命令不影响网页与待定项。

SESSION 是 submit --detach 输出的会话: 其他待定项的决策不会被当作它的结果。若已被
新的提交取代，标准错误会指出是哪一个，退出码为 1。不给 SESSION 时指最近一次提交，
并在标准错误中说明是哪一个。

--json 的 status: 同 aide decide result；时间用尽时为 pending

示例（智能体的命令有时间限制时）:
  aide decide submit --detach ./pending-items.json
  aide decide wait 2025-01-15T10-30-00 --timeout 540",
    wait_timeout: "最长等待时间，单位秒；0 为不限（默认 0）",
    notify: "通知用户: bell、desktop、command（用户自己配置的命令）或 none（AIDE_NOTIFY）",
    wait_notify: "提醒用户: bell、desktop、command 或 none，同 submit",

    result: "获取用户决策结果",
    result_usage: "aide decide result [选项] [SESSION]",
    result_after: "\
成功时仅输出一行 JSON:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"bcrypt\",\"note\":\"用户的补充说明\"}]}

可在项目的任何子目录中执行，也可重复执行。尚无结果时退出码为 1，可用 aide decide wait
等待。不给 SESSION 时指最近一次提交，并在标准错误中说明是哪一个。

--json 的 status: answered（已决策）、returned（用户退回）、cancelled（已取消）、
replaced（被新的提交取代）、pending（等待中）、unserved（仍待决策，但没有服务在运行）、
expired（同上，且此前的待定项已有结果）、none（没有待定项）。除 none 外都有 session_id",

    list: "列出待决策与已结束的待定项",
    list_usage: "aide decide list [选项]",
    list_after: "\
待决策的排在最前，其余从新到旧。--json 的 status: pending、unserved（待决策，但没有
服务在运行）、answered、returned、cancelled、replaced（另有 replaced_by）、unreadable",
    list_json: "输出一行 JSON 数组",

    show: "查看一次会话的待定项与决策",
    show_usage: "aide decide show [选项] [SESSION]",
    show_after: "每项给出选择、是否采纳推荐、回答方式（网页、纯表单网页、接口、终端）与时间。",
    session: "会话标识，如 2025-01-15T10-30-00；默认为最近一次提交",
    show_json: "输出一行 JSON，即该会话的完整记录",

    export: "把决策导出为 Markdown",
    export_usage: "aide decide export [选项] [SESSION]",
    export_after: "\
--format md   整个会话一份文档，输出到标准输出
--format adr  每个待定项一份架构决策记录（MADR 4.0），写入文件夹；已有的文件不会被
              改动，导出过的不会重复导出",
    format: "md 或 adr（默认 md）",
    dir: "adr 的文件夹（默认为项目根目录下的 docs/decisions）",

    cancel: "取消待定项",
    cancel_usage: "aide decide cancel [选项]",
    cancel_after: "等待中的命令随之结束，此后的提交会被拒绝；不会产生任何决策。",

    schema: "输出待定项的 JSON Schema",
    schema_usage: "aide decide schema [选项]",
    schema_after: "\
待定项可用 multiple（多选）、allow_other（用户自填答案）、required: false（可不回答），
各自的返回形式见 Schema。",
    schema_answers: "改为输出 aide decide result 所打印的决策结果的 Schema",

    clean: "删除早已结束的决策记录",
    clean_usage: "aide decide clean [--keep <N>] [--older-than <AGE>] [选项]",
    clean_after: "\
至少需要 --keep 与 --older-than 之一；两者都给出时，只删除两者都不保留的记录。最近
一次提交的待定项无论是否已决策，都不会被删除。删除前会列出并询问；没有终端时需要
--yes。有可删除的记录而没有删除时，退出码为 1。

  aide decide clean --keep 20 --older-than 30d",
    keep: "保留最近的若干份记录",
    older_than: "只删除结束时间早于此的记录: 12h、30d、2w",
    dry_run: "只列出将被删除的记录",
    yes: "不询问，直接删除",
    clean_json: "与 --yes 或 --dry-run 合用: 输出一行 JSON（removed、dry_run）",
};
