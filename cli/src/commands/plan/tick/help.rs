//! The words of `aide plan tick --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) plan: &'static str,
    pub(super) only: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "处理一遍: 投递、发出命令、写下进度",
    usage: "aide plan tick [选项] [PLAN]",
    after: "\
把每件已经可以做的事做一遍然后结束，不运行 agent。没有可做的事时什么也不写。同时只有一个
程序处理同一组文件夹。

退出码:
  0    已处理
  1    某个计划无法处理，或另一个程序正在处理",
    plan: "只处理此计划（默认全部）",
    only: "只做一部分: router（投递、发出命令、请求用户）或 monitor（写下进度）",
    json: "输出一行 JSON",
};

pub(super) static EN: Help = Help {
    about: "One pass: deliver, issue commands, write down how plans stand",
    usage: "aide plan tick [OPTIONS] [PLAN]",
    after: "\
Does once what can be done now, and ends; it runs no agents. Where there is nothing to do,
nothing is written. Only one program at a time handles the same folders.

Exit codes:
  0    done
  1    a plan could not be handled, or another program is at it",
    plan: "Only this plan (default: all)",
    only: "Only a part: router (delivers, issues commands, asks the user) or monitor (writes down how plans stand)",
    json: "Print one line of JSON",
};
