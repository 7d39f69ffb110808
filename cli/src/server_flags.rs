//! The flags that say how a server is started: those of `submit`, and of the process in the background that it starts.

use crate::command_line::layout::{Layout, text, written};
use clap::{Arg, ArgMatches};
use settings::Key;
use std::ffi::OsString;

/// The flags, as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServerFlags {
    pub(crate) port: Option<OsString>,
    pub(crate) bind: Option<OsString>,
    pub(crate) url: Option<OsString>,
    pub(crate) auth: Option<OsString>,
    pub(crate) timeout: Option<OsString>,
}

impl ServerFlags {
    /// Returns them as arguments of a command.
    pub(crate) fn arguments(layout: Layout) -> [Arg; 5] {
        let [port, bind, url, auth] = Self::address(layout);
        let words = layout.pick(&ZH, &EN);
        [port, bind, url, auth, layout.value("timeout", "SECONDS", words.timeout)]
    }

    /// Returns those of a server that stays.
    pub(crate) fn address(layout: Layout) -> [Arg; 4] {
        let words = layout.pick(&ZH, &EN);
        [
            layout.value("port", "PORT", words.port),
            layout.value("bind", "ADDRESS", words.bind),
            layout.value("url", "URL", words.url),
            layout.value("auth", "MODE", words.auth),
        ]
    }

    pub(crate) fn read(matches: &ArgMatches) -> Self {
        Self { timeout: text(matches, "timeout"), ..Self::read_address(matches) }
    }

    /// Reads those of a server that stays.
    pub(crate) fn read_address(matches: &ArgMatches) -> Self {
        Self {
            port: text(matches, "port"),
            bind: text(matches, "bind"),
            url: text(matches, "url"),
            auth: text(matches, "auth"),
            timeout: None,
        }
    }

    /// Whether they say where a server is, or who may come in: the asker's own server is meant then, and no other.
    pub(crate) fn name_a_server(&self) -> bool {
        [&self.port, &self.bind, &self.url, &self.auth].into_iter().any(Option::is_some)
    }

    /// Returns what is said of `key`.
    pub(crate) fn get(&self, key: &Key) -> Option<&OsString> {
        let (_, value) = self.named().into_iter().find(|(name, _)| Some(*name) == key.flag)?;
        value.as_ref()
    }

    /// Returns them as they are written on a command line.
    pub(crate) fn written(&self) -> Vec<OsString> {
        written(self.named())
    }

    fn named(&self) -> [(&'static str, &Option<OsString>); 5] {
        [
            ("--port", &self.port),
            ("--bind", &self.bind),
            ("--url", &self.url),
            ("--auth", &self.auth),
            ("--timeout", &self.timeout),
        ]
    }
}

/// What their help says. One table per language.
struct Words {
    port: &'static str,
    bind: &'static str,
    url: &'static str,
    auth: &'static str,
    timeout: &'static str,
}

static ZH: Words = Words {
    port: "起始端口，被占用时依次尝试其后 9 个；0 为任意空闲端口（默认 3721；AIDE_DECIDE_PORT）",
    bind: "监听地址: localhost 或 IP 地址（默认 127.0.0.1；AIDE_DECIDE_BIND）",
    url: "输出的访问地址；为空时自动生成（AIDE_DECIDE_URL）",
    auth: "登录: auto（其他用户与其他机器）、always 或 never（默认 auto；AIDE_DECIDE_AUTH）",
    timeout: "最长等待时间，单位秒；0 为不超时（默认 0；AIDE_DECIDE_TIMEOUT）",
};

static EN: Words = Words {
    port: "First port; if it is in use, the next 9 are tried; 0 means any free port (default 3721; AIDE_DECIDE_PORT)",
    bind: "Address to listen on: localhost or an IP address (default 127.0.0.1; AIDE_DECIDE_BIND)",
    url: "Link to print; generated if empty (AIDE_DECIDE_URL)",
    auth: "Login: auto (for other users and other machines), always, or never (default auto; AIDE_DECIDE_AUTH)",
    timeout: "How long to wait, in seconds; 0 waits forever (default 0; AIDE_DECIDE_TIMEOUT)",
};
