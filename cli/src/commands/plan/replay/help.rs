//! The words of `aide plan replay --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) plan: &'static str,
    pub(super) message: &'static str,
    pub(super) reason: &'static str,
    pub(super) list: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "重新投递被放弃的消息",
    usage: "aide plan replay [选项] <PLAN> <MESSAGE>",
    after: "\
消息被放弃之后不再投递，直到 DAG 改变（至多三次）或由此命令要求。重新投递的消息保持原来的
message_id；要重做一个任务，需要新的命令。",
    plan: "计划",
    message: "消息的标识，或 deadletter_id",
    reason: "为什么，写入 replay_requests.jsonl",
    list: "列出被放弃的消息",
    json: "输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "Have a message delivered that was given up",
    usage: "aide plan replay [OPTIONS] <PLAN> <MESSAGE>",
    after: "\
A message that was given up is not delivered until the DAG changes (three times at most),
or until this command asks for it. It keeps its message_id; to have a task done again takes
a new command.",
    plan: "The plan",
    message: "The message's id, or a deadletter_id",
    reason: "Why, for replay_requests.jsonl",
    list: "List the messages that were given up",
    json: "Print one line of JSON",
};
