//! The words of `aide plan remove --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) yes: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "删除已结束或从未执行的计划",
    usage: "aide plan remove [选项] <PLAN>",
    after: "\
删除 .aide/system_runtime 中该计划的一切（成果也在其中），以及各智能体为它收到和发出的内容。
计划的文件夹（task_dag.json 与 commands/）和智能体保持不变，可再次激活。正在运行的 aide plan run
占用这些文件夹时不能删除。

退出码:
  0  已删除
  1  没有此计划，计划还没有结束，或没有确认",
    yes: "不再询问",
    json: "输出一行 JSON: plan_id、removed；须与 --yes 一起使用",
};

pub(super) static EN: Help = Help {
    about: "Remove a plan that has ended or was never run",
    usage: "aide plan remove [OPTIONS] <PLAN>",
    after: "\
Removes all files of the plan in .aide/system_runtime, including its results, and all messages
that its agents received or sent for it. The plan's own folder (task_dag.json and commands/)
and the agents stay as they are; the plan can be activated again. While aide plan run uses
the folders, nothing can be removed.

Exit codes:
  0  removed
  1  no such plan, the plan has not ended, or removal was not confirmed",
    yes: "Do not ask",
    json: "Print one line of JSON: plan_id, removed; needs --yes",
};
