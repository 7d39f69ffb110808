//! The words of `aide plan retry --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) task: &'static str,
    pub(super) plan: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "重试失败的任务",
    usage: "aide plan retry [选项] <TASK>",
    after: "\
任务失败后，用此命令再试一次: 正在运行的 aide plan run 或下一次 aide plan run 会下发新的
命令（command_seq 加一），依赖它的任务随之继续，关于它的问题被撤回。失败的原因排除之后再
执行；aide plan status 显示失败的任务。

退出码:
  0  已请求重试
  1  没有此任务，或任务没有失败",
    task: "失败的任务（task_id）",
    plan: "任务所属的计划；只有一个计划有失败的此任务时可省略",
    json: "输出一行 JSON: plan_id、task_id、command_seq（失败的命令的序号）",
};

pub(super) static EN: Help = Help {
    about: "Try a failed task again",
    usage: "aide plan retry [OPTIONS] <TASK>",
    after: "\
Has a task that has failed tried again: a running aide plan run, or the next one, issues a
new command for it (with the next command_seq), the tasks that depend on it go on, and
questions about its failure are withdrawn. Remove the cause first; aide plan status shows
which tasks have failed.

Exit codes:
  0  another try is requested
  1  no such task, or it has not failed",
    task: "The failed task (task_id)",
    plan: "The task's plan; needed only where several plans have this failed task",
    json: "Print one line of JSON: plan_id, task_id, and command_seq of the failed command",
};
