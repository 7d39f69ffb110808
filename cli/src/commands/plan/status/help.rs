//! The words of `aide plan status --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) plan: &'static str,
    pub(super) watch: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "计划进行到哪里",
    usage: "aide plan status [选项] [PLAN]",
    after: "\
读取 plan_status.json，不改动任何文件；它由 aide plan run 或 tick 写下。",
    plan: "只看此计划（默认全部）",
    watch: "有变化时重新显示，直到所有任务结束",
    json: "输出 plan_status.json 的内容；没有指定 PLAN 时为 {\"plans\": [...]}",
};

pub(super) static EN: Help = Help {
    about: "How far plans have come",
    usage: "aide plan status [OPTIONS] [PLAN]",
    after: "\
Reads plan_status.json and changes nothing; aide plan run or tick writes it.",
    plan: "Only this plan (default: all)",
    watch: "Show it again whenever it changes, until all tasks have ended",
    json: "Print what plan_status.json says; without PLAN, {\"plans\": [...]}",
};
