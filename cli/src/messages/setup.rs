//! What is said about agents that are set up.

use setup::{Change, LaterChange};
use std::path::PathBuf;
use texts::Lang;

/// One line for people: what was written, or what to do about it.
#[derive(Debug)]
pub(crate) enum SetupMessage {
    UnknownAgent {
        name: String,
    },
    KnownAgents {
        names: Vec<&'static str>,
    },
    /// The agent that was probably meant.
    NearAgent {
        name: &'static str,
        names: Vec<&'static str>,
    },
    NoneFound,
    NameAgents,
    /// No home to look for agents in.
    NoHome,
    /// The program is not where it was started from.
    ProgramGone {
        path: PathBuf,
    },
    StartAgain,
    /// What became of a file; `agents` is empty where it is for all.
    File {
        path: PathBuf,
        agents: Vec<&'static str>,
        change: Change,
    },
    /// What was changed in a file since aide wrote it.
    ChangedSince {
        path: PathBuf,
        since: Vec<LaterChange>,
    },
    Backup {
        path: PathBuf,
    },
    NothingToDo,
    /// Of a dry run: a new file like another one.
    SameContent {
        path: PathBuf,
        other: PathBuf,
    },
    /// Of a dry run.
    NothingWritten,
    NothingToRemove,
    /// A shared configuration starts `aide`, which is not there.
    NotOnPath,
    PutOnPath,
    ApproveInClaude,
    TrustInCodex,
    ReviewInCodex,
    TrustInGemini,
    TrustInVsCode,
    TrustInZed,
    Restart,
}

impl SetupMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &SetupMessage) -> String {
    match message {
        SetupMessage::UnknownAgent { name } => format!("没有此智能体: {name}"),
        SetupMessage::KnownAgents { names } => format!("可用: {}", names.join(" ")),
        SetupMessage::NearAgent { name, names } => {
            format!("是否想输入 {name}？可用: {}", names.join(" "))
        }
        SetupMessage::NoneFound => "没有找到可以设置的智能体".to_owned(),
        SetupMessage::NameAgents => "指明要设置的智能体，如 aide setup claude codex".to_owned(),
        SetupMessage::NoHome => "没有主目录，无从查找智能体的配置".to_owned(),
        SetupMessage::ProgramGone { path } => format!("本程序已不在其启动之处: {}", path.display()),
        SetupMessage::StartAgain => "从它现在的位置再次执行".to_owned(),
        SetupMessage::File { path, agents, change } => {
            let what = match change {
                Change::Unchanged => "无须改动",
                Change::Created => "已创建",
                Change::Changed => "已修改",
                Change::Restored => "已移除 aide 的部分",
                Change::Removed => "已删除",
            };
            let agents = if agents.is_empty() { String::new() } else { format!("{}: ", agents.join("、")) };
            format!("{agents}{what} {}", path.display())
        }
        SetupMessage::ChangedSince { path, since } => {
            let since: Vec<_> = since.iter().map(|since| changed(since, "第 ", " 行")).collect();
            format!("写入之后 {} 又有改动: {}；其余内容保留", path.display(), since.join("、"))
        }
        SetupMessage::Backup { path } => format!("此前的内容保存在 {}", path.display()),
        SetupMessage::SameContent { path, other } => {
            format!("新文件 {} 的内容与 {} 相同", path.display(), other.display())
        }
        SetupMessage::NothingWritten => "没有写入任何内容；去掉 --dry-run 即写入".to_owned(),
        SetupMessage::NothingToDo => "全部已经设置好，没有改动".to_owned(),
        SetupMessage::NothingToRemove => "没有可移除的内容".to_owned(),
        SetupMessage::NotOnPath => "项目的配置启动 aide，而 PATH 中没有它".to_owned(),
        SetupMessage::PutOnPath => "把它放到 PATH 中的目录，或改用 aide setup --user".to_owned(),
        SetupMessage::ApproveInClaude => {
            "Claude Code 会询问一次是否使用 .mcp.json 中的服务: 请同意 aide".to_owned()
        }
        SetupMessage::TrustInCodex => "Codex 只在它信任的项目中采用 .codex/config.toml".to_owned(),
        SetupMessage::ReviewInCodex => "Codex 的钩子须由您在 Codex 的 /hooks 中确认后才会运行".to_owned(),
        SetupMessage::TrustInGemini => "Gemini CLI 只在它信任的目录中启动服务".to_owned(),
        SetupMessage::TrustInVsCode => "VS Code 首次启动该服务时会询问是否信任".to_owned(),
        SetupMessage::TrustInZed => "Zed 只在它信任的项目中采用 .zed/settings.json 与技能".to_owned(),
        SetupMessage::Restart => "请重新启动正在运行的智能体".to_owned(),
    }
}

fn en(message: &SetupMessage) -> String {
    match message {
        SetupMessage::UnknownAgent { name } => format!("no such agent: {name}"),
        SetupMessage::KnownAgents { names } => format!("agents: {}", names.join(" ")),
        SetupMessage::NearAgent { name, names } => {
            format!("did you mean {name}? Agents: {}", names.join(" "))
        }
        SetupMessage::NoneFound => "no agent was detected".to_owned(),
        SetupMessage::NameAgents => "name the agents to set up, such as aide setup claude codex".to_owned(),
        SetupMessage::NoHome => "there is no home folder to look for agents in".to_owned(),
        SetupMessage::ProgramGone { path } => {
            format!("this program is no longer at the path it was started from: {}", path.display())
        }
        SetupMessage::StartAgain => "run it again from its present path".to_owned(),
        SetupMessage::File { path, agents, change } => {
            let what = match change {
                Change::Unchanged => "up to date:",
                Change::Created => "created",
                Change::Changed => "changed",
                Change::Restored => "removed aide's part from",
                Change::Removed => "removed",
            };
            let agents = if agents.is_empty() { String::new() } else { format!("{}: ", agents.join(", ")) };
            format!("{agents}{what} {}", path.display())
        }
        SetupMessage::ChangedSince { path, since } => {
            let since: Vec<_> = since.iter().map(|since| changed(since, "line ", "")).collect();
            format!(
                "{} was changed after aide wrote it: {}; everything except aide's part is kept",
                path.display(),
                since.join(", ")
            )
        }
        SetupMessage::Backup { path } => format!("the earlier content is kept in {}", path.display()),
        SetupMessage::SameContent { path, other } => {
            format!("the new file {} is the same as {}", path.display(), other.display())
        }
        SetupMessage::NothingWritten => "Dry run: nothing was written".to_owned(),
        SetupMessage::NothingToDo => "Everything is set up already; nothing was changed".to_owned(),
        SetupMessage::NothingToRemove => "There is nothing to remove".to_owned(),
        SetupMessage::NotOnPath => {
            "the project's configuration starts aide, which is not in your PATH".to_owned()
        }
        SetupMessage::PutOnPath => "put it into one of these folders, or use aide setup --user".to_owned(),
        SetupMessage::ApproveInClaude => {
            "Claude Code asks once whether to use the servers of .mcp.json: approve aide".to_owned()
        }
        SetupMessage::TrustInCodex => {
            "Codex follows .codex/config.toml only in projects that it trusts".to_owned()
        }
        SetupMessage::ReviewInCodex => {
            "Codex runs its hook only after you have reviewed it in /hooks of Codex".to_owned()
        }
        SetupMessage::TrustInGemini => "Gemini CLI starts servers only in folders that it trusts".to_owned(),
        SetupMessage::TrustInVsCode => {
            "VS Code asks whether you trust the server when it first starts it".to_owned()
        }
        SetupMessage::TrustInZed => {
            "Zed follows .zed/settings.json and skills only in projects that it trusts".to_owned()
        }
        SetupMessage::Restart => "Restart the agents that are running".to_owned(),
    }
}

fn changed(since: &LaterChange, before: &str, after: &str) -> String {
    match since {
        LaterChange::Key(key) => key.clone(),
        LaterChange::Lines(first, last) if first == last => format!("{before}{first}{after}"),
        LaterChange::Lines(first, last) => format!("{before}{first}–{last}{after}"),
    }
}

#[cfg(test)]
mod tests {
    use super::SetupMessage;
    use setup::{Change, LaterChange};

    samples! {
        SetupMessage;
        UnknownAgent { name: "x".to_owned() },
        KnownAgents { names: vec!["claude", "codex"] },
        NearAgent { name: "claude", names: vec!["claude", "codex"] },
        NoneFound,
        NameAgents,
        NoHome,
        ProgramGone { path: "/tmp/aide".into() },
        StartAgain,
        File { path: "/p/.mcp.json".into(), agents: vec!["Claude Code"], change: Change::Created },
        ChangedSince {
            path: "/p/.mcp.json".into(),
            since: vec![LaterChange::Key("mcpServers.x".to_owned()), LaterChange::Lines(3, 3), LaterChange::Lines(5, 7)]
        },
        Backup { path: "/home/x/.local/state/aide/setup/1/1-.mcp.json".into() },
        NothingToDo,
        SameContent { path: "/p/.claude/skills/aide/SKILL.md".into(), other: "/p/.agents/skills/aide/SKILL.md".into() },
        NothingWritten,
        NothingToRemove,
        NotOnPath,
        PutOnPath,
        ApproveInClaude,
        TrustInCodex,
        ReviewInCodex,
        TrustInGemini,
        TrustInVsCode,
        TrustInZed,
        Restart,
    }
}
