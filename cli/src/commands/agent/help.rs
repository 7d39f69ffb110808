//! The words of `aide agent --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "通过文件工作的智能体",
    usage: "aide agent <子命令>",
    after: "\
智能体只通过文件夹交流: 命令到达收件箱，等齐输入后询问 LLM，结果写入发件箱。
一个智能体即一个文件夹，通常是 .aide/agents/<标识>；其中 agent_profile.json 写明它
是谁（prompt、provider），其余由 aide 维护，不纳入版本管理。",
};

pub(super) static EN: Help = Help {
    about: "Agents that work through files",
    usage: "aide agent <COMMAND>",
    after: "\
Agents communicate only through folders: a command arrives in the inbox and waits for
its inputs, an LLM answers it, and the results go to the outbox. An agent is a folder,
usually .aide/agents/<id>; its agent_profile.json defines its prompt and provider, and
aide maintains everything else, which is not versioned.",
};
