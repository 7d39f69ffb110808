//! The words of `aide init --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "初始化 .aide 目录与默认配置",
    usage: "aide init [选项]",
    after: "\
在当前目录创建 .aide/；可重复执行，已有的配置不会被覆盖。用 --lang 指明语言时，新的配置会写入
该语言（general.lang）。",
};

pub(super) static EN: Help = Help {
    about: "Create the .aide folder and its default configuration",
    usage: "aide init [OPTIONS]",
    after: "\
Creates .aide/ in the current folder. Running it again is safe: an existing configuration
is kept. With --lang, a new configuration gets that language (general.lang).",
};
