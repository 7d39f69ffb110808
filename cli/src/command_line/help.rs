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
  1    failure; standard error gives the reason and what to do
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

pub(super) static FINGER_ZH: Help = Help {
    about: "驱动工作流: 常驻进程，以及向它提出的请求（即 aide 的同一个程序）",
    usage: "finger [选项] <子命令>",
    after: "\
第一个工作流:
  finger daemon start
  finger orchestrate \"搜索 deepseek，写一份报告\"
  finger events --follow

退出码:
  0    成功
  1    失败，或请求与当前状态冲突
  2    参数错误
  3    没有守护进程应答
  4    没有此工作流、会话、决策等
  5    工作流失败
  6    被 Ctrl-C 中断，或工作流被取消
  7    --timeout 的时间用尽，或决策已过期

环境变量:
  FINGER_HTTP_URL, FINGER_WS_URL  守护进程的地址，同 --base-url 与 --ws-url
  FINGER_HTTP_PORT, FINGER_WS_PORT  守护进程的端口
  FINGER_HOME  守护进程保存状态的目录
  AIDE_LANG    同 --lang
  NO_COLOR     同 --no-color",
    ..ZH
};

pub(super) static FINGER_EN: Help = Help {
    about: "Drive workflows: the daemon and its commands (the same program as aide)",
    usage: "finger [OPTIONS] <COMMAND>",
    after: "\
A first workflow:
  finger daemon start
  finger orchestrate \"search for deepseek and write a report\"
  finger events --follow

Exit codes:
  0    success
  1    failure, or not possible in the current state
  2    wrong arguments
  3    no daemon answers
  4    no such workflow, session or decision
  5    the workflow has failed
  6    interrupted by Ctrl-C, or the workflow was cancelled
  7    --timeout has elapsed, or a decision has expired

Environment variables:
  FINGER_HTTP_URL, FINGER_WS_URL  the address of the daemon, same as --base-url and --ws-url
  FINGER_HTTP_PORT, FINGER_WS_PORT  the ports of the daemon
  FINGER_HOME  the state folder of the daemon
  AIDE_LANG    same as --lang
  NO_COLOR     same as --no-color",
    ..EN
};
