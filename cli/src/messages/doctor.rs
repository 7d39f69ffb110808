//! What `aide doctor` has found, and what to do about it.

use std::path::PathBuf;
use texts::{Explain, Lang};
use unicode_width::UnicodeWidthStr as _;

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    Project,
    Trust,
    Port,
    Browser,
    Notification,
    Agents,
    /// An agent, as people call it.
    Agent(&'static str),
}

/// One line for people.
#[derive(Debug)]
pub(crate) enum DoctorMessage {
    /// A finding with what it is about in front of it, in a column so wide.
    Line {
        check: Check,
        width: usize,
        found: Box<DoctorMessage>,
    },
    Fine,
    Findings {
        count: usize,
    },
    ProjectIs {
        root: PathBuf,
    },
    NoProject,
    ConfigBroken {
        failure: Box<dyn Explain>,
    },
    NothingToTrust,
    NotTrusted {
        keys: Vec<&'static str>,
    },
    PortFree {
        port: u16,
    },
    PortsBusy {
        failure: Box<dyn Explain>,
    },
    BrowserIs {
        program: String,
    },
    BrowserIsElsewhere,
    NoBrowser,
    ProgramMissing {
        program: String,
    },
    NotNotified,
    NotifiedBy {
        how: String,
    },
    ChannelBroken {
        how: &'static str,
        failure: notice::Undelivered,
    },
    NoDesktop,
    NotSetUp {
        path: PathBuf,
    },
    Unreadable {
        path: PathBuf,
        reason: String,
    },
    NoProgram {
        path: PathBuf,
    },
    NamesAnotherProgram {
        path: PathBuf,
        command: String,
    },
    OldEntry {
        path: PathBuf,
    },
    /// The entry says that answers wake the agent.
    HooksMissing {
        entry: PathBuf,
        path: PathBuf,
    },
    /// The same of an agent that cannot be woken.
    NeverWoken {
        entry: PathBuf,
    },
    LimitTooShort {
        path: PathBuf,
        limit: u64,
        hold: u64,
    },
    NotStarted {
        program: String,
        reason: String,
    },
    Silent {
        program: String,
        method: &'static str,
        seconds: u64,
    },
    Garbage {
        program: String,
        line: String,
    },
    EndedEarly {
        program: String,
        words: String,
    },
    RefusedCall {
        method: &'static str,
        words: String,
    },
    NoTools {
        program: String,
    },
    Answers {
        path: PathBuf,
        tools: usize,
    },
    Held {
        seconds: u64,
    },
    NoProgress {
        seconds: u64,
    },
    NotHeld {
        words: String,
    },
    NoAgents,
    // What to do.
    Run {
        command: String,
    },
    Correct {
        path: PathBuf,
    },
    FreePort,
    NameBrowser,
    Install {
        program: String,
    },
    Configure,
    HandOn,
    PrintNothing,
    TryByHand {
        command: String,
    },
}

impl Check {
    fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Project, Lang::Zh) => "项目",
            (Self::Project, Lang::En) => "Project",
            (Self::Trust, Lang::Zh) => "信任",
            (Self::Trust, Lang::En) => "Trust",
            (Self::Port, Lang::Zh) => "端口",
            (Self::Port, Lang::En) => "Port",
            (Self::Browser, Lang::Zh) => "浏览器",
            (Self::Browser, Lang::En) => "Browser",
            (Self::Notification, Lang::Zh) => "通知",
            (Self::Notification, Lang::En) => "Notification",
            (Self::Agents, Lang::Zh) => "编程智能体",
            (Self::Agents, Lang::En) => "Agents",
            (Self::Agent(title), _) => title,
        }
    }

    /// How wide it is, in columns of a terminal.
    pub(crate) fn width(self, lang: Lang) -> usize {
        self.label(lang).width()
    }
}

impl DoctorMessage {
    /// In words.
    pub(crate) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn line(check: Check, width: usize, found: &DoctorMessage, lang: Lang) -> String {
    let padding = width.saturating_sub(check.width(lang));
    format!("{}{:padding$}  {}", check.label(lang), "", found.render(lang))
}

fn zh(message: &DoctorMessage) -> String {
    match message {
        DoctorMessage::Line { check, width, found } => line(*check, *width, found, Lang::Zh),
        DoctorMessage::Fine => "一切正常".to_owned(),
        DoctorMessage::Findings { count } => format!("发现 {count} 个问题"),
        DoctorMessage::ProjectIs { root } => root.display().to_string(),
        DoctorMessage::NoProject => {
            "此文件夹不在项目中（没有 .aide/）；执行 aide init 创建；在 git 工作区中，智能体首次提问也会创建它".to_owned()
        }
        DoctorMessage::ConfigBroken { failure } => failure.explain(Lang::Zh).what,
        DoctorMessage::NothingToTrust => "项目配置中没有未受信任的设置".to_owned(),
        DoctorMessage::NotTrusted { keys } => {
            format!("项目配置中的这些设置尚未受信任，因而无效: {}", keys.join("、"))
        }
        DoctorMessage::PortFree { port } => format!("端口 {port} 可用"),
        DoctorMessage::PortsBusy { failure } => failure.explain(Lang::Zh).what,
        DoctorMessage::BrowserIs { program } => format!("用 {program} 打开页面"),
        DoctorMessage::BrowserIsElsewhere => {
            "通过 SSH 登录: 在您自己的电脑上打开页面，aide decide open 输出所需的命令".to_owned()
        }
        DoctorMessage::NoBrowser => "这里没有可用的浏览器，页面须自行打开".to_owned(),
        DoctorMessage::ProgramMissing { program } => format!("找不到程序 {program}"),
        DoctorMessage::NotNotified => "没有设置通知: 新的待定项只在智能体中显示链接".to_owned(),
        DoctorMessage::NotifiedBy { how } => format!("以 {how} 通知"),
        DoctorMessage::ChannelBroken { how, failure } => format!("how = \"{how}\": {}", failure.zh().what),
        DoctorMessage::NoDesktop => {
            "此处没有桌面会话（DBUS_SESSION_BUS_ADDRESS），桌面通知无法显示".to_owned()
        }
        DoctorMessage::NotSetUp { path } => format!("{} 中没有 aide 的条目", path.display()),
        DoctorMessage::Unreadable { path, reason } => format!("无法解析 {}: {reason}", path.display()),
        DoctorMessage::NoProgram { path } => format!("{} 中 aide 的条目没有可启动的命令", path.display()),
        DoctorMessage::NamesAnotherProgram { path, command } => {
            format!(
                "{} 位于项目中，其条目不是 aide setup 写入的命令，因此没有启动: {command}",
                path.display()
            )
        }
        DoctorMessage::OldEntry { path } => format!("{} 中的条目缺少本版本写入的设置", path.display()),
        DoctorMessage::HooksMissing { entry, path } => format!(
            "{} 声明由钩子送达答案（AIDE_MCP_WAKE），但 {} 中没有这些钩子: 答案不会送达",
            entry.display(),
            path.display()
        ),
        DoctorMessage::NeverWoken { entry } => format!(
            "{} 声明由钩子送达答案（AIDE_MCP_WAKE），但该智能体没有这样的钩子: 答案不会送达",
            entry.display()
        ),
        DoctorMessage::LimitTooShort { path, limit, hold } => {
            format!(
                "{} 中的时限（{limit} 秒）不长于一次调用的等待（{hold} 秒）: 智能体会先放弃",
                path.display()
            )
        }
        DoctorMessage::NotStarted { program, reason } => format!("无法启动 {program}: {reason}"),
        DoctorMessage::Silent { program, method, seconds } => {
            format!("{program} 在 {seconds} 秒内没有回答 {method}")
        }
        DoctorMessage::Garbage { program, line } => {
            format!("{program} 在标准输出中写了不属于协议的内容: {line}")
        }
        DoctorMessage::EndedEarly { program, words } => format!("{program} 提前结束: {words}"),
        DoctorMessage::RefusedCall { method, words } => format!("{method} 被拒绝: {words}"),
        DoctorMessage::NoTools { program } => format!("{program} 不提供 decide_submit，可能是另一个同名程序"),
        DoctorMessage::Answers { path, tools } => {
            format!("{}: 以该智能体的环境启动，两种握手均成功，{tools} 个工具", path.display())
        }
        DoctorMessage::Held { seconds } => format!("一次调用等待了 {seconds} 秒，期间持续有进度"),
        DoctorMessage::NoProgress { seconds } => format!("等待期间有 {seconds} 秒没有进度"),
        DoctorMessage::NotHeld { words } => format!("等待中断: {words}"),
        DoctorMessage::NoAgents => "没有为任何编程智能体设置 aide".to_owned(),
        DoctorMessage::Run { command } => format!("执行 {command}"),
        DoctorMessage::Correct { path } => format!("修正 {}，再执行 aide setup", path.display()),
        DoctorMessage::FreePort => "结束占用端口的程序，或将 decide.port 设为 0（任意空闲端口）".to_owned(),
        DoctorMessage::NameBrowser => {
            "设置 AIDE_BROWSER，或用 aide decide open --phone、aide decide answer 回答".to_owned()
        }
        DoctorMessage::Install { program } => format!("安装 {program}，或改正其名称"),
        DoctorMessage::Configure => "在 ~/.config/aide/config.toml 的 [notify] 中设置 steps".to_owned(),
        DoctorMessage::HandOn => {
            "执行 aide setup，让智能体传递 DBUS_SESSION_BUS_ADDRESS，或改用 webhook、ntfy".to_owned()
        }
        DoctorMessage::PrintNothing => "命令不得在标准输出中写其他内容: 去掉外层脚本的输出".to_owned(),
        DoctorMessage::TryByHand { command } => format!("在终端中执行 {command}，查看它的输出"),
    }
}

fn en(message: &DoctorMessage) -> String {
    match message {
        DoctorMessage::Line { check, width, found } => line(*check, *width, found, Lang::En),
        DoctorMessage::Fine => "Everything is in order".to_owned(),
        DoctorMessage::Findings { count: 1 } => "1 finding".to_owned(),
        DoctorMessage::Findings { count } => format!("{count} findings"),
        DoctorMessage::ProjectIs { root } => root.display().to_string(),
        DoctorMessage::NoProject => {
            "this folder belongs to no project (no .aide/); aide init creates one, and so does an agent's first question in a git work tree".to_owned()
        }
        DoctorMessage::ConfigBroken { failure } => failure.explain(Lang::En).what,
        DoctorMessage::NothingToTrust => "no setting of the project needs your trust".to_owned(),
        DoctorMessage::NotTrusted { keys } => {
            format!("these settings of the project have no effect until you trust them: {}", keys.join(", "))
        }
        DoctorMessage::PortFree { port } => format!("port {port} is available"),
        DoctorMessage::PortsBusy { failure } => failure.explain(Lang::En).what,
        DoctorMessage::BrowserIs { program } => format!("{program} opens the page"),
        DoctorMessage::BrowserIsElsewhere => {
            "logged in over SSH: open the page on your own computer; aide decide open prints the command for that".to_owned()
        }
        DoctorMessage::NoBrowser => "there is no browser here: open pages by hand".to_owned(),
        DoctorMessage::ProgramMissing { program } => format!("the program {program} was not found"),
        DoctorMessage::NotNotified => {
            "no notification is configured: new questions are only announced by the link that the agent shows".to_owned()
        }
        DoctorMessage::NotifiedBy { how } => format!("by {how}"),
        DoctorMessage::ChannelBroken { how, failure } => format!("how = \"{how}\": {}", failure.en().what),
        DoctorMessage::NoDesktop => {
            "there is no desktop session here (DBUS_SESSION_BUS_ADDRESS), so no desktop notification can be shown".to_owned()
        }
        DoctorMessage::NotSetUp { path } => format!("{} has no entry for aide", path.display()),
        DoctorMessage::Unreadable { path, reason } => format!("{} cannot be parsed: {reason}", path.display()),
        DoctorMessage::NoProgram { path } => {
            format!("the entry for aide in {} has no command to start", path.display())
        }
        DoctorMessage::NamesAnotherProgram { path, command } => {
            format!(
                "{} belongs to the project, and its entry is not the command that aide setup writes; it was not started: {command}",
                path.display()
            )
        }
        DoctorMessage::OldEntry { path } => {
            format!("the entry in {} lacks settings that this version writes", path.display())
        }
        DoctorMessage::HooksMissing { entry, path } => format!(
            "{} says that hooks deliver the answers (AIDE_MCP_WAKE), but {} lacks these hooks: no answer arrives",
            entry.display(),
            path.display()
        ),
        DoctorMessage::NeverWoken { entry } => format!(
            "{} says that hooks deliver the answers (AIDE_MCP_WAKE), but this agent has no such hooks: no answer arrives",
            entry.display()
        ),
        DoctorMessage::LimitTooShort { path, limit, hold } => format!(
            "the time limit in {} ({limit} s) is not longer than the hold time of a call ({hold} s): the agent gives up first",
            path.display()
        ),
        DoctorMessage::NotStarted { program, reason } => format!("{program} could not be started: {reason}"),
        DoctorMessage::Silent { program, method, seconds } => {
            format!("{program} did not answer {method} within {seconds} s")
        }
        DoctorMessage::Garbage { program, line } => {
            format!("{program} prints something on standard output that is not part of the protocol: {line}")
        }
        DoctorMessage::EndedEarly { program, words } => format!("{program} ended early: {words}"),
        DoctorMessage::RefusedCall { method, words } => format!("{method} was refused: {words}"),
        DoctorMessage::NoTools { program } => {
            format!("{program} does not offer decide_submit: it may be another program of that name")
        }
        DoctorMessage::Answers { path, tools } => format!(
            "{}: started with this agent's environment, both handshakes succeed, {tools} tools",
            path.display()
        ),
        DoctorMessage::Held { seconds } => format!("a call was held for {seconds} s, with progress throughout"),
        DoctorMessage::NoProgress { seconds } => format!("there was no progress for {seconds} s during a call"),
        DoctorMessage::NotHeld { words } => format!("a call was not held: {words}"),
        DoctorMessage::NoAgents => "no coding agent is set up to use aide".to_owned(),
        DoctorMessage::Run { command } => format!("run {command}"),
        DoctorMessage::Correct { path } => format!("correct {}, then run aide setup", path.display()),
        DoctorMessage::FreePort => {
            "end the program that uses the port, or set decide.port to 0 (any free port)".to_owned()
        }
        DoctorMessage::NameBrowser => {
            "set AIDE_BROWSER, or answer with aide decide open --phone or aide decide answer".to_owned()
        }
        DoctorMessage::Install { program } => format!("install {program}, or correct its name"),
        DoctorMessage::Configure => "set steps in [notify] in ~/.config/aide/config.toml".to_owned(),
        DoctorMessage::HandOn => {
            "run aide setup so that the agent passes on DBUS_SESSION_BUS_ADDRESS, or use webhook or ntfy".to_owned()
        }
        DoctorMessage::PrintNothing => {
            "the command must print nothing else on standard output: silence the script around it".to_owned()
        }
        DoctorMessage::TryByHand { command } => format!("run {command} in a terminal and look at its output"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, DoctorMessage};
    use crate::failure::Failure;
    use crate::messages::Message;
    use texts::Explain;

    fn failure() -> Box<dyn Explain> {
        Box::new(Failure::new(Message::NothingOpen, None))
    }

    /// Of what stands before the findings.
    const WIDTH: usize = 12;

    samples! {
        DoctorMessage;
        Line { check: Check::Agent("Codex"), width: WIDTH, found: Box::new(DoctorMessage::NoAgents) },
        Fine,
        Findings { count: 2 },
        ProjectIs { root: "/home/ann/shop".into() },
        NoProject,
        ConfigBroken { failure: failure() },
        NothingToTrust,
        NotTrusted { keys: vec!["decide.bind", "decide.auth"] },
        PortFree { port: 3721 },
        PortsBusy { failure: failure() },
        BrowserIs { program: "firefox".to_owned() },
        BrowserIsElsewhere,
        NoBrowser,
        ProgramMissing { program: "notify-send".to_owned() },
        NotNotified,
        NotifiedBy { how: "desktop, ntfy".to_owned() },
        ChannelBroken { how: "ntfy", failure: notice::Undelivered::NoSecret { name: "TOPIC".to_owned() } },
        NoDesktop,
        NotSetUp { path: "/home/ann/.codex/config.toml".into() },
        Unreadable { path: "/home/ann/.codex/config.toml".into(), reason: "parser's words".to_owned() },
        NoProgram { path: "/p/.mcp.json".into() },
        NamesAnotherProgram { path: "/p/.mcp.json".into(), command: "sh -c true".to_owned() },
        OldEntry { path: "/p/.mcp.json".into() },
        HooksMissing { entry: "/p/.mcp.json".into(), path: "/p/.claude/settings.json".into() },
        NeverWoken { entry: "/p/.zed/settings.json".into() },
        LimitTooShort { path: "/p/.mcp.json".into(), limit: 60, hold: 600 },
        NotStarted { program: "/opt/aide".to_owned(), reason: "not found".to_owned() },
        Silent { program: "/opt/aide".to_owned(), method: "initialize", seconds: 10 },
        Garbage { program: "/opt/aide".to_owned(), line: "Welcome!".to_owned() },
        EndedEarly { program: "/opt/aide".to_owned(), words: "exit status: 1".to_owned() },
        RefusedCall { method: "tools/list", words: "-32601".to_owned() },
        NoTools { program: "/usr/bin/aide".to_owned() },
        Answers { path: "/p/.mcp.json".into(), tools: 8 },
        Held { seconds: 600 },
        NoProgress { seconds: 15 },
        NotHeld { words: "pending".to_owned() },
        NoAgents,
        Run { command: "aide setup codex".to_owned() },
        Correct { path: "/p/.mcp.json".into() },
        FreePort,
        NameBrowser,
        Install { program: "libnotify".to_owned() },
        Configure,
        HandOn,
        PrintNothing,
        TryByHand { command: "/opt/aide mcp".to_owned() },
    }
}
