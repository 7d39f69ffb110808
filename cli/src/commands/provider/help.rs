//! The words of `aide provider --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "提供者，即回答提示词的程序与服务",
    usage: "aide provider <子命令>",
    after: "\
提供者写在配置的 [[agent.providers]] 中，见 docs/reference/configuration.zh.md。",
};

pub(super) static EN: Help = Help {
    about: "Providers: the programs and endpoints that answer prompts",
    usage: "aide provider <COMMAND>",
    after: "\
Providers are configured as [[agent.providers]], see docs/reference/configuration.md.",
};
