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
    about: "安装计划，使其 DAG 生效",
    usage: "aide plan activate [选项] <DIR>",
    after: "\
先做 aide plan lint 的检查。旧的 DAG 存入 dag_history/；旧 DAG 的命令不再投递。同一计划可以
随时再次启用，修改后的版本号加一。

退出码:
  0    已启用
  1    计划有问题，没有任何改动",
    dir: "计划的文件夹",
    kind: "business（默认），或 meta: 用于制定计划本身",
    json: "输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "Install a plan and make its DAG the active one",
    usage: "aide plan activate [OPTIONS] <DIR>",
    after: "\
Does what aide plan lint does first. The DAG before goes to dag_history/, and its commands
are delivered no more. A plan can be activated again at any time; if it has changed, its
revision goes up by one.

Exit codes:
  0    it is active
  1    the plan has problems, and nothing was changed",
    dir: "The plan's folder",
    kind: "business (the default), or meta: to make the plan itself",
    json: "Print one line of JSON",
};
