//! The words of `aide plan release --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) agent: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "决定计划能否发布",
    usage: "aide plan release [选项] --agent <AGENT> <PLAN>",
    after: "\
以一个智能体的身份检查发布所需的证据（plan_manifest.json 的 release_gates_required，
没有写明时为五个标准文件）: 证据须在该智能体的输入中，且结论为通过。结果写入该智能体
的发件箱: release_manifest 与 decision_record，由下一次推进归档。每次执行都写入一个新的
发布。

退出码:
  0  APPROVE: 可以发布
  1  REJECT: 缺少证据或证据不合格，或执行失败",
    agent: "负责发布的智能体",
    json: "输出一行 JSON: plan_id、release_id、decision、missing、rejected",
};

pub(super) static EN: Help = Help {
    about: "Decide whether a plan may be released",
    usage: "aide plan release [OPTIONS] --agent <AGENT> <PLAN>",
    after: "\
Acts as one of the agents and checks the evidence that a release needs (release_gates_required
in plan_manifest.json, else the five standard files): it must be among the agent's inputs and
state that it passes. The release_manifest and its decision_record go to the agent's outbox
and are archived by the next pass. Each call writes a separate release.

Exit codes:
  0  APPROVE: it may be released
  1  REJECT: evidence is missing or does not pass; or the command failed",
    agent: "The agent that releases",
    json: "Print one line of JSON: plan_id, release_id, decision, missing, rejected",
};
