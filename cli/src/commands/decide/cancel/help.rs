//! The words of `aide decide cancel --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "取消待定项",
    usage: "aide decide cancel [选项] [SESSION]",
    after: "等待中的命令随之结束，此后的提交会被拒绝；不会产生任何决策。",
};

pub(super) static EN: Help = Help {
    about: "Cancel the questions",
    usage: "aide decide cancel [OPTIONS] [SESSION]",
    after: "Waiting commands end, and answers are no longer accepted. Nothing is decided.",
};
