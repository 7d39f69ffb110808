//! The words of `aide plan release --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) plan: &'static str,
    pub(super) agent: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "决定是否发布",
    usage: "aide plan release [选项] --agent <NAME> <PLAN>",
    after: "\
查看交给此 agent 的证据: plan_manifest.json 的 release_gates_required 所列的文件，没有写明时为
五种标准的验证结果。全部存在且通过则批准。决定写入此 agent 的发件箱，由下一次投递归档；最新
的决定有效。

退出码:
  0    已批准
  1    已拒绝，或出错",
    plan: "计划",
    agent: "负责发布的 agent",
    json: "输出一行 JSON: 发布清单",
};

pub(super) static EN: Help = Help {
    about: "Decide about a release",
    usage: "aide plan release [OPTIONS] --agent <NAME> <PLAN>",
    after: "\
Looks at the evidence that was delivered to this agent: the files that
release_gates_required of plan_manifest.json lists, or else the five standard results. If
all are there and have passed, it approves. The decision goes to the agent's outbox, and
the next pass archives it; the newest one counts.

Exit codes:
  0    approved
  1    rejected, or an error",
    plan: "The plan",
    agent: "The agent that releases",
    json: "Print one line of JSON: the release manifest",
};
