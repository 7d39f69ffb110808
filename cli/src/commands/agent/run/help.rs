//! The words of `aide agent run --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) agent: &'static str,
    pub(super) provider: &'static str,
    pub(super) once: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "运行一个智能体: 接收并处理收件箱中的消息",
    usage: "aide agent run [选项] --agent <DIR>",
    after: "\
依次处理 inbox/<plan>/ 中的新消息与尚未结束的消息: 文件归档为输入，命令在输入齐备后
执行（见 aide agent exec --help）。消息一到即处理，并每隔 poll_interval_seconds 秒查看一次；
plan、间隔与每次的数量写在 heartbeat_config.json 中。无法处理的消息移入 .deadletter/ 并
写出 alert，不影响其他消息。status_heartbeat.json 写明智能体的状态。

同一个智能体同时只能有一个程序运行。磁盘写满或只读时暂停接收，恢复后自动继续。
无论何时中断，再次运行会从中断处继续，已有的回答不会重复请求。

退出码:
  0    --once 已完成（命令本身可能失败，见其输出与 ACK）
  1    不能运行: 没有提供者、文件夹正被使用，或 --once 时磁盘不可写
  130  被 Ctrl-C 结束（SIGTERM 为 143，SIGHUP 为 129）；正在执行的命令下次继续",
    agent: "智能体的文件夹，或 .aide/agents/ 下的名称",
    provider: "使用的提供者（默认依次为 agent_profile.json、agent.provider、唯一的一个）",
    once: "只处理一轮，不等待",
    json: "每件事输出一行 JSON，其 event 字段给出是什么",
};

pub(super) static EN: Help = Help {
    about: "Run an agent: handle the messages in its inbox",
    usage: "aide agent run [OPTIONS] --agent <DIR>",
    after: "\
Handles new messages in inbox/<plan>/, then unfinished ones: files become inputs, and
commands are executed once their inputs are present (see aide agent exec --help). Messages
are handled as they arrive, and the inbox is checked every poll_interval_seconds; plans,
interval and batch size are set in heartbeat_config.json. A message that cannot be handled
goes to .deadletter/ with an alert and does not block others. status_heartbeat.json has the
status of the agent.

Only one program at a time runs an agent. While the disk is full or read-only, no messages
are taken; this resumes automatically. After an interruption, the next run continues from
there and never repeats a request that has been answered.

Exit codes:
  0    --once is done (a command may have failed: see the output, and its ACK)
  1    it cannot run: no provider, folder in use, or with --once a disk that cannot be written
  130  ended by Ctrl-C (SIGTERM 143, SIGHUP 129); a command in progress continues next time",
    agent: "The agent's folder, or a name in .aide/agents/",
    provider: "The provider (default: that of agent_profile.json, agent.provider, or the only one)",
    once: "Do one round and do not wait",
    json: "Print one line of JSON per event; its event field has the type",
};
