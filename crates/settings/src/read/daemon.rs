//! `[daemon]`, and what stands above it.

use crate::overrides::Overrides;
use crate::{DaemonSettings, Key, Layers, SettingError, ShowQuestions, UncheckedValue, forms, keys};
use std::ffi::OsString;

impl ShowQuestions {
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
            metrics: user.boolean(&keys::DAEMON_METRICS)?.unwrap_or(default.metrics),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::layer::{Layer, Origin};
    use crate::{DaemonSettings, Layers, LogLevel, SettingError, ShowQuestions};
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
             decide = 'never'\nmetrics = true\n";
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
            metrics: true,
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
            "[daemon]\nmetrics = 1",
        ] {
            assert!(matches!(resolve(file, &[], &[]), Err(SettingError::Config(_))), "{file}");
        }
    }
}
