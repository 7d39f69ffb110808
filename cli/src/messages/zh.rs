//! 中文: the documented messages to the letter, and the others in their manner.

use super::{Message, Need};
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
        Message::DeadlinePassed { deadline } | Message::WasExpired { deadline } => {
            format!("截止时间已过，没有得到回答: {deadline}")
        }
        Message::Queued { count } => format!("前面还有 {count} 组待定项"),
        Message::FilesChanged => Lang::Zh.files().changed.to_owned(),
        Message::TooManyOpen { count } => format!("已有 {count} 组待定项等待决策，不再接受新的提交"),
        Message::AnswerOrCancel => "请先回答其中一些，或用 aide decide cancel SESSION 取消".to_owned(),
        Message::SeeResultOf { session } => format!("获取结果: aide decide result {session}"),
        Message::AnswerNext { session, count } => {
            format!("还有 {count} 组待定项等待决策: aide decide answer {session}")
        }
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
                State::Expired => "已过期",
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
                Via::Clock => "截止时间",
            });
            let time = (!decided_at.is_empty()).then_some(decided_at.as_str());
            let how: Vec<_> = [followed, via, time].into_iter().flatten().collect();
            let how = if how.is_empty() { String::new() } else { format!("（{}）", how.join("，")) };
            format!("{id}. {title} → {label}{how}")
        }
        Message::OptionDescription { label, description } => format!("{label}: {description}"),
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
            Need::Deadline => "例如 30m、2h 或 2026-01-15T18:00:00+08:00".to_owned(),
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
        Need::Deadline => {
            "必须为秒（s）、分（m）、小时（h）、天（d）或周（w）的数量，或带时区的将来时间".to_owned()
        }
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
