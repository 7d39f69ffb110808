//! The words of `aide decide schema --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) answers: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "输出待定项的 JSON Schema",
    usage: "aide decide schema [选项]",
    after: "\
待定项可用 multiple（多选）、allow_other（用户自填答案）、required: false（可不回答），
各自的返回形式见 Schema。",
    answers: "改为输出 aide decide result 所打印的决策结果的 Schema",
};

pub(super) static EN: Help = Help {
    about: "Print the JSON Schema of the questions",
    usage: "aide decide schema [OPTIONS]",
    after: "\
With multiple, allow_other or required: false, a question accepts several answers,
an answer in the user's own words, or none; the schema says how each is returned.",
    answers: "Print the schema of the answers instead, as printed by aide decide result",
};
