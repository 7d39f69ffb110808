//! The words of `aide plan --help`, and of what its commands share.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) agents: &'static str,
    pub(super) runtime: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "由多个 agent 执行的计划",
    usage: "aide plan <子命令>",
    after: "\
计划是一个文件夹: task_dag.json 写明哪个任务由哪个 agent 在哪些任务之后完成、结果交给
谁，plan_manifest.json 写明要交付什么，commands/ 中每个任务一条命令。启用之后，aide 在
任务可以开始时发出命令，沿 DAG 投递结果，质量不足时要求重做，无人能继续时请求用户。",
    agents: "agent 的文件夹所在之处（默认 .aide/agents）",
    runtime: "系统自己的文件夹（默认 .aide/system_runtime）",
};

pub(super) static EN: Help = Help {
    about: "Plans that several agents carry out",
    usage: "aide plan <COMMAND>",
    after: "\
A plan is a folder: task_dag.json says which agent does which task after which others,
and who gets what comes of it; plan_manifest.json says what the plan is for; commands/ has
one command for each task. Once it is activated, aide issues commands as soon as their
tasks can begin, delivers results along the DAG, has work done again that is not good
enough, and asks the user where nobody else can go on.",
    agents: "Where the agents' folders are (default: .aide/agents)",
    runtime: "The system's own folder (default: .aide/system_runtime)",
};
