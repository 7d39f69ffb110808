//! The words of `aide plan retry --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) task: &'static str,
    pub(super) note: &'static str,
    pub(super) plan: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "重新执行失败或已完成的任务",
    usage: "aide plan retry [选项] <TASK>",
    after: "\
让失败的任务再试一次，或让已完成的任务重新执行，例如在它的命令修改并再次激活之后: 正在运行
的 aide plan run 或下一次 aide plan run 会下发新的命令（command_seq 加一）。失败的任务:
依赖它的任务随之继续，关于它的问题被撤回，失败的原因请先排除。已完成的任务: 依赖它的任务
随之重新执行。--note 的文字作为用户的要求（最高优先级）写入提示词，以后各次执行也带上它。
aide plan status 显示各个任务。

退出码:
  0  已请求重新执行
  1  没有此任务，或任务还没有结束",
    task: "失败或已完成的任务（task_id）",
    note: "写给智能体的要求，进入此任务的提示词",
    plan: "任务所属的计划；只有一个计划有失败的此任务时可省略",
    json: "输出一行 JSON: plan_id、task_id、command_seq（已结束的命令的序号）、dependents（随之重新执行的任务）",
};

pub(super) static EN: Help = Help {
    about: "Redo a failed or finished task",
    usage: "aide plan retry [OPTIONS] <TASK>",
    after: "\
Retries a failed task or redoes a finished one, for example after its command was changed
and activated: a running aide plan run, or the next one, issues a new command for it (with
the next command_seq). After a failed task, the tasks that depend on it continue, and
questions about its failure are withdrawn; remove the cause first. After a finished task,
the tasks that depend on it are redone. From then on, the text of --note is in the task's
prompt as the user's instruction, with the highest priority.
aide plan status shows the tasks.

Exit codes:
  0  another attempt is requested
  1  no such task, or it has not ended",
    task: "The failed or finished task (task_id)",
    note: "What the agent should know: an instruction in the task's prompt",
    plan: "The task's plan; needed only if several plans have this failed task",
    json: "Print one line of JSON: plan_id, task_id, command_seq of the command that has ended, and dependents that are redone",
};
