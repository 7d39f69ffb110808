//! The words of `aide schema --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) name: &'static str,
    pub(super) example: &'static str,
    pub(super) check: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "输出智能体之间各种文件的 JSON Schema，或检查这些文件",
    usage: "aide schema [NAME] [--example | --check FILE]",
    after: "\
不给 NAME 时列出全部格式，以及各自用于哪个文件。

计划中的命令（command）须与其 command_id 一致，并指明 DAG；直接执行的命令按
command.cmd 检查。检查时列出全部问题，各有路径与代码；文件有效时退出码为 0，
否则为 1。",
    name: "格式的名称，如 ack",
    example: "改为输出一个有效示例",
    check: "检查一个文件；- 为标准输入",
};

pub(super) static EN: Help = Help {
    about: "Print the JSON Schema of the files that agents exchange, or check such a file",
    usage: "aide schema [NAME] [--example | --check FILE]",
    after: "\
Without a NAME, lists all formats, each with the file that has it.

A command of a plan (command) must match its command_id and name its DAG; a command that
is run directly is checked as command.cmd. A check lists all problems, each with its path
and code; the exit code is 0 if the file is valid, otherwise 1.",
    name: "The name of a format, such as ack",
    example: "Print a valid example instead",
    check: "Check a file; - for standard input",
};
