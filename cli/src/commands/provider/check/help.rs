//! The words of `aide provider check --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) name: &'static str,
    pub(super) models: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "检查一个提供者，并向它提一个问题",
    usage: "aide provider check [选项] [NAME]",
    after: "\
程序: 在哪里、版本、是否已登录（程序自身不经询问即能回答时）、是否信任此目录。
服务: 地址与密钥。两者都以智能体的方式提一个很短的问题，可能产生少量费用: 给出回答、
用时、token 数与费用。每项一行: ✓ 正常，⚠ 值得注意，✗ 因此无法使用，并给出建议。
只问一次，不重试；最长为提供者的 timeout。

退出码:
  0    可以使用
  1    无法使用，或没有此提供者
  130  被 Ctrl-C 中断（SIGTERM 为 143，SIGHUP 为 129）",
    name: "提供者的名称，或预设: claude、codex、gemini、opencode、ollama；默认为没有指定提供者的智能体所用的那个",
    models: "同时列出服务（以及 ollama 与 opencode）给出的模型",
    json: "输出一行 JSON: 各项结果、回答与模型",
};

pub(super) static EN: Help = Help {
    about: "Check a provider and ask it one question",
    usage: "aide provider check [OPTIONS] [NAME]",
    after: "\
Program: checks its path, its version, whether it is logged in (if the program reports that
without a question), and whether it trusts this folder. Endpoint: checks its address and key.
Then it sends one short question the way agents do, which may cost a little, and prints the
answer, duration, tokens and cost. Each finding is one line: ✓ good, ⚠ warning, ✗ cannot be
used, with a remedy. The question is sent once, without retry, and may take as long as the
provider's timeout.

Exit codes:
  0    it can be used
  1    it cannot be used, or there is no such provider
  130  interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129)",
    name: "A provider's name, or a preset: claude, codex, gemini, opencode, ollama; by default, the one used by agents that name none",
    models: "Also list the models that an endpoint (or ollama, or opencode) offers",
    json: "Print one line of JSON: findings, answer and models",
};
