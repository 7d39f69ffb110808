//! What `aide uninstall` says.

use std::io;
use std::path::PathBuf;
use texts::{Lang, en_count, reason, size};

/// A folder of the person's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderKind {
    Configuration,
    State,
    /// That of a daemon, where it is not with the other state.
    Daemon,
}

impl FolderKind {
    /// The word for it in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::State | Self::Daemon => "state",
        }
    }
}

/// One line for people.
#[derive(Debug)]
pub(crate) enum UninstallMessage {
    ToRemove,
    Kept,
    Program {
        path: PathBuf,
    },
    /// A package manager has installed it.
    Managed {
        path: PathBuf,
        command: &'static str,
    },
    Link {
        path: PathBuf,
    },
    /// A file that has something of aide for these agents; for all where none is named.
    Entry {
        path: PathBuf,
        agents: Vec<&'static str>,
    },
    Daemon {
        url: String,
    },
    Folder {
        path: PathBuf,
        kind: FolderKind,
        bytes: u64,
    },
    /// Completions, or pages of the manual.
    Written {
        path: PathBuf,
    },
    Project {
        root: PathBuf,
        open: usize,
    },
    MoreProjects {
        count: usize,
    },
    SetUpInProject {
        root: PathBuf,
        agents: Vec<&'static str>,
    },
    RemoveThere {
        root: PathBuf,
    },
    /// What is open is served by a process that does not end with aide.
    PageStays {
        url: String,
    },
    /// The same where no page is known: the server of each set may run beside the daemon.
    QuestionsStay {
        root: PathBuf,
    },
    /// How its open sets of questions are withdrawn.
    CancelThere {
        root: PathBuf,
        sessions: Vec<String>,
    },
    /// What workflows ask goes with their state.
    RemovedUnanswered {
        count: usize,
    },
    AnswerFirst,
    ReallyRemove,
    NothingRemoved,
    CannotAsk,
    SayYes,
    /// It lies in a folder of aide, and is not aide's.
    Left {
        path: PathBuf,
    },
    Uninstalled,
    LeftToManager {
        command: &'static str,
    },
    CannotRemove {
        path: PathBuf,
        error: io::Error,
    },
    RepeatIt,
}

impl UninstallMessage {
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &UninstallMessage) -> String {
    match message {
        UninstallMessage::ToRemove => "将要删除:".to_owned(),
        UninstallMessage::Kept => "保留:".to_owned(),
        UninstallMessage::Program { path } => format!("程序: {}", path.display()),
        UninstallMessage::Managed { path, command } => {
            format!("程序: {}（由软件包管理器安装，用 {command} 删除）", path.display())
        }
        UninstallMessage::Link { path } => format!("链接: {}", path.display()),
        UninstallMessage::Entry { path, agents } if agents.is_empty() => {
            format!("智能体共用的内容: {}", path.display())
        }
        UninstallMessage::Entry { path, agents } => {
            format!("{} 的配置中 aide 的内容: {}", agents.join("、"), path.display())
        }
        UninstallMessage::Daemon { url } => format!("守护进程: {url}（将停止）"),
        UninstallMessage::Folder { path, kind, bytes } => {
            let what = match kind {
                FolderKind::Configuration => "您自己的配置",
                FolderKind::State => "状态: 工作流、日志、信任记录",
                FolderKind::Daemon => "守护进程的状态",
            };
            format!("{}（{what}，{}）", path.display(), size(*bytes))
        }
        UninstallMessage::Written { path } => format!("补全脚本或手册: {}", path.display()),
        UninstallMessage::Project { root, open: 0 } => format!("项目: {}", root.join(".aide").display()),
        UninstallMessage::Project { root, open } => {
            format!("项目: {}（有 {open} 组待定项等待决策）", root.join(".aide").display())
        }
        UninstallMessage::MoreProjects { count } => format!("另有 {count} 个项目"),
        UninstallMessage::SetUpInProject { root, agents } => {
            format!("项目 {} 中仍有 {} 的设置", root.display(), agents.join("、"))
        }
        UninstallMessage::RemoveThere { root } => {
            format!("先在 {} 中执行 aide setup --project --remove", root.display())
        }
        UninstallMessage::PageStays { url } => format!("{url} 的网页会保留到其中的问题都有了答复"),
        UninstallMessage::QuestionsStay { root } => {
            format!(
                "{} 中的待定项仍会等待答复；为其启动的服务会运行到有了答复，或用 pkill -f 'decide serve' 结束",
                root.display()
            )
        }
        UninstallMessage::CancelThere { root, sessions } => {
            format!("要先撤回，在 {} 中执行 {}", root.display(), cancelling(sessions))
        }
        UninstallMessage::RemovedUnanswered { count } => format!("工作流的 {count} 个提问未经回答即被删除"),
        UninstallMessage::AnswerFirst => "要先回答，执行 aide decide list --all 查看".to_owned(),
        UninstallMessage::ReallyRemove => "删除这些吗？[y/N]".to_owned(),
        UninstallMessage::NothingRemoved => "没有删除任何内容".to_owned(),
        UninstallMessage::CannotAsk => "没有终端，无法询问是否删除".to_owned(),
        UninstallMessage::SayYes => "加上 --yes 直接删除，或用 --dry-run 只查看".to_owned(),
        UninstallMessage::Left { path } => format!("不属于 aide，予以保留: {}", path.display()),
        UninstallMessage::Uninstalled => "已卸载 aide".to_owned(),
        UninstallMessage::LeftToManager { command } => format!("其余已删除；程序本身用 {command} 删除"),
        UninstallMessage::CannotRemove { path, error } => {
            format!("无法删除 {}: {}", path.display(), reason(Lang::Zh, error))
        }
        UninstallMessage::RepeatIt => "排除原因后再次执行 aide uninstall".to_owned(),
    }
}

/// The commands that withdraw these sets of questions.
fn cancelling(sessions: &[String]) -> String {
    let commands: Vec<String> =
        sessions.iter().map(|session| format!("aide decide cancel {session}")).collect();
    commands.join(" && ")
}

fn en(message: &UninstallMessage) -> String {
    match message {
        UninstallMessage::ToRemove => "To be removed:".to_owned(),
        UninstallMessage::Kept => "Kept:".to_owned(),
        UninstallMessage::Program { path } => format!("program: {}", path.display()),
        UninstallMessage::Managed { path, command } => {
            format!("program: {} (installed by a package manager; {command} removes it)", path.display())
        }
        UninstallMessage::Link { path } => format!("link: {}", path.display()),
        UninstallMessage::Entry { path, agents } if agents.is_empty() => {
            format!("for all agents: {}", path.display())
        }
        UninstallMessage::Entry { path, agents } => {
            format!("aide in the configuration of {}: {}", agents.join(", "), path.display())
        }
        UninstallMessage::Daemon { url } => format!("daemon: {url} (running; it is stopped)"),
        UninstallMessage::Folder { path, kind, bytes } => {
            let what = match kind {
                FolderKind::Configuration => "your own configuration",
                FolderKind::State => "state: workflows, logs, what you have trusted",
                FolderKind::Daemon => "state of the daemon",
            };
            format!("{} ({what}, {})", path.display(), size(*bytes))
        }
        UninstallMessage::Written { path } => format!("completions or manual: {}", path.display()),
        UninstallMessage::Project { root, open: 0 } => format!("project: {}", root.join(".aide").display()),
        UninstallMessage::Project { root, open } => {
            let sets = en_count(*open, "open set");
            format!("project: {} ({sets} of questions)", root.join(".aide").display())
        }
        UninstallMessage::MoreProjects { count } => en_count(*count, "more project"),
        UninstallMessage::SetUpInProject { root, agents } => {
            format!("{} stays set up in the project {}", agents.join(", "), root.display())
        }
        UninstallMessage::RemoveThere { root } => {
            format!("run aide setup --project --remove in {} first", root.display())
        }
        UninstallMessage::PageStays { url } => {
            format!("the page at {url} stays until its questions are answered")
        }
        UninstallMessage::QuestionsStay { root } => format!(
            "the questions in {} stay open; a server started for them runs until they are answered, or pkill -f 'decide serve' ends it",
            root.display()
        ),
        UninstallMessage::CancelThere { root, sessions } => {
            format!("to withdraw them first, run in {}: {}", root.display(), cancelling(sessions))
        }
        UninstallMessage::RemovedUnanswered { count } => {
            format!("unanswered, and removed with the state: {}", en_count(*count, "workflow question"))
        }
        UninstallMessage::AnswerFirst => "to answer first: aide decide list --all names them".to_owned(),
        UninstallMessage::ReallyRemove => "Remove these? [y/N]".to_owned(),
        UninstallMessage::NothingRemoved => "Nothing was removed".to_owned(),
        UninstallMessage::CannotAsk => "cannot ask whether to uninstall: there is no terminal".to_owned(),
        UninstallMessage::SayYes => "add --yes to uninstall, or --dry-run to see what is removed".to_owned(),
        UninstallMessage::Left { path } => format!("not written by aide, and kept: {}", path.display()),
        UninstallMessage::Uninstalled => "aide is uninstalled".to_owned(),
        UninstallMessage::LeftToManager { command } => {
            format!("Everything else is removed; {command} removes the program")
        }
        UninstallMessage::CannotRemove { path, error } => {
            format!("cannot remove {}: {}", path.display(), reason(Lang::En, error))
        }
        UninstallMessage::RepeatIt => "fix the reason, then run aide uninstall again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderKind, UninstallMessage};
    use std::io::ErrorKind;

    const MIB: u64 = 1 << 20;

    samples! {
        UninstallMessage;
        ToRemove,
        Kept,
        Program { path: "/home/ann/bin/aide".into() },
        Managed { path: "/usr/bin/aide".into(), command: "sudo apt remove aide-decide" },
        Link { path: "/home/ann/bin/finger".into() },
        Entry { path: "/home/ann/.claude.json".into(), agents: vec!["Claude Code"] },
        Daemon { url: "http://localhost:8080".to_owned() },
        Folder { path: "/home/ann/.local/state/aide".into(), kind: FolderKind::State, bytes: MIB },
        Written { path: "/home/ann/.config/fish/completions/aide.fish".into() },
        Project { root: "/home/ann/shop".into(), open: 2 },
        MoreProjects { count: 1 },
        SetUpInProject { root: "/home/ann/shop".into(), agents: vec!["Claude Code", "Codex"] },
        RemoveThere { root: "/home/ann/shop".into() },
        PageStays { url: "http://localhost:3720".to_owned() },
        QuestionsStay { root: "/home/ann/shop".into() },
        CancelThere { root: "/home/ann/shop".into(), sessions: vec!["2025-01-15T10-30-00".to_owned(), "2025-01-15T10-30-01".to_owned()] },
        RemovedUnanswered { count: 2 },
        AnswerFirst,
        ReallyRemove,
        NothingRemoved,
        CannotAsk,
        SayYes,
        Left { path: "/home/ann/.config/aide/search.sh".into() },
        Uninstalled,
        LeftToManager { command: "npm uninstall -g aide-decide" },
        CannotRemove { path: "/usr/local/bin/aide".into(), error: ErrorKind::PermissionDenied.into() },
        RepeatIt,
    }
}
