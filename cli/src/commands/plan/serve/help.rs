//! The words of `aide plan serve --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "在浏览器中查看计划，并回答所有待定项",
    usage: "aide plan serve [选项]",
    after: "\
启动一个不随任何待定项结束的 Web 服务: /plans 显示全部计划与智能体，/plans/PLAN 显示一个
计划的任务、投递与决定，/ 是所有待定项的收件箱，/api/plans 与 /api/agents 以 JSON 提供
同样的内容。页面只读取计划；推进计划的是 aide plan run。Ctrl-C 结束。

退出码:
  1    无法启动
  130  被 Ctrl-C 结束（SIGTERM 为 143，SIGHUP 为 129）",
};

pub(super) static EN: Help = Help {
    about: "Show plans and all open questions in the browser",
    usage: "aide plan serve [OPTIONS]",
    after: "\
Starts a server that keeps running after questions are answered: /plans shows all plans and
agents, /plans/PLAN the tasks, deliveries and decisions of one plan, / is the inbox of all
open questions, and /api/plans and /api/agents return the same as JSON. The pages only
display plans; aide plan run executes them. Ctrl-C ends the server.

Exit codes:
  1    it could not start
  130  ended by Ctrl-C (SIGTERM 143, SIGHUP 129)",
};
