//! The words of `aide plan --help`, and of the flags that its commands share.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) agents: &'static str,
    pub(super) runtime: &'static str,
    pub(super) plan: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "由多个智能体按 DAG 完成的计划",
    usage: "aide plan <子命令>",
    after: "\
计划是一个 DAG: 每个任务由一个智能体完成，输出投递给下游。作者的文件夹包含
task_dag.json、可选的 plan_manifest.json，以及 commands/ 中每个任务一个命令文件。
激活后，任务一旦就绪即下发命令；无人能继续时请求用户处理。全部状态都保存在文件中，
随时中断都可以继续。",
    agents: "智能体所在的文件夹（默认为项目的 .aide/agents）",
    runtime: "系统的文件夹（默认为项目的 .aide/system_runtime）",
    plan: "计划的标识（plan_id）",
};

pub(super) static EN: Help = Help {
    about: "Plans: DAGs of tasks that several agents carry out",
    usage: "aide plan <COMMAND>",
    after: "\
A plan is a DAG: an agent does each task, and its outputs are delivered to the agents that
need them. The author's folder has task_dag.json, optionally plan_manifest.json, and one
command file per task in commands/. Once the plan is active, a command is issued as soon as
its task can begin; if no agent can continue, the user is asked. All state is kept in files,
and a run can be interrupted at any moment.",
    agents: "The folder of the agents (default: the project's .aide/agents)",
    runtime: "The system folder (default: the project's .aide/system_runtime)",
    plan: "A plan's id (plan_id)",
};
