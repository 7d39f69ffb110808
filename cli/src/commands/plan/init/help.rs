//! The words of `aide plan init --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) dir: &'static str,
    pub(super) task: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "写出一个可运行的计划",
    usage: "aide plan init [选项] [DIR]",
    after: "\
写出一个自己的计划: 一个智能体写，另一个评审，低于 80 分就重写，最多三次，然后由您决定。
包含 DAG、manifest、每个任务的命令，以及两个智能体的文件夹；已有的智能体保持不变。接着:

  aide plan activate plan
  aide plan run
  aide plan result

智能体使用 agent.provider 指定的提供者，或唯一的一个（见 aide provider list）。",
    dir: "计划的文件夹（默认 plan），不能已有计划",
    task: "要写什么，即第一个任务的提示词",
    json: "输出一行 JSON: plan_id、folder、files、agents、kept_agents",
};

pub(super) static EN: Help = Help {
    about: "Write a plan that is ready to run",
    usage: "aide plan init [OPTIONS] [DIR]",
    after: "\
Writes a plan of your own: one agent writes, another reviews; a text that scores below 80 is
rewritten, at most three times, and then you decide. It has a DAG, a manifest, a command for
each task, and the folders of the two agents; existing agents stay as they are. Then:

  aide plan activate plan
  aide plan run
  aide plan result

The agents use the provider that agent.provider names, or the only one configured (see
aide provider list).",
    dir: "The plan's folder (default: plan); it must not contain a plan",
    task: "What to write: the prompt of the first task",
    json: "Print one line of JSON: plan_id, folder, files, agents, kept_agents",
};
