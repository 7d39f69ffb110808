//! The words of `aide plan replay --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) message: &'static str,
    pub(super) reason: &'static str,
    pub(super) list: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "重新投递已放弃的消息",
    usage: "aide plan replay [选项] <PLAN> <MESSAGE>\n      aide plan replay --list <PLAN>",
    after: "\
无法投递的消息不会丢失: 它留在发件箱中，原因记录在死信中。排除原因后，用此命令要求
重新投递；DAG 改变后会自动重试一次。请求与用户名记录在 replay_requests.jsonl 中，
message_id 不变。没有 message_id 的文件不能重新投递。",
    message: "消息（message_id）或死信（deadletter_id）",
    reason: "原因，记录在请求中",
    list: "列出死信: 标识、时间、代码、文件、消息、是否可重试",
    json: "输出一行 JSON: 请求；使用 --list 时为 deadletters",
};

pub(super) static EN: Help = Help {
    about: "Redeliver a dead-lettered message",
    usage: "aide plan replay [OPTIONS] <PLAN> <MESSAGE>\n       aide plan replay --list <PLAN>",
    after: "\
A message that cannot be delivered is not lost: it stays in its outbox, and a dead letter
gives the reason. Once the cause is removed, this command requests another delivery; when
the DAG changes, delivery is retried automatically. The request is recorded in
replay_requests.jsonl with the user's name, and the message_id stays the same. A file
without a message_id cannot be redelivered.",
    message: "A message (message_id) or a dead letter (deadletter_id)",
    reason: "The reason, recorded in the request",
    list: "List the dead letters: id, time, code, file, message, whether retriable",
    json: "Print one line of JSON: the request; with --list, deadletters",
};
