//! 中文: the documented messages to the letter, and the others in their manner.

use super::{Message, OFFER_ENGLISH, listed, named};
use texts::{Explain as _, Lang, reason};

pub(super) fn render(message: &Message) -> String {
    match message {
        Message::ConfigCreated => "已创建默认配置 .aide/config.toml".to_owned(),
        Message::ConfigKept { lang } => {
            format!("已有的配置保持不变；更改语言: aide config set general.lang {lang}")
        }
        Message::OfferEnglish => OFFER_ENGLISH.to_owned(),
        Message::Initialised => "初始化完成，.aide/ 与默认配置已准备就绪".to_owned(),
        Message::InitialisedWithSlips => "初始化完成，.aide/ 已准备就绪；配置中有不起作用的键，见上".to_owned(),
        Message::ProjectMade { root } => format!("已创建 {}", root.join(".aide").display()),
        Message::ServerRuns => "Web 服务正在运行".to_owned(),
        Message::ServesUntilEnded => "网页由此命令提供，按 Ctrl-C 结束".to_owned(),
        Message::ServerStarted => "Web 服务已启动".to_owned(),
        Message::ServedElsewhere { url } => {
            format!("另一个服务正在运行: {url}；它结束后，新的待定项在此服务中")
        }
        Message::OpenLink { url } => format!("请访问: {url}"),
        Message::McpAt { url } => format!("MCP 地址: {url}"),
        Message::Waiting => "等待用户完成决策...".to_owned(),
        Message::Decided => "决策已完成".to_owned(),
        Message::TimedOut => "服务超时，已自动关闭".to_owned(),
        Message::Interrupted => "服务已中断".to_owned(),
        Message::FetchLater { session } => {
            format!("会话 {session}: 执行 aide decide wait {session} 等待并获取结果")
        }
        Message::Newest { session, task } => format!("会话 {session}: {task}"),
        Message::BadSecret { name, digits } => format!("{name} 必须是 {digits} 位十六进制数字"),
        Message::NameSession => "请在命令之后指明其中一个会话".to_owned(),
        Message::GoOnWaiting { session } => {
            format!("待定项已保留，执行 aide decide wait {session} 继续等待")
        }
        Message::BringBack { session } => {
            format!(
                "待定项仍在等待决策，但没有服务在运行: 执行 aide decide wait {session} 恢复服务并继续等待"
            )
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
        Message::Isolated => "此程序的网络与外界隔离（如在沙箱中），上面的链接只能在其内部打开".to_owned(),
        Message::AnswerOutside => {
            "请在外部打开守护进程的页面（aide daemon status），或在此文件夹执行 aide decide answer".to_owned()
        }
        Message::OutOfReach { url } => {
            format!("从这里无法访问这些待定项的服务: {url}，它可能在沙箱中运行")
        }
        Message::AnswerInTerminal { session } => format!("执行 aide decide answer {session}，在终端中回答"),
        Message::NoBrowser => "这里没有可用的浏览器，请自行打开上面的链接".to_owned(),
        Message::NotifyTitle { items } => format!("aide: {items} 个待定项等待您决策"),
        Message::NotifyFailed { program, error } => {
            format!("无法通知您: 无法启动 {program}: {}", reason(Lang::Zh, error))
        }
        Message::NoNotifyCommand { file } => {
            format!("无法通知您: {} 中没有设置 notify.command", file.display())
        }
        Message::NoticesUnread { failure } => format!("无法通知您: {}", failure.explain(Lang::Zh).what),
        Message::NoticeFailed { how, failure } => {
            format!("无法通知您（how = \"{how}\"）: {}", failure.zh().what)
        }
        Message::OpenPage => "打开".to_owned(),
        Message::NotifyIgnored { file, line } => {
            format!("已忽略 {} 第 {line} 行的 [notify]，它只能写在您自己的配置中", file.display())
        }
        Message::Place { place } => place.clone(),
        Message::ProjectSilent { root } => format!("{} 所在的磁盘没有响应，未列出其中的项", root.display()),
        Message::ShownTogether => "此页面显示所有项目中待决策的项，全部结束或按 Ctrl-C 后关闭".to_owned(),
        Message::ForPhone { minutes } => {
            format!("用手机扫描二维码或打开上面的链接: 只能使用一次，{minutes} 分钟内有效；全部结束或按 Ctrl-C 后关闭")
        }
        Message::PlainHttp => {
            "此链接未加密（HTTP）: 同一网络中能截获流量的人可以看到问题与回答，并以您的身份回答。请只在可信的网络中使用".to_owned()
        }
        Message::PhoneNeedsLogin => "其他设备可访问的页面必须登录，不能使用 auth = never".to_owned(),
        Message::UseAnotherAuth => "将 decide.auth（或 AIDE_DECIDE_AUTH）设为 auto 或 always".to_owned(),
        Message::NoLanAddress => "找不到这台电脑在局域网中的 IPv4 地址".to_owned(),
        Message::NameHost => "用 --host 指定地址，例如 --host 192.168.1.5".to_owned(),
        Message::NotLan { host } => format!("\"{host}\" 不是这台电脑在网络中的 IP 地址"),
        Message::AddPhone => "此链接只能在这台电脑上打开；手机请加上 --phone".to_owned(),
        Message::NoQr => "此终端无法显示二维码，请使用上面的链接".to_owned(),
        Message::NothingOpen => "没有等待决策的待定项".to_owned(),
        Message::NoneMeant => "未找到待定项数据".to_owned(),
        Message::SeeAllSets => "aide decide list --all 也列出守护进程的问题".to_owned(),
        Message::SeeDaemon => {
            "执行 aide decide open --all 查看守护进程的问题，或执行 aide decide list 查看已结束的会话".to_owned()
        }
        Message::NameEnded { command, sessions } => format!("指明会话: {}", named(command, sessions, " 或 ")),
        Message::CancelOpen { sessions } => {
            format!("还有待定项尚未回答: {}", named("cancel", sessions, " 或 "))
        }
        Message::StillPending { url, session } => {
            format!("用户尚未完成决策: {url}，可再次执行 aide decide wait {session} 继续等待")
        }
        Message::WasReturned { message, items } => {
            let meant = texts::sent_back(Lang::Zh, items).map(|meant| format!("（{meant}）"));
            format!("用户退回了待定项{}: {message}", meant.unwrap_or_default())
        }
        Message::SentBack => "待定项已退回".to_owned(),
        Message::AnswersKept { session } => {
            format!("尚未提交，已填写的内容保留为草稿，执行 aide decide answer {session} 继续")
        }
        Message::NothingAnswered { session } => {
            format!("尚未填写任何内容，执行 aide decide answer {session} 重新开始")
        }
        Message::SetToAnswer { number, task, items } => format!("{number}. {task}（{items} 项）"),
        Message::WhichSet { count } => format!("回答哪一组？1 至 {count}，回车为 1，q 离开:"),
        Message::SetsChanged => "等待决策的待定项已有变化:".to_owned(),
        Message::NoSuchSet { typed, count } if typed.is_empty() => {
            format!("请输入 1 至 {count} 的编号，或输入 q 离开")
        }
        Message::NoSuchSet { typed, count } => {
            format!("没有第 {typed} 组: 请输入 1 至 {count}，或输入 q 离开")
        }
        Message::NoMoreInput => "答案还不完整，输入就已结束或无法识别".to_owned(),
        Message::Provided { file } => format!("已添加 {file}"),
        Message::NotProvided { why } => format!("未能添加附件: {why}"),
        Message::NoFilesAsked { file } => format!("没有待定项需要附件: {file}"),
        Message::AnswerWithoutFiles => "不带 --provide 执行 aide decide answer".to_owned(),
        Message::NotAskedFor { file, agent } => format!("没有待定项为 {agent} 请求附件: {file}"),
        Message::LeaveAgentOut => "去掉 :AGENT，或执行 aide decide show 查看各项交给谁".to_owned(),
        Message::FileUnwanted { file } => format!("没有待定项需要这个名称的文件: {file}"),
        Message::FilesWanted { names } => format!("需要的文件: {}", names.join("、")),
        Message::FileWantedTwice { file, titles } => {
            format!("多个待定项都需要 {file}: {}", titles.join("、"))
        }
        Message::SayForWhom { file } => {
            format!("用 --provide {file}:AGENT 指明代理，或不带 --provide 执行 aide decide answer")
        }
        Message::WasCancelled => "待定项已取消".to_owned(),
        Message::WaitedLongEnough => "等待时限已到，网页仍由另一个进程提供".to_owned(),
        Message::StoppedWaiting => "已停止等待，网页仍由另一个进程提供".to_owned(),
        Message::WasReplaced { by } => match by {
            Some(by) => format!("待定项已被新的提交取代: {}（{}）", by.session, by.task),
            None => "待定项已被新的提交取代".to_owned(),
        },
        Message::AskAgainLater => "这些待定项没有得到回答；新的待定项完成后，可再次提交它们".to_owned(),
        Message::WasExpired { deadline } => {
            format!("截止时间已过，没有得到回答: {deadline}")
        }
        Message::DeadlineIgnored => "待定项中的 deadline 不起作用".to_owned(),
        Message::UseDeadlineFlag { when } => format!("请写在命令中: --deadline {when}"),
        Message::StillServed { sets } => format!("仍有 {sets} 组待定项等待决策"),
        Message::SeeAll => "执行 aide daemon start 后仍由它显示".to_owned(),
        Message::Queued { count } => format!("前面还有 {count} 组待定项"),
        Message::SeeResultOf { session } => format!("获取结果: aide decide result {session}"),
        Message::AnswerNext { session, count } => {
            format!("还有 {count} 组待定项等待决策: aide decide answer {session}")
        }
        Message::LeftForLater { session, count } => {
            format!("{}: aide decide wait {session}", Lang::Zh.page().left_for_later(*count))
        }
        Message::RemainderOpen { session, count } => {
            format!("{}: aide decide answer {session}", Lang::Zh.page().left_for_later(*count))
        }
        Message::RemainderEnded { session, count } => {
            format!("其余 {count} 项另行决策: aide decide show {session}")
        }
        Message::StillOpen { session, task } => format!("还有尚未回答的待定项: {session}（{task}）"),
        Message::ReplaceOrQueue => "回车: 排在其后；r: 取代它；q: 放弃".to_owned(),
        Message::NothingAsked => "没有提交任何待定项".to_owned(),
        Message::ReplacedOpen { session, task } => format!("取代了尚未回答的待定项: {session}（{task}）"),
        Message::SeeReplaced { session } => {
            format!("等待它们的程序会得知此事；执行 aide decide show {session} 查看")
        }
        Message::ReplacedBy { session } => format!("被 {session} 取代"),

        Message::UnknownArgument { argument } => format!("无法识别的参数: {argument}"),
        Message::UnknownCommand { name } => format!("无法识别的子命令: {name}"),
        Message::MissingArgument { argument } => format!("缺少参数: {argument}"),
        Message::MissingValue { argument } => format!("参数缺少值: {argument}"),
        Message::Excludes { argument, other } => format!("{argument} 与 {other} 不能同时使用"),
        Message::Repeated { argument } => format!("参数不能重复: {argument}"),
        Message::OtherUsage { words } => format!("命令行有误: {words}"),
        Message::SeeHelp { command } => format!("执行 {command} --help 查看用法"),
        Message::ManPages { folder, count } => format!("已将 {count} 页手册写入 {}", folder.display()),
        Message::SeeNames { list } => format!("执行 {list} 查看名称"),
        Message::MissingLimit => "至少需要 --keep 与 --older-than 之一".to_owned(),
        Message::DidYouMeanOneOf { others } => format!("是否想执行 {}？", listed(others, " 或 ")),
        Message::DidYouMean { other, command } => {
            format!("是否要用 {other}？执行 {command} --help 查看用法")
        }

        Message::MoreProblems { count } => format!("另有 {count} 个问题:"),
        Message::ProblemsLeftOut { count } => format!("以及其他 {count} 个问题"),
        Message::InFile { path } => format!("文件: {path}"),
        Message::Slip { slip } => texts::slip(Lang::Zh, slip),
        Message::SlipsLeftOut { count } => format!("另有 {count} 个字段不是已知字段"),
        Message::NoSuchFile { path } => format!("文件不存在: {path}"),
        Message::IsFolder { path } => format!("输入是目录而不是文件: {path}"),
        Message::Unreadable { path, error } => format!("读取文件失败: {path}: {}", reason(Lang::Zh, error)),
        Message::TooLarge { limit_mib } => format!("输入过大: 超过 {limit_mib} MiB"),
        Message::GiveFile => "请给出 JSON 文件的路径、以 { 开头的 JSON，或用 - 表示标准输入".to_owned(),
        Message::CheckPath => "检查路径是否正确；JSON 内容须以 { 开头，或用 - 表示标准输入".to_owned(),
        Message::CheckPermissions => "检查文件是否可读".to_owned(),
        Message::SendLess => "减少待定项或缩短内容".to_owned(),

        Message::NameFile => "请给出 JSON 文件的路径，或用 - 表示标准输入".to_owned(),
        Message::UnknownFormat { name } => format!("未知格式: {name}"),
        Message::SeeFormats => "执行 aide schema 查看全部格式".to_owned(),
        Message::SeeExample { name } => format!("执行 aide schema {name} --example 查看有效示例"),
        Message::ValidDocument { path, name } => format!("{path}: 有效（{name}）"),

        Message::ServerFailed { words } => format!("Web 服务异常终止: {words}"),
        Message::ServerStuck { pid, url } => {
            format!("无法启动服务: 此项目原有的服务 {url}（进程 {pid}）没有退出")
        }
        Message::EndProcess => "结束该进程后重新执行".to_owned(),
        Message::AskFirst => "再次提出同样的问题之前，请先询问用户".to_owned(),
        Message::SubmitAgain => "请重新执行 aide decide submit '<json>'".to_owned(),

        Message::NoResult => "尚无决策结果".to_owned(),
        Message::Expired => "决策结果已过期".to_owned(),
        Message::WaitForPerson => "请等待用户在 Web 界面完成操作".to_owned(),
        Message::AskBetter => "根据用户的说明修改待定项，再重新执行 aide decide submit '<json>'".to_owned(),
        Message::SeeResult => "执行 aide decide result 查看".to_owned(),
        Message::SeeShow => "执行 aide decide show 查看最近一组的结果".to_owned(),
        Message::SeeList => "执行 aide decide list 查看全部会话".to_owned(),
        Message::NameFolder => "用 --dir 指定要写入的文件夹".to_owned(),

        Message::Flow(message) => message.render(Lang::Zh),
        Message::Agent(message) => message.render(Lang::Zh),
        Message::Provider(message) => message.render(Lang::Zh),
        Message::Setup(message) => message.render(Lang::Zh),
        Message::Doctor(message) => message.render(Lang::Zh),
        Message::Uninstall(message) => message.render(Lang::Zh),
        Message::Plan(message) => message.render(Lang::Zh),
        Message::Daemon(message) => message.render(Lang::Zh),
        Message::Config(message) => message.render(Lang::Zh),
        Message::Record(message) => message.render(Lang::Zh),

        Message::NoCurrentFolder { error } => format!("无法确定当前目录: {}", reason(Lang::Zh, error)),
        Message::CannotPrint { error } => format!("无法写入标准输出: {}", reason(Lang::Zh, error)),
        Message::Internal { words } => format!("内部错误: {words}"),
    }
}
