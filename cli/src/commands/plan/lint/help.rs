//! The words of `aide plan lint --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) dir: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "检查计划",
    usage: "aide plan lint [选项] <DIR>",
    after: "\
检查每个文件的格式，以及: 重复的任务与输出、循环、不存在的依赖与 agent、无人产出的证据与
交付物、没有命令的任务。可能是有意为之的以 ⚠ 表示，例如要由用户提供的输入。

退出码:
  0    可以执行
  1    不能执行",
    dir: "计划的文件夹",
    json: "输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "Check a plan",
    usage: "aide plan lint [OPTIONS] <DIR>",
    after: "\
Checks the format of each file, and looks for duplicate tasks and outputs, cycles, unknown
dependencies and agents, evidence and deliverables that nobody makes, and tasks without a
command. What may be meant is marked ⚠, such as an input that a person is to provide.

Exit codes:
  0    it can be carried out
  1    it cannot",
    dir: "The plan's folder",
    json: "Print one line of JSON",
};
