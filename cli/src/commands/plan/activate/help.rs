//! The words of `aide plan activate --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) dir: &'static str,
    pub(super) kind: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "激活一个计划",
    usage: "aide plan activate [选项] [DIR]",
    after: "\
先按 aide plan lint 检查，有错误则不激活；然后把 DAG、清单与命令安装到系统的文件夹，
最后写入 active_dag_ref.json。原来的 DAG 保存在 dag_history/ 中。内容相同时不改变版本。没有 DIR 时同 aide plan lint。

退出码:
  0  已激活，或此前已激活
  1  有错误，没有激活
  2  没有 DIR，而这里没有计划或有多个计划",
    dir: "计划作者的文件夹，见 aide plan lint",
    kind: "DAG 的用途: business（默认），或产生计划本身的 meta",
    json: "输出一行 JSON: plan_id、revision、task_dag_sha256、dag_kind、tasks、was_active；有错误时同 lint --json",
};

pub(super) static EN: Help = Help {
    about: "Activate a plan",
    usage: "aide plan activate [OPTIONS] [DIR]",
    after: "\
Checks the plan like aide plan lint, and refuses it if there are errors; then installs its
DAG, manifest and commands in the system folder, active_dag_ref.json last. The previous DAG
is kept in dag_history/. If the content is unchanged, so is the revision. Without DIR, uses
the folder that aide plan lint checks.

Exit codes:
  0  activated, or already active
  1  errors; not activated
  2  no DIR given, and no plan or several plans here",
    dir: "The author's folder, see aide plan lint",
    kind: "Kind of the DAG: business (default), or meta, which creates the plan itself",
    json: "Print one line of JSON: plan_id, revision, task_dag_sha256, dag_kind, tasks, was_active; with errors, the output of lint --json",
};
