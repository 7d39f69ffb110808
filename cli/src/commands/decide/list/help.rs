//! The words of `aide decide list --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) all: &'static str,
    pub(super) page: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "列出待决策与已结束的待定项",
    usage: "aide decide list [选项]",
    after: "\
待决策的排在最前，其余从新到旧。--json 的 status: pending、unserved（待决策，但没有
服务在运行）、answered、returned、cancelled、expired、replaced（另有 replaced_by）、unreadable

--all 列出曾在其中提问的所有项目里待决策的项，不论守护进程是否运行；--json 中另有 project，
有服务时还有 url。工作流的提问为 decision_id 与 workflow_id。",
    all: "列出这台电脑上您所有项目中待决策的项，以及工作流的提问",
    page: "只列出第 N 页: 每页 50 组已结束的项，第 1 页另有待决策的项",
    json: "输出一行 JSON 数组",
};

pub(super) static EN: Help = Help {
    about: "List open and closed questions",
    usage: "aide decide list [OPTIONS]",
    after: "\
Open questions first, then the most recent. status with --json: pending, unserved
(open, but no server is running), answered, returned, cancelled, expired, replaced
(with replaced_by), unreadable

--all lists the open questions of every project in which questions were ever asked, with
or without a daemon; --json adds project and, if a server shows it, url. Questions of
workflows have decision_id and workflow_id.",
    all: "List open questions of all your projects on this computer and of workflows",
    page: "List only page N: 50 closed sets, on page 1 after what is open",
    json: "Print one line with a JSON array",
};
