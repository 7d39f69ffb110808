//! The words of `aide doctor --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) agent: &'static str,
    pub(super) hold: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "检查编程智能体能否通过 aide 提问，并指出如何修正",
    usage: "aide doctor [选项]",
    after: "\
检查项目、信任、端口、浏览器与通知，以及每个智能体的文件: 条目是否存在、能否解析、时限
是否足够、是否为旧条目。然后只用该智能体会给出的环境变量启动条目中的命令，以新旧两种
握手（server/discover 与 initialize）与之对话，并列出工具。

--hold 还在一个临时项目中提问，等待所给的时间，确认期间持续有进度；其中的问题不会显示给您。

有发现时退出码为 1。--json 输出一行: status（ok 或 findings）与 checks，其中每项有 check、
agent、status（ok、info 或 finding）、code、detail、remedy。",
    agent: "只检查这个智能体: claude、codex、cursor、gemini、vscode、opencode、zed、windsurf",
    hold: "等待多久，例如 90s 或 10m",
    json: "输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "Check whether coding agents can ask through aide, and say what to correct",
    usage: "aide doctor [OPTIONS]",
    after: "\
Checks project, trust, port, browser and notifications, and the file of each agent: whether
the entry is there, parses, has a time limit that is long enough, and is up to date. Then it
starts the entry's command with exactly the environment that this agent would give it, does both
handshakes (server/discover and initialize), and lists the tools.

--hold also asks in a temporary project, waits for the time given, and checks that progress
arrives throughout; that question is not shown to you.

Exit code 1 if there are findings. --json prints one line: status (ok or findings) and checks,
each with check, agent, status (ok, info or finding), code, detail and remedy.",
    agent: "Check only this agent: claude, codex, cursor, gemini, vscode, opencode, zed, windsurf",
    hold: "How long to wait, for example 90s or 10m",
    json: "Print one line of JSON",
};
