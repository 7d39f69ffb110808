//! The words of `aide setup --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) agent: &'static str,
    pub(super) user: &'static str,
    pub(super) project: &'static str,
    pub(super) hook: &'static str,
    pub(super) dry_run: &'static str,
    pub(super) remove: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "让编程智能体通过 aide 提问: 写入其配置与技能",
    usage: "aide setup [选项] [AGENT]...",
    after: "\
每个智能体得到一个 MCP 服务的条目（aide mcp），其时限是该智能体所能接受的最长时限；
所有智能体得到技能 aide（.agents/skills 与 .claude/skills）。--project 还在 AGENTS.md
中写入有标记的一段，并让 CLAUDE.md 引用它。

--hook 还写入钩子，它们启动 aide hook: Claude Code 的会话由答案唤醒，其 AskUserQuestion 在页面
上回答；Codex 与 Cursor 在一轮结束时得到其间的答案；Gemini CLI 的 ask_user 在页面上回答。等待
期间智能体的对话框不出现。Codex 的钩子须由您在 /hooks 中确认后才会运行。

文件中其余的内容、注释、顺序与格式都保持不变；再次执行不作改动。所有文件都先经检查，
有一个不能修改（无法解析、经由链接指向项目之外、正被改动）就一个也不写。每次修改之前
都在项目之外保存备份: $XDG_STATE_HOME/aide/setup，否则为 ~/.local/state/aide/setup。

--remove 恢复原有的内容，并指出其后的改动；其后的改动保留。

  aide setup                      找到的全部智能体，您自己的配置
  aide setup codex --project      只有 Codex，此项目的配置
  aide setup claude --hook        Claude Code，连同钩子
  aide setup --dry-run            只显示将作的修改

--json 的每个文件: path、agents、change（unchanged、created、changed、restored、removed）、
backup、changed_since；status: done、planned 或 refused。",
    agent: "claude、codex、cursor、gemini、vscode、opencode、zed、windsurf；默认为找到的全部",
    user: "写入您自己的配置（默认），其中是本程序的绝对路径",
    project: "写入此项目的配置，供所有参与者使用，其中是 aide",
    hook: "还写入钩子: 用答案唤醒会话，在页面上回答智能体自己的提问对话框",
    dry_run: "只输出 diff，不写入",
    remove: "移除 aide 写入的内容，恢复原状",
    json: "输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "Let coding agents ask through aide: write their configuration and a skill",
    usage: "aide setup [OPTIONS] [AGENT]...",
    after: "\
Each agent gets an entry for an MCP server (aide mcp), with the longest time limit that it
accepts; all of them get the skill aide (.agents/skills and .claude/skills). --project also
writes a marked block into AGENTS.md, and lets CLAUDE.md import it.

--hook also writes hooks, which start aide hook: answers wake a session of Claude Code, and its
AskUserQuestion is answered on the page; Codex and Cursor get new answers at the end of a
turn; ask_user of Gemini CLI is answered on the page. The agent shows no dialog
while it waits. Codex runs its hook only after you have reviewed it in /hooks.

Everything else in the files stays as it is, including comments, order and formatting; a
second run changes nothing. All files are checked first: if one cannot be changed (it does not
parse, a link leads out of the project, another program is changing it), none is written.
Before each change a backup is kept outside the project, in $XDG_STATE_HOME/aide/setup or
else in ~/.local/state/aide/setup.

--remove restores the earlier content; it lists later changes and keeps them.

  aide setup                      all detected agents, your own configuration
  aide setup codex --project      only Codex, the configuration of this project
  aide setup claude --hook        Claude Code, with its hooks
  aide setup --dry-run            only show the changes

Each file with --json: path, agents, change (unchanged, created, changed, restored,
removed), backup, changed_since; status is done, planned or refused.",
    agent: "claude, codex, cursor, gemini, vscode, opencode, zed, windsurf; by default all detected",
    user: "Write your own configuration (default), with the absolute path of this program",
    project: "Write the configuration of this project, shared with everyone working on it, with the command aide",
    hook: "Write hooks as well: answers wake the session, and an agent's own dialog is answered on the page",
    dry_run: "Only print a diff; write nothing",
    remove: "Remove what aide has written and restore the earlier content",
    json: "Print one line of JSON",
};
