//! The words of `aide decide show --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "查看一次会话的待定项与决策",
    usage: "aide decide show [选项] [SESSION]",
    after: "每项给出选择、是否采纳推荐、回答方式（网页、纯表单网页、接口、终端）与时间。",
    json: "输出一行 JSON，即该会话的完整记录",
};

pub(super) static EN: Help = Help {
    about: "Show the questions and answers of one session",
    usage: "aide decide show [OPTIONS] [SESSION]",
    after: "\
For each question: the choice, whether it was recommended, how it was answered (page,
plain page, API, terminal), and when.",
    json: "Print one line of JSON: the whole record",
};
