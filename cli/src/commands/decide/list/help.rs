//! The words of `aide decide list --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "列出待决策与已结束的待定项",
    usage: "aide decide list [选项]",
    after: "\
待决策的排在最前，其余从新到旧。--json 的 status: pending、unserved（待决策，但没有
服务在运行）、answered、returned、cancelled、expired、replaced（另有 replaced_by）、unreadable",
    json: "输出一行 JSON 数组",
};

pub(super) static EN: Help = Help {
    about: "List the open questions and those that are closed",
    usage: "aide decide list [OPTIONS]",
    after: "\
Open questions first, then the most recent. status with --json: pending, unserved
(open, but no server is running), answered, returned, cancelled, expired, replaced
(with replaced_by), unreadable",
    json: "Print one line with a JSON array",
};
