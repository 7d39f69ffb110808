//! The flags and keys that set where a daemon listens.

use crate::command_line::layout::{Layout, text, written};
use crate::context::Context;
use crate::failure::Failure;
use clap::{Arg, ArgMatches};
use settings::{DaemonSettings, Key};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

const HTTP_PORT: &str = "--http-port";
const WS_PORT: &str = "--ws-port";
/// Tells the process in the background that the language it is started with was not given by a flag.
pub(super) const LANG_NOT_GIVEN: (&str, &str) = ("FINGER_DAEMON_LANG", "1");

/// The flags, as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DaemonFlags {
    http_port: Option<OsString>,
    ws_port: Option<OsString>,
    bind: Option<OsString>,
    url: Option<OsString>,
    pub(super) lang: Option<OsString>,
}

impl DaemonFlags {
    pub(crate) fn arguments(layout: Layout) -> [Arg; 4] {
        let words = layout.pick(&ZH, &EN);
        [
            layout.value("http-port", "PORT", words.http_port),
            layout.value("ws-port", "PORT", words.ws_port),
            layout.value("bind", "ADDRESS", words.bind),
            layout.value("url", "URL", words.url),
        ]
    }

    pub(crate) fn read(context: &Context, matches: &ArgMatches) -> Self {
        let is_lang_given = env::var_os(LANG_NOT_GIVEN.0).is_none_or(|value| value != LANG_NOT_GIVEN.1);
        Self {
            http_port: text(matches, "http-port"),
            ws_port: text(matches, "ws-port"),
            bind: text(matches, "bind"),
            url: text(matches, "url"),
            lang: context.lang_flag.clone().filter(|_| is_lang_given),
        }
    }

    /// Returns these flags, completed by `last`: what `kept` has returned for the daemon that is replaced.
    pub(crate) fn or(self, last: &BTreeMap<String, String>) -> Self {
        let [http_port, ws_port, bind, url, lang] =
            self.named().map(|(name, given)| given.clone().or_else(|| last.get(name).map(OsString::from)));
        Self { http_port, ws_port, bind, url, lang }
    }

    /// Returns what a restart keeps of them. In the place of any free port it keeps the one that was taken: pages that are open
    /// look for the daemon there.
    pub(crate) fn kept(&self, http_port: u16, ws_port: u16) -> BTreeMap<String, String> {
        let given = self.named().into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let kept = given.map(|(name, value)| {
            let value = match name {
                HTTP_PORT => http_port.to_string(),
                WS_PORT => ws_port.to_string(),
                _ => value.to_string_lossy().into_owned(),
            };
            (name.to_owned(), value)
        });
        kept.collect()
    }

    /// Returns them as they are written on a command line.
    pub(crate) fn written(&self) -> Vec<OsString> {
        written(self.named())
    }

    fn get(&self, key: &Key) -> Option<OsString> {
        let (_, value) = self.named().into_iter().find(|(name, _)| Some(*name) == key.flag)?;
        value.clone()
    }

    fn named(&self) -> [(&'static str, &Option<OsString>); 5] {
        [
            (HTTP_PORT, &self.http_port),
            (WS_PORT, &self.ws_port),
            ("--bind", &self.bind),
            ("--url", &self.url),
            ("--lang", &self.lang),
        ]
    }
}

/// What is said by flags, by the environment and by the person's own configuration. A project has no say in it.
pub(crate) fn settings(context: &Context, flags: &DaemonFlags) -> Result<DaemonSettings, Failure> {
    let user = context.user_layers()?;
    Ok(DaemonSettings::resolve(user, |key| flags.get(key), |name| env::var_os(name))?)
}

/// What the help says of the flags. One table per language.
struct Words {
    http_port: &'static str,
    ws_port: &'static str,
    bind: &'static str,
    url: &'static str,
}

static ZH: Words = Words {
    http_port: "页面与 API 的端口；0 为任意空闲端口（默认 8080；FINGER_HTTP_PORT）",
    ws_port: "WebSocket 的端口；0 为任意空闲端口（默认 8081；FINGER_WS_PORT）",
    bind: "监听地址: localhost 或 IP 地址（默认 127.0.0.1）",
    url: "供人访问的地址；为空时自动生成",
};

static EN: Words = Words {
    http_port: "Port of pages and API; 0 means any free one (default 8080; FINGER_HTTP_PORT)",
    ws_port: "Port of WebSockets; 0 means any free one (default 8081; FINGER_WS_PORT)",
    bind: "Address to listen on: localhost or an IP address (default 127.0.0.1)",
    url: "Public link of the daemon; generated if empty",
};
