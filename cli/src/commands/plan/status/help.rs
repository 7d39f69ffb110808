//! The words of `aide plan status --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) watch: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "显示计划的进展",
    usage: "aide plan status [选项] [PLAN]",
    after: "\
读取 plan_status.json，不加锁也不写入。表格列出每个任务的状态、智能体、时间、重做次数
与等待的内容；其后是汇总、门禁、等待用户处理的请求与放弃投递的消息。不指定 PLAN 时
显示全部计划。

退出码:
  0    完成；--watch 时为计划已结束
  1    没有此计划，或文件无效
  130  --watch 被 Ctrl-C 中断（SIGTERM 为 143，SIGHUP 为 129）",
    watch: "有变化时重新显示，直到计划结束",
    json: "输出一行 JSON: plan_status 文档；多个计划时为 {\"plans\": […]}",
};

pub(super) static EN: Help = Help {
    about: "Show the status of plans",
    usage: "aide plan status [OPTIONS] [PLAN]",
    after: "\
Reads plan_status.json, without a lock and without writing. A table shows the state of each
task, its agent, its start, its repetitions and what it is waiting for; then follow a summary,
the gates, open questions to the user, and dead letters. Without PLAN, shows all plans.

Exit codes:
  0    success; with --watch, the plan has ended
  1    no such plan, or a file is not valid
  130  --watch was interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129)",
    watch: "Show it again after each change until the plan has ended",
    json: "Print one line of JSON: the plan_status document; of several plans, {\"plans\": […]}",
};
