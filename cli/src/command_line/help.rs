//! The words of `aide --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) help_flag: &'static str,
    pub(super) version_flag: &'static str,
    pub(super) lang_flag: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "AI 智能体提问，人来决策",
    usage: "aide [选项] <子命令>",
    after: "\
向用户提问:
  aide init                                        每个项目执行一次
  aide decide submit --detach ./questions.json     输出供用户打开的链接，以及会话
  aide decide wait SESSION --timeout 540           输出答案
完整的示例见 aide decide --help。

退出码:
  0    成功
  1    失败，标准错误输出给出原因与建议
  2    命令行用法有误
  75   aide decide wait 的时间用尽，用户尚未完成决策
  130  被 Ctrl-C 中断（SIGTERM 为 143，SIGHUP 为 129）

环境变量:
  AIDE_LANG  同 --lang
  NO_COLOR   不使用颜色

配置文件: 项目的 .aide/config.toml，您自己的 ~/.config/aide/config.toml
优先级: 参数 > 环境变量 > 项目 > 用户 > 默认值",
    help_flag: "显示帮助",
    version_flag: "显示版本",
    lang_flag: "语言: zh（默认）、en 或 auto（跟随系统语言）",
};

pub(super) static EN: Help = Help {
    about: "AI agents ask, people decide",
    usage: "aide [OPTIONS] <COMMAND>",
    after: "\
To ask the user something:
  aide init                                        once per project
  aide decide submit --detach ./questions.json     prints a link for the user, and a session
  aide decide wait SESSION --timeout 540           prints the answer
aide decide --help has a complete example.

Exit codes:
  0    success
  1    failure; standard error says why and what to do
  2    wrong usage of the command line
  75   aide decide wait timed out, and there is no decision yet
  130  interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129)

Environment variables:
  AIDE_LANG  same as --lang
  NO_COLOR   no colours

Configuration files: .aide/config.toml, and your own ~/.config/aide/config.toml
Precedence: argument > environment variable > project > user > default",
    help_flag: "Print help",
    version_flag: "Print version",
    lang_flag: "Language: zh (default), en, or auto (follows the locale)",
};
