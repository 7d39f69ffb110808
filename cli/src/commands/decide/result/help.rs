//! The words of `aide decide result --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "获取用户决策结果",
    usage: "aide decide result [选项] [SESSION]",
    after: "\
成功时仅输出一行 JSON:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"bcrypt\",\"note\":\"用户的补充说明\"}]}

可在项目的任何子目录中执行，也可重复执行。尚无结果时退出码为 1，可用 aide decide wait
等待。不给 SESSION 时指最近一次提交，并在标准错误中说明是哪一个。

--json 的 status: answered（已决策）、returned（用户退回）、cancelled（已取消）、
replaced（被新的提交取代）、pending（等待中）、unserved（仍待决策，但没有服务在运行）、
expired（同上，且此前的待定项已有结果）、none（没有待定项）。除 none 外都有 session_id",
};

pub(super) static EN: Help = Help {
    about: "Print the user's decision",
    usage: "aide decide result [OPTIONS] [SESSION]",
    after: "\
On success, prints one line of JSON and nothing else:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"bcrypt\",\"note\":\"what the user added\"}]}

Works in any subfolder of the project and can be repeated. Exit code 1 while there is
no result; aide decide wait waits for it. Without SESSION, uses the most recent
questions and names them on standard error.

status with --json: answered, returned (sent back by the user), cancelled, replaced
(by newer questions), pending, unserved (open, but no server is running), expired
(the same, after earlier questions have ended here), none (no questions were asked).
All but none have a session_id",
};
