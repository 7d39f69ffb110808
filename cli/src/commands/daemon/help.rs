//! The words of `aide daemon --help`, and of the commands below it.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) daemon: &'static str,
    pub(super) daemon_after: &'static str,
    pub(super) start: &'static str,
    pub(super) start_after: &'static str,
    pub(super) foreground: &'static str,
    pub(super) restart: &'static str,
    pub(super) restart_after: &'static str,
    pub(super) force: &'static str,
    pub(super) stop: &'static str,
    pub(super) stop_after: &'static str,
    pub(super) status: &'static str,
    pub(super) status_after: &'static str,
    pub(super) json: &'static str,
    pub(super) logs: &'static str,
    pub(super) logs_after: &'static str,
    pub(super) follow: &'static str,
    pub(super) lines: &'static str,
    pub(super) backup: &'static str,
    pub(super) backup_after: &'static str,
    pub(super) backup_file: &'static str,
}

pub(super) static ZH: Help = Help {
    daemon: "常驻进程: 保存工作流，并告知所有人正在发生的事",
    daemon_after: "\
守护进程以您的身份运行，把工作流、任务、决策与事件保存在磁盘上，随时可以中断。
程序通过 HTTP 与 WebSocket 驱动它，本机上您自己的程序无须登录。

状态目录: FINGER_HOME，否则为 $XDG_STATE_HOME/aide/daemon（默认 ~/.local/state/aide/daemon）",
    start: "在后台启动守护进程，能应答时返回",
    start_after: "\
已在运行时不再启动第二个。端口被占用时失败，既不换用其他端口，也不结束占用者。

退出码:
  0  守护进程正在运行
  1  无法启动，标准错误输出给出原因
  3  已有一个在运行，但没有应答",
    foreground: "不转入后台，直到被结束",
    restart: "结束守护进程，再启动",
    restart_after: "保留上次启动时的选项；此处给出的选项优先。",
    force: "不等它自己结束，立即结束",
    stop: "结束守护进程",
    stop_after: "\
守护进程先完成进行中的请求，为进行中的工作流保存检查点；5 秒内没有结束时被强制结束，已确认的内容不会丢失。",
    status: "守护进程是否在运行，有多少事要做",
    status_after: "\
在运行时还显示队列及其中最早的、日志的提交、读取与大小，以及订阅者；含义见文档“观察守护进程”。
daemon.metrics 为 true 时，/metrics 向 Prometheus 提供同样的数字。

退出码:
  0  在运行并应答，或没有运行
  3  在运行但没有应答",
    json: "输出一行 JSON",
    logs: "显示守护进程的日志",
    logs_after: "\
详细程度由您自己的配置中的 daemon.log_level 或 FINGER_LOG_LEVEL 决定: error、warn、info、debug 或 trace。",
    follow: "持续显示新的内容，按 Ctrl-C 结束",
    lines: "显示最后多少行（默认 50）",
    backup: "把日志的副本写入一个新文件，无论守护进程是否在运行",
    backup_after: "\
恢复: 结束守护进程，删除状态目录中的 journal.db、journal.db-wal 与 journal.db-shm，再把副本放到那里，命名为 journal.db。",
    backup_file: "副本的文件名，不得已存在",
};

pub(super) static EN: Help = Help {
    daemon: "The daemon: keeps workflows and reports events to every client",
    daemon_after: "\
The daemon runs as your user and keeps workflows, tasks, decisions and events on disk; it can
be interrupted at any moment. Programs drive it over HTTP and WebSockets. Your own programs
on this machine need no login.

State: FINGER_HOME, else $XDG_STATE_HOME/aide/daemon (by default ~/.local/state/aide/daemon)",
    start: "Start the daemon in the background and return once it answers",
    start_after: "\
If a daemon is already running, no second one is started. If a port is in use, the command
fails: it neither takes another port nor ends the other program.

Exit codes:
  0  the daemon is running
  1  it could not be started; standard error gives the reason
  3  a daemon is already running, but does not answer",
    foreground: "Stay in the foreground until it is stopped",
    restart: "Restart the daemon",
    restart_after: "Keeps the flags of the last start; flags given here replace them.",
    force: "Kill it at once instead of waiting for it to stop",
    stop: "Stop the daemon",
    stop_after: "\
The daemon finishes what it has begun and writes a checkpoint of every running workflow.
If it has not stopped after 5 seconds, it is killed; nothing acknowledged is lost.",
    status: "Show whether the daemon is running, and how much it has to do",
    status_after: "\
A running daemon also shows its queues and the oldest entry of each, the commits, readers and
size of the journal, and its subscribers; the guide \"Watching a daemon\" says what they mean.
With daemon.metrics = true, /metrics has the same numbers for Prometheus.

Exit codes:
  0  it is running and answers, or is not running
  3  it is running, but does not answer",
    json: "Print one line of JSON",
    logs: "Show the daemon's log",
    logs_after: "\
The level is set by daemon.log_level in your own configuration, or FINGER_LOG_LEVEL:
error, warn, info, debug or trace.",
    follow: "Keep printing new lines until Ctrl-C",
    lines: "Number of latest lines to show (default 50)",
    backup: "Back up the journal to a new file, even while the daemon is running",
    backup_after: "\
To restore it: stop the daemon, remove journal.db, journal.db-wal and journal.db-shm from its
state folder, and put the copy there as journal.db.",
    backup_file: "The file for the copy; it must not exist yet",
};
