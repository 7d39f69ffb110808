//! The words of `aide plan run --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) provider: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "执行计划: 投递、运行智能体、请求用户",
    usage: "aide plan run [选项] [PLAN]",
    after: "\
在一个进程中投递消息、发出命令，并运行计划所用的每个智能体；已由 aide agent run 运行的
智能体不受影响。需要用户时，问题出现在 aide decide open 的页面上，答复之后自动继续。所有
计划结束后，此命令也结束。随时可以中断，再次运行即从中断处继续。

退出码:
  0    所有计划已完成
  1    有计划结束时没有完成，或出错
  130  被 Ctrl-C 中断（SIGTERM 为 143，SIGHUP 为 129）",
    provider: "所有智能体使用的提供者（默认见各自的 agent_profile.json）",
    json: "每件事输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "Execute plans: deliver messages, run the agents, ask the user",
    usage: "aide plan run [OPTIONS] [PLAN]",
    after: "\
Delivers messages, issues commands and runs every agent that the plans use, in one
process, except agents that aide agent run is already running. If the user is needed, the
question is on the page of aide decide open, and the plan continues after the answer. This
command ends when all plans have ended. It can be interrupted at any time and continues from
there when it is run again.

Exit codes:
  0    all plans are done
  1    a plan has ended without being completed, or an error occurred
  130  interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129)",
    provider: "The provider of all agents (default: see their agent_profile.json)",
    json: "Print one line of JSON per event",
};
