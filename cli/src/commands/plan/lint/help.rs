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
    about: "检查一个计划",
    usage: "aide plan lint [选项] [DIR]",
    after: "\
先检查每个文件的格式，再检查计划: 写错的成员名，任务、依赖与输出，智能体是否存在、其
提供者是否已配置，输入有无任务产出，选择器是否匹配，评审者有无可评审的内容，门禁要求的
证据与评分有无任务给出，每个任务是否有命令。✗ 是错误，⚠ 是提醒（可能是有意的，例如由
用户提供的输入）。不写入任何文件。
没有 DIR 时: 当前文件夹，或其中唯一有计划的文件夹（例如 plan/），否则是项目中的。

退出码:
  0  没有错误
  1  有错误
  2  没有 DIR，而这里没有计划或有多个计划",
    dir: "计划作者的文件夹: task_dag.json、plan_manifest.json（可选）、commands/*.json",
    json: "输出一行 JSON: valid 与 findings（file、path、code、fatal、message）",
};

pub(super) static EN: Help = Help {
    about: "Check a plan",
    usage: "aide plan lint [OPTIONS] [DIR]",
    after: "\
Checks the format of each file, then the plan: misspelt members, tasks, dependencies and
outputs, whether the agents exist and their providers are configured, whether a task
produces each input, whether selectors match anything, whether reviewers get what they
review, whether a task produces the evidence and scores that gates need, and whether each
task has a command. ✗ marks errors, ⚠ warnings that may be intended, such as an input that
the user provides. Nothing is written.
Without DIR, uses the current folder or its only subfolder with a plan, such as plan/;
otherwise that of the project.

Exit codes:
  0  no errors
  1  errors
  2  no DIR given, and no plan or several plans here",
    dir: "The author's folder: task_dag.json, plan_manifest.json (optional), commands/*.json",
    json: "Print one line of JSON: valid, and findings (file, path, code, fatal, message)",
};
