//! The words of `aide mcp --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) project: &'static str,
    pub(super) hold: &'static str,
    pub(super) elicit: &'static str,
    pub(super) http: &'static str,
    pub(super) port: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "作为 MCP 服务器供编程智能体提问",
    usage: "aide mcp [选项]",
    after: "\
由智能体的程序启动，不在终端中直接使用。工具: decide_submit、decide_wait、decide_result、
decide_list、decide_amend、decide_cancel、flow_status、flow_record。提问与 aide decide submit
--queue 相同: 问题写入项目的 .aide/，在同一个页面回答；智能体或本进程结束，问题仍在。

项目依次取自: 调用的 project 参数、--project、AIDE_PROJECT、CLAUDE_PROJECT_DIR、智能体报告的
目录、当前目录。没有 .aide/ 时，首次提问会在 git 工作区的根目录创建它。

智能体对一次调用有时限: 到时返回 pending，再用 decide_wait 继续等待。时限取自 --hold 或
AIDE_MCP_HOLD，否则按已知的智能体，再否则从 45 秒起逐步延长。

--http 改为通过 HTTP 提供服务，仅限本机本用户，地址为 http://localhost:3720/mcp。其他用户，以及
系统无法说明连接属于哪个用户时的所有程序，须以 Authorization: Bearer 发送 AIDE_MCP_SECRET（64 位
十六进制数字）的值。守护进程的 /mcp 与此相同，但每次调用须给出 project。",
    project: "项目目录（AIDE_PROJECT）",
    hold: "一次调用最多等待多少秒（AIDE_MCP_HOLD）",
    elicit: "由智能体的程序显示页面链接: auto（时限短且支持的）、url（支持的）或 off（默认 auto；AIDE_MCP_ELICIT）",
    http: "通过 HTTP 提供服务，而不是标准输入输出",
    port: "--http 的端口（默认 3720）；0 表示任意空闲端口",
};

pub(super) static EN: Help = Help {
    about: "Serve coding agents over MCP",
    usage: "aide mcp [OPTIONS]",
    after: "\
Started by the agent's program, not by hand. Tools: decide_submit, decide_wait, decide_result,
decide_list, decide_amend, decide_cancel, flow_status, flow_record. Questions are asked as by
aide decide submit --queue: they go into the project's .aide/ and are answered on the same
page; they stay when the agent or this process ends.

The project is the first of: the call's argument project, --project, AIDE_PROJECT,
CLAUDE_PROJECT_DIR, the folder that the agent reports, the current folder. If there is no
.aide/, the first question creates it at the root of the git work tree.

Agents limit the duration of a call: it then returns pending, and decide_wait continues to wait.
The limit is --hold or AIDE_MCP_HOLD, otherwise that of a known agent, otherwise 45 seconds,
increased each time that works.

With --http, agents of this user on this machine reach it at http://localhost:3720/mcp. Agents of
other users, and all agents if the system cannot tell which user a connection belongs to, send the
secret AIDE_MCP_SECRET (64 hexadecimal digits) as Authorization: Bearer. The daemon serves the
same at its own /mcp, where each call names its project.",
    project: "The project's folder (AIDE_PROJECT)",
    hold: "How long a call may wait, in seconds (AIDE_MCP_HOLD)",
    elicit: "Let the agent's program show the link: auto (if it can and its limit is short), url (if it can) or off (default auto; AIDE_MCP_ELICIT)",
    http: "Serve by HTTP instead of standard input and output",
    port: "Port of --http (default 3720); 0 means any free port",
};
