//! `[daemon]`: where the resident process listens, and what it keeps. Only the person's own file has a say in it.

use crate::server::Overrides;
use crate::{Key, Layers, SettingError, UncheckedValue, forms, keys};
use std::ffi::OsString;
use std::str::FromStr;

/// Checked values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonSettings {
    /// The port of HTTP; 0 takes any free one.
    pub http_port: u16,
    /// The port that has nothing but WebSockets; 0 takes any free one.
    pub ws_port: u16,
    /// `localhost` or an IP address.
    pub host: String,
    /// The link by which people come; empty when it is made from the port.
    pub url: String,
    /// How much the log says.
    pub log_level: LogLevel,
    /// How many events are kept at least. Those of workflows that have not ended are kept in any case.
    pub keep_events: u64,
    /// How long a thread may wait until the daemon is stuck and begins anew, in seconds.
    pub stall_limit: u32,
    /// Whether it shows the questions of `aide decide submit`.
    pub decide: ShowQuestions,
}

/// Whether a daemon shows the questions of `aide decide submit`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShowQuestions {
    /// If the asker names no address of its own.
    #[default]
    Auto,
    /// Everybody shows their own.
    Never,
}

/// A text that is none of [`ShowQuestions::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither auto nor never")]
pub struct UnknownShowQuestions;

impl ShowQuestions {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["auto", "never"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }

    /// What the person's own file says.
    ///
    /// # Errors
    ///
    /// When it says something else.
    pub fn resolve(user: Layers<'_>) -> Result<Self, SettingError> {
        let said = user.spanned(&keys::DAEMON_DECIDE)?;
        let given = said.map(|said| UncheckedValue { source: said.source, text: said.text.into() });
        Ok(given.map(|given| given.parse(&keys::DAEMON_DECIDE)).transpose()?.unwrap_or_default())
    }
}

impl FromStr for ShowQuestions {
    type Err = UnknownShowQuestions;

    fn from_str(text: &str) -> Result<Self, UnknownShowQuestions> {
        [Self::Auto, Self::Never].into_iter().find(|one| one.name() == text).ok_or(UnknownShowQuestions)
    }
}

/// How much a log says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogLevel {
    /// What has failed.
    Error,
    /// What is not as it should be as well.
    Warn,
    /// What was begun and ended as well.
    #[default]
    Info,
    /// Every request as well.
    Debug,
    /// Everything.
    Trace,
}

/// A text that is none of [`LogLevel::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a level")]
pub struct UnknownLevel;

impl LogLevel {
    /// What may be written for a level.
    pub const NAMES: &'static [&'static str] = &["error", "warn", "info", "debug", "trace"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl FromStr for LogLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let all = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];
        all.into_iter().find(|level| level.name() == text).ok_or(UnknownLevel)
    }
}

impl Default for DaemonSettings {
    fn default() -> Self {
        Self {
            http_port: 8080,
            ws_port: 8081,
            host: "127.0.0.1".to_owned(),
            url: String::new(),
            log_level: LogLevel::default(),
            keep_events: 100_000,
            stall_limit: 60,
            decide: ShowQuestions::default(),
        }
    }
}

impl DaemonSettings {
    /// The settings. `user` is what the person's own file says; `flag` and `variable` look up what was given.
    ///
    /// # Errors
    ///
    /// When a value is wrong.
    pub fn resolve(
        user: Layers<'_>,
        flag: impl Fn(&Key) -> Option<OsString>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SettingError> {
        let above = Overrides { flag: &flag, variable: &variable };
        let default = Self::default();
        let text = |key| -> Result<Option<UncheckedValue>, SettingError> {
            let in_file =
                user.spanned(key)?.map(|said| UncheckedValue { source: said.source, text: said.text.into() });
            Ok(above.given(key).or(in_file))
        };
        let host = text(&keys::DAEMON_BIND)?;
        let url = text(&keys::DAEMON_URL)?;
        let level = text(&keys::DAEMON_LOG_LEVEL)?;
        let link = |text: &str| forms::is_link(text).then(|| text.to_owned());
        Ok(Self {
            http_port: above.number(
                &keys::DAEMON_HTTP_PORT,
                user.integer(&keys::DAEMON_HTTP_PORT)?.unwrap_or(default.http_port),
            )?,
            ws_port: above.number(
                &keys::DAEMON_WS_PORT,
                user.integer(&keys::DAEMON_WS_PORT)?.unwrap_or(default.ws_port),
            )?,
            host: match host {
                Some(given) => given.as_a(&keys::DAEMON_BIND, forms::address)?,
                None => default.host,
            },
            url: match url {
                Some(given) => given.as_a(&keys::DAEMON_URL, link)?,
                None => default.url,
            },
            log_level: match level {
                Some(given) => given.parse(&keys::DAEMON_LOG_LEVEL)?,
                None => default.log_level,
            },
            keep_events: user.integer(&keys::DAEMON_KEEP_EVENTS)?.unwrap_or(default.keep_events),
            stall_limit: user.integer(&keys::DAEMON_STALL_LIMIT)?.unwrap_or(default.stall_limit),
            decide: ShowQuestions::resolve(user)?,
        })
    }

    /// Whether only this machine can come.
    pub fn is_loopback(&self) -> bool {
        forms::is_loopback(&self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::{DaemonSettings, LogLevel, ShowQuestions};
    use crate::layer::{Layer, Origin};
    use crate::{Layers, SettingError};
    use std::path::Path;

    fn resolve(
        file: &str,
        flags: &[(&str, &str)],
        variables: &[(&str, &str)],
    ) -> Result<DaemonSettings, SettingError> {
        let layer =
            Layer::parse(file, Path::new("c.toml"), Origin::User).unwrap_or_else(|error| panic!("{error}"));
        let find = |all: &[(&str, &str)], name: &str| {
            all.iter().find(|(found, _)| *found == name).map(|(_, value)| value.into())
        };
        DaemonSettings::resolve(
            Layers::new(None, Some(&layer)),
            |key| find(flags, key.flag?),
            |name| find(variables, name),
        )
    }

    #[test]
    fn a_flag_stands_above_variables_above_the_file() {
        let file = "[daemon]\nhttp_port = 1\nws_port = 2\nbind = '::1'\nkeep_events = 7\nstall_limit = 9\nlog_level = 'warn'\n\
             decide = 'never'\n";
        let of_file = resolve(file, &[], &[]).unwrap_or_else(|error| panic!("{error}"));
        let expected = DaemonSettings {
            http_port: 1,
            ws_port: 2,
            host: "::1".to_owned(),
            url: String::new(),
            log_level: LogLevel::Warn,
            keep_events: 7,
            stall_limit: 9,
            decide: ShowQuestions::Never,
        };
        assert_eq!(of_file, expected);
        let ports = |flags, variables| {
            let found = resolve(file, flags, variables).unwrap_or_else(|error| panic!("{error}"));
            (found.http_port, found.ws_port)
        };
        let general: &[_] = &[("PORT", "3"), ("WS_PORT", "4")];
        assert_eq!(ports(&[], general), (3, 4));
        let own: &[_] =
            &[("PORT", "3"), ("FINGER_HTTP_PORT", "5"), ("FINGER_WS_PORT", "6"), ("WS_PORT", "4")];
        assert_eq!(ports(&[], own), (5, 6));
        assert_eq!(ports(&[("--http-port", "8"), ("--ws-port", "0")], own), (8, 0));
        // What is empty is not said.
        assert_eq!(ports(&[], &[("PORT", ""), ("FINGER_WS_PORT", "")]), (1, 2));
        let by_default = resolve("", &[], &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(by_default, DaemonSettings::default());
        // Where a command looks for a daemon: part of the contract.
        assert_eq!((by_default.http_port, by_default.ws_port), (8080, 8081));
    }

    #[test]
    fn mistakes_name_their_place() {
        for (flags, variables) in [
            (&[("--http-port", "x")][..], &[][..]),
            (&[("--bind", "example.com")], &[]),
            (&[("--url", "x")], &[]),
            (&[], &[("FINGER_WS_PORT", "65536")]),
            (&[], &[("PORT", "http")]),
            (&[], &[("FINGER_LOG_LEVEL", "loud")]),
        ] {
            let refused = resolve("", flags, variables);
            assert!(matches!(refused, Err(SettingError::Bad(_))), "{flags:?} {variables:?}: {refused:?}");
        }
        for file in [
            "[daemon]\nhttp_port = 'x'",
            "[daemon]\nkeep_events = -1",
            "[daemon]\nstall_limit = 1",
            "[daemon]\nstall_limit = 86401",
            "[daemon]\nbind = 1",
            "[daemon]\ndecide = 1",
        ] {
            assert!(matches!(resolve(file, &[], &[]), Err(SettingError::Config(_))), "{file}");
        }
    }
}
