//! The words of `aide decide wait --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) timeout: &'static str,
    pub(super) notify: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "等待用户完成决策，并获取结果",
    usage: "aide decide wait [选项] [SESSION]",
    after: "\
用户完成决策后输出与 aide decide result 相同的结果（退出码 0）；时间用尽而用户
尚未完成时退出码为 75，可再次执行。没有服务在运行时会在后台重新启动，并尽量
沿用原来的地址与端口。中断或杀死本命令不影响网页与待定项。

SESSION 是 submit --detach 输出的会话: 其他待定项的决策不会被当作它的结果。若已被
新的提交取代，标准错误会指出是哪一个，退出码为 1。不给 SESSION 时指最近一次提交，
并在标准错误中说明是哪一个。

--json 的 status: 同 aide decide result；时间用尽时为 pending

示例（智能体的命令有时间限制时）:
  aide decide submit --detach ./pending-items.json
  aide decide wait 2025-01-15T10-30-00 --timeout 540",
    timeout: "最长等待时间，单位秒；0 为不限（默认 0）",
    notify: "提醒用户: bell、desktop、command 或 none，同 submit",
};

pub(super) static EN: Help = Help {
    about: "Wait for the user's decision and print it",
    usage: "aide decide wait [OPTIONS] [SESSION]",
    after: "\
Once the user has decided, prints what aide decide result prints (exit code 0). If
the time is up and there is no decision yet, the exit code is 75; run it again. If no
server is running, it starts one in the background, on the same address and port if
they are free. Interrupting or killing this command affects neither the page nor the
questions.

SESSION is the session that submit --detach printed: answers to other questions are
never returned for it. If newer questions have replaced these, standard error names
them and the exit code is 1. Without SESSION, uses the most recent questions and names
them on standard error.

status with --json: as for aide decide result; pending if the time is up

For an agent whose commands have a time limit:
  aide decide submit --detach ./pending-items.json
  aide decide wait 2025-01-15T10-30-00 --timeout 540",
    timeout: "How long to wait, in seconds; 0 waits forever (default 0)",
    notify: "Remind the user: bell, desktop, command or none, as for submit",
};
