//! The words of `aide plan tick --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) only: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "推进计划一次",
    usage: "aide plan tick [选项] [PLAN]",
    after: "\
一次做完当前能做的事: 收集各智能体发件箱中的内容并按 DAG 投递，下发就绪任务的命令，
必要时请求用户处理，写入计划的状态。每件事输出一行；没有变化时不写入任何文件。同时
只能有一个程序推进计划。不指定 PLAN 时推进全部计划。

退出码:
  0  完成
  1  有计划无法继续，或另一个程序正在推进",
    only: "只做一部分: router（投递与下发）或 monitor（写入状态）",
    json: "输出一行 JSON: happened、plans、paused、trouble",
};

pub(super) static EN: Help = Help {
    about: "Execute plans for one pass",
    usage: "aide plan tick [OPTIONS] [PLAN]",
    after: "\
Does all that can be done now: collects messages from the agents' outboxes and delivers them
along the DAG, issues the commands of tasks that can begin, asks the user if needed, and
writes the status of the plans. Prints one line per event; if nothing has changed, nothing is
written. Only one program at a time may do this. Without PLAN, continues all plans.

Exit codes:
  0  done
  1  a plan cannot continue, or another program is executing plans",
    only: "Do one part: router (delivers and issues) or monitor (writes the status)",
    json: "Print one line of JSON: happened, plans, paused, trouble",
};
