//! The words of `aide trust --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) show: &'static str,
    pub(super) revoke: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "信任此项目的配置",
    usage: "aide trust [选项]",
    after: "\
配置可能来自他人的仓库。其中的 decide.bind（回环地址以外）、decide.url、
decide.auth = \"never\"，以及会启动程序或连接服务的 flow.hooks、
plantuml.jar_path、plantuml.java_path 与 agent.providers，在您信任之前不会生效，
并给出警告。参数与环境变量由您自己给出，无须信任。

信任的是文件现在的内容，改动之后须重新信任。记录保存在项目之外:
$XDG_STATE_HOME/aide/trust，否则为 ~/.local/state/aide/trust；两者都没有时无法信任。",
    show: "只显示将要信任的内容；尚未信任时退出码为 1",
    revoke: "不再信任此项目的任何内容",
};

pub(super) static EN: Help = Help {
    about: "Trust the configuration of this project",
    usage: "aide trust [OPTIONS]",
    after: "\
A configuration may come from a stranger's repository. Its decide.bind (other than
loopback addresses), decide.url and decide.auth = \"never\", and the keys that start
programs or connect out (flow.hooks, plantuml.jar_path, plantuml.java_path,
agent.providers), are ignored with a warning until you trust it. Arguments and
environment variables are your own and need no trust.

You trust the file as it is now: after a change you must trust it again. The record
is kept outside the project, in $XDG_STATE_HOME/aide/trust or else in
~/.local/state/aide/trust; without either, nothing can be trusted.",
    show: "Only show what would be trusted; exit code 1 if it is not trusted yet",
    revoke: "Stop trusting anything in this project",
};
