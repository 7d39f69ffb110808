//! The words of `aide hook --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) dialog: CommandHelp,
    pub(super) wake: CommandHelp,
    pub(super) timeout: &'static str,
    pub(super) agent: &'static str,
}

/// The words of one command.
pub(super) struct CommandHelp {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "供编程智能体的钩子调用: 代答提问对话框，用答案唤醒会话",
    usage: "aide hook <子命令>",
    after: "\
由智能体按其钩子配置启动，不在终端中直接使用；aide setup --hook 写入这些配置。从标准输入读取
智能体的 JSON。无法处理时不输出任何内容，智能体照常继续。",
    dialog: CommandHelp {
        about: "在页面上回答 Claude Code 的 AskUserQuestion 与 Gemini CLI 的 ask_user",
        usage: "aide hook ask-user-question [选项]",
        after: "\
问题以 aide decide submit --queue 的方式提出，并在同一个页面回答。

  已回答    输出 allow，其中有 questions、answers 与 annotations；Gemini: deny，reason 中有答案
  已退回    输出 deny 与用户填写的理由
  其他      无输出，退出码 0: 智能体显示自己的对话框

等待到期、智能体结束或此进程被终止时，问题随即撤回，页面会说明。",
    },
    wake: CommandHelp {
        about: "等待答案，并唤醒提问的会话",
        usage: "aide hook wake [选项]",
        after: "\
claude: PostToolUse 与 Stop，带 asyncRewake。在后台等待本会话所提问题的结果；有结果时写到标准
错误，退出码 2，Claude Code 据此唤醒会话。
codex、cursor: 一轮结束时送达其间已有的答案，不等待。

每个答案只送达一次。",
    },
    timeout: "最多等待多少秒（AIDE_HOOK_TIMEOUT），默认 86390",
    agent: "claude、codex 或 cursor；默认 claude",
};

pub(super) static EN: Help = Help {
    about: "For the hooks of coding agents: answer their dialogs, wake their sessions",
    usage: "aide hook <COMMAND>",
    after: "\
Started by an agent according to its hook configuration, not by hand; aide setup --hook writes
it. Reads the agent's JSON from standard input. If it cannot be handled, nothing is printed and
the agent continues as usual.",
    dialog: CommandHelp {
        about: "Answer AskUserQuestion of Claude Code and ask_user of Gemini CLI on the page",
        usage: "aide hook ask-user-question [OPTIONS]",
        after: "\
The questions are asked as by aide decide submit --queue, and answered on the same page.

  answered    prints allow with questions, answers and annotations; Gemini: deny, with the
              answers in the reason
  sent back   prints deny with what the user wrote
  otherwise   prints nothing, exit code 0: the agent shows its own dialog

When the time is up, the agent ends or this process is killed, the questions are withdrawn, and
the page shows that.",
    },
    wake: CommandHelp {
        about: "Wait for answers, and wake the session that asked",
        usage: "aide hook wake [OPTIONS]",
        after: "\
claude: PostToolUse and Stop with asyncRewake. Waits in the background for answers to questions of
this session; an answer is written to standard error with exit code 2, which wakes the session.
codex, cursor: at the end of a turn, delivers the answers received since, without waiting.

Each answer is delivered once.",
    },
    timeout: "How long to wait, in seconds (AIDE_HOOK_TIMEOUT); 86390 by default",
    agent: "claude, codex or cursor; claude by default",
};
