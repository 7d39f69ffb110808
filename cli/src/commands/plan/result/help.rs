//! The words of `aide plan result --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "输出计划的成果",
    usage: "aide plan result [选项] [PLAN]",
    after: "\
逐个列出计划的成果（名称、任务、路径），文本文件同时输出内容。成果是交付物: manifest 的
deliverables，以及标为 \"deliverable\": true 的输出；没有交付物时，为没有后续任务的任务的
最新输出。只有一个计划时可以不写 PLAN。

退出码:
  0  有成果
  1  还没有成果，或没有此计划",
    json: "输出一行 JSON: plan_id、state，以及 artifacts（name、task_id、output_name、file、path、bytes、sha256、deliverable）",
};

pub(super) static EN: Help = Help {
    about: "Print the results of a plan",
    usage: "aide plan result [OPTIONS] [PLAN]",
    after: "\
Lists each result file of a plan with its task and path, and prints it if it is text. The
results are the deliverables: those of the manifest, and outputs with
\"deliverable\": true; if there are none, the newest outputs of the tasks on which no
other task depends. PLAN is optional if there is only one.

Exit codes:
  0  there is a result
  1  there is none yet, or no such plan",
    json: "Print one line of JSON: plan_id, state, and artifacts (name, task_id, output_name, file, path, bytes, sha256, deliverable)",
};
