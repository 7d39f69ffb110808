//! The words of `aide decide submit --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) input: &'static str,
    pub(super) no_daemon: &'static str,
    pub(super) notify: &'static str,
    pub(super) queue: &'static str,
    pub(super) deadline: &'static str,
    pub(super) detach: &'static str,
    pub(super) detach_json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "提交待定项数据并启动 Web 服务",
    usage: "aide decide submit [选项] <INPUT>",
    after: "\
命令输出访问链接，然后一直等待，直到用户完成决策（退出码 0）；用户退回、被取消、
被取代、过期或超时（1）；或被 Ctrl-C、SIGTERM、SIGHUP 中断（130、143、129）。之后用
aide decide result 获取结果。

同样的待定项仍在等待时，再次提交会接着等待同一个网页；不同的待定项会取代原来
的。命令被杀死后待定项仍在，用 aide decide wait 或再次提交继续等待。

同一项目中有多个提问者时用 --queue: 待定项各自成组，按先后排列，网页依次给出。结果用
aide decide result SESSION 获取。

Linux 不接受超过 131071 字节的单个命令行参数（约 200 个待定项），
数据较多时请使用 - 或文件:
  aide decide submit - < pending-items.json
  aide decide submit ./pending-items.json

待定项格式:
  {\"task\": \"实现用户认证\", \"source\": \"task-now.md\", \"items\": [
    {\"id\": 1, \"title\": \"认证方式选择\", \"recommend\": \"jwt\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\", \"score\": 85, \"pros\": [\"无状态\"], \"cons\": [\"撤销复杂\"]},
      {\"value\": \"session\", \"label\": \"Session\", \"score\": 70}]}]}",
    input: "以 { 开头的 JSON，- 表示标准输入，否则为文件路径；最大 16 MiB",
    no_daemon: "由本命令自己提供网页，不交给守护进程",
    notify: "通知用户: bell、desktop、command（用户自己配置的命令）或 none（AIDE_NOTIFY）",
    queue: "排在其他待定项之后，不取代它们，也不会被取代",
    deadline: "截止时间: 45s、30m、2h、3d、1w 之后，或 2026-01-15T18:00:00+08:00；过后不再接受回答",
    detach: "在后台提供网页，命令立即返回；之后用 aide decide wait 获取答案",
    detach_json: "与 --detach 合用: 输出一行 JSON（session_id、url、pid；取代了其他待定项时另有 replaced）",
};

pub(super) static EN: Help = Help {
    about: "Submit questions and start the web server",
    usage: "aide decide submit [OPTIONS] <INPUT>",
    after: "\
Prints a link, then waits until the user has decided (exit code 0); until the
questions are sent back, cancelled, replaced or expired, or the time is up (1); or until it
is interrupted by Ctrl-C, SIGTERM or SIGHUP (130, 143, 129). After that, aide decide
result prints the answers.

If the same questions are already pending, submitting them again waits on the same
page; different questions replace them. If the command is killed, the questions
remain: continue with aide decide wait, or submit them again.

If several agents ask in one project, use --queue: each set keeps its place, and the
page leads from one to the next. Get the answers with aide decide result SESSION.

Linux refuses a single command-line argument above 131,071 bytes (about 200
questions). For more, use - or a file:
  aide decide submit - < pending-items.json
  aide decide submit ./pending-items.json

The questions:
  {\"task\": \"Add user login\", \"source\": \"task-now.md\", \"items\": [
    {\"id\": 1, \"title\": \"Which kind of login?\", \"recommend\": \"jwt\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\", \"score\": 85, \"pros\": [\"stateless\"], \"cons\": [\"hard to revoke\"]},
      {\"value\": \"session\", \"label\": \"Session\", \"score\": 70}]}]}",
    input: "JSON that starts with {, - for standard input, or the path of a file; at most 16 MiB",
    no_daemon: "Serve the page from this command, even if a daemon is running",
    notify: "Notify the user: bell, desktop, command (from their own configuration) or none (AIDE_NOTIFY)",
    queue: "Queue behind other open questions, without replacing them or being replaced",
    deadline: "Deadline for the answer: in 45s, 30m, 2h, 3d or 1w, or at 2026-01-15T18:00:00+08:00",
    detach: "Serve the page in the background and return at once; aide decide wait then gets the answer",
    detach_json: "With --detach: print one line of JSON (session_id, url, pid, and replaced if other questions were)",
};
